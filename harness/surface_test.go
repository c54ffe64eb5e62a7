package harness

import (
	"bufio"
	"cmp"
	"container/list"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// source imports the standard library, once for all tests.
var (
	sourceFset = token.NewFileSet()
	source     = importer.ForCompiler(sourceFset, "source", nil)
)

// catalogOf returns the catalog of a package of the standard library.
func catalogOf(t *testing.T, path string) *catalog.Catalog {
	t.Helper()
	src, err := build.Import(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range src.GoFiles {
		f, err := parser.ParseFile(sourceFset, filepath.Join(src.Dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	pkg, err := (&types.Config{Importer: source}).Check(path, sourceFset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Find(catalog.Input{Types: pkg, Fset: sourceFset, Files: files, Info: info, Importer: source})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustSurface(t testing.TB, api API) *surface {
	t.Helper()
	s, err := newSurface(api)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The surface and the catalog describe common operations alike: an entry of one has
// the same meaning in the other.
func TestNamesAreTheCatalogs(t *testing.T) {
	if testing.Short() {
		t.Skip("checks packages from source")
	}
	for _, test := range []struct {
		path string
		ops  []any
	}{
		{"container/list", []any{
			list.New, (*list.List).PushBack, (*list.List).Remove, (*list.List).InsertBefore, (*list.List).Len,
			(*list.List).PushBackList, (*list.Element).Next,
		}},
		{"strings", []any{
			strings.NewReader, strings.NewReplacer, strings.Map, strings.Fields, strings.SplitSeq, (*strings.Reader).ReadRune,
			(*strings.Reader).WriteTo, (*strings.Replacer).Replace, (*strings.Builder).WriteString,
		}},
		{"slices", []any{
			Op{Name: "slices.Sort[[]int, int]", Func: slices.Sort[[]int, int]},
			Op{Name: "slices.Concat[[]int, int]", Func: slices.Concat[[]int, int]},
		}},
		{"bufio", []any{bufio.NewReader, bufio.NewScanner, (*bufio.Reader).Buffered, (*bufio.Scanner).Split}},
		{"time", []any{time.Unix, time.Time.Add, (*time.Location).String, time.Duration.Round, time.Date}},
	} {
		t.Run(test.path, func(t *testing.T) {
			c := catalogOf(t, test.path)
			s := mustSurface(t, API{Operations: test.ops})
			if s.table.Package != c.Table.Package || s.table.Name != c.Table.Name {
				t.Errorf("package %s %q, want %s %q", s.table.Name, s.table.Package, c.Table.Name, c.Table.Package)
			}
			for i := range s.table.Ops {
				got := &s.table.Ops[i]
				if !got.API {
					continue
				}
				at := slices.IndexFunc(c.Table.Ops, func(op seq.Operation) bool { return op.Name == got.Name })
				if at < 0 {
					t.Errorf("the catalog has no %q", got.Name)
					continue
				}
				compareOperations(t, s.table, got, &c.Table, &c.Table.Ops[at])
			}
			compareTypes(t, s.table, &c.Table)
		})
	}
}

func compareOperations(t *testing.T, ts *seq.Table, got *seq.Operation, tc *seq.Table, want *seq.Operation) {
	t.Helper()
	for _, f := range []struct{ what, got, want string }{
		{"short", got.Short, want.Short}, {"member", got.Member, want.Member}, {"template", got.Template, want.Template},
		{"kind", fmt.Sprint(got.Kind), fmt.Sprint(want.Kind)}, {"variadic", fmt.Sprint(got.Variadic, got.Spread), fmt.Sprint(want.Variadic, want.Spread)},
		{"returns error", fmt.Sprint(got.ReturnsError), fmt.Sprint(want.ReturnsError)},
		{"parameters", typeList(ts, got.Params), typeList(tc, want.Params)},
		{"results", typeList(ts, got.Results), typeList(tc, want.Results)},
	} {
		if f.got != f.want {
			t.Errorf("%s: %s is %q, want %q", want.Name, f.what, f.got, f.want)
		}
	}
}

// compareTypes compares the facts about types that both tables have.
func compareTypes(t *testing.T, ts, tc *seq.Table) {
	t.Helper()
	words := strings.NewReplacer("rune", "int32")
	text := func(ty *seq.Type) string {
		return words.Replace(fmt.Sprintf("%v %s.%s elem %s key %s params %v results %v iterator %v std %v",
			ty.Kind, ty.Path, ty.Base, ty.Elem, ty.Key, ty.Params, ty.Results, ty.Iterator, ty.Std))
	}
	for i := range ts.Types[1:] {
		got := &ts.Types[i+1]
		at := slices.IndexFunc(tc.Types, func(ty seq.Type) bool { return words.Replace(ty.Name) == words.Replace(got.Name) })
		if at > 0 && text(got) != text(&tc.Types[at]) {
			t.Errorf("type %s is\n%s\nwant\n%s", got.Name, text(got), text(&tc.Types[at]))
		}
	}
}

// typeList writes types, bytes and runes by the names that both agree on.
func typeList(t *seq.Table, ids []seq.TypeID) string {
	var names []string
	for _, id := range ids {
		names = append(names, strings.NewReplacer("rune", "int32").Replace(t.Types[id].Name))
	}
	return strings.Join(names, " ")
}

type pair[K comparable, V any] struct {
	key K
	val V
}

func (p *pair[K, V]) Set(k K, v V)                     { p.key, p.val = k, v }
func (p pair[K, V]) Get() (K, V)                       { return p.key, p.val }
func newPair[K comparable, V any]() *pair[K, V]        { return new(pair[K, V]) }
func Each[T any](f func(T) bool, s ...[]T) iter.Seq[T] { return nil }

func TestTypeText(t *testing.T) {
	p := new(packages)
	for _, test := range []struct {
		typ       reflect.Type
		text, key string
	}{
		{reflect.TypeFor[int](), "int", "int"},
		{reflect.TypeFor[error](), "error", "error"},
		{reflect.TypeFor[any](), "any", "any"},
		{reflect.TypeFor[[]byte](), "[]byte", "[]byte"},
		{reflect.TypeFor[map[string][]any](), "map[string][]any", "map[string][]any"},
		{reflect.TypeFor[*list.List](), "*list.List", "*container/list.List"},
		{reflect.TypeFor[[3]*list.Element](), "[3]*list.Element", "[3]*container/list.Element"},
		{reflect.TypeFor[<-chan time.Time](), "<-chan time.Time", "<-chan time.Time"},
		{reflect.TypeFor[func(io.Reader, ...int) (int, error)](), "func(io.Reader, ...int) (int, error)", "func(io.Reader, ...int) (int, error)"},
		{reflect.TypeFor[*pair[string, *list.List]](), "*harness.pair[string, *list.List]", "*foray.test/harness.pair[string, *container/list.List]"},
		{reflect.TypeFor[pair[pair[int, any], []seq.Step]](), "harness.pair[harness.pair[int, any], []seq.Step]", "foray.test/harness.pair[foray.test/harness.pair[int, any], []foray.test/engine/seq.Step]"},
	} {
		if got := p.text(test.typ); got != test.text {
			t.Errorf("text of %v is %q, want %q", test.typ, got, test.text)
		}
		if got := key(test.typ); got != test.key {
			t.Errorf("key of %v is %q, want %q", test.typ, got, test.key)
		}
	}
}

// The identity of an operation has a slice for its variadic parameter, and for no other.
func TestSignatureKey(t *testing.T) {
	for typ, want := range map[reflect.Type]string{
		reflect.TypeFor[func(int, ...byte) error]():                "variadic (int, []byte) error",
		reflect.TypeFor[func(func(...int), ...int) func(...int)](): "variadic (func(...int), []int) func(...int)",
	} {
		if got := signatureKey(typ, 0); got != want {
			t.Errorf("%v has the identity %q, want %q", typ, got, want)
		}
	}
}

func TestLastElement(t *testing.T) {
	for path, want := range map[string]string{
		"container/list": "list", "github.com/emirpasic/gods/v2": "gods", "gopkg.in/yaml.v3": "yaml",
		"github.com/x/go-toml/v2": "toml", "a-b": "a_b", "m.test": "m",
	} {
		if got := lastElement(path); got != want {
			t.Errorf("name of %s is %q, want %q", path, got, want)
		}
	}
}

func TestOperationsOfGenericTypes(t *testing.T) {
	s := mustSurface(t, API{Operations: []any{
		Op{Name: "harness.newPair[string, int]", Func: newPair[string, int]},
		(*pair[string, int]).Set, (*pair[string, int]).Get,
		Op{Name: "harness.Each[int]", Func: Each[int]},
	}})
	var got []string
	for i := range s.table.Ops {
		op := &s.table.Ops[i]
		got = append(got, op.Short+" | "+op.Member+" | "+op.Template)
	}
	want := []string{
		"newPair[string, int] | newPair | harness.newPair[string, int]()",
		"(*pair[string, int]).Set | (*pair).Set | $0.Set($1, $2)",
		"(pair[string, int]).Get | (pair).Get | $0.Get()",
		"Each[int] | Each | harness.Each[int]($0, $*)",
		"Each[int]... | Each | harness.Each[int]($0, $1...)",
		"func(a int) bool { return $0 } |  | func(a int) bool { return $0 }",
		"[]int{$*} |  | []int{$*}",
		"[][]int{$*} |  | [][]int{$*}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestBadAPI(t *testing.T) {
	noop := func() {}
	for _, test := range []struct {
		name string
		api  API
		want string
	}{
		{"nothing", API{}, "no operation to call"},
		{"func literal", API{Operations: []any{noop}}, "is a func literal: give it a name"},
		{"generic", API{Operations: []any{newPair[int, int]}}, `operation newPair[...] is generic: give this instance its name, such as harness.Op{Name: "harness.newPair[int]"`},
		{"bound", API{Operations: []any{list.New().Len}}, "operation (*List).Len: a method of one value; want a method expression"},
		{"value", API{Operations: []any{list.New()}}, "is not a function: give it a name"},
		{"nil", API{Operations: []any{nil}}, "is not a function"},
		{"nil function", API{Operations: []any{(func())(nil)}}, "nil function"},
		{"twice", API{Operations: []any{list.New, list.New}}, "operation New is listed twice"},
		{"contract of nothing", API{Operations: []any{list.New}, Contracts: []Contract{{Name: "x", Holds: func(int) bool { return true }}}}, "contract x: no operation returns a int"},
		{"contract of two types", API{Operations: []any{list.New}, Contracts: []Contract{{Name: "x", Holds: func(*list.List, int) bool { return true }}}}, "want func(T) bool or func(T) error"},
		{"contract without a name", API{Operations: []any{list.New}, Contracts: []Contract{{Holds: func(*list.List) bool { return true }}}}, "want func(T) bool"},
		{"contract without a result", API{Operations: []any{list.New}, Contracts: []Contract{{Name: "x", Holds: func(*list.List) {}}}}, "want func(T) bool"},
		{"model of nothing", API{Operations: []any{list.New}, Model: map[string]any{"Old": list.New}}, "model: no operation Old; there are New"},
		{"model of another shape", API{Operations: []any{list.New}, Model: map[string]any{"New": strings.NewReader}}, "model: New is a func(string) *strings.Reader, want the like of func() *list.List"},
		{"model of half", API{Operations: []any{list.New, (*list.List).Len}, Model: map[string]any{"New": newTill}}, "model: no counterpart of (*List).Len, which has to do with a *list.List"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := newSurface(test.api)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// Every kind of argument that is made runs.
func TestMakers(t *testing.T) {
	type Point struct {
		X, Y int
		Tags []string
	}
	var point *Point
	sum := 0
	take := func(b []byte, r []rune, m map[string]int, p *Point, f func(a, b int) int, less func(a, b string) bool, g func() (int, error)) int {
		n := len(b) + len(r) + len(m)
		if f != nil {
			n += f(1, 2)
		}
		if less != nil && less("a", "b") {
			n++
		}
		if g != nil {
			k, _ := g()
			n += k
		}
		point, sum = p, n
		return n
	}
	s := mustSurface(t, API{Operations: []any{Op{Name: "take", Func: take}, list.New, errors.New, "GET", 4096}})
	in := mustInterpreter(t, s, Limits{})
	text := `v0 := []byte("ab"); v1 := []rune("c"); v2 := map[string]int{"k": 1}; v3 := []string{"x", "y"}; v4 := &harness.Point{X: 1, Y: 2, Tags: v3}; ` +
		`v5 := func(a, b int) int { return cmp.Compare(a, b) }; v6 := func(a, b string) bool { return a < b }; v7 := errors.New("e"); v8 := func() (int, error) { return 3, v7 }; v9 := take(v0, v1, v2, v4, v5, v6, v8)`
	res := in.do(func(r *runner) run { return in.execute(r, in.text(text), engine.Signature{}) })
	if res.verdict != nil || len(res.steps) != 10 {
		t.Fatalf("%d steps, %+v; the table has %s", len(res.steps), res.verdict, shorts(s))
	}
	if want := 2 + 1 + 1 + cmp.Compare(1, 2) + 1 + 3; sum != want {
		t.Errorf("take returned %d, want %d", sum, want)
	}
	if point.X != 1 || point.Y != 2 || len(point.Tags) != 2 {
		t.Errorf("the struct is %+v", point)
	}
	for _, ty := range s.table.Types {
		if ty.Name == "string" && !slices.Equal(ty.Mined, []string{`"GET"`}) || ty.Name == "int" && !slices.Equal(ty.Mined, []string{"4096"}) {
			t.Errorf("literals of %s are %v", ty.Name, ty.Mined)
		}
	}
}

// An array that nothing returns is made: of all elements or, if it is large, of the first.
func TestMakersOfArrays(t *testing.T) {
	type Grid [3]int
	sum := 0
	s := mustSurface(t, API{Operations: []any{Op{Name: "sum", Func: func(g Grid, large [9]string) { sum = g[0] + 10*g[1] + 100*g[2] + len(large[0]) }}}})
	in := mustInterpreter(t, s, Limits{})
	const text = `v0 := harness.Grid{1, 2, 3}; v1 := [9]string{"abcd"}; sum(v0, v1)`
	if res := in.do(func(r *runner) run { return in.execute(r, in.text(text), engine.Signature{}) }); res.verdict != nil || sum != 325 {
		t.Errorf("the sum is %d, want 325; %+v; the table has %s", sum, res.verdict, shorts(s))
	}
}

// Types that only operations return which take one, at once or by way of each other, are made. One that
// a constructor makes is not.
func TestMakersOfCycles(t *testing.T) {
	s := mustSurface(t, API{Operations: []any{Bag.Add, Bag.Names, Names.Bag, list.New, (*list.List).PushBackList, Op{Name: "use", Func: func(Bag, *list.List) {}}}})
	if got := shorts(s); !strings.Contains(got, "harness.Bag{}; ") || strings.Contains(got, "List{}") {
		t.Errorf("the table has %s; want harness.Bag{}, and no literal of a list", got)
	}
}

type (
	Bag   map[string]int
	Names []string
)

func (b Bag) Add(name string) Bag { b[name]++; return b }
func (b Bag) Names() Names        { return slices.Collect(maps.Keys(b)) }
func (n Names) Bag() Bag          { return Bag{} }

func shorts(s *surface) string {
	var names []string
	for i := range s.table.Ops {
		names = append(names, s.table.Ops[i].Short)
	}
	return strings.Join(names, "; ")
}

func mustInterpreter(t testing.TB, s *surface, l Limits) *interpreter {
	t.Helper()
	in, err := newInterpreter(s, l)
	if err != nil {
		t.Fatal(err)
	}
	return in
}
