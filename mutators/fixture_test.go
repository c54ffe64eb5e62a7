package mutators

import (
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// The table of the tests, an API with every kind of argument that edits treat apart.
var fixture = newFixture()

func newFixture() *seq.TypeIndex {
	t := &seq.Table{
		Package: "example.com/q", Name: "q", Types: make([]seq.Type, 1),
		Imports: []seq.Import{{Name: "q", Path: "example.com/q"}},
	}
	ids := map[string]seq.TypeID{}
	typ := func(ty seq.Type, assignable ...string) {
		id := seq.TypeID(len(t.Types))
		ty.Assignable = []seq.TypeID{id}
		for _, name := range assignable {
			ty.Assignable = append(ty.Assignable, ids[name])
		}
		t.Types = append(t.Types, ty)
		ids[ty.Name] = id
	}
	for _, ty := range []seq.Type{
		{Name: "bool", Literal: seq.Bool},
		{Name: "int", Literal: seq.Int, Bits: 64},
		{Name: "int8", Literal: seq.Int, Bits: 8},
		{Name: "uint8", Literal: seq.Uint, Bits: 8},
		{Name: "uint64", Literal: seq.Uint, Bits: 64},
		{Name: "float64", Literal: seq.Float, Bits: 64},
		{Name: "complex128", Literal: seq.Complex, Bits: 128},
		{Name: "string", Literal: seq.String},
	} {
		ty.Basic = true
		typ(ty)
	}
	typ(seq.Type{Name: "q.Name", Literal: seq.String})
	for _, name := range []string{"*q.Queue", "*q.Item", "[]int", "func(string) int"} {
		typ(seq.Type{Name: name, Nilable: true})
	}
	typ(seq.Type{Name: "*q.node", Nilable: true, Hidden: true})
	typ(seq.Type{Name: "q.Func", Nilable: true}, "func(string) int")
	typ(seq.Type{Name: "q.Lener", Nilable: true, Interface: true}, "*q.Queue", "*q.Item", "q.Func")
	var all []string
	for _, ty := range t.Types[1:] {
		all = append(all, ty.Name)
	}
	typ(seq.Type{Name: "any", Nilable: true, Interface: true}, all...)
	named := func(names string) (list []seq.TypeID) {
		for _, name := range strings.Split(names, ",") {
			if name = strings.TrimSpace(name); name != "" {
				if ids[name] == 0 {
					panic("no type " + name)
				}
				list = append(list, ids[name])
			}
		}
		return list
	}
	op := func(kind seq.Kind, template, params, results string) {
		t.Ops = append(t.Ops, seq.Operation{
			Name: template, Short: template, Kind: kind, Template: template, Params: named(params), Results: named(results),
			API: kind == seq.Func || kind == seq.Method, Variadic: strings.Contains(template, "$*"),
		})
	}
	op(seq.Func, "q.New($0)", "int", "*q.Queue")
	op(seq.Func, "q.Parse($0)", "string", "*q.Queue")
	op(seq.Func, "q.Check($0)", "string", "bool")
	op(seq.Func, "q.Of($*)", "int", "*q.Queue")
	op(seq.Func, "q.Sum($0, $1)", "int, int", "int")
	op(seq.Func, "q.Scale($0, $1)", "float64, complex128", "float64")
	op(seq.Func, "q.Bits($0, $1, $2, $3)", "int8, uint8, uint64, bool", "")
	op(seq.Func, "q.Map($0, $1)", "func(string) int, q.Name", "")
	op(seq.Func, "q.Same($0, $1)", "q.Lener, q.Lener", "bool")
	op(seq.Func, "q.Head($0)", "*q.Queue", "*q.node")
	op(seq.Func, "q.Walk($0)", "*q.node", "*q.node, *q.Item")
	op(seq.Method, "$0.Put($1)", "*q.Queue, any", "")
	op(seq.Method, "$0.Get()", "*q.Queue", "any, bool")
	op(seq.Method, "$0.Len()", "*q.Queue", "int")
	op(seq.Method, "$0.Join($1)", "*q.Queue, *q.Queue", "")
	op(seq.Method, "$0.Swap($1)", "*q.Queue, *q.Queue", "*q.Queue")
	op(seq.Composite, "&q.Item{Name: $0}", "q.Name", "*q.Item")
	op(seq.FieldSet, "$0.N = $1", "*q.Item, int8", "")
	op(seq.Elements, "[]int{$*}", "int", "[]int")
	op(seq.FuncLit, "func(a string) int { return len(a) }", "", "func(string) int")
	op(seq.FuncLit, "func(string) int { return $0 }", "int", "func(string) int")
	op(seq.Assert, "$0.(*q.Queue)", "any", "*q.Queue, bool")
	return seq.NewTypeIndex(t)
}

// words are the pool of the tests.
type pool map[string][]any

func (p pool) Nil(t seq.TypeID) *seq.Literal {
	if !fixture.Table.Types[t].Nilable {
		return nil
	}
	return &seq.Literal{Type: t}
}

func (p pool) Words(t seq.TypeID) (list []*seq.Literal) {
	for _, v := range p[fixture.Table.Types[t].Name] {
		list = append(list, &seq.Literal{Type: t, Value: v})
	}
	return list
}

var testPool = pool{
	"bool": {false, true}, "int": {int64(7), int64(1 << 40)}, "int8": {int64(5)}, "uint8": {uint64(6)}, "uint64": {uint64(8)},
	"float64": {0.5}, "complex128": {complex128(1i)}, "string": {"GET", "w"}, "q.Name": {"n"},
}

// components holds one queue of two steps for any operation that takes a queue.
type components struct{}

var component, _ = fixture.Table.Parse(`v0 := q.New(9); v0.Put("c")`)

func (components) Pick(src *draw.Source, wanted seq.TypeID) (seq.Sequence, int32, bool) {
	return component, 0, fixture.Table.AssignableTo(component.SlotTypes(fixture.Table)[0], wanted)
}

func (components) Each(wanted seq.TypeID, f func(seq.Sequence, int32) bool) {
	if fixture.Table.AssignableTo(component.SlotTypes(fixture.Table)[0], wanted) {
		f(component, 0)
	}
}

func parse(tb testing.TB, text string) seq.Sequence {
	tb.Helper()
	s, err := fixture.Table.Parse(text)
	if err != nil {
		tb.Fatalf("parse %q: %v", text, err)
	}
	return s
}

// edit returns the edit of a name.
func edit(tb testing.TB, name string) Edit {
	tb.Helper()
	for _, e := range Edits {
		if e.Name == name {
			return e
		}
	}
	tb.Fatalf("no edit %q", name)
	return Edit{}
}

// Conditions of the tests. Their wanted side is 1.
func compares(op string) *coverage.Condition {
	return &coverage.Condition{Kind: coverage.Bool, Sides: []string{"false", "true"}, Op: op}
}

func ints(x, y int64) coverage.Visit {
	return coverage.Visit{Kind: coverage.SignedOperands, X: uint64(x), Y: uint64(y)}
}

func texts(x, y string) coverage.Visit {
	return coverage.Visit{Kind: coverage.StringOperands, X: uint64(len(x)), Y: uint64(len(y)), SX: x, SY: y}
}
