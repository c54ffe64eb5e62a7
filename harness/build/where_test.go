package build_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"foray.test/engine/seq"
	"foray.test/harness/build"
)

// probed returns the sources of tg's file base with the first occurrence of
// where followed by a call of the probe.
func probed(t *testing.T, tg build.Target, base, where string) map[string][]byte {
	t.Helper()
	file := filepath.Join(tg.Dir, base)
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	clause := []byte("package " + tg.Name + "\n")
	if !bytes.Contains(src, []byte(where)) || !bytes.Contains(src, clause) {
		t.Fatalf("%s: no %q", file, where)
	}
	src = bytes.Replace(src, clause, []byte("package "+tg.Name+"; import forayProbe \""+build.ProbePath+"\"\n"), 1)
	src = bytes.Replace(src, []byte(where), []byte(where+" forayProbe.Hit(1);"), 1)
	return map[string][]byte{file: src}
}

func listAPI() *api {
	a := newAPI("container/list", "list")
	a.op(seq.Func, "list.New()", "", "*list.List")
	a.op(seq.Method, "$0.PushBack($1)", "*list.List; any", "*list.Element")
	a.op(seq.Method, "$0.Len()", "*list.List", "int")
	return a
}

const pushBack = "func (l *List) PushBack(v any) *Element {"

func TestStandardLibrary(t *testing.T) {
	tg := target(t, build.Query{Patterns: []string{"container/list"}})
	if tg.Where != build.Std || tg.Module != nil || tg.Version() != tg.Go.Version {
		t.Errorf("got %s of module %v in the %s", tg.Version(), tg.Module, tg.Where)
	}
	unchanged(t, tg.Dir)
	c := config(tg, listAPI())
	c.Rewritten, c.Sides = probed(t, tg, "list.go", pushBack), 2
	w := mustBuild(t, c)
	got := run(t, w, "0/1", "1/1 v0 7", "1/1 v0 v1", "2/1 v0")
	want(t, got[3:4], "2")
	want(t, got[5:], "hits 2")
	if w.Around {
		t.Error("Around is set, but the runtime does not use container/list")
	}
}

// No other package of the standard library that is in the worker uses this one: they would be
// compiled anew.
func TestPackageThatTheRuntimeUses(t *testing.T) {
	tg := target(t, build.Query{Patterns: []string{"encoding/json"}})
	a := newAPI("encoding/json", "json")
	a.op(seq.Func, "[]byte($0)", "string", "[]byte")
	a.op(seq.Func, "json.Valid($0)", "[]byte", "bool")
	c := config(tg, a)
	c.Rewritten, c.Sides = probed(t, tg, "scanner.go", "func checkValid(data []byte, scan *scanner) error {"), 2
	w := mustBuild(t, c)
	got := run(t, w, `0/1 "1"`, "1/1 v0")
	want(t, got[1:2], "true")
	want(t, got[3:], "hits 2") // the stand-in calls json.Unmarshal, too
	if !w.Around {
		t.Error("Around is not set, but the runtime uses encoding/json")
	}
}

// TestToolchainInModuleCache builds with a GOROOT beneath GOMODCACHE, as a
// downloaded toolchain has it.
func TestToolchainInModuleCache(t *testing.T) {
	root := strings.TrimSpace(goOutput(t, "", nil, "env", "GOROOT"))
	modcache := tree(t, nil)
	inside := filepath.Join(modcache, "golang.org", "toolchain@v0.0.1")
	if err := os.MkdirAll(filepath.Dir(inside), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, inside); err != nil {
		t.Skip(err)
	}
	env := append(os.Environ(), "GOROOT="+inside, "GOMODCACHE="+modcache, "GOTOOLCHAIN=local")
	tg := target(t, build.Query{Patterns: []string{"container/list"}, Env: env})
	if !strings.HasPrefix(tg.Dir, modcache) {
		t.Fatalf("package in %s, want it below %s", tg.Dir, modcache)
	}
	c := config(tg, listAPI())
	c.Rewritten, c.Sides = probed(t, tg, "list.go", pushBack), 2
	got := run(t, mustBuild(t, c), "0/1", "1/1 v0 7", "2/1 v0")
	want(t, got[2:3], "1")
}

func TestPackageMain(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":  "module m.test/cmd\n\ngo 1.26\n",
		"main.go": "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(3) }\n\ntype state struct{ N int }\n\nfunc Twice(n int) int { return 2 * n }\nfunc Start() state { return state{4} }\n",
	})
	unchanged(t, dir)
	tg := target(t, build.Query{Dir: dir})
	a := newAPI(tg.Path, "main")
	a.op(seq.Func, "main.Twice($0)", "int", "int")
	a.op(seq.Func, "main.Start()", "", "~main.state")
	a.op(seq.FieldGet, "$0.N", "~main.state", "int")
	want(t, run(t, mustBuild(t, config(tg, a)), "0/1 4", "1/1", "2/1 v1"), "8", "{4}", "4")
}

func TestWorkspace(t *testing.T) {
	dir := tree(t, stackFiles("b/stack", map[string]string{
		"go.work":  "go 1.26\n\nuse (\n\t./a\n\t./b\n)\n",
		"a/go.mod": "module m.test/a\n\ngo 1.26\n",
		"a/a.go":   "package a\n\nimport \"m.test/b/stack\"\n\nfunc F() int { return stack.Sum(1, 2) }\n",
		"b/go.mod": "module m.test/b\n\ngo 1.26\n",
	}))
	unchanged(t, dir)
	tg := target(t, build.Query{Dir: filepath.Join(dir, "a"), Patterns: []string{"m.test/b/stack"}})
	if tg.Where != build.Workspace {
		t.Errorf("got the %s", tg.Where)
	}
	if again := target(t, build.Query{Dir: tg.WorkDir, Patterns: []string{tg.Path}, Like: &tg}); !reflect.DeepEqual(again, tg) {
		t.Errorf("listed like another: %+v\nwant %+v", again, tg)
	}
	c := config(tg, stackAPI(tg.Path))
	c.Rewritten, c.Sides = probed(t, tg, "stack.go", "func Sum(base int, more ...int) int {"), 2
	wantStack(t, mustBuild(t, c))
}

func TestVendor(t *testing.T) {
	dir := tree(t, stackFiles("vendor/v.test/stack", map[string]string{
		"go.mod":             "module m.test/m\n\ngo 1.26\n\nrequire v.test/stack v1.2.3\n",
		"m.go":               "package m\n\nimport \"v.test/stack\"\n\nfunc F() int { return stack.Sum(1, 2) }\n",
		"vendor/modules.txt": "# v.test/stack v1.2.3\n## explicit; go 1.21\nv.test/stack\n",
	}))
	unchanged(t, dir)
	tg := target(t, build.Query{Dir: dir, Patterns: []string{"v.test/stack"}})
	if tg.Where != build.Vendor || tg.Version() != "v1.2.3" {
		t.Errorf("got version %s in the %s", tg.Version(), tg.Where)
	}
	c := config(tg, stackAPI(tg.Path))
	c.Rewritten, c.Sides = probed(t, tg, "stack.go", "func Sum(base int, more ...int) int {"), 2
	wantStack(t, mustBuild(t, c))
}

// TestUserOverlay builds a package of which the user's own -overlay replaces a file.
func TestUserOverlay(t *testing.T) {
	dir := tree(t, stackFiles(".", map[string]string{
		"go.mod":       "module m.test/stack\n\ngo 1.26\n",
		"extra.go":     "package stack\n\nfunc Extra() int { return 1 }\n",
		"o/extra.txt":  "package stack\n\nfunc Extra() int { return 2 }\n",
		"overlay.json": `{"Replace": {"extra.go": "o/extra.txt", "new_test.go": "o/extra.txt"}}`,
	}))
	unchanged(t, dir)
	tg := target(t, build.Query{Dir: dir, Flags: []string{"-tags", "x,y", "-overlay", "overlay.json"}})
	a := newAPI(tg.Path, "stack")
	a.op(seq.Func, "stack.Extra()", "", "int")
	want(t, run(t, mustBuild(t, config(tg, a)), "0/1"), "2")
}

func TestCgo(t *testing.T) {
	if goOutput(t, "", nil, "env", "CGO_ENABLED") != "1\n" {
		t.Skip("no cgo here")
	}
	dir := tree(t, map[string]string{
		"go.mod":  "module m.test/m\n\ngo 1.26\n",
		"c.go":    "package m\n\n// #include \"twice.h\"\nimport \"C\"\n\nfunc Twice(n int) int { return int(C.twice(C.int(n))) }\n",
		"twice.h": "static int twice(int n) { return 2 * n; }\n",
	})
	unchanged(t, dir)
	tg := target(t, build.Query{Dir: dir})
	if len(tg.CgoFiles) != 1 || len(tg.OtherFiles) != 1 {
		t.Errorf("cgo files %v, others %v", tg.CgoFiles, tg.OtherFiles)
	}
	a := newAPI(tg.Path, "m")
	a.op(seq.Func, "m.Twice($0)", "int", "int")
	c := config(tg, a)
	c.Rewritten, c.Sides = probed(t, tg, "c.go", "func Twice(n int) int {"), 2
	want(t, run(t, mustBuild(t, c), "0/1 4"), "8")
}

func goOutput(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// download returns the directory of a module that requires others, or skips the test where they
// cannot be had.
func download(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("downloads modules")
	}
	out, err := downloaded()
	if err != nil {
		t.Skipf("go get: %v\n%s", err, out)
	}
	return downloads
}

// downloaded makes the module for all tests.
var downloaded = sync.OnceValues(func() (out []byte, err error) {
	if err := os.MkdirAll(downloads, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(downloads, "go.mod"), []byte("module m.test/m\n\ngo 1.26\n"), 0o666); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "get", "github.com/google/btree@v1.1.3", "github.com/emirpasic/gods/v2@v2.0.0-alpha", "github.com/cespare/xxhash/v2@v2.3.0")
	cmd.Dir = downloads
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	return cmd.CombinedOutput()
})

func btreeAPI() *api {
	a := newAPI("github.com/google/btree", "btree")
	a.op(seq.Func, "btree.NewOrderedG[int]($0)", "int", "*btree.BTreeG[int]")
	a.op(seq.Method, "$0.ReplaceOrInsert($1)", "*btree.BTreeG[int]; int", "int; bool")
	a.op(seq.Method, "$0.Len()", "*btree.BTreeG[int]", "int")
	return a
}

const insert = "func (t *BTreeG[T]) ReplaceOrInsert(item T) (_ T, _ bool) {"

func wantBTree(t *testing.T, c build.Config) {
	t.Helper()
	unchanged(t, c.Target.Dir)
	unchanged(t, c.Target.WorkDir)
	c.Rewritten, c.Sides = probed(t, c.Target, "btree_generic.go", insert), 2
	got := run(t, mustBuild(t, c), "0/1 2", "1/2 v0 1", "1/2 v0 1", "2/1 v0")
	want(t, got[1:4], "0 false", "1 true", "1")
	want(t, got[5:], "hits 2")
}

func TestModuleCache(t *testing.T) {
	dir := download(t)
	tg := target(t, build.Query{Dir: dir, Patterns: []string{"github.com/google/btree"}})
	if tg.Where != build.ModuleCache || tg.Version() != "v1.1.3" {
		t.Errorf("got version %s in the %s", tg.Version(), tg.Where)
	}
	wantBTree(t, config(tg, btreeAPI()))

	// The same through a workspace, and in a module that has a vendor directory.
	t.Run("workspace", func(t *testing.T) {
		work := filepath.Join(tree(t, nil), "go.work")
		goOutput(t, filepath.Dir(work), []string{"GOWORK="}, "work", "init", dir)
		tg := target(t, build.Query{Dir: dir, Patterns: []string{"github.com/google/btree"}, Env: append(os.Environ(), "GOWORK="+work)})
		wantBTree(t, config(tg, btreeAPI()))
	})
}

// TestForkInModuleCache replaces a module by a fork with a module path of its own.
func TestForkInModuleCache(t *testing.T) {
	download(t)
	dir := tree(t, map[string]string{"go.mod": "module m.test/m\n\ngo 1.26\n"})
	goOutput(t, dir, []string{"GOWORK=off"}, "mod", "edit", "-replace=example.test/tree=github.com/google/btree@v1.1.3", "-require=example.test/tree@v1.0.0")
	goOutput(t, dir, []string{"GOWORK=off", "GOFLAGS=-mod=mod"}, "mod", "download", "all")
	tg := target(t, build.Query{Dir: dir, Patterns: []string{"example.test/tree"}})
	a := btreeAPI()
	a.Package, a.Imports[0].Path = tg.Path, tg.Path
	wantBTree(t, config(tg, a))
}

func TestGenericPackagesOfModuleCache(t *testing.T) {
	dir := download(t)
	const path = "github.com/emirpasic/gods/v2/trees/redblacktree"
	tg := target(t, build.Query{Dir: dir, Patterns: []string{path}})
	a := newAPI(path, "redblacktree", "github.com/emirpasic/gods/v2/utils")
	a.op(seq.Func, "redblacktree.New[int, string]()", "", "*redblacktree.Tree[int, string]")
	a.op(seq.Func, "redblacktree.NewWith[int, string]($0)", "utils.Comparator[int]", "*redblacktree.Tree[int, string]")
	a.op(seq.Method, "$0.Put($1, $2)", "*redblacktree.Tree[int, string]; int; string", "")
	a.op(seq.Method, "$0.Size()", "*redblacktree.Tree[int, string]", "int")
	got := run(t, mustBuild(t, config(tg, a)), "0/1", `2/0 v0 1 "a"`, "3/1 v0")
	want(t, got[len(got)-3:], "1")
}

// TestAssemblyInModuleCache builds a package that an overlay alone cannot hold.
func TestAssemblyInModuleCache(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("no assembly here")
	}
	dir := download(t)
	tg := target(t, build.Query{Dir: dir, Patterns: []string{"github.com/cespare/xxhash/v2"}})
	a := newAPI(tg.Path, "xxhash")
	a.op(seq.Func, "xxhash.Sum64String($0)", "string", "uint64")
	c := config(tg, a)
	c.Rewritten, c.Sides = probed(t, tg, "xxhash.go", "func New() *Digest {"), 2
	want(t, run(t, mustBuild(t, c), `0/1 "a"`), "15154266338359012955")
}

func TestProblems(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":         "module m.test/m\n\ngo 1.26\n",
		"tags/t.go":      "//go:build never\n\npackage tags\n",
		"tests/t.go":     "",
		"only/o_test.go": "package only\n",
		"imp/i.go":       "package imp\n\nimport _ \"no.test/x\"\n",
		"bad/b.go":       "package bad\n\nvar V = missing\n",
		"uses/u.go":      "package uses\n\nimport _ \"m.test/m/bad\"\n",
	})
	os.Remove(filepath.Join(dir, "tests/t.go"))
	for _, problems := range [][]struct{ pattern, pos, msg string }{
		{
			{"./tags", "", "build constraints exclude all Go files in"},
			{"./tests", "", "no Go files in"},
			{"./only", "", "no non-test Go files in"},
			{"./imp", "imp/i.go:3:8", "no required module provides package no.test/x"},
			{"./uses", "bad/b.go:3:9", "undefined: missing"},
			{"no/such", "", "package no/such is not in std"},
			{"./none", "", "directory not found"},
		},
		{{"./bad", "bad/b.go:3:9", "undefined: missing"}},
		{{"./none/...", "", "no such file or directory"}},
	} {
		var patterns []string
		for _, p := range problems {
			patterns = append(patterns, p.pattern)
		}
		l := list(t, build.Query{Dir: dir, Patterns: patterns, Export: true})
		if len(l.Problems) != len(problems) || len(l.Targets) > 0 {
			t.Fatalf("%v: problems %+v, %d targets, want a problem of each", patterns, l.Problems, len(l.Targets))
		}
		for _, want := range problems {
			if !slices.ContainsFunc(l.Problems, func(p build.Problem) bool { return p.Pos == want.pos && strings.Contains(p.Msg, want.msg) }) {
				t.Errorf("%s: problems %+v, want %s: %s", want.pattern, l.Problems, want.pos, want.msg)
			}
		}
	}
}
