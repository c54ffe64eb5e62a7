package build_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

// stack is a package that is hard for adapters: unexported types, variadic
// parameters, a file of tests that does not compile.
var stack = map[string]string{
	"stack.go": `package stack

// Ints is a slice.
type Ints []int

// Less compares.
type Less func(a, b int) bool

type node struct{ n int }

func (n *node) Next() *node { return &node{n.n + 1} }
func (n *node) Add(o *node, more ...int) int {
	for _, m := range more {
		o.n += m
	}
	return n.n + o.n
}
func (n node) String() string { return "node" }

// New returns a node.
func New(n int) *node { return &node{n} }

// Join takes an unexported type.
func Join(a *node, b *node) (int, error) { return a.n * b.n, nil }

// Sum adds.
func Sum(base int, more ...int) int {
	for _, m := range more {
		base += m
	}
	return base
}

// Len returns a length.
func Len(v Ints) int { return len(v) }

// Min returns the lesser one.
func Min(a, b int, less Less) int {
	if less == nil || less(a, b) {
		return a
	}
	return b
}

// V is a variable.
var V int

// Big does not fit an int32.
const Big = 1 << 40
`,
	"stack_test.go": "package stack\n\nimport \"no.such/module\"\n\nfunc TestMain() { undefined }\n",
}

func stackAPI(path string) *api {
	a := newAPI(path, "stack", "strconv")
	a.op(seq.Func, "stack.New($0)", "int", "~*stack.node")                                                                          // 0
	a.op(seq.Method, "$0.Next()", "~*stack.node", "~*stack.node")                                                                   // 1
	a.op(seq.Method, "$0.Add($1, $*)", "~*stack.node; ~*stack.node; int", "int")                                                    // 2
	a.op(seq.Func, "stack.Join($0, $1)", "~*stack.node; ~*stack.node", "int; error")                                                // 3
	a.op(seq.Func, "stack.Sum($0, $*)", "int; int", "int")                                                                          // 4
	a.op(seq.Elements, "stack.Ints{$*}", "int", "stack.Ints")                                                                       // 5
	a.op(seq.Elements, "[]int{$0, $*}", "int; int", "[]int")                                                                        // 6
	a.op(seq.Func, "stack.Len($0)", "stack.Ints", "int")                                                                            // 7
	a.op(seq.VarSet, "stack.V = $0", "int", "")                                                                                     // 8
	a.op(seq.VarGet, "stack.V", "", "int")                                                                                          // 9
	a.op(seq.Const, "stack.Big", "", "int64")                                                                                       // 10
	a.op(seq.FuncLit, "func(a, b int) bool { return a < b }", "", "func(a, b int) bool")                                            // 11
	a.op(seq.Func, "stack.Min($0, $1, $2)", "int; int; stack.Less", "int")                                                          // 12
	a.op(seq.Elements, "[3]int{$*}", "int", "[3]int")                                                                               // 13
	a.op(seq.Chan, "make(chan int, 1)", "", "chan int")                                                                             // 14
	a.op(seq.Chan, "<-$0", "chan int", "int; bool").Adapter = "select {\n\tcase $r0, $r1 = <-$0:\n\tdefault:\n\t\t$r1 = false\n\t}" // 15
	a.op(seq.Standard, `strconv.Itoa($0) + "$0"`, "int", "string")                                                                  // 16
	a.op(seq.Elements, "&stack.Ints{$*}", "int", "*stack.Ints")                                                                     // 17
	a.op(seq.Func, "stack.Gone($0)", "int", "int")                                                                                  // 18: does not compile
	ints := &a.Types[a.typ("stack.Ints")]
	ints.Assignable = append(ints.Assignable, a.typ("[]int"))
	less := &a.Types[a.typ("stack.Less")]
	less.Assignable = append(less.Assignable, a.typ("func(a, b int) bool"))
	return a
}

// wantStack runs the operations of stackAPI.
func wantStack(t *testing.T, w *build.Worker) {
	t.Helper()
	got := run(t, w, "0/1 3", "1/1 v0", "2/1 v0 v1", "2/1 v0 v1 1 2", "3/2 v0 v1", "4/1 1", "4/1 1 2 3",
		"5/1 1 2", "6/1 1 2 3", "7/1 v8", "7/1 v9", "8/0 7", "9/1", "10/1", "11/1", "12/1 1 2 v14", "12/1 1 2 null",
		"13/1 1 2", "14/1", "15/2 v18", "16/1 5", "17/1 1", "18/1 1")
	want(t, got, "node", "node", "7", "10", "21 <nil>", "1", "6", "[1 2]", "[1 2 3]", "2", "3", "", "7", "1099511627776")
	want(t, got[15:17], "1", "1")
	want(t, got[17:18], "[1 2 0]")
	want(t, got[19:21], "<nil> false", "5$0")
	want(t, got[21:23], "&[1]", "no adapter 18")
	if !strings.Contains(got[23], "stack.Ints") {
		t.Errorf("types: got %s, want stack.Ints among them", got[23])
	}
	var ops []string
	for _, d := range w.Dropped {
		ops = append(ops, fmt.Sprintf("%d %s: %s", d.Op, d.Name, d.Reason))
	}
	if len(ops) != 1 || !strings.Contains(ops[0], "18 stack.Gone($0): undefined: stack.Gone") {
		t.Errorf("dropped: %q", ops)
	}
	data, err := os.ReadFile(w.TablePath)
	if err != nil {
		t.Fatal(err)
	}
	if table, err := seq.DecodeTable(data); err != nil || len(table.Ops) != 19 {
		t.Errorf("table beside the worker: %v, %v; want 19 operations", table, err)
	}
}

func stackFiles(dir string, more map[string]string) map[string]string {
	files := make(map[string]string)
	for name, src := range stack {
		files[filepath.Join(dir, name)] = src
	}
	for name, src := range more {
		files[name] = src
	}
	return files
}

func TestInternalPackageOfMainModule(t *testing.T) {
	dir := tree(t, stackFiles("internal/stack", map[string]string{"go.mod": "module m.test/m\n\ngo 1.21\n"}))
	unchanged(t, dir)
	tg := target(t, build.Query{Dir: dir, Patterns: []string{"./internal/stack"}})
	if tg.Where != build.MainModule || tg.Path != "m.test/m/internal/stack" {
		t.Errorf("got %s in the %s", tg.Path, tg.Where)
	}
	c := config(tg, stackAPI(tg.Path))
	c.Stamp, c.Extra = tg.Stamp("x"), func() ([]byte, error) { return []byte("kept"), nil }
	w := mustBuild(t, c)
	wantStack(t, w)

	again := mustBuild(t, c)
	if again.Path != w.Path || len(again.Dropped) != len(w.Dropped) {
		t.Errorf("second build: got %+v, want the worker of the first", again)
	}
	found, extra, ok := build.Lookup(cache, tg.Stamp("x"))
	if !ok || found.Path != w.Path || string(extra) != "kept" {
		t.Errorf("Lookup = %+v, %q, %v", found, extra, ok)
	}
	if _, _, ok := build.Lookup(cache, tg.Stamp("y")); ok {
		t.Error("Lookup found a worker for another stamp")
	}
}

func TestOldGoLine(t *testing.T) {
	dir := tree(t, stackFiles(".", map[string]string{"go.mod": "module m.test/stack\n\ngo 1.16\n"}))
	unchanged(t, dir)
	tg := target(t, build.Query{Dir: dir})
	c := config(tg, stackAPI(tg.Path))
	file := filepath.Join(dir, "stack.go")
	src := strings.Replace(stack["stack.go"], "package stack", "package stack; import probe \""+build.ProbePath+"\"", 1)
	src = strings.Replace(src, "less == nil", "probe.Same(less == nil)", 1)
	c.Rewritten, c.Sides = map[string][]byte{file: []byte(src)}, 2
	w := mustBuild(t, c)
	wantStack(t, w)
	got := run(t, w, "12/1 1 2 null", "12/1 1 2 null")
	want(t, got[3:], "hits 2")
}

func TestConcurrentBuilds(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": "module m.test/twice\n\ngo 1.26\n", "t.go": "package twice\n\nfunc F() int { return 1 }\n"})
	a := newAPI("m.test/twice", "twice")
	a.op(seq.Func, "twice.F()", "", "int")
	c := config(target(t, build.Query{Dir: dir}), a)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if _, err := build.Build(context.Background(), c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestDoesNotCompile(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod": "module m.test/bad\n\ngo 1.26\n",
		"bad.go": "package bad\n\nfunc F() int {\n\treturn missing\n}\n",
	})
	tg := target(t, build.Query{Dir: dir})
	a := newAPI(tg.Path, "bad")
	a.op(seq.Func, "bad.F()", "", "int")
	_, err := build.Build(context.Background(), config(tg, a))
	var ce *build.CompileError
	if !errors.As(err, &ce) || ce.Pos != "./bad.go:4:9" || ce.Msg != "undefined: missing" {
		t.Errorf("got %v, want ./bad.go:4:9: undefined: missing", err)
	}
}

func TestRewrittenDoesNotCompile(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod": "module m.test/good\n\ngo 1.26\n",
		"f.go":   "package good\n\nfunc F() int { return 1 }\n",
	})
	tg := target(t, build.Query{Dir: dir})
	a := newAPI(tg.Path, "good")
	a.op(seq.Func, "good.F()", "", "int")
	c := config(tg, a)
	file := filepath.Join(dir, "f.go")
	c.Rewritten = map[string][]byte{file: []byte("package good\n\nfunc F() int { return wrong }\n")}
	_, err := build.Build(context.Background(), c)
	var re *build.RewriteError
	if !errors.As(err, &re) || re.File != file || re.Line != 3 {
		t.Errorf("got %v, want an error at %s:3", err, file)
	}
}

// TestWhatCannotBeNamed has imports that the go command refuses, types without a
// name, and types that only seem to differ.
func TestWhatCannotBeNamed(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":                     "module m.test/m\n\ngo 1.26\n\nrequire d.test/d v0.0.0\n\nreplace d.test/d => ./d\n",
		"m.go":                       "package m\n\nimport \"d.test/d\"\n\nfunc New() d.Shower { return d.New() }\n\nfunc Len(b []byte) int { return len(b) }\n",
		"d/go.mod":                   "module d.test/d\n\ngo 1.26\n",
		"d/d.go":                     "package d\n\nimport \"d.test/d/internal/hid\"\n\ntype hidden struct{ hid.T }\n\ntype Shower interface{ Show(n int) int }\n\nfunc New() *hidden { return &hidden{} }\n\nfunc (*hidden) Show(n int) int { return n + 1 }\n",
		"d/internal/hid/hid.go":      "package hid\n\ntype T struct{}\n",
		"d/internal/hid/hid_test.go": "package hid\n",
	})
	unchanged(t, dir)
	tg := target(t, build.Query{Dir: dir})
	a := newAPI(tg.Path, "m", "d.test/d/internal/hid", "no.test/at/all", "d.test/d")
	a.op(seq.Func, "m.New()", "", "~*d.hidden") // 0
	show := a.op(seq.Method, "$0.Show($1)", "~*d.hidden; int", "int")
	show.Base = "Show"                                // 1: through an interface
	a.op(seq.Composite, "hid.T{}", "", "hid.T")       // 2: internal to another module
	a.op(seq.Func, "all.F()", "", "int")              // 3: no such module
	a.op(seq.Func, "m.Len($0)", "[]byte", "int")      // 4: same type by two names
	a.op(seq.FieldGet, "$0.T", "~*d.hidden", "hid.T") // 5: no name at all
	bytes := &a.Types[a.typ("[]byte")]
	bytes.Assignable = append(bytes.Assignable, a.typ("[]uint8"))
	w := mustBuild(t, config(tg, a))
	got := run(t, w, "0/1", "1/1 v0 4", "2/1", "3/1", "4/1 null", "5/1 v0")
	want(t, got[1:6], "5", "no adapter 2", "no adapter 3", "0", "no adapter 5")
	if len(w.Dropped) != 3 {
		t.Errorf("dropped %+v, want operations 2, 3 and 5", w.Dropped)
	}
	if why := w.Dropped[0].Reason; !strings.Contains(why, "use of internal package") {
		t.Errorf("operation 2 was dropped because of %q", why)
	}
}

// TestBuildAnalysis: the analysis build has the adapters of the normal one,
// also those dropped, in a worker of its own that is kept as well.
func TestBuildAnalysis(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": "module m.test/m\n\ngo 1.24\n", "m.go": "package m\n\nfunc F(n int) int { return n + 1 }\n"})
	a := newAPI("m.test/m", "m")
	a.op(seq.Func, "m.F($0)", "int", "int")
	a.op(seq.Func, "m.Gone($0)", "int", "int")
	c := config(target(t, build.Query{Dir: dir, Patterns: []string{"."}}), a)
	c.Sides, c.Conditions = 2, []coverage.Condition{{Func: "F", Sides: []string{"false", "true"}}}
	normal := mustBuild(t, c)
	c.Rewritten = map[string][]byte{filepath.Join(dir, "m.go"): []byte("package m\n\nimport \"forayrt/coverage/probe\"\n\nfunc F(n int) int { if probe.Analysis { return n + 2 }; return 0 }\n")}
	c.Normal, c.Stamp = normal, "analysis stamp"
	analysis := mustBuild(t, c)
	if analysis.Key == normal.Key || analysis.Path == normal.Path {
		t.Error("both builds are one")
	}
	if len(normal.Dropped) != 1 || !slices.Equal(analysis.Dropped, normal.Dropped) {
		t.Errorf("Dropped: %v of the normal build, %v of the analysis build, want one and the same", normal.Dropped, analysis.Dropped)
	}
	want(t, run(t, normal, "0/1 3"), "4")
	want(t, run(t, analysis, "0/1 3"), "5")
	var conds []coverage.Condition
	data, err := os.ReadFile(analysis.ConditionsPath)
	if err := errors.Join(err, json.Unmarshal(data, &conds)); err != nil || len(conds) != 1 || conds[0].Func != "F" {
		t.Errorf("conditions %s, %v, want those of the build", data, err)
	}
	if w, _, ok := build.Lookup(cache, "analysis stamp"); !ok || w.Key != analysis.Key {
		t.Error("Lookup does not find the analysis build")
	}
}
