// Package fuzztarget finds the fuzz targets of a package, and reads and writes their inputs as go
// test keeps them.
package fuzztarget

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foray.test/cmd/internal/consumer"
	"foray.test/cmd/internal/load"
	"foray.test/engine/seq"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
)

// GoFuzzTag is the build tag that go-fuzz sets.
const GoFuzzTag = "gofuzz"

// Match returns the go-fuzz functions that an expression means: the one of
// that name, as go-fuzz takes it, or else those that it matches. Any function that
// takes bytes and returns an int can be named; unnamed it has to begin with Fuzz.
func Match(functions []string, re *regexp.Regexp, expr string) []string {
	if name := bare(expr); slices.Contains(functions, name) {
		return []string{name}
	}
	return slices.DeleteFunc(slices.Clone(functions), func(name string) bool {
		return !strings.HasPrefix(name, "Fuzz") || !re.MatchString(name)
	})
}

// bare returns the name that an expression may be, without its anchors.
func bare(expr string) string { return strings.TrimSuffix(strings.TrimPrefix(expr, "^"), "$") }

// WithTag returns flags of the go command that set one more build tag.
func WithTag(ctx context.Context, flags []string, tag string) ([]string, error) {
	tags, rest := build.CutFlag(flags, "tags")
	if tags == "" {
		env, err := exec.CommandContext(ctx, "go", "env", "GOFLAGS").Output()
		if err != nil {
			return nil, &load.Error{Place: "go env GOFLAGS", Msg: err.Error(), Hint: "foray needs the go command in PATH"}
		}
		tags, _ = build.CutFlag(strings.Fields(string(env)), "tags")
	}
	if tags != "" {
		tag = strings.Trim(tags, `'"`) + "," + tag
	}
	return append(rest, "-tags="+tag), nil
}

// NoTargetHint is the hint for a package without a target.
const NoTargetHint = "without -fuzz foray calls the package's own API"

// None returns the error of a package without a target that matches expr. tagged
// is the package as go-fuzz sees it, if there is one.
func None(pkg *build.Target, tagged []*build.Target, expr string) error {
	names := catalog.Targets(TestFiles(pkg))
	built := slices.Concat(pkg.GoFiles, pkg.TestGoFiles, pkg.XTestGoFiles)
	for _, t := range tagged {
		built = append(built, t.GoFiles...)
		for _, name := range catalog.GoFuzz(load.ParseFiles(t, t.GoFiles, "func Fuzz")) {
			if strings.HasPrefix(name, "Fuzz") {
				names = append(names, name)
			}
		}
	}
	if f, file := declared(pkg, bare(expr)); f != nil {
		place := pkg.Path + "." + bare(expr)
		signature := types.ExprString(f.Type)
		switch {
		case !slices.Contains(built, file):
			return &load.Error{Place: place, Msg: "its file, " + filepath.Base(file) + ", is not built", Hint: "-tags sets what the //go:build line of the file asks for"}
		case !strings.HasSuffix(file, "_test.go"):
			return &load.Error{Place: place, Msg: signature + ", want an exported func(data []byte) int, as go-fuzz has them", Hint: "a target of go test is a FuzzXxx(f *testing.F) in a test file"}
		}
		return &load.Error{Place: place, Msg: signature + ", want func FuzzXxx(f *testing.F) in a test file"}
	}
	if len(names) == 0 {
		return &load.Error{Place: pkg.Path, Msg: "no fuzz target: no test file declares a FuzzXxx(f *testing.F), no other a func Fuzz(data []byte) int", Hint: NoTargetHint}
	}
	return &load.Error{Place: pkg.Path, Msg: fmt.Sprintf("no fuzz target matches %q", expr), Hint: "it has " + strings.Join(names, ", ")}
}

// declared looks for a function in the files of a package's directory, whether they are built
// or not.
func declared(pkg *build.Target, name string) (f *ast.FuncDecl, file string) {
	list, err := os.ReadDir(pkg.Dir)
	if err != nil || name == "" {
		return nil, ""
	}
	for _, e := range list {
		file := filepath.Join(pkg.Dir, e.Name())
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		for _, parsed := range load.ParseFiles(pkg, []string{file}, "func "+name) {
			for _, d := range parsed.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == name {
					return fd, file
				}
			}
		}
	}
	return nil, ""
}

// TestFiles parses those test files that mention fuzzing.
func TestFiles(pkg *build.Target) []*ast.File {
	return load.ParseFiles(pkg, slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles), "func Fuzz")
}

// EncodeWords adds to the words of the dictionary their form for go-fuzz-headers: a
// word with its length before it. It also adds a run of zeros, which go-fuzz-headers
// reads as empty values, because it reads a value for as long as there are bytes.
func EncodeWords(t *seq.Table) {
	for i := range t.Types {
		ty := &t.Types[i]
		if ty.Literal != seq.String {
			continue
		}
		mined := []string{strconv.Quote(strings.Repeat("\x00", zeroRun))}
		for _, text := range ty.Mined {
			mined = append(mined, text)
			if word, err := strconv.Unquote(text); err == nil {
				mined = append(mined, strconv.Quote(string(consumer.String(word))))
			}
		}
		ty.Mined = mined
	}
}

// zeroRun is the length of the run of zeros: a dozen empty strings.
const zeroRun = 48
