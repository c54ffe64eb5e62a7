package difference

import "foray.test/engine/seq"

// A Taint follows, through a sequence, what hangs on steps that say nothing of a
// version: those that do not repeat themselves, or that are known to differ.
type Taint struct {
	t     *seq.Table
	s     seq.Sequence
	Slots []bool  // by slot: the value hangs on such a step
	first []int32 // by step: its first slot
}

// NewTaint returns the taint of s before its first step.
func NewTaint(t *seq.Table, s seq.Sequence) *Taint {
	x := &Taint{t: t, s: s, Slots: make([]bool, s.Slots(t)), first: make([]int32, len(s))}
	next := int32(0)
	for i := range s {
		x.first[i] = next
		next += int32(len(t.Ops[s[i].Op].Results))
	}
	return x
}

// Step reports whether step i hangs on a tainted one, or is one: its results, and
// all that it may have changed, are then tainted as well. Steps come in order.
func (x *Taint) Step(i int, tainted bool) bool {
	for _, a := range x.s[i].Args {
		tainted = tainted || a.Lit == nil && x.Slots[a.Slot]
	}
	if tainted {
		x.Mark(i)
	}
	return tainted
}

// Mark taints what step i made or may have changed.
func (x *Taint) Mark(i int) {
	for _, a := range x.s[i].Args {
		if a.Lit == nil {
			x.Slots[a.Slot] = true
		}
	}
	for k := range x.t.Ops[x.s[i].Op].Results {
		x.Slots[int(x.first[i])+k] = true
	}
}

// Maker returns the operation that made a slot.
func (x *Taint) Maker(slot int) seq.OpID {
	i := len(x.first) - 1
	for int(x.first[i]) > slot || len(x.t.Ops[x.s[i].Op].Results) == 0 {
		i--
	}
	return x.s[i].Op
}
