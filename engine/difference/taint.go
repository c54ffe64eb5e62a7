package difference

import (
	"slices"

	"foray.test/engine/seq"
)

// A Taint tracks the values of a sequence that depend on tainted steps: steps
// that are not repeatable, or have a known difference. The operands and results
// of a step may share state from then on, so a change of one counts as a change
// of all.
type Taint struct {
	t     *seq.Table
	s     seq.Sequence
	group []int32 // by slot: another slot of the same group, or itself
	taint []bool  // by slot; of a group, by its root
	first []int32 // by step: its first slot
	types []seq.TypeID
}

// NewTaint returns the taint of s before its first step.
func NewTaint(t *seq.Table, s seq.Sequence) *Taint {
	n := s.Slots(t)
	x := &Taint{t: t, s: s, group: make([]int32, n), taint: make([]bool, n), first: make([]int32, len(s)), types: make([]seq.TypeID, 0, n)}
	for i := range x.group {
		x.group[i] = int32(i)
	}
	for i := range s {
		x.first[i] = int32(len(x.types))
		x.types = append(x.types, t.Ops[s[i].Op].Results...)
	}
	return x
}

// Of reports whether the value of a slot depends on a tainted step.
func (x *Taint) Of(slot int) bool { return x.taint[x.find(int32(slot))] }

func (x *Taint) find(slot int32) int32 {
	for x.group[slot] != slot {
		slot = x.group[slot]
	}
	return slot
}

// Takes reports whether step i takes a value that depends on a tainted step.
func (x *Taint) Takes(i int) bool {
	return slices.ContainsFunc(x.s[i].Args, func(a seq.Arg) bool { return a.Lit == nil && x.Of(int(a.Slot)) })
}

// Step reports whether step i is tainted or depends on a tainted one. If so, it taints its
// results and all values that it may have changed. Steps must be passed in order.
func (x *Taint) Step(i int, tainted bool) bool {
	tainted = tainted || x.Takes(i)
	x.join(i)
	if tainted {
		x.Mark(i)
	}
	return tainted
}

// join makes one group of the operands and results of step i. Basic values share nothing
// and stay out.
func (x *Taint) join(i int) {
	one := int32(-1)
	add := func(slot int32) {
		if x.t.Types[x.types[slot]].Literal != seq.NoLiteral {
			return
		}
		root := x.find(slot)
		if one >= 0 && root != one {
			x.group[root] = one
			x.taint[one] = x.taint[one] || x.taint[root]
			return
		}
		one = root
	}
	for _, a := range x.s[i].Args {
		if a.Lit == nil {
			add(a.Slot)
		}
	}
	for k := range x.t.Ops[x.s[i].Op].Results {
		add(x.first[i] + int32(k))
	}
}

// Mark taints the values that step i made or may have changed.
func (x *Taint) Mark(i int) {
	for _, a := range x.s[i].Args {
		if a.Lit == nil && x.t.Types[x.types[a.Slot]].Literal == seq.NoLiteral {
			x.taint[x.find(a.Slot)] = true
		}
	}
	for k := range x.t.Ops[x.s[i].Op].Results {
		x.taint[x.find(x.first[i]+int32(k))] = true
	}
}

// Maker returns the operation that made a slot.
func (x *Taint) Maker(slot int) seq.OpID { return x.s[x.s.Maker(x.t, int32(slot))].Op }
