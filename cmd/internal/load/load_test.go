package load_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// one loads exactly one package.
func one(t *testing.T, c load.Config) *load.Package {
	t.Helper()
	pkgs, err := load.Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) != 1 {
		t.Fatalf("load %v: got %d packages, want 1", c.Patterns, len(pkgs))
	}
	return pkgs[0]
}

// whole fails the test unless p is complete: every expression of every file has a type.
func whole(t *testing.T, p *load.Package) {
	t.Helper()
	if len(p.Files) == 0 || len(p.Files) != len(p.GoFiles) || len(p.Files) != len(p.Sources) {
		t.Errorf("%s: %d files, %d names, %d sources", p.Path, len(p.Files), len(p.GoFiles), len(p.Sources))
	}
	if p.Types == nil || !p.Types.Complete() || p.Types.Path() != p.Path || p.Types.Name() != p.Name {
		t.Fatalf("%s: types %v", p.Path, p.Types)
	}
	for i, f := range p.Files {
		if name := p.Fset.Position(f.Package).Filename; name != p.GoFiles[i] {
			t.Errorf("file %d is %s, want %s", i, name, p.GoFiles[i])
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if typ := p.Info.TypeOf(call); typ == nil || typ == types.Typ[types.Invalid] {
					t.Errorf("%s: call has no type", p.Fset.Position(call.Pos()))
				}
			}
			return true
		})
	}
}

func TestMainModule(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":                     "module m.test/m\n\ngo 1.21\n",
		"a/a.go":                     "// Package a is one.\npackage a\n\nimport \"m.test/m/b\"\n\nfunc F() b.T { return b.New() }\n",
		"a/a_test.go":                "package a\n\nimport \"no.such/module\"\n",
		"a/x_test.go":                "package a_test\n",
		"a/bad_test.go":              "package a_test\n\nfunc {\n",
		"a/foray_regression_test.go": build.GenMark + "\n\npackage a_test\n",
		"a/foray_solve_test.go":      build.SolveMark + "\n\npackage a_test\n",
		"b/b.go":                     "package b\n\ntype T struct{ n int }\n\nfunc New() T { return T{1} }\n",
		"c/c_test.go":                "package c\n",
		"d/d.go":                     "//go:build never\n\npackage d\n",
	})
	pkgs, err := load.Load(context.Background(), load.Config{Flags: []string{"-C", dir}, Patterns: []string{"./..."}})
	if err != nil || len(pkgs) != 2 {
		t.Fatalf("got %d packages, %v; want a and b", len(pkgs), err)
	}
	a := pkgs[0]
	if a.Path == "m.test/m/b" {
		a = pkgs[1]
	}
	whole(t, a)
	if a.Where != build.MainModule || a.Version() != "" || a.Module.Path != "m.test/m" || len(a.TestFiles) != 2 || a.Files[0].Doc == nil {
		t.Errorf("got %s %q of %v, %d test files", a.Where, a.Version(), a.Module, len(a.TestFiles))
	}
	targets, err := load.List(context.Background(), load.Config{Dir: dir, Patterns: []string{"./a"}})
	if err != nil || len(targets) != 1 || targets[0].Stamp() != a.Stamp() {
		t.Errorf("List and Load give different stamps: %v", err)
	}
	before := a.Stamp()
	if err := os.WriteFile(filepath.Join(dir, "b/b.go"), []byte("package b\n\ntype T int\n\nfunc New() T { return 1 }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if a.Stamp() == before {
		t.Error("the stamp does not see that a dependency has changed")
	}
}

func TestStandardLibrary(t *testing.T) {
	pkgs, err := load.Load(context.Background(), load.Config{Patterns: []string{"container/list", "strings", "crypto/tls"}})
	if err != nil || len(pkgs) != 3 {
		t.Fatalf("got %d packages, %v", len(pkgs), err)
	}
	for _, p := range pkgs {
		whole(t, p)
		if p.Where != build.Std || p.Version() != p.Go.Version {
			t.Errorf("%s: got version %q in the %s", p.Path, p.Version(), p.Where)
		}
	}
}

func TestCgo(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod": "module m.test/m\n\ngo 1.26\n",
		"c.go":   "package m\n\n// static int twice(int n) { return 2 * n; }\nimport \"C\"\n\nfunc Twice(n int) int { return int(C.twice(C.int(n))) }\n",
	})
	c := load.Config{Dir: dir, Env: append(os.Environ(), "CGO_ENABLED=1")}
	if _, err := exec.LookPath("gcc"); err == nil {
		whole(t, one(t, c))
	}
	c.Env = append(c.Env, "CC=/no/such/compiler")
	wantError(t, c, "m.test/m", "C compiler", "CGO_ENABLED=0")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	wantError(t, c, "m.test/m", "build constraints exclude all Go files", "CGO_ENABLED")
}

// wantError fails the test unless loading gives one error with these parts.
func wantError(t *testing.T, c load.Config, place, msg, hint string) {
	t.Helper()
	_, err := load.Load(context.Background(), c)
	var le *load.Error
	if !errors.As(err, &le) {
		t.Errorf("load %v: got %v, want %s: %s", c.Patterns, err, place, msg)
		return
	}
	if le.Place != place || !strings.Contains(le.Msg, msg) || !strings.Contains(le.Hint, hint) || strings.Contains(err.Error(), "\n") {
		t.Errorf("load %v: got %q: %q\nhint %q, want %s: … %s …, hint %s", c.Patterns, le.Place, le.Msg, le.Hint, place, msg, hint)
	}
}

func TestErrors(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":         "module m.test/m\n\ngo 1.26\n",
		"tags/t.go":      "//go:build never\n\npackage tags\n",
		"empty/x":        "",
		"only/o_test.go": "package only\n",
		"imp/i.go":       "package imp\n\nimport _ \"no.test/x\"\n",
		"bad/b.go":       "package bad\n\nvar V = missing\n",
		"args/a.go":      "package args\n\nfunc f(a, b int) {}\n\nfunc g() { f(1) }\n",
		"syn/s.go":       "package syn\n\nfunc {\n",
		"dep/d.go":       "package dep\n\nimport _ \"m.test/m/bad\"\n",
		"inner/go.mod":   "module m.test/inner\n\ngo 1.26\n",
		"inner/i.go":     "package inner\n",
		"cycle/c.go":     "package cycle\n\nimport _ \"m.test/m/cycle\"\n",
	})
	for _, tt := range []struct{ pattern, place, msg, hint string }{
		{"./tags", "m.test/m/tags", "build constraints exclude all Go files in", "-tags"},
		{"./empty", "./empty", "no Go files in", "./..."},
		{"./only", "m.test/m/only", "no non-test Go files in", "only tests"},
		{"./imp", "imp/i.go:3:8", "no required module provides package no.test/x", "path@latest"},
		{"./bad", "bad/b.go:3:9", "undefined: missing", "go vet"},
		{"./args", "args/a.go:5:14", "not enough arguments in call to f have (number) want (int, int)", ""},
		{"./syn", "syn/s.go:3:6", "expected", "go vet"},
		{"./cycle", "m.test/m/cycle", "import cycle not allowed", ""},
		{"./inner", "./inner", "main module (m.test/m) does not contain package m.test/m/inner", "-C dir"},
		{"no/such", "no/such", "package no/such is not in std", "./dir"},
		{"Parse", "Parse", "package Parse is not in std", "-ops"},
		{"./none", "./none", "directory not found", "patterns"},
		{"./none/...", "./none/...", "no such file or directory", "patterns"},
		{"/", "/", "no Go files in /", ""},
	} {
		wantError(t, load.Config{Dir: dir, Patterns: []string{tt.pattern}}, tt.place, tt.msg, tt.hint)
	}
	// A package has the error of one that it imports.
	wantError(t, load.Config{Dir: dir, Patterns: []string{"./bad", "./dep"}}, "bad/b.go:3:9", "undefined: missing", "go vet")
	work := tree(t, map[string]string{"go.work": "go 1.26\n\nuse ./m\n", "m/go.mod": "module m.test/m\n\ngo 1.26\n"})
	wantError(t, load.Config{Dir: work, Patterns: []string{"./..."}}, "./...", "modules listed in go.work", "./dir/...")
	wantError(t, load.Config{Dir: tree(t, nil), Patterns: []string{"."}}, ".", "go.mod file not found", "path@latest")
}

func TestAtVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads modules")
	}
	probe := exec.Command("go", "mod", "download", "github.com/google/btree@v1.1.3", "github.com/emirpasic/gods/v2@v2.0.0-alpha")
	probe.Dir, probe.Env = tree(t, map[string]string{"go.mod": "module m.test/m\n"}), append(os.Environ(), "GOWORK=off")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("no modules: %v\n%s", err, out)
	}
	c := load.Config{
		Dir:      tree(t, nil),
		Cache:    tree(t, nil),
		Patterns: []string{"github.com/google/btree@v1.1.3", "github.com/emirpasic/gods/v2/trees/...@v2.0.0-alpha", "container/list"},
	}
	pkgs, err := load.Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pkgs {
		whole(t, p)
		got = append(got, p.Path+" "+p.Version())
		if !strings.Contains(p.Path, "/list") && p.Where != build.ModuleCache {
			t.Errorf("%s: in the %s", p.Path, p.Where)
		}
	}
	if len(pkgs) != 7 || pkgs[1].Path != "github.com/google/btree" || pkgs[1].Version() != "v1.1.3" {
		t.Errorf("got %q", got)
	}

	// Neither resolved versions nor modules in the cache need the network.
	offline := c
	offline.Env = append(os.Environ(), "GOPROXY=off")
	offline.Patterns = c.Patterns[:1]
	one(t, offline)
	offline.Cache = tree(t, nil)
	offline.Patterns = []string{"github.com/emirpasic/gods/v2/trees/redblacktree@v2.0.0-alpha"}
	one(t, offline)
	offline.Patterns = []string{"github.com/google/btree@v1.1.2-no"}
	wantError(t, offline, offline.Patterns[0], "module lookup disabled", "module cache")

	// The module cache is a proxy, too, and has no others.
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(strings.TrimSpace(string(cache)))+"/cache/download")
	c.Patterns = []string{"github.com/google/btree@v9.9.9"}
	wantError(t, c, c.Patterns[0], "", "go list -m -versions")
	c.Patterns = []string{"github.com/google/btree@latest"}
	if p := one(t, c); !strings.HasPrefix(p.Version(), "v1.") {
		t.Errorf("latest is %q", p.Version())
	}
}

// A module that declares another path is told with it, which the go command does in further lines.
func TestAtAnotherPath(t *testing.T) {
	var zipped bytes.Buffer
	w := zip.NewWriter(&zipped)
	f, err := w.Create("m.test/old@v1.0.0/o.go")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "package o\n")
	w.Close()
	proxy := tree(t, map[string]string{
		"m.test/old/@v/v1.0.0.zip":  zipped.String(),
		"m.test/old/@v/list":        "v1.0.0\n",
		"m.test/old/@v/v1.0.0.info": `{"Version":"v1.0.0","Time":"2026-01-02T03:04:05Z"}`,
		"m.test/old/@v/v1.0.0.mod":  "module m.test/new\n",
	})
	c := load.Config{Dir: tree(t, nil), Cache: tree(t, nil), Patterns: []string{"m.test/old@latest"}}
	c.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy), "GONOSUMDB=*", "GOMODCACHE="+tree(t, nil), "GOFLAGS=-modcacherw")
	wantError(t, c, c.Patterns[0], "parsing go.mod: module declares its path as: m.test/new but was required as: m.test/old", "the path that it declares")
}

// The tests of a package may import the root of its module, which it does not.
func TestCheckTestsOfRoot(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":        "module m.test/p\n\ngo 1.24\n",
		"p.go":          "package p\n\nfunc F() string { return \"\" }\n",
		"sub/s.go":      "package sub\n\nfunc G(string) {}\n",
		"sub/s_test.go": "package sub_test\n\nimport (\n\t\"m.test/p\"\n\t\"m.test/p/sub\"\n)\n\nvar Text = p.F()\n\nfunc use() { sub.G(Text) }\n",
	})
	tests := one(t, load.Config{Dir: dir, Patterns: []string{"./sub"}}).CheckTests(t.Context())
	if len(tests) != 1 || tests[0].Types.Scope().Lookup("Text").Type().String() != "string" {
		t.Errorf("got %v, want that Text is a string", tests)
	}
}

// Test files are checked with the package, which both test packages see as one; a package
// that is not to be had costs only the names of it.
func TestCheckTests(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":      "module m.test/p\n\ngo 1.24\n",
		"p.go":        "package p\n\nfunc F(n int) int { return hidden(n) }\n\nfunc hidden(n int) int { return n }\n",
		"own_test.go": "package p\n\nimport (\n\t\"strconv\"\n\t\"testing\"\n\n\t\"example.org/assert\"\n)\n\nvar Exported = hidden\n\nfunc TestF(t *testing.T) { assert.Equal(t, F(len(strconv.Itoa(1))), 1) }\n",
		"x_test.go":   "package p_test\n\nimport \"m.test/p\"\n\nvar Use = p.Exported(p.F(2))\n",
	})
	p := one(t, load.Config{Dir: dir, Patterns: []string{"."}})
	tests := p.CheckTests(t.Context())
	if len(tests) != 2 || tests[0].Types.Name() != "p" || tests[1].Types.Name() != "p_test" {
		t.Fatalf("got %d units", len(tests))
	}
	called := map[string]bool{}
	for _, unit := range tests {
		for id, obj := range unit.Info.Uses {
			if fn, ok := obj.(*types.Func); ok {
				called[id.Name+" "+fn.FullName()] = true
			}
		}
	}
	for _, want := range []string{"F m.test/p.F", "hidden m.test/p.hidden", "Itoa strconv.Itoa"} {
		if !called[want] {
			t.Errorf("no use of %s in %v", want, called)
		}
	}
	if got := tests[1].Types.Scope().Lookup("Use").Type(); got.String() != "int" {
		t.Errorf("Use has type %v, want int", got)
	}
	if p.Types.Scope().Lookup("Exported") != nil {
		t.Error("the package itself has a variable of its tests")
	}
}

// The source of a test file is read where the file is, not where a //line directive says that it
// comes from.
func TestWithTestsLine(t *testing.T) {
	const source = "//line parser.y:7\npackage p\n\nvar Made = F(1)\n"
	dir := tree(t, map[string]string{"go.mod": "module m.test/p\n\ngo 1.24\n", "p.go": "package p\n\nfunc F(n int) int { return n }\n", "parser_test.go": source})
	with, err := one(t, load.Config{Dir: dir}).WithTests(t.Context(), func(*ast.File) bool { return false })
	if err != nil || len(with.Sources) != 2 || string(with.Sources[1]) != source || with.Types.Scope().Lookup("Made") == nil {
		t.Errorf("%v, want the package with its test file", err)
	}
}

// Files that the user's own overlay replaces are read there: tests, and users of the package.
func TestOverlaidTests(t *testing.T) {
	const test = "package p\n\nimport \"testing\"\n\nvar Made = F(1)\n\nfunc FuzzF(f *testing.F) {}\n"
	dir := tree(t, map[string]string{
		"go.mod": "module m.test/p\n\ngo 1.24\n", "p.go": "package p\n\nfunc F(n int) int { return n }\n",
		"p_test.go": "package p\n", "p_test.txt": test,
		"app/app.go": "package app\n", "app.txt": "package app\n\nimport \"m.test/p\"\n\nvar Used = p.F(2)\n",
		"overlay.json": `{"Replace": {"p_test.go": "p_test.txt", "app/app.go": "app.txt"}}`,
	})
	p := one(t, load.Config{Dir: dir, Flags: []string{"-overlay=overlay.json"}})
	with, err := p.WithTests(t.Context(), func(*ast.File) bool { return false })
	if err != nil || string(with.Sources[1]) != test || with.Types.Scope().Lookup("Made") == nil {
		t.Errorf("%v, want the package with the file of the overlay in\n%q", err, with.Sources)
	}
	users, _ := p.CheckUsers(t.Context(), nil)
	if len(users) != 1 || users[0].Types.Scope().Lookup("Used") == nil {
		t.Errorf("%d users, want the one of the overlay", len(users))
	}
	if files := load.ParseFiles(&p.Target, p.TestGoFiles, "func Fuzz"); len(files) != 1 {
		t.Errorf("%d files with fuzz targets, want the one of the overlay", len(files))
	}
}

// The go command is asked once about a package, its dependencies and the packages that its tests
// import, however often it is loaded.
func TestOne(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":       "module m.test/m\n\ngo 1.24\n",
		"a/a.go":       "package a\n\nimport \"m.test/m/b\"\n\nfunc F() int { return b.N }\n",
		"a/a_test.go":  "package a\n\nimport (\n\t\"strconv\"\n\n\t\"example.org/assert\"\n\t\"m.test/m/only\"\n)\n\nvar Text = strconv.Itoa(only.One)\n",
		"b/b.go":       "package b\n\nvar N = 1\n",
		"only/only.go": "package only\n\nvar One = 1\n",
	})
	targets, err := load.List(t.Context(), load.Config{Dir: dir, Patterns: []string{"./a"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := load.One(t.Context(), targets[0]); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	p, err := load.One(t.Context(), targets[0])
	if err != nil {
		t.Fatal(err)
	}
	whole(t, p)
	if _, err := p.Importer.Import("strconv"); err == nil {
		t.Error("before its tests are checked, a package imports what they import")
	}
	if tests := p.CheckTests(t.Context()); tests[0].Types.Scope().Lookup("Text").Type().String() != "string" {
		t.Errorf("Text has type %v", tests[0].Types.Scope().Lookup("Text").Type())
	}
	deps, err := p.Dependencies([]string{"m.test/m/b"})
	if err != nil || len(deps) != 1 {
		t.Fatalf("%d dependencies, %v", len(deps), err)
	}
	whole(t, deps[0])
	targets[0].Forget()
	if _, err := load.One(t.Context(), targets[0]); err == nil {
		t.Error("the listing is kept after Forget")
	}
	if _, err := p.Dependencies([]string{"m.test/m/gone"}); err == nil || err.Error() != "m.test/m/gone: package is gone" {
		t.Errorf("got %v, want that the package is gone", err)
	}
}
