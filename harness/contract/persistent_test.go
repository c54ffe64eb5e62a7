package contract

import (
	"slices"
	"testing"

	"foray.test/engine/seq"
)

var persistentPlantings = []Planting{
	{`v0 := planted.NewFixed(); v1 := v0.Append(3); v2 := v0.Append(4)`, "leaves-others"},
}

var persistentCases = []lawCase{
	{"leaves-others", "good", "NewPot Keys", ops("(*T).With(int) *p.T", func(a []any) any { return &pot{keys: append(slices.Clone(po(a).keys), at(a, 1))} }), "NewPot(); With(v0, 1); With(v1, 2); With(v1, 3)", true},
	{"leaves-others", "shares spare room", "NewPot Keys", ops("(*T).With(int) *p.T", func(a []any) any {
		if po(a).keys == nil {
			po(a).keys = make([]int, 0, 8)
		}
		return &pot{keys: append(po(a).keys, at(a, 1))}
	}), "NewPot(); With(v0, 1); With(v0, 2)", false},
	{"leaves-others", "changes its receiver, too", "NewPot Keys", ops("(*T).With(int) *p.T", func(a []any) any { po(a).keys = append(po(a).keys, at(a, 1)); return po(a) }), "NewPot(); With(v0, 1); With(v0, 2)", true},
}

// A method of a slice may share its elements with what it returns, as Go's append does, unless the
// documentation says otherwise.
func TestSliceSharesWithOthers(t *testing.T) {
	list := func(a []any) []int { return a[0].([]int) }
	b, f := lawTable(t, "", ops("NewPot() p.Options", func([]any) any { return make([]int, 0, 8) },
		"(Options).Keys() []int", func(a []any) any { return list(a) },
		"(Options).With(int) p.Options", func(a []any) any { return append(list(a), at(a, 1)) }))
	b.Table.Types[b.Type("p.Options")].Kind = seq.SliceType
	with := &b.Table.Ops[b.Find("With")]
	for doc, broken := range map[string]bool{"With sets an option.": false, "With returns a new list of options.": true} {
		with.Doc = doc
		if v, _ := uphold(b, f, boxed(b, "NewPot(); With(v0, 1); With(v0, 2)"), "leaves-others"); (v != nil) != broken {
			t.Errorf("%s: verdict %+v, want one: %t", doc, v, broken)
		}
	}
}
