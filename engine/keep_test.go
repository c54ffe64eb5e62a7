package engine

import (
	"testing"

	"foray.test/engine/seq"
)

// fuse is a lock; its loop ends after a call with turns 7.
type fuse struct {
	*lock
	armed bool
}

func (x *fuse) Begin(o RunOptions) Run {
	x.armed = false
	x.lock.Begin(o)
	return x
}

func (x *fuse) Append(st seq.Step) StepOutcome {
	turns := st.Args[2].Lit.Value.(int64)
	if x.armed && turns < 0 {
		x.hits[5] = 1
		return StepOutcome{}
	}
	x.armed = x.armed || turns == 7
	return x.lock.Append(st)
}

// A sequence that runs out of fuel is no shorter form of an entry, though it takes the
// same sides: it may never end.
func TestPruneKeepsWhatEnds(t *testing.T) {
	e, l, _ := newLockEngine(1, true)
	x := &fuse{lock: l}
	e.Use(x)
	s, err := l.table.Parse(`lock.Open(1, "a", 7); lock.Open(2, "b", -1)`)
	if err != nil {
		t.Fatal(err)
	}
	en := &Entry{Steps: s, Sides: []int32{5}}
	e.keeper.prune(en, composeFuel)
	if out, _ := Execute(x, l.table, en.Steps, RunOptions{Fuel: composeFuel}); out.Hits[5] == 0 || out.OutOfFuel {
		t.Errorf("pruned to %s: takes its side: %v, out of fuel: %v", l.table.OneLine(en.Steps), out.Hits[5] != 0, out.OutOfFuel)
	}
}
