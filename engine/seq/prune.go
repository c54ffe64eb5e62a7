package seq

import (
	"math"
	"slices"
)

// Prune returns the steps of s that can affect the values of keepSlots after the last
// step, and step keepStep. Unless keepStep is negative it is the last step that counts.
//
// A kept step needs its arguments as they stand then. So Prune keeps the earlier steps
// that make them, and those that take them and may change them: values of literal
// types do not change. Values that one step takes or makes can refer to each other, as
// an element and its container do. From that step on, a change of one counts as a change
// of the others.
func Prune(t *Table, s Sequence, keepSlots []int32, keepStep int) Sequence {
	if keepStep >= 0 && keepStep < len(s) {
		s = s[:keepStep+1]
	}
	p := newPruner(t, s, len(s))
	p.run(keepSlots, keepStep)
	pruned, _ := Filter(t, s, p.keep)
	return pruned
}

// PruneTo returns the steps of s that can affect the value of slot, as [Prune] does, and
// the number that the slot has there. It returns none if there are more than most.
func PruneTo(t *Table, s Sequence, slot int32, most int) (pruned Sequence, at int32) {
	p := newPruner(t, s, most)
	if p.run([]int32{slot}, -1); p.kept > most {
		return nil, -1
	}
	pruned, number := Filter(t, s, p.keep)
	return pruned, number[slot]
}

// A pruner finds for each slot until which step its changes matter.
type pruner struct {
	s       Sequence
	keep    []bool
	kept    int
	most    int     // with more it does not go on
	first   []int32 // of each step: its first slot; then the number of all slots
	until   []int32 // by slot: changes by steps before this one matter
	mutable []bool  // by slot: the value can change, or refer to one that can
}

func newPruner(t *Table, s Sequence, most int) pruner {
	n, steps := s.Slots(t), len(s)
	ints, bools := make([]int32, steps+1+n), make([]bool, steps+n)
	p := pruner{s: s, most: most, keep: bools[:steps], first: ints[:steps+1], until: ints[steps+1:], mutable: bools[steps:]}
	slot := int32(0)
	for i := range s {
		for _, id := range t.Ops[s[i].Op].Results {
			p.mutable[slot] = t.Types[id].Literal == NoLiteral
			slot++
		}
		p.first[i+1] = slot
	}
	return p
}

// run decides which steps to keep, or ends when they are more than most.
func (p *pruner) run(keepSlots []int32, keepStep int) {
	for _, slot := range keepSlots {
		if int(slot) < len(p.until) {
			p.until[slot] = math.MaxInt32
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(p.s) - 1; i >= 0; i-- {
			if !p.keep[i] {
				if !p.needs(i) && i != keepStep {
					continue
				}
				p.keep[i] = true
				if p.kept++; p.kept > p.most {
					return
				}
			}
			changed = p.extend(i) || changed
		}
	}
}

// needs reports whether step i makes or may change a value that matters later.
func (p *pruner) needs(i int) bool {
	for slot := p.first[i]; slot < p.first[i+1]; slot++ {
		if p.until[slot] > int32(i) {
			return true
		}
	}
	return slices.ContainsFunc(p.s[i].Args, func(a Arg) bool {
		return a.Lit == nil && p.mutable[a.Slot] && p.until[a.Slot] > int32(i)
	})
}

// extend notes the slots that kept step i needs, and reports whether that is new.
func (p *pruner) extend(i int) bool {
	together := int32(i) // changes of the values that step i brings together matter before this step
	for slot := p.first[i]; slot < p.first[i+1]; slot++ {
		if p.mutable[slot] {
			together = max(together, p.until[slot])
		}
	}
	for _, a := range p.s[i].Args {
		if a.Lit == nil && p.mutable[a.Slot] {
			together = max(together, p.until[a.Slot])
		}
	}
	news := false
	raise := func(slot int32) {
		to := int32(i)
		if p.mutable[slot] {
			to = together
		}
		if p.until[slot] < to {
			p.until[slot] = to
			news = true
		}
	}
	for _, a := range p.s[i].Args {
		if a.Lit == nil {
			raise(a.Slot)
		}
	}
	if together > int32(i) {
		for slot := p.first[i]; slot < p.first[i+1]; slot++ {
			raise(slot)
		}
	}
	return news
}
