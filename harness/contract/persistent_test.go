package contract

import (
	"testing"

	"foray.test/engine/seq"
)

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
