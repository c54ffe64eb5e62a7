package usage

import (
	"slices"
	"testing"

	"foray.test/engine/seq"
)

// A parameter without constants of its own has those of its type and name.
func TestDictionary(t *testing.T) {
	const text, number = seq.TypeID(0), seq.TypeID(1)
	op := func(api bool, names []string, params ...seq.TypeID) seq.Operation {
		return seq.Operation{API: api, Params: params, Declaration: seq.Declaration{Names: names}}
	}
	table := &seq.Table{Ops: []seq.Operation{
		op(true, []string{"layout", "s"}, text, text),
		op(true, []string{"layout"}, text),
		op(true, []string{"layout", "_"}, text, text),
		op(true, []string{"layout"}, number),
		op(false, []string{"layout"}, text),
		op(true, nil, text),
	}}
	u := &Usage{Literals: []Literals{{0, 0, []string{`"hh:mm"`}}, {0, 1, []string{`"10:30"`}}, {1, 0, []string{`"ss"`}}, {5, 0, []string{`"x"`}}}}
	want := slices.Concat(u.Literals, []Literals{{2, 0, []string{`"hh:mm"`, `"ss"`}}})
	equal := func(a, b Literals) bool {
		return a.Op == b.Op && a.Param == b.Param && slices.Equal(a.Texts, b.Texts)
	}
	if got := u.Dictionary(table); !slices.EqualFunc(got, want, equal) {
		t.Errorf("%v, want %v", got, want)
	}
}
