package blame

import (
	"testing"

	"foray.test/engine/seq"
)

// The rule for the nils of a parameter agrees with its definition.
func TestTableFactsOfNils(t *testing.T) {
	b := testTable()
	for i := range b.Table.Ops {
		op := &b.Table.Ops[i]
		st := seq.Step{Op: seq.OpID(i)}
		for range op.Params {
			st.Args = append(st.Args, seq.Lit(&seq.Literal{}))
		}
		h := NewHistory(&b.Table, seq.Sequence{st}, nil, 0)
		for j := range op.Params {
			want := !plainNil(&b.Table, op.Param(j)) && !op.AllowsNil(j) && !h.isKey(0, j)
			if got := h.givesNil(0, j); got != want {
				t.Errorf("%s, argument %d: givesNil = %v, want %v", op.Short, j, got, want)
			}
		}
	}
}

// Histories of one table share the facts about it, until it grows.
func TestTableFactsAreShared(t *testing.T) {
	b := testTable()
	of := func() *tableFacts { return NewHistory(&b.Table, b.Steps("New(1)"), nil, 0).facts }
	first := of()
	if of() != first {
		t.Error("the facts about a table are found twice")
	}
	b.Add(seq.Func, "More() *p.T")
	if of() == first {
		t.Error("the facts are those of a smaller table")
	}
}
