package catalog

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

func TestTargets(t *testing.T) {
	const src = `package p
import "testing"
import other "testing"
type target = testing.F
func FuzzB(f *testing.F) {}
func FuzzA(f *other.F) {}
func Fuzz(f *testing.F) {}
func Fuzz_x(*testing.F) {}
func Fuzzy(f *testing.F) {}
func FuzzNot(t *testing.T) {}
func FuzzTwo(f *testing.F, n int) {}
func FuzzResult(f *testing.F) int { return 0 }
func FuzzGeneric[T any](f *testing.F) {}
func (p P) FuzzMethod(f *testing.F) {}
func FuzzValue(f testing.F) {}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p_test.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Targets([]*ast.File{file}), []string{"Fuzz", "FuzzA", "FuzzB", "Fuzz_x"}; !slices.Equal(got, want) {
		t.Errorf("Targets = %v, want %v", got, want)
	}
}

func TestGoFuzz(t *testing.T) {
	const src = `package p
func Fuzz(data []byte) int { return 0 }
func Parse(b []uint8) (n int) { return 0 }
func Blank([]byte) int { return 0 }
func hidden(data []byte) int { return 0 }
func Text(data string) int { return 0 }
func Array(data [4]byte) int { return 0 }
func Runes(data []rune) int { return 0 }
func Two(data []byte, n int) int { return 0 }
func Both(a, b []byte) int { return 0 }
func Rest(data ...byte) int { return 0 }
func Nothing(data []byte) {}
func Error(data []byte) error { return nil }
func Pair(data []byte) (int, error) { return 0, nil }
func Generic[T any](data []byte) int { return 0 }
func (p P) Method(data []byte) int { return 0 }
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := GoFuzz([]*ast.File{file}), []string{"Blank", "Fuzz", "Parse"}; !slices.Equal(got, want) {
		t.Errorf("GoFuzz = %v, want %v", got, want)
	}
}

// dictionary is that of a package with a test.
func dictionary(t *testing.T) *seq.Table {
	t.Helper()
	const src = `package p
const Magic = "magic"
func F(s string, n int) bool { return s == "keyword" && n == 4711 }`
	const test = `package p
var example = "from a test"`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	testFile, err := parser.ParseFile(fset, "p_test.go", test, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check("example.org/p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Dictionary(Input{Types: pkg, Fset: fset, Files: []*ast.File{file}, Info: info, TestFiles: []*ast.File{testFile}})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTargetTable(t *testing.T) {
	table, err := TargetTable(dictionary(t), "FuzzF", []string{"[]byte", "int", "[]byte", "uint8", "string"})
	if err != nil {
		t.Fatal(err)
	}
	op := table.Ops[0]
	if op.Template != "FuzzF($0, $1, $2, $3, $4)" || op.Name != "example.org/p.FuzzF([]byte, int, []byte, uint8, string)" || !op.API {
		t.Errorf("operation %+v", op)
	}
	if want := []seq.TypeID{1, 2, 1, 3, 4}; !slices.Equal(op.Params, want) {
		t.Errorf("parameters %v, want %v: types in the order of their first appearance", op.Params, want)
	}
	for _, id := range []seq.TypeID{1, 4} {
		mined := strings.Join(table.Types[id].Mined, " ")
		for _, want := range []string{`"keyword"`, `"magic"`, `"from a test"`} {
			if !strings.Contains(mined, want) {
				t.Errorf("%s: mined %s, want %s among it", table.Types[id].Name, mined, want)
			}
		}
	}
	if mined := table.Types[2].Mined; !slices.Contains(mined, "4711") {
		t.Errorf("int: mined %v, want 4711 among it", mined)
	}

	if ty := &table.Types[1]; !ty.IsBytes() {
		t.Errorf("[]byte: %v of %q, want a slice of bytes", ty.Kind, ty.Elem)
	}
	if ty := &table.Types[4]; ty.Kind != seq.BasicType || ty.IsBytes() {
		t.Errorf("string: %v", ty.Kind)
	}

	// The text of a call is read as the call that it was written from.
	const text = "FuzzF([]byte(\"a\\x00\\xff\"), -3, []byte(\"\"), 7, \"x\")\n"
	s, err := table.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(table); err != nil {
		t.Error(err)
	}
	if got := table.String(s); got != text {
		t.Errorf("read and written: %q, want %q", got, text)
	}

	if _, err := TargetTable(dictionary(t), "FuzzF", []string{"string", "error"}); err == nil || !strings.Contains(err.Error(), "argument 2 has type error") {
		t.Errorf("of an error: %v", err)
	}
}

// Literals of the package are tried in calls of its functions, too, after those that
// the test lists itself.
func TestMine(t *testing.T) {
	dictionary := &seq.Table{Types: []seq.Type{
		{}, {Name: "[]byte", Literal: seq.String, Mined: []string{`"x"`}},
		{Name: "string", Literal: seq.String, Basic: true, Mined: []string{`"GET"`, `"PUT"`}},
		{Name: "int8", Literal: seq.Int, Bits: 8, Basic: true, Mined: []string{"7"}},
		{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Mined: []string{"4096"}},
	}}
	table := &seq.Table{Types: []seq.Type{
		{}, {Name: "p.Method", Literal: seq.String, Mined: []string{`"PUT"`, `"PATCH"`}},
		{Name: "*p.T"}, {Name: "int", Literal: seq.Int, Bits: 64, Basic: true},
	}}
	Mine(table, dictionary)
	for i, want := range []string{"[]", `["PUT" "PATCH" "GET"]`, "[]", "[4096]"} {
		if got := fmt.Sprint(table.Types[i].Mined); got != want {
			t.Errorf("literals of %s are %s, want %s", table.Types[i].Name, got, want)
		}
	}
}
