package instrument_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"foray.test/coverage"
	"foray.test/coverage/instrument"
)

// probePath is where the tests put the probe package: into the standard library,
// by overlay.
const probePath = "forayrt/coverage/probe"

// A listed package is one of go list -json.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
	Standard, DepOnly       bool
	Module                  *struct{ GoVersion string }
	Error                   *struct{ Err string }
}

// rewriteAll loads, type-checks and rewrites the packages that the patterns name
// in the module in dir. It returns the overlay to build them with and the table of
// all conditions.
func rewriteAll(t testing.TB, dir string, patterns ...string) (overlay map[string][]byte, conds []coverage.Condition) {
	t.Helper()
	return rewriteForm(t, false, dir, patterns...)
}

// rewriteForm is rewriteAll for the normal or the analysis form.
func rewriteForm(t testing.TB, analysis bool, dir string, patterns ...string) (overlay map[string][]byte, conds []coverage.Condition) {
	t.Helper()
	all := goList(t, dir, patterns...)
	exports := make(map[string]string)
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	overlay = make(map[string][]byte)
	sides := 0
	for _, l := range all {
		if l.DepOnly {
			continue
		}
		p := load(t, l, exports)
		p.Analysis, p.FirstCondition = analysis, len(conds)
		res, err := instrument.Rewrite(p, probePath, sides)
		if err != nil {
			t.Fatalf("Rewrite: %v", err)
		}
		for name, src := range res.Sources {
			overlay[name] = src
		}
		conds = append(conds, res.Conditions...)
		sides += res.Sides
	}
	for name, src := range probeSources(t, sides) {
		overlay[filepath.Join(goroot(t), "src", filepath.FromSlash(probePath), name)] = src
	}
	checkTable(t, conds, sides)
	return overlay, conds
}

// listings are what goList has returned, by its arguments.
var listings = map[string][]listed{}

// goList asks the go command about packages and their dependencies, once.
func goList(t testing.TB, dir string, patterns ...string) []listed {
	t.Helper()
	key := dir + " " + strings.Join(patterns, " ")
	if all, ok := listings[key]; ok {
		return all
	}
	args := append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,ImportMap,Standard,DepOnly,Module,Error", "-export", "-deps"}, patterns...)
	out := goCommand(t, dir, args...)
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var l listed
		if err := dec.Decode(&l); err == io.EOF {
			listings[key] = all
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
}

func load(t testing.TB, l listed, exports map[string]string) instrument.Package {
	t.Helper()
	p := instrument.Package{Path: l.ImportPath, Fset: token.NewFileSet()}
	for _, name := range l.GoFiles {
		name = filepath.Join(l.Dir, name)
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(p.Fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.Files, p.Names, p.Sources = append(p.Files, f), append(p.Names, name), append(p.Sources, src)
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if mapped := l.ImportMap[path]; mapped != "" {
			path = mapped
		}
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	}
	conf := types.Config{
		Importer: importer.ForCompiler(p.Fset, "gc", lookup),
		Sizes:    types.SizesFor("gc", runtime.GOARCH),
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		conf.GoVersion = "go" + l.Module.GoVersion
	}
	check(t, &p, conf)
	return p
}

// check type-checks p and sets its Types and Info.
func check(t testing.TB, p *instrument.Package, conf types.Config) {
	t.Helper()
	p.Info = &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		FileVersions: make(map[*ast.File]string),
	}
	var err error
	if p.Types, err = conf.Check(p.Path, p.Fset, p.Files, p.Info); err != nil {
		t.Fatal(err)
	}
}

// probeSources returns the files of the probe package with the given Size.
func probeSources(t testing.TB, size int) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("../probe/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	files["size.go"] = fmt.Appendf(nil, "package probe\n\nconst Size = %d\n", (size+63)/64*64)
	return files
}

// checkTable fails unless the conditions have all sides from 0 to sides-1, in
// order, and IDs of their own.
func checkTable(t testing.TB, conds []coverage.Condition, sides int) {
	t.Helper()
	next := 0
	ids := make(map[string]bool)
	for _, c := range conds {
		if c.First != next || len(c.Sides) < 2 {
			t.Fatalf("%s has %d sides from %d, want at least 2 from %d", c.ID(), len(c.Sides), c.First, next)
		}
		if ids[c.ID()] {
			t.Fatalf("two conditions are %s", c.ID())
		}
		ids[c.ID()] = true
		next += len(c.Sides)
	}
	if next != sides {
		t.Fatalf("conditions have %d sides, want %d", next, sides)
	}
}

// overlayFlag writes an overlay for the go command and returns the flag.
func overlayFlag(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	replace := make(map[string]string)
	for name, src := range files {
		copied := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(copied, src, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[name] = copied
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return "-overlay=" + file
}

// goCommand runs the go command and returns its standard output.
func goCommand(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.String()
}

// goroot asks the go command where the standard library is, once.
func goroot(t testing.TB) string {
	t.Helper()
	dir, err := askRoot()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var askRoot = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out)), err
})
