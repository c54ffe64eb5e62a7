package difference

import (
	"testing"

	"foray.test/engine/seq"
)

func TestTaint(t *testing.T) {
	tab := table()
	tab.Ops = append(tab.Ops, seq.Operation{Short: "Both", Template: "p.Both($0)", Params: []seq.TypeID{3}, Results: []seq.TypeID{3, 1}})
	s := seq.Sequence{
		{Op: 1},                               // v0
		{Op: 3, Args: []seq.Arg{seq.Slot(0)}}, // v1, v2: v1 may share state with v0, the number v2 does not
		{Op: 1},                               // v3
		{Op: 2, Args: []seq.Arg{seq.Slot(1)}}, // tainted: so is v0
	}
	x := NewTaint(tab, s)
	for i := range s {
		if got, want := x.Step(i, i == 3), i == 3; got != want {
			t.Errorf("step %d tainted %v, want %v", i, got, want)
		}
	}
	for slot, want := range []bool{true, true, false, false} {
		if got := x.Of(slot); got != want {
			t.Errorf("slot %d tainted %v, want %v", slot, got, want)
		}
	}
	for slot, want := range []seq.OpID{1, 3, 3, 1} {
		if got := x.Maker(slot); got != want {
			t.Errorf("slot %d made by %d, want %d", slot, got, want)
		}
	}
	x = NewTaint(tab, s)
	x.Step(0, true)
	if !x.Step(1, false) || !x.Of(2) || x.Of(3) {
		t.Error("what hangs on a tainted step is not tainted, or something else is")
	}
}
