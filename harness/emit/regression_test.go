package emit

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// Update is the flag of all tests of the package, internal and external.
var Update = flag.Bool("update", false, "rewrite the golden files in testdata")

// shelfSource is the package of the regression tests in the golden file.
const shelfSource = `package shelf

import (
	"errors"
	"fmt"
	"math"
)

var ErrEmpty = errors.New("empty")

var Limit = 9

type Shelf struct{ items []any }

type Size struct{ W, H int }

func New() *Shelf                  { return &Shelf{} }
func (s *Shelf) Put(v any)         { s.items = append(s.items, v) }
func (s *Shelf) Self() *Shelf      { return s }
func (s *Shelf) Len() int          { return len(s.items) }
func (s *Shelf) Full() bool        { return len(s.items) >= Limit }
func (s *Shelf) Has(n int) bool    { return n < len(s.items) }
func (s *Shelf) All() []any        { return s.items }
func (s *Shelf) Size() Size        { return Size{len(s.items), 1} }
func (s *Shelf) Text() []byte      { return []byte(fmt.Sprint(s.items)) }
func (s *Shelf) Mean() float64     { return math.NaN() }
func (s *Shelf) Counts() map[string]int { return map[string]int{"items": len(s.items)} }
func (s *Shelf) Take() (any, error) {
	if len(s.items) == 0 {
		return nil, fmt.Errorf("take: %w", ErrEmpty)
	}
	v := s.items[0]
	s.items = s.items[1:]
	return v, nil
}
func (s *Shelf) Check(n int) error {
	if n > 3 {
		return fmt.Errorf("%d of 3", n)
	}
	return nil
}
func (s *Shelf) Next() func() any {
	if len(s.items) == 0 {
		return nil
	}
	return func() any { return s.items[0] }
}
func (s *Shelf) Each(f func(any) bool) {
	for _, v := range s.items {
		if !f(v) {
			return
		}
	}
}
func (s *Shelf) Find(f func(any) bool) int {
	for i, v := range s.items {
		if f(v) {
			return i
		}
	}
	return -1
}
func Turn(list []int) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}
`

func shelfAPI() *api {
	a := newAPI("example.com/shelf", "shelf")
	a.typ(seq.Type{Name: "any", Interface: true})
	a.typ(seq.Type{Name: "error", Interface: true, Form: seq.Form{Base: "error"}})
	a.op(seq.Elements, "[]int{$*}", "[]int", "int -> []int")
	a.op(seq.FuncLit, "func(a any) bool { return $0 }", "func", "bool -> func(any) bool")
	a.op(seq.Func, "shelf.New()", "New", "-> *shelf.Shelf")
	for _, m := range []struct{ call, signature string }{
		{"Put($1)", ", any ->"}, {"Self()", "-> *shelf.Shelf"}, {"Len()", "-> int"}, {"Full()", "-> bool"}, {"Has($1)", ", int -> bool"}, {"All()", "-> []any"},
		{"Size()", "-> shelf.Size"}, {"Text()", "-> []byte"}, {"Mean()", "-> float64"}, {"Counts()", "-> map[string]int"},
		{"Take()", "-> any, error"}, {"Next()", "-> func() any"}, {"Check($1)", ", int -> error"}, {"Each($1)", ", func(any) bool ->"}, {"Find($1)", ", func(any) bool -> int"},
	} {
		name, _, _ := strings.Cut(m.call, "(")
		a.op(seq.Method, "$0."+m.call, "(*Shelf)."+name, "*shelf.Shelf"+m.signature)
	}
	a.op(seq.Func, "shelf.Turn($0)", "Turn", "[]int ->")
	a.op(seq.VarSet, "shelf.Limit = $0", "Limit", "int ->").Vars = []string{"shelf.Limit"}
	for i := range a.Ops {
		a.Ops[i].API = a.Ops[i].Kind == seq.Func || a.Ops[i].Kind == seq.Method
	}
	return a
}

// recorded returns a test of text. Its lines are statements, each with its
// assertions after a tab: one how=text for each result, between semicolons. A
// line that begins with + is a step that changes something.
func (a *api) recorded(t *testing.T, text string) regression.Test {
	t.Helper()
	var statements []string
	var test regression.Test
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		pure := !strings.HasPrefix(line, "+")
		statement, asserts, _ := strings.Cut(strings.TrimPrefix(line, "+"), "\t")
		statements = append(statements, statement)
		test.Pure = append(test.Pure, pure)
		var results []regression.Result
		var calls *regression.Calls
		if asserts != "" {
			for part := range strings.SplitSeq(asserts, "; ") {
				how, text, _ := strings.Cut(part, "=")
				switch how {
				case "calls":
					typ, _, _ := strings.Cut(text, "{")
					calls = &regression.Calls{Arg: 1, Text: text, Type: typ}
				case "same":
					results = append(results, regression.Result{How: regression.Same})
				default:
					results = append(results, regression.Result{How: hows[how], Text: text})
				}
			}
		}
		test.Asserts, test.Calls = append(test.Asserts, results), append(test.Calls, calls)
	}
	test.Steps = a.parse(t, strings.Join(statements, "; "))
	return test
}

var hows = map[string]regression.How{
	"-": regression.None, "equal": regression.Equal, "nan": regression.NaN, "nil": regression.Nil, "notnil": regression.NotNil, "slice": regression.Slice,
	"map": regression.Map, "deep": regression.Deep, "len": regression.Len, "bytes": regression.Bytes, "is": regression.Sentinel, "error": regression.ErrorText, "printed": regression.Printed,
}

// shelfTests are one test for each way to compare.
func shelfTests(t *testing.T, a *api) []Regression {
	turned := a.recorded(t, "v0 := []int{1, 2}\n+shelf.Turn(v0)")
	turned.Ends = []regression.End{{Slot: 0, Result: regression.Result{How: regression.Slice, Text: "[]int{2, 1}"}}}
	return []Regression{
		{Test: a.recorded(t, "v0 := shelf.New()\n+v0.Put(1)\nv1 := v0.Len()\tequal=1"), Reason: "does what no other does"},
		{Test: a.recorded(t, "v0 := shelf.New()\n+v0.Put(\"a\")\n+v0.Put(true)\nv1 := v0.Len()\tequal=2\nv2 := v0.Has(1)\tequal=true")},
		{Test: a.recorded(t, "v0 := shelf.New()\n+v0.Put(2)\n+v0.Put(3)\nv1 := v0.Len()\tequal=2\nv2 := v0.Has(7)\tequal=false")},
		{Test: a.recorded(t, "v0 := shelf.New()\n+v0.Put(2)\nv1 := v0.All()\tslice=[]any{2}\nv2 := v0.Counts()\tmap=map[string]int{\"items\": 1}\nv3 := v0.Size()\tequal=shelf.Size{W: 1, H: 1}")},
		{Test: a.recorded(t, "v0 := shelf.New()\nv1 := v0.Text()\tbytes=\"[]\"\nv2 := v0.Mean()\tnan\nv3 := v0.All()\tnil\nv4 := v0.Text()\tlen=2")},
		{Test: a.recorded(t, "v0 := shelf.New()\nv1, v1b := v0.Take()\tnil; is=shelf.ErrEmpty\nv2 := v0.Check(4)\terror=\"4 of 3\"\nv3 := v0.Check(2)\tnil")},
		{Test: a.recorded(t, "v0 := shelf.New()\n+v0.Put(2)\n+v1, v1b := v0.Take()\tequal=2; nil\nv2 := v0.Self()\tsame\n+v2.Put(v1)\nv3 := v0.Counts()\tdeep=map[string]int{\"items\": 1}")},
		{Test: a.recorded(t, "v0 := shelf.New()\n+v0.Put(5)\n+v0.Put(6)\nv1 := func(a any) bool { return true }\nv0.Each(v1)\tcalls=[]any{5, 6}\nv2 := v0.Counts()\tprinted=\"map[items:2]\"")},
		{Test: a.recorded(t, "v0 := shelf.New()\nv1 := func(a any) bool { return true }\nv0.Each(v1)\tcalls=[]any{}")},
		{Test: a.recorded(t, "v0 := shelf.New()\n+v0.Put(5)\nv1 := func(a any) bool { return true }\nv2 := v0.Find(v1)\tequal=0; calls=[]any{5}\nv3 := func(a any) bool { return false }\nv4 := v0.Find(v3)\tequal=-1; calls=[]any{5}")},
		{Test: a.recorded(t, "v0 := shelf.New()\nv1 := v0.Next()\tnil\n+v0.Put(2)\nv2 := v0.Next()\tnotnil")},
		{Test: turned},
		{Test: a.recorded(t, "v0 := shelf.New()\n+shelf.Limit = 0\n+shelf.Limit = -1\nv1 := v0.Full()\tequal=true")},
		{Test: a.recorded(t, "v0 := shelf.New()\nv1 := v0.Full()\tequal=false")}, // of the limit that was put back
	}
}

func TestRegressionsGolden(t *testing.T) {
	a := shelfAPI()
	tests := shelfTests(t, a)
	src, names, err := Regressions(a.Table, tests, RegressionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "regression.golden")
	if *Update {
		if err := os.WriteFile(golden, src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(src) != string(want) {
		t.Errorf("go test -update rewrites %s; got\n%s", golden, src)
	}
	wantNames := []string{
		"TestShelf_Put", "TestShelf_PutThenHas/0", "TestShelf_PutThenHas/1", "TestShelf_PutThenSize", "TestShelf_AllThenText",
		"TestShelf_TakeThenCheck", "TestShelf_TakeThenPut", "TestShelf_PutThenCounts", "TestShelf_Each", "TestShelf_PutThenFind", "TestShelf_PutThenNext", "TestTurn",
		"TestShelf_Full", "TestShelf_Full2",
	}
	if !slices.Equal(names, wantNames) {
		t.Errorf("names\n%q, want\n%q", names, wantNames)
	}
}

// The tests pass on the package that they were recorded of, are clean, and fail once
// it differs.
func TestRegressionsPassAndFail(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	a := shelfAPI()
	tests := shelfTests(t, a)
	files := map[string]string{}
	for _, old := range []bool{true, false} {
		src, _, err := Regressions(a.Table, tests, RegressionOptions{Raise: old})
		if err != nil {
			t.Fatal(err)
		}
		goLine, shelf := "1.21", shelfSource
		if old {
			goLine, shelf = "1.14", strings.ReplaceAll(shelfSource, "any", "interface{}")
		}
		if raised := files["foray_regression_test.go"]; !old && raised != "//go:build "+Language+"\n\n"+string(src) {
			t.Errorf("for an old go line the tests are others:\n%s\n%s", raised, src)
		}
		files = map[string]string{"go.mod": "module example.com/shelf\n\ngo " + goLine + "\n", "shelf.go": shelf, "foray_regression_test.go": string(src)}
		if out := goTest(t, files, "")[0]; strings.Contains(out, "--- FAIL") || strings.Count(out, "\n--- PASS: ") != 13 {
			t.Errorf("old %v: the tests do not pass:\n%s\n%s", old, out, src)
		}
	}
	files["shelf.go"] = strings.NewReplacer("len(s.items) == 0 {\n\t\treturn nil\n", "len(s.items) >= 0 {\n\t\treturn nil\n", "len(s.items), 1}", "1, len(s.items)+1}", "return len(s.items) }", "return 0 }", "n > 3", "n > 4", "return i\n", "return i + 7\n", "i+1, j-1", "i+1, j-2",
		"i < j", "i < j-1", "n < len(s.items)", "n > len(s.items)", "[]byte(fmt", "[]byte(\"x\"+fmt", "%w", "%v", "!f(v)", "f(v)", "\"items\"", "\"item\"").Replace(files["shelf.go"])
	if out := goTest(t, files, "")[0]; strings.Contains(out, "--- PASS: TestShelf_P") || strings.Contains(out, "--- PASS: TestT") || !strings.Contains(out, "--- FAIL") {
		t.Errorf("the tests pass though the package differs:\n%s", out)
	}
}

// A result that is an earlier one is not compared with itself.
func TestRegressionsSameError(t *testing.T) {
	a := shelfAPI()
	test := a.recorded(t, "v0 := shelf.New()\nv1 := v0.Check(4)\tnotnil\nv2 := v0.Check(4)\tsame")
	test.Asserts[2][0].Slot = 1
	src, _, err := Regressions(a.Table, []Regression{{Test: test}}, RegressionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "if err2 := s.Check(4); err2 != err {"; !strings.Contains(string(src), want) {
		t.Errorf("no %q in\n%s", want, src)
	}
}

// A duration that varies is a column of the table.
func TestRegressionsOfDurations(t *testing.T) {
	a := listAPI()
	var tests []Regression
	for _, n := range []string{"1000000000", "2000000000"} {
		tests = append(tests, Regression{Test: a.recorded(t, "v0 := time.Duration("+n+")\ntime.Sleep(v0)\nv1 := time.Duration(-"+n+")\nv2 := v1.Abs()\tequal="+n)})
	}
	src, _, err := Regressions(a.Table, tests, RegressionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	typeCheck(t, src)
	if want := "time.Sleep(time.Duration(tt.in))"; !strings.Contains(string(src), want) {
		t.Errorf("no %q in\n%s", want, src)
	}
}

// No name in a function literal hides a variable that the literal holds.
func TestRegressionsOfHeldVariables(t *testing.T) {
	for _, tt := range []struct{ literal, params, makers, want string }{
		{"func(a, b, c, d int, e *list.Element) *list.Element { return $0 }", "*list.Element", "v0 := list.New()\nv1 := v0.PushBack(1)", "*list.Element { return e2 }"},
		{"func(a func(int, list.X) bool) { for _, x := range $1 { if !a(x, $0) { return } } }", "list.X, []int", "v1 := list.X(1)\nv2 := []int{1}", "(x, x2) {"},
	} {
		a := listAPI()
		a.op(seq.Convert, "list.X($0)", "list.X", "int -> list.X")
		a.op(seq.FuncLit, tt.literal, "func", tt.params+" -> list.Func")
		held, _, _ := strings.Cut(tt.params, ",")
		a.op(seq.Func, "list.Pick($0, $1)", "Pick", "list.Func, "+held+" -> int")
		text := tt.makers + "\nv3 := " + strings.NewReplacer("$0", "v1", "$1", "v2").Replace(tt.literal) + "\nv4 := list.Pick(v3, v1)\tequal=1"
		src, _, err := Regressions(a.Table, []Regression{{Test: a.recorded(t, text)}}, RegressionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(src), tt.want) {
			t.Errorf("no %q in\n%s", tt.want, src)
		}
	}
}

func TestVariable(t *testing.T) {
	for typ, want := range map[string]string{
		"*list.List": "l", "*list.Element": "e", "*btree.BTreeG[int]": "bTreeG", "p.ASTNode": "astNode", "*p.DB": "db", "redblacktree.Tree[string, []int]": "tree",
		"[]int": "list", "map[string]int": "m", "func(int) bool": "fn", "any": "v", "error": "err", "int": "n", "uint8": "n", "bool": "ok", "string": "s", "float64": "v", "*p.String": "s",
		"chan int": "ch", "*strings.Reader": "r", "p.Byte": "v", "*p.Type": "v", "p.False": "v", "*p.True": "v",
	} {
		if got := variable(typ); got != want {
			t.Errorf("variable(%q) = %q, want %q", typ, got, want)
		}
	}
}

func TestMemberNames(t *testing.T) {
	for _, test := range []struct {
		op        seq.Operation
		typ, want string
	}{
		{seq.Operation{Kind: seq.Method, Base: "PushBack", Params: []seq.TypeID{0}}, "List", "PushBack"},
		{seq.Operation{Kind: seq.Func, Base: "New", Params: []seq.TypeID{0}}, "", "New"},
		{seq.Operation{Kind: seq.FieldGet, Vars: []string{"Value"}, Params: []seq.TypeID{0}}, "List", "Value"},
		{seq.Operation{Kind: seq.Range, Params: []seq.TypeID{0}}, "", "Range"},
	} {
		if typ, got := memberNames(&seq.Table{Types: []seq.Type{{Form: seq.Form{Base: "list"}}}}, &test.op); typ != test.typ || got != test.want {
			t.Errorf("%+v: %q and %q, want %q and %q", test.op, typ, got, test.typ, test.want)
		}
	}
}

// Names of functions that are taken are not given again.
func TestRegressionsTaken(t *testing.T) {
	a := shelfAPI()
	tests := shelfTests(t, a)[:1]
	_, names, err := Regressions(a.Table, tests, RegressionOptions{Taken: []string{"TestShelf_Put", "TestShelf_PutThenLen"}})
	if want := []string{"TestShelf_Put2"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q, %v; want %q", names, err, want)
	}
}
