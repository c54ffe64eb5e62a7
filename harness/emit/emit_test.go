package emit

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// api makes a table by hand: types by name, operations by template.
type api struct {
	*seq.Table
	types map[string]seq.TypeID
}

func newAPI(importPath, name string, imports ...seq.Import) *api {
	a := &api{
		&seq.Table{Package: importPath, Name: name, Imports: append(imports, seq.Import{Name: name, Path: importPath}), Types: make([]seq.Type, 1)},
		map[string]seq.TypeID{},
	}
	for _, ty := range []seq.Type{
		{Name: "int", Literal: seq.Int, Bits: 64, Basic: true}, {Name: "int8", Literal: seq.Int, Bits: 8, Basic: true},
		{Name: "float64", Literal: seq.Float, Bits: 64, Basic: true}, {Name: "string", Literal: seq.String, Basic: true},
		{Name: "bool", Literal: seq.Bool, Basic: true}, {Name: "byte", Literal: seq.Uint, Bits: 8, Basic: true}, {Name: "rune", Literal: seq.Int, Bits: 32, Basic: true},
		{Name: "time.Duration", Literal: seq.Int, Bits: 64, Form: seq.Form{Path: "time", Base: "Duration"}},
	} {
		a.typ(ty)
	}
	return a
}

func (a *api) typ(ty seq.Type) seq.TypeID {
	id := seq.TypeID(len(a.Types))
	ty.Assignable = []seq.TypeID{id}
	if ty.Interface { // everything so far
		for from := range id {
			ty.Assignable = append(ty.Assignable, from)
		}
		ty.Nilable = true
	}
	a.Types = append(a.Types, ty)
	a.types[ty.Name] = id
	return id
}

// op adds an operation; signature is "int, any -> *list.Element".
func (a *api) op(kind seq.Kind, template, short, signature string) *seq.Operation {
	ids := func(names string) (ids []seq.TypeID) {
		for _, name := range strings.Split(names, ", ") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			id, ok := a.types[name]
			if !ok {
				ty := seq.Type{Name: name, Nilable: strings.HasPrefix(name, "*") || strings.HasPrefix(name, "[]")}
				seqtest.Describe(&ty, map[string]string{a.Name: a.Package})
				id = a.typ(ty)
			}
			ids = append(ids, id)
		}
		return ids
	}
	params, results, _ := strings.Cut(signature, "->")
	op := seq.Operation{Kind: kind, Template: template, Short: short, Member: short, Base: short[strings.LastIndexByte(short, '.')+1:], Params: ids(params), Results: ids(results)}
	op.Variadic = strings.Contains(template, "$*")
	a.Ops = append(a.Ops, op)
	return &a.Ops[len(a.Ops)-1]
}

func (a *api) parse(t *testing.T, text string) seq.Sequence {
	t.Helper()
	s, err := a.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// finding returns a verdict on text that blames its last step.
func (a *api) finding(t *testing.T, kind, text string) Finding {
	t.Helper()
	s := a.parse(t, text)
	return Finding{Sequence: s, Verdict: engine.Verdict{Kind: kind, Op: s[len(s)-1].Op, Message: "a message"}}
}

func listAPI() *api {
	a := newAPI("container/list", "list", seq.Import{Name: "strings", Path: "strings"}, seq.Import{Name: "sort", Path: "sort"}, seq.Import{Name: "time", Path: "time"})
	a.op(seq.Standard, "strings.NewReader($0)", "strings.NewReader", "string -> *strings.Reader")
	a.op(seq.Elements, "[]int{$*}", "[]int", "int -> []int")
	a.op(seq.Elements, "map[int]int{$0: $1}", "map", "int, int -> map[int]int")
	a.op(seq.Convert, "sort.IntSlice($0)", "sort.IntSlice", "[]int -> sort.IntSlice")
	a.op(seq.Standard, "intHeap($0)", "intHeap", "[]int -> intHeap")
	a.op(seq.Func, "list.New()", "New", "-> *list.List")
	a.op(seq.FuncLit, "func(a int) bool { panic(\"foray\") }", "func", "-> func(int) bool").Shape = seq.Throw
	a.typ(seq.Type{Name: "any", Interface: true})
	a.op(seq.Method, "$0.PushBack($1)", "(*List).PushBack", "*list.List, any -> *list.Element")
	a.op(seq.Method, "$0.Len()", "(*List).Len", "*list.List -> int")
	a.op(seq.Method, "$0.Remove($1)", "(*List).Remove", "*list.List, *list.Element -> any")
	a.op(seq.FieldGet, "$0.Value", "Element.Value", "*list.Element -> any").Vars = []string{"Value"}
	a.op(seq.FieldSet, "$0.Value = $1", "Element.Value", "*list.Element, any ->")
	a.op(seq.Index, "$0[$1]", "index", "[]int, int -> int")
	a.op(seq.Convert, "int8($0)", "int8", "int -> int8")
	a.op(seq.Func, "any(list.New())", "New", "-> any").Shape = seq.Unnamed
	a.op(seq.Composite, "list.Element{}", "list.Element", "-> list.Element")
	a.op(seq.Composite, "func(x list.Element) *list.Element { return &x }($0)", "address", "list.Element -> *list.Element").Shape = seq.Address
	a.op(seq.Assert, "$0.(int)", "assert", "any -> int, bool")
	a.op(seq.Assert, "$0.(*list.List)", "assert", "any -> *list.List")
	a.op(seq.Func, "strings.IndexByte($0, $1)", "IndexByte", "string, byte -> int")
	a.op(seq.Func, "strings.IndexRune($0, $1)", "IndexRune", "string, rune -> int")
	a.op(seq.Func, "time.Sleep($0)", "Sleep", "time.Duration ->")
	a.op(seq.Method, "$0.Abs()", "Duration.Abs", "time.Duration -> time.Duration")
	a.op(seq.Convert, "time.Duration($0)", "time.Duration", "int -> time.Duration")
	a.op(seq.FuncLit, "func(a int) bool { return a < $0 }", "func", "int -> func(int) bool")
	a.op(seq.Call, "$0($1)", "call", "func(int) bool, int -> bool")
	a.Decls = []seq.Decl{
		{Name: "lesser", Text: "type lesser interface{ Less(i, j int) bool }"},
		{Name: "intHeap", Text: "type intHeap []int\n\nfunc (h intHeap) Less(i, j int) bool { return h[i] < h[j] }\n\nvar _ lesser = intHeap(nil)"},
	}
	return a
}

func TestStatements(t *testing.T) {
	a := listAPI()
	for _, test := range []struct{ name, text, want string }{
		{"drops names", "v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.Len()", "v0 := list.New(); v0.PushBack(1); v0.Len()"},
		{"keeps the names used", "v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.PushBack(2); v3 := v0.Remove(v2)",
			"v0 := list.New(); v0.PushBack(1); v1 := v0.PushBack(2); v0.Remove(v1)"},
		{"assigns what is no call", "v0 := list.New(); v1 := v0.PushBack(1); v2 := v1.Value", "v0 := list.New(); v1 := v0.PushBack(1); _ = v1.Value"},
		{"assigns some results", "v0 := list.New(); v1 := v0.PushBack(1); v2 := v1.Value; v3, v3b := v2.(int); v4 := v0.PushBack(v3b)",
			"v0 := list.New(); v1 := v0.PushBack(1); v2 := v1.Value; _, v3b := v2.(int); v0.PushBack(v3b)"},
		{"inlines", "v0 := strings.NewReader(\"a\"); v1 := list.New(); v2 := v1.PushBack(v0)", "v0 := list.New(); v0.PushBack(strings.NewReader(\"a\"))"},
		{"goes on after the panic of its own function", "v0 := list.New(); v1 := func(a int) bool { panic(\"foray\") }; v2 := v1(1); v3 := v0.Len()",
			"v0 := list.New(); v1 := func(int) bool { panic(\"foray\") }; func() {; 	defer func() { recover() }(); 	v1(1); }(); v0.Len()"},
		{"lets the last step panic", "v0 := func(a int) bool { panic(\"foray\") }; v1 := v0(1)",
			"v0 := func(int) bool { panic(\"foray\") }; v0(1)"},
		{"inlines twice", "v0 := list.New(); v1 := []int{1, 2}; v2 := sort.IntSlice(v1); v3 := v0.PushBack(v2)",
			"v0 := list.New(); v1 := []int{1, 2}; v0.PushBack(sort.IntSlice(v1))"},
		{"does not inline what is used twice", "v0 := list.New(); v1 := []int{1}; v2 := v0.PushBack(v1); v3 := v0.PushBack(v1)",
			"v0 := list.New(); v1 := []int{1}; v0.PushBack(v1); v0.PushBack(v1)"},
		{"does not move the use of a value that changes", "v0 := list.New(); v1 := []int{1}; v2 := sort.IntSlice(v1); v3 := v0.PushBack(v1); v4 := v0.PushBack(v2)",
			"v0 := list.New(); v1 := []int{1}; v2 := sort.IntSlice(v1); v0.PushBack(v1); v0.PushBack(v2)"},
		{"moves a literal value", "v0 := list.New(); v1 := v0.Len(); v2 := []int{v1}; v3 := v0.PushBack(1); v4 := v0.PushBack(v2)",
			"v0 := list.New(); v1 := v0.Len(); v0.PushBack(1); v0.PushBack([]int{v1})"},
		{"does not inline calls", "v0 := list.New(); v1 := v0.Len(); v2 := v0.PushBack(v1)", "v0 := list.New(); v1 := v0.Len(); v0.PushBack(v1)"},
		{"does not inline an operand", "v0 := []int{1}; v1 := v0[0]", "v0 := []int{1}; _ = v0[0]"},
		{"negative index", "v0 := []int{1}; v1 := v0[-1]", "v0 := []int{1}; x0 := int(-1); _ = v0[x0]"},
		{"constant that overflows", "v0 := int8(300)", "x0 := int(300); _ = int8(x0)"},
		{"map", "v0 := map[int]int{1: 1}", "_ = map[int]int{1: 1}"},
		{"what is of an unexported type", "v0 := any(list.New())", "list.New()"},
		{"… and used", "v0 := any(list.New()); v1 := list.New(); v2 := v1.PushBack(v0)", "v0 := any(list.New()); v1 := list.New(); v1.PushBack(v0)"},
		{"assertion on a value of the type", "v0 := list.New(); v1 := any(v0).(*list.List); v2 := v1.Len()", "v0 := list.New(); v0.Len()"},
		{"assertion on no interface", "v0 := list.New(); v1 := v0.Len(); v2, v2b := any(v1).(int); v3, v3b := any(3).(int)",
			"v0 := list.New(); v1 := v0.Len(); _, _ = any(v1).(int); _, _ = any(3).(int)"},
		{"pointer to a value that nothing else uses", "v0 := list.Element{}; v1 := func(x list.Element) *list.Element { return &x }(v0); v2 := v1.Value; v3 := v1.Value",
			"v0 := list.Element{}; v1 := &v0; _ = v1.Value; _ = v1.Value"},
		{"pointer to a copy", "v0 := list.Element{}; v1 := func(x list.Element) *list.Element { return &x }(v0); v2 := func(x list.Element) *list.Element { return &x }(v0); v3 := list.New(); v4 := v3.Remove(v1); v5 := v3.Remove(v2)",
			"v0 := list.Element{}; v1 := func(x list.Element) *list.Element { return &x }(v0); v2 := func(x list.Element) *list.Element { return &x }(v0); v3 := list.New(); v3.Remove(v1); v3.Remove(v2)"},
		{"text with quotes", `v0 := strings.IndexByte("{\"a\": 1}", 58); v1 := strings.IndexByte("\"\n", 58); v2 := strings.IndexByte("\"` + "`" + `", 58); v3 := list.New(); v4 := v3.PushBack("\"")`,
			"strings.IndexByte(`{\"a\": 1}`, ':'); strings.IndexByte(\"\\\"\\n\", ':'); strings.IndexByte(\"\\\"`\", ':'); v0 := list.New(); v0.PushBack(`\"`)"},
		{"function", "v0 := func(a int) bool { return a < 300 }; v1 := v0(-3)", "v0 := func(n int) bool { return n < 300 }; v0(-3)"},
		{"function that uses nothing", "v0 := func(a int) bool { panic(\"foray\") }; v1 := list.New(); v2 := v1.PushBack(v0)", "v0 := list.New(); v0.PushBack(func(int) bool { panic(\"foray\") })"},
		{"values that nothing uses", "v0 := []int{1}; v1 := sort.IntSlice(v0); v2 := list.New(); v3 := []int{3}", "list.New(); _ = []int{3}"},
		{"characters", "v0 := strings.IndexByte(\"\", 118); v1 := strings.IndexRune(\"\", 8); v2 := strings.IndexRune(\"\", 228); v3 := list.New(); v4 := v3.PushBack(byte(118))",
			"strings.IndexByte(\"\", 'v'); strings.IndexRune(\"\", 8); strings.IndexRune(\"\", 'ä'); v0 := list.New(); v0.PushBack(byte(118))"},
		{"durations", "time.Sleep(time.Duration(0)); time.Sleep(time.Duration(3600000000000)); time.Sleep(time.Duration(-1)); v0 := time.Duration(90000000000); v1 := v0.Abs(); v2 := time.Duration(0); v3 := v2.Abs()",
			"time.Sleep(0); time.Sleep(time.Hour); time.Sleep(-time.Nanosecond); v0 := 90*time.Second; v0.Abs(); v1 := time.Duration(0); v1.Abs()"},
		{"durations of another sort", "v0 := list.New(); v1 := v0.PushBack(time.Duration(0)); v2 := v0.PushBack(time.Duration(-1000)); time.Sleep(time.Duration(9223372036854775807)); v3 := time.Duration(9223372036854775807).Abs()",
			"v0 := list.New(); v0.PushBack(time.Duration(0)); v0.PushBack(-time.Microsecond); time.Sleep(9223372036854775807); time.Duration(9223372036854775807).Abs()"},
		{"field", "v0 := list.New(); v1 := v0.PushBack(nil); v1.Value = int8(3)", "v0 := list.New(); v1 := v0.PushBack(nil); v1.Value = int8(3)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := a.parse(t, test.text)
			got := strings.TrimSuffix(strings.ReplaceAll(Statements(a.Table, s), "\n", "; "), "; ")
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			f := a.finding(t, engine.KindPanic, test.text)
			src, err := Test(a.Table, f.Sequence, f.Verdict, f.Options)
			if err != nil {
				t.Fatal(err)
			}
			typeCheck(t, src)
		})
	}
}

// Source imports the standard library, once for all tests of the package, internal and external.
var (
	SourceFset = token.NewFileSet()
	Source     = importer.ForCompiler(SourceFset, "source", nil)
)

func typeCheck(t *testing.T, src []byte) {
	t.Helper()
	if err := typeError(src, Source); err != nil {
		t.Errorf("%v in\n%s", err, src)
	}
}

// typeError returns the first type error of a file.
func typeError(src []byte, from types.Importer) error {
	f, err := parser.ParseFile(SourceFset, "x_test.go", src, 0)
	if err != nil {
		return err
	}
	conf := types.Config{Importer: from}
	_, err = conf.Check("x_test", SourceFset, []*ast.File{f}, nil)
	return err
}

// A besideStandard imports one package besides those of the standard library.
type besideStandard struct{ pkg *types.Package }

func newBesideStandard(t *testing.T, path, src string) besideStandard {
	t.Helper()
	f, err := parser.ParseFile(SourceFset, "lib.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: Source}).Check(path, SourceFset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return besideStandard{pkg}
}

func (b besideStandard) Import(path string) (*types.Package, error) {
	if path == b.pkg.Path() {
		return b.pkg, nil
	}
	return Source.Import(path)
}

func TestEmittedTest(t *testing.T) {
	a := listAPI()
	f := a.finding(t, engine.KindPanic, "v0 := list.New(); v1 := (*list.List)(nil).PushBack(math.NaN())")
	f.Verdict.Message = "invalid memory\naddress"
	f.Verdict.Reason = "The zero value for List is an empty list ready to use."
	f.Options = Options{Version: "go1.26.8", Comment: "Seed 3.\nOf 40 steps."}
	got, err := Test(a.Table, f.Sequence, f.Verdict, f.Options)
	if err != nil {
		t.Fatal(err)
	}
	want := `package list_test

import (
	"container/list"
	"math"
	"runtime/debug"
	"testing"
)

// Found by foray in go1.26.8: (*List).PushBack: invalid memory address
// The zero value for List is an empty list ready to use.
// Seed 3.
// Of 40 steps.
func TestForayListPushBackPanic(t *testing.T) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	list.New()
	(*list.List)(nil).PushBack(math.NaN())
}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	typeCheck(t, got)
}

// The code of a finding names its imports, and ends in the assertion that is false.
func TestCode(t *testing.T) {
	a := listAPI()
	for _, test := range []struct {
		name, text, assert, want, decls string
		imports                         []string
	}{
		{"calls", "v0 := list.New(); v1 := []int{1}; v2 := sort.IntSlice(v1); v3 := v0.PushBack(v2)", "", "v0 := list.New()\nv1 := []int{1}\nv0.PushBack(sort.IntSlice(v1))\n", "", []string{"container/list", "sort"}},
		{"idle calls and declarations", "v0 := []int{1}; v1 := list.New(); v2 := []int{2}; v3 := intHeap(v2); v4 := v1.PushBack(v3)", "", "v0 := list.New()\nv0.PushBack(intHeap([]int{2}))\n", "type intHeap ", []string{"container/list"}},
		{"an assertion", "v0 := list.New(); v1 := v0.Len()", "$0.Len() > 0", "v0 := list.New()\nv0.Len()\nfmt.Println(v0.Len() > 0) // false\n", "", []string{"container/list", "fmt"}},
		{"an address", "v0 := list.New(); v1 := v0.Len()", "$0.Len() > len(\"a@example.com\")", "v0 := list.New()\nv0.Len()\nfmt.Println(v0.Len() > len(\"a@example.com\")) // false\n", "", []string{"container/list", "fmt"}},
		{"an assertion in several statements", "v0 := list.New()", "func() bool {\nn := $0.Len()\nreturn n > 0\n}()",
			"v0 := list.New()\nholds := func() bool {\n\tn := v0.Len()\n\treturn n > 0\n}\nfmt.Println(holds()) // false\n", "", []string{"container/list", "fmt"}},
	} {
		f := a.finding(t, engine.KindPanic, test.text)
		if f.Verdict.Assert = test.assert; test.assert != "" {
			f.Verdict.Kind, f.Verdict.Slots, f.Verdict.Steps = engine.KindContract, []int32{0}, len(f.Sequence)
		}
		got, err := Code(a.Table, f.Sequence, &f.Verdict)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got.Code != test.want || !strings.HasPrefix(got.Decls, test.decls) || (test.decls == "") != (got.Decls == "") || !slices.Equal(got.Imports, test.imports) {
			t.Errorf("%s: got %q\n%swant %q, %q\n%s", test.name, got.Imports, got.Decls+"\n"+got.Code, test.imports, test.decls, test.want)
		}
		src := "package x_test\n\nimport (\n"
		src += importLines(got.Imports)
		typeCheck(t, []byte(src+")\n\n"+got.Decls+"\n\nfunc _() {\n"+got.Code+"}\n"))
	}
}

func TestContract(t *testing.T) {
	a := listAPI()
	f := a.finding(t, engine.KindContract, "v0 := list.New(); v1 := strings.NewReader(\"\"); v2 := v0.PushBack(v1)")
	f.Verdict.Contract, f.Verdict.Assert, f.Verdict.Slots = "length", "reflect.DeepEqual($0, $0) && $1.Len() == 100 % 7 && \"$\" != \"\"", []int32{1, 0}
	got, err := Test(a.Table, f.Sequence, f.Verdict, f.Options)
	if err != nil {
		t.Fatal(err)
	}
	typeCheck(t, got)
	for _, want := range []string{
		"// Found by foray: (*List).PushBack: a message\nfunc TestForayListPushBackContract(",
		"\tv0 := list.New()\n\tv1 := strings.NewReader(\"\")\n\tv0.PushBack(v1)\n\tif !(reflect.DeepEqual(v1, v1) && v0.Len() == 100%7 && \"$\" != \"\") {\n\t\tt.Errorf(\"contract length does not hold: reflect.DeepEqual(v1, v1) && v0.Len() == 100 %% 7",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("got\n%s\nwithout\n%s", got, want)
		}
	}
}

// The expression evaluated before the call is written before it, and the steps
// after the call are left out. A value that no expression mentions has no name.
func TestLaw(t *testing.T) {
	a := listAPI()
	f := a.finding(t, engine.KindContract, "v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.PushBack(2); v3 := v0.Len()")
	v := &f.Verdict
	v.Contract, v.Message, v.Steps, v.Slots = "one-more", "contract one-more does not hold: too many", 3, []int32{0, 2, 1}
	v.Before, v.Assert = "$0.Len()", "func() bool {\nn := $0.Len()\nreturn $1 != nil && n == before+1\n}()"
	got, err := Test(a.Table, f.Sequence, f.Verdict, f.Options)
	if err != nil {
		t.Fatal(err)
	}
	typeCheck(t, got)
	want := "\tv0 := list.New()\n\tv0.PushBack(1)\n\tbefore := v0.Len()\n\tv1 := v0.PushBack(2)\n\tholds := func() bool {\n\t\tn := v0.Len()\n" +
		"\t\treturn v1 != nil && n == before+1\n\t}\n\tif !holds() {\n\t\tt.Error(\"contract one-more does not hold: too many\")\n\t}\n"
	if !strings.Contains(string(got), want) {
		t.Errorf("got\n%s\nwithout\n%s", got, want)
	}
}

func TestDeclsAndNames(t *testing.T) {
	a := listAPI()
	a.Imports = append(a.Imports, seq.Import{Name: "os", Path: "example.com/os"}, seq.Import{Name: "t", Path: "example.com/t"})
	text := "v0 := list.New(); v1 := []int{1}; v2 := intHeap(v1); v3 := v0.PushBack(v2)"
	src, err := File(a.Table, []Finding{a.finding(t, engine.KindMemory, text), a.finding(t, engine.KindMemory, text), a.finding(t, engine.KindHang, text)})
	if err != nil {
		t.Fatal(err)
	}
	typeCheck(t, src)
	for _, want := range []string{
		"type lesser interface", "type intHeap []int", `stdos "os"`, "stdos.Exit(1)", "(tt *testing.T)",
		"TestForayListPushBackMemory(", "TestForayListPushBackMemory2(", "TestForayListPushBackHang(", "m.Sys > 1<<30",
	} {
		if strings.Count(string(src), want) < 1 {
			t.Errorf("got\n%s\nwithout %s", src, want)
		}
	}
	if strings.Contains(string(src), "example.com") {
		t.Errorf("imports what it does not use:\n%s", src)
	}
}

// A file is built only where all operations that it calls are.
func TestBuildConstraints(t *testing.T) {
	for _, tt := range []struct {
		list []string
		want string
	}{
		{nil, ""},
		{[]string{"extra"}, "//go:build extra\n\n"},
		{[]string{"linux && extra", "extra", "b || a", "go1.25"}, "//go:build (b || a) && extra && go1.25 && linux\n\n"},
		{[]string{"go1.18 && !js", "go1.18 || go1.17", "not a constraint"}, "//go:build !js\n\n"},
	} {
		if got := BuildLine(tt.list); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.list, got, tt.want)
		}
	}
	a := listAPI()
	for i := range a.Ops {
		if op := &a.Ops[i]; op.Short == "New" {
			op.Build, op.API = []string{"extra"}, true
		}
	}
	const steps = "v0 := list.New(); v1 := v0.Len()"
	finding := a.finding(t, engine.KindPanic, steps)
	finding.Options.Raise = true
	for _, tt := range []struct {
		head  string
		write func() ([]byte, error)
	}{
		{"//go:build extra && go1.23\n\n", func() ([]byte, error) { return File(a.Table, []Finding{finding}) }},
		{"//go:build extra\n\n", func() ([]byte, error) {
			test := Regression{Test: a.recorded(t, "v0 := list.New()\nv1 := v0.Len()\tequal=0")}
			file, _, err := Regressions(a.Table, []Regression{test}, RegressionOptions{})
			return file, err
		}},
		{"//go:build extra\n\n", func() ([]byte, error) {
			d := difference.Difference{Class: difference.PanicAppears, Old: difference.Value{Kind: difference.Basic, Text: "1"}, Step: 1}
			return Difference(a.Table, finding.Sequence, d, finding.Verdict.Op, difference.Run{}, difference.Run{}, Versions{}, Options{})
		}},
		{"//go:build extra\n\n", func() ([]byte, error) { return Signature(a.Table, finding.Sequence[0].Op, Options{}) }},
		{"//go:build extra\n\n", func() ([]byte, error) {
			test, err := NewFuzzTest(a.Table, "list", nil, nil)
			if err != nil {
				return nil, err
			}
			return test.Source, nil
		}},
		{"", func() ([]byte, error) {
			return File(a.Table, []Finding{a.finding(t, engine.KindPanic, `v0 := strings.IndexByte("a", 1)`)})
		}},
	} {
		head := tt.head + "package list_test\n"
		if got, err := tt.write(); err != nil || !strings.HasPrefix(string(got), head) {
			t.Errorf("%v, want %q at the beginning of\n%s", err, head, got)
		}
	}
}

func TestErrors(t *testing.T) {
	a := listAPI()
	good := a.finding(t, engine.KindContract, "v0 := list.New()")
	good.Verdict.Contract, good.Verdict.Assert, good.Verdict.Slots = "c", "$0 != nil", []int32{0}
	if _, err := File(a.Table, []Finding{good}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		edit func(f *Finding)
		want string
	}{
		{"no steps", func(f *Finding) { f.Sequence = nil }, "emit: finding 1: no steps"},
		{"sequence", func(f *Finding) { f.Sequence = f.Sequence.Clone(); f.Sequence[0].Op = 99 }, "emit: finding 1: seq: step 1: operation 99"},
		{"operation", func(f *Finding) { f.Verdict.Op = 99 }, "emit: finding 1: operation 99, want less than"},
		{"kind", func(f *Finding) { f.Verdict.Kind = "odd" }, `emit: finding 1: verdict of kind "odd"`},
		{"no assertion", func(f *Finding) { f.Verdict.Assert = "" }, "emit: finding 1: contract c has no expression"},
		{"slot", func(f *Finding) { f.Verdict.Slots = []int32{1} }, "emit: finding 1: contract c: no value 1"},
		{"hole", func(f *Finding) { f.Verdict.Assert = "$1" }, "emit: finding 1: contract c: $1: no $1"},
		{"name", func(f *Finding) { f.Options.Name = "X" }, `emit: finding 1: "X" is not the name of a test`},
		{"syntax", func(f *Finding) { f.Verdict.Assert = "$0 $0" }, "emit: 11:9: expected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := good
			test.edit(&f)
			src, err := File(a.Table, []Finding{f})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %s, error %v, want %s", src, err, test.want)
			}
		})
	}
	if _, err := File(a.Table, nil); err == nil {
		t.Error("no error for no findings")
	}
}

// formEnv names the form that a package under test takes, if it has several.
const formEnv = "FORM"

// goTest runs go test -v on the files, by name. It returns the output for each form. The tests are
// built once.
func goTest(t *testing.T, files map[string]string, forms ...string) []string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var outputs []string
	binary := filepath.Join(dir, "form.test")
	for i, form := range forms {
		cmd := exec.Command("go", "test", "-v", "-ldflags=-w", "-o", binary)
		if i > 0 {
			cmd = exec.Command(binary, "-test.v")
		}
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", formEnv+"="+form)
		out, _ := cmd.CombinedOutput()
		outputs = append(outputs, string(out))
	}
	return outputs
}

// A test of a panic in a goroutine waits for it.
func TestLatePanic(t *testing.T) {
	a := listAPI()
	f := a.finding(t, engine.KindPanic, "v0 := list.New(); v1 := v0.PushBack(nil)")
	for _, late := range []bool{false, true} {
		f.Verdict.Late = late
		src, err := Test(a.Table, f.Sequence, f.Verdict, f.Options)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), "time.Sleep(") != late {
			t.Errorf("late %v:\n%s", late, src)
		}
		typeCheck(t, src)
	}
}

// The test of a finding gives variables of the package back what they held, unless its calls
// run in a process of their own.
func TestVariablesPutBack(t *testing.T) {
	a := listAPI()
	a.op(seq.VarSet, "list.Limit = $0", "Limit", "int ->").Vars = []string{"list.Limit"}
	for kind, want := range map[string]int{engine.KindPanic: 1, engine.KindExit: 0} {
		f := a.finding(t, kind, "list.Limit = 3; list.Limit = 2; v0 := list.New(); v1 := v0.Len()")
		src, err := Test(a.Table, f.Sequence, f.Verdict, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(src), "defer func(old int) { list.Limit = old }(list.Limit)"); got != want {
			t.Errorf("%s: the variable is put back %d times, want %d:\n%s", kind, got, want, src)
		}
	}
}

// The code follows the imports beside that of the package, and the declarations.
func TestSnippet(t *testing.T) {
	for _, tt := range []struct {
		s    Snippet
		want string
	}{
		{Snippet{Imports: []string{"m.test/q"}, Code: "q.F()\n"}, "q.F()\n"},
		{Snippet{Imports: []string{"fmt", `std "io"`, "m.test/q"}, Code: "q.F()\n"}, "// imports fmt, std \"io\"\nq.F()\n"},
		{Snippet{Decls: "type t int", Code: "q.F()\n"}, "type t int\n\nq.F()\n"},
	} {
		if got := tt.s.Text("m.test/q"); got != tt.want {
			t.Errorf("got\n%swant\n%s", got, tt.want)
		}
	}
}
