package twin

import (
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"foray.test/cmd/internal/load"
)

// module writes the files of an archive as a module that requires foray, and returns its
// directory.
func module(t *testing.T, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a.Files = append(a.Files, txtar.File{Name: "go.mod", Data: []byte("module m.test\n\ngo 1.25\n\nrequire foray.test v0.0.0\n\nreplace foray.test => " + root + "\n")})
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// generate returns the twin of a type of a package in a module.
func generate(t *testing.T, dir, pkg string, c Config) (*Result, error) {
	t.Helper()
	pkgs, err := load.Load(t.Context(), load.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off"), Patterns: []string{"./" + pkg}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Pkg, err = pkgs[0].WithTests(t.Context(), func(f *ast.File) bool { return Written(f) }); err != nil {
		t.Fatal(err)
	}
	return Generate(c)
}

// write writes the twin of a type beside its package.
func write(t *testing.T, dir, pkg string, c Config) *Result {
	t.Helper()
	r, err := generate(t, dir, pkg, c)
	if err != nil {
		t.Fatalf("%s: %v", pkg, err)
	}
	if err := os.WriteFile(filepath.Join(dir, pkg, "twin_test.go"), r.Source, 0o666); err != nil {
		t.Fatal(err)
	}
	return r
}

// goTest runs the tests of a module.
func goTest(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "test", "-vet=off", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTwinsAsCells(t *testing.T) {
	if testing.Short() {
		t.Skip("builds tests")
	}
	dir := module(t, "korat.txtar")
	write(t, dir, "searchtree", Config{Type: "Tree"})
	write(t, dir, "redblack", Config{Type: "tree"})
	write(t, dir, "ring", Config{Type: "List", Pred: "Check"})
	r := write(t, dir, "binomial", Config{Type: "Heap"})
	if got, want := strings.Join(r.Chosen, ", "), "Heap.size (0 to n), Heap.nodes, node.key (1 to n), node.degree (0 to n), node.parent, node.sibling, node.child"; got != want {
		t.Errorf("chosen: %s, want %s", got, want)
	}
	goTest(t, dir)
}

func TestAllKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds tests")
	}
	dir := module(t, "kinds.txtar")
	write(t, dir, "sentinel", Config{Type: "List", Pred: "repOK"})
	write(t, dir, "btree", Config{Type: "Tree[int, string]"})
	write(t, dir, "given", Config{Type: "Set"})
	if r := write(t, dir, "named", Config{Type: "Set", Like: "New()"}); r.Small != "SmallSet" || r.Like {
		t.Errorf("a type with a named value: SmallSet wanted, got %q, %v", r.Small, r.Like)
	}
	if _, err := generate(t, dir, "mixed", Config{Type: "Mixed", Pred: "Valid", Like: "nil"}); err == nil || !strings.Contains(err.Error(), "no field of Mixed comes from a value that is given") {
		t.Errorf("a value that nothing needs: error %v", err)
	}
	r := write(t, dir, "mixed", Config{Type: "Mixed", Pred: "Valid"})
	if got, want := strings.Join(r.Chosen, ", "), "Mixed.name (Words[string](n)), Mixed.level (low, mid, high), Mixed.grid (false, true), Mixed.weight (Range[float64](float64(n-1), float64(n))), Mixed.note (Words[string](n)), Mixed.buffer (its length)"; got != want {
		t.Errorf("chosen: %s, want %s", got, want)
	}
	if got, want := strings.Join(r.Left, ", "), "Mixed.memo, Mixed.spare, Mixed.byName"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
	goTest(t, dir)
}

// Each line of problems.txtar says what is wrong with it.
func TestProblems(t *testing.T) {
	dir := module(t, "problems.txtar")
	_, err := generate(t, dir, "p", Config{Type: "Tree"})
	problems, ok := err.(Problems)
	if !ok {
		t.Fatalf("error %v, want Problems", err)
	}
	got := map[int][]string{}
	for _, p := range problems {
		got[p.Pos.Line] = append(got[p.Pos.Line], p.Msg)
	}
	source, err := os.ReadFile(filepath.Join(dir, "p", "p.go"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(source), "\n") {
		_, want, _ := strings.Cut(line, "// want: ")
		if got := strings.Join(got[i+1], "; "); got != want {
			t.Errorf("line %d: got %q, want %q", i+1, got, want)
		}
	}
	for _, tt := range []struct {
		config Config
		want   load.Error
	}{
		{Config{Type: "Trie"}, load.Error{Place: "m.test/p", Msg: "no type Trie", Hint: "the type is a struct of the package, such as Tree or Tree[int]"}},
		{Config{Type: "Tree", Pred: "nope"}, load.Error{Place: "m.test/p", Msg: "no nope of Tree",
			Hint: "write func (x *Tree) RepOK() bool, which may be in a test file and may return an error, or name another with -pred"}},
	} {
		_, err := generate(t, dir, "p", tt.config)
		if e, ok := err.(*load.Error); !ok || *e != tt.want {
			t.Errorf("%s, -pred %q: error %+v, want %+v", tt.config.Type, tt.config.Pred, err, tt.want)
		}
	}
	_, err = generate(t, dir, "broken", Config{Type: "T"})
	if got, want := fmt.Sprint(err), "t_test.go:3: undefined: undeclared"; got != want {
		t.Errorf("a predicate that does not compile: %s, want %s", got, want)
	}
}
