package seq

import (
	"slices"
	"testing"
)

// versions returns a small table and one that differs from it in all ways in which
// a next version can.
func versions() (old, next *Table) {
	basic := Type{Name: "int", Literal: Int, Bits: 64, Basic: true, Assignable: []TypeID{1}, Mined: []string{"1", "2"}}
	old = &Table{
		Package: "example.com/q", Name: "q",
		Types: []Type{
			{}, basic,
			{Name: "*q.Gone", Nilable: true, Assignable: []TypeID{2}},
			{Name: "*q.Q", Nilable: true, Assignable: []TypeID{3}},
			{Name: "interface{}", Nilable: true, Interface: true, Assignable: []TypeID{4, 1, 2, 3}},
		},
		Ops: []Operation{
			{Name: "q.Make func() *q.Gone", Kind: Func, Template: "q.Make()", Results: []TypeID{2}},
			{Name: "q.New func(int) *q.Q", Kind: Func, Template: "q.New($0)", Params: []TypeID{1}, Results: []TypeID{3}},
			{Name: "(*q.Q).Put func(any)", Kind: Method, Template: "$0.Put($1)", Params: []TypeID{3, 4}},
			{Name: "(*q.Q).Len func() int", Kind: Method, Template: "$0.Len()", Params: []TypeID{3}, Results: []TypeID{1}},
		},
	}
	basic.Mined = []string{"2", "9"}
	any := Type{Name: "any", Nilable: true, Interface: true, Assignable: []TypeID{3, 1}}
	next = &Table{
		Package: "example.com/q", Name: "q",
		Types: []Type{
			{}, basic,
			{Name: "*q.Q", Nilable: true, Assignable: []TypeID{2}},
			any,
			{Name: "int64", Literal: Int, Bits: 64, Basic: true, Assignable: []TypeID{4}},
		},
		Ops: []Operation{
			{Name: "q.Added func()", Kind: Func, Template: "q.Added()"},
			{Name: "q.New func(int) *q.Q", Kind: Func, Template: "q.New($0)", Params: []TypeID{1}, Results: []TypeID{2}},
			{Name: "(q.Q).Put func(any)", Kind: Method, Template: "$0.Put($1)", Params: []TypeID{2, 3}},
			{Name: "(*q.Q).Len func() int64", Kind: Method, Template: "$0.Len()", Params: []TypeID{2}, Results: []TypeID{4}},
		},
	}
	return old, next
}

func TestCommon(t *testing.T) {
	old, next := versions()
	c, gone := Common(old, next)
	if want := []OpID{0, 3}; !slices.Equal(gone, want) { // the function is gone, the method has another result
		t.Errorf("gone = %v, want %v", gone, want)
	}
	var templates, types []string
	for i := range c.Ops {
		templates = append(templates, c.Ops[i].Template)
	}
	for i := range c.Types {
		types = append(types, c.Types[i].Name)
	}
	if want := []string{"q.New($0)", "$0.Put($1)"}; !slices.Equal(templates, want) {
		t.Errorf("operations %q, want %q", templates, want)
	}
	if want := []string{"", "int", "*q.Q", "interface{}"}; !slices.Equal(types, want) {
		t.Errorf("types %q, want %q", types, want)
	}
	// A type that next does not assign to any is gone; the rest have new numbers.
	if got, want := c.Types[3].Assignable, []TypeID{3, 1}; !slices.Equal(got, want) {
		t.Errorf("assignable to any: %v, want %v", got, want)
	}
	if got, want := c.Types[1].Mined, []string{"1", "9", "2"}; !slices.Equal(got, want) {
		t.Errorf("mined %q, want %q: what one version has before what both have", got, want)
	}
	if s, err := c.Parse("v0 := q.New(2); v0.Put(3)"); err != nil || len(s) != 2 {
		t.Errorf("Parse = %v, %v", s, err)
	}
}

// Conditions of the tests hold for calls of both versions if both have them.
func TestCommonConditions(t *testing.T) {
	old, next := versions()
	old.AddCondition(2, Operation{Kind: Check, Template: "forayContractOld($0, $1)"}, false)
	for i, table := range []*Table{old, next} {
		table.AddCondition(2, Operation{Kind: Check, Template: "forayContractPut($0, $1)"}, false)
		table.AddCondition(2, Operation{Kind: Check, Template: "forayContractPut($0, $1)"}, i == 0)
	}
	c, _ := Common(old, next)
	put := &c.Ops[1]
	for _, id := range slices.Concat(put.Requires, put.Ensures) {
		if int(id) >= len(c.Ops) || c.Ops[id].Template != "forayContractPut($0, $1)" {
			t.Fatalf("condition %d of %d operations", id, len(c.Ops))
		}
	}
	if len(put.Requires) != 1 || len(put.Ensures) != 1 {
		t.Errorf("requires %v, ensures %v, want one each", put.Requires, put.Ensures)
	}
}

// A table is all that it has in common with itself.
func TestCommonSelf(t *testing.T) {
	f := newFixture()
	c, gone := Common(f.Table, f.Table)
	if len(gone) > 0 || len(c.Ops) != len(f.Ops) {
		t.Fatalf("%d operations and %d gone, want %d and none", len(c.Ops), len(gone), len(f.Ops))
	}
	for i := range f.Ops {
		if got, want := c.text(&c.Ops[i]), f.text(&f.Ops[i]); got != want {
			t.Errorf("operation %d is %s, want %s", i, got, want)
		}
	}
}

// A worker of the next major version has the same table under the paths of that version.
func TestTableAs(t *testing.T) {
	common := &Table{Package: "example.com/q", Name: "q", Ops: []Operation{{Template: "q.F($0)"}}, Imports: []Import{
		{Name: "errors", Path: "errors"}, {Name: "part", Path: "example.com/q/part"}, {Name: "q", Path: "example.com/q"},
	}}
	next := &Table{Package: "example.com/q/v2", Name: "q", Imports: []Import{
		{Name: "part", Path: "example.com/q/v2/part"}, {Name: "q", Path: "example.com/q/v2"}, {Name: "time", Path: "time"},
	}}
	got := common.As(next)
	want := []Import{{Name: "errors", Path: "errors"}, {Name: "part", Path: "example.com/q/v2/part"}, {Name: "q", Path: "example.com/q/v2"}}
	if got.Package != next.Package || !slices.Equal(got.Imports, want) || len(got.Ops) != 1 {
		t.Errorf("As = %+v, want package %s, imports %v, all operations", got, next.Package, want)
	}
	if common.Package != "example.com/q" || common.Imports[2].Path != "example.com/q" {
		t.Errorf("As changed the table that it was called on: %+v", common)
	}
}
