package build

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strconv"
	"strings"

	foray "foray.test"
)

// RuntimePath is the import path under which the sources of this module are laid
// over GOROOT: foray.test/engine is forayrt/engine in a worker.
const RuntimePath = "forayrt"

// ProbePath is the import path of the probe in rewritten sources.
const ProbePath = RuntimePath + "/coverage/probe"

// sizeFile holds the number of condition sides, which is known only when the
// package under test has been rewritten.
const sizeFile = "coverage/probe/size.go"

// runtimeSources returns the files of the runtime by their path below the
// RuntimePath, with their imports moved there.
func runtimeSources(files map[string][]byte, sides int, analysis bool) (map[string][]byte, error) {
	moved := make(map[string][]byte, len(files)+1)
	for name, src := range files {
		m, err := moveImports(name, src)
		if err != nil {
			return nil, fmt.Errorf("runtime: %w", err)
		}
		moved[name] = m
	}
	if _, ok := files[sizeFile]; ok || sides > 0 {
		moved[sizeFile] = fmt.Appendf(nil, "package probe\n\n// Size is no less than the number of condition sides.\nconst Size = %d\n\n// Analysis says that the code is in the analysis form.\nconst Analysis = %t\n", roundedUp(sides), analysis)
	}
	return moved, nil
}

// roundedUp returns the next of a few sizes, at most a quarter above n, or leastSize.
// Packages of the same rounded size share the compiled runtime, which takes the
// go command over a second to build.
func roundedUp(n int) int {
	step := 1 << max(4, bits.Len(uint(max(n-1, 0)))-3)
	return max((n+step-1)/step*step, leastSize)
}

// leastSize is enough for most packages of a few types. More would make the sides of each run
// longer to read.
const leastSize = 128

// withoutTarget returns the files without those that only workers with a fuzz
// target link.
func withoutTarget(files map[string][]byte) map[string][]byte {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(name string, _ []byte) bool {
		dir := path.Dir(name)
		return dir == "harness/target" || dir == "harness" || dir == "corpus/fuzzfile"
	})
	return files
}

// testsOnly is a package of this module that tests import and no worker. It stays where
// the module of the tests has it.
const testsOnly = "harness/exhaustive"

// moveImports rewrites imports of this module's packages to RuntimePath.
func moveImports(name string, src []byte) ([]byte, error) {
	if !bytes.Contains(src, []byte(foray.Module)) {
		return src, nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []byte
	done := 0
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		rest, ok := strings.CutPrefix(p, foray.Module+"/")
		if err != nil || !ok || rest == testsOnly {
			continue
		}
		out = append(out, src[done:fset.Position(spec.Path.Pos()).Offset]...)
		out = strconv.AppendQuote(out, RuntimePath+"/"+rest)
		done = fset.Position(spec.Path.End()).Offset
	}
	return append(out, src[done:]...), nil
}

// standardImports lists the packages of the standard library that the runtime imports.
func standardImports(files map[string][]byte) ([]string, error) {
	var paths []string
	for name, src := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return nil, fmt.Errorf("runtime: %w", err)
		}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err == nil && !strings.HasPrefix(p, foray.Module+"/") && !strings.HasPrefix(p, RuntimePath+"/") {
				paths = append(paths, p)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
