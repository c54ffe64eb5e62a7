package engine

import (
	"testing"

	"foray.test/engine/seq"
)

// fuse is a lock whose loop ends after a call with turns 7.
type fuse struct {
	*lock
	armed bool
}

func (x *fuse) Begin(meter bool) {
	x.armed = false
	x.lock.Begin(meter)
}

func (x *fuse) Append(st seq.Step) (Status, uint32) {
	turns := st.Args[2].Lit.Value.(int64)
	if x.armed && turns < 0 {
		x.hits[5] = 1
		return Normal, 0
	}
	x.armed = x.armed || turns == 7
	return x.lock.Append(st)
}

// A sequence that runs out of fuel is no shorter form of an entry, though it takes the
// same sides: it may never end.
func TestPruneKeepsWhatEnds(t *testing.T) {
	e, l, _ := newLockEngine(1, true)
	e.exec = &fuse{lock: l}
	l.Fuel(composeFuel)
	s, err := l.table.Parse(`lock.Open(1, "a", 7); lock.Open(2, "b", -1)`)
	if err != nil {
		t.Fatal(err)
	}
	got := e.pruneEntry(Entry{Steps: s, Sides: []int32{5}})
	if out, _ := Execute(e.exec, e.table, got); out.Hits[5] == 0 || l.Out() {
		t.Errorf("pruned to %s: takes its side: %v, out of fuel: %v", e.table.OneLine(got), out.Hits[5] != 0, l.Out())
	}
}
