package contract

import "testing"

var copiesPlantings = []Planting{
	{`v0 := planted.NewTwin(7)`, "copy-equal"},
	{`v0 := planted.NewBox2(2, 3); v1 := v0.Copy()`, "copy-shows"},
}

var copiesContracts = []contractCase{
	{"copy", "copy-equal", ops("(*T).Clone() *p.T", func(a []any) any { return th(num(a[0])) }, "(*T).Equal(*p.T) bool", equalFake), values(th(1)), true},
	{"copy of another", "copy-equal", ops("(*T).Clone() *p.T", func(a []any) any { return th(0) }, "(*T).Equal(*p.T) bool", equalFake), values(th(1)), false},
	{"no copy", "copy-equal", ops("(*T).Copy() *p.T", func(a []any) any { return (*thing)(nil) }, "(*T).Equal(*p.T) bool", equalFake), values(th(1)), false},
	{"copy of what is equal to nothing", "copy-equal", ops("(*T).Copy() *p.T", func(a []any) any { return th(num(a[0])) }, "(*T).Equal(*p.T) bool", func([]any) any { return false }), values(th(1)), true},
	{"copy of a NaN", "copy-equal", ops("(*T).Copy() *p.T", func(a []any) any { return nan() }, "(*T).Equal(*p.T) bool", nanFake), values(nan()), true},
}

var copiesCases = []lawCase{
	{"copy-shows", "good", "NewPot Add Keys Clone", nil, "NewPot(); Add(v0, 1); Clone(v0)", true},
	{"copy-shows", "without its elements", "NewPot Add Keys", ops("(*T).Clone() *p.T", func(a []any) any { return &pot{n: po(a).n} }), "NewPot(); Add(v0, 1); Clone(v0)", false},
	{"copy-shows", "in an order of chance", "NewPot Add Clone", ops("(*T).Keys() []int", func(a []any) any { po(a).n++; return []int{po(a).n % 7} }), "NewPot(); Add(v0, 1); Clone(v0)", true},
}

// A copy shows what its original does, however the documentation praises it.
func TestCopyShowsByDocumentation(t *testing.T) {
	b, f := lawTable(t, "NewPot Add Keys", ops("(*T).Clone() *p.T", func([]any) any { return &pot{} }))
	clone := &b.Table.Ops[b.Find("Clone")]
	for doc, broken := range map[string]bool{
		"Clone returns a copy that can be changed without the change being reflected in the original.": true,
		"Clone returns a copy with the same bits. If the allocation fails, it returns an empty one.":   true,
		"Clone returns a shallow copy.": true,
	} {
		clone.Doc = doc
		if v, _ := uphold(b, f, boxed(b, "NewPot(); Add(v0, 1); Clone(v0)"), "copy-shows"); (v != nil) != broken {
			t.Errorf("%s: verdict %+v, want one: %t", doc, v, broken)
		}
	}
}
