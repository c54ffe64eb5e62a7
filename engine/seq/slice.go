package seq

import "math"

// Uses returns the steps of s that take slot as an argument.
func Uses(s Sequence, slot int32) []int {
	var steps []int
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit == nil && a.Slot == slot {
				steps = append(steps, i)
				break
			}
		}
	}
	return steps
}

// Concat returns comp behind s, its slots moved behind those of s.
func Concat(t *Table, s, comp Sequence) Sequence {
	shift := int32(s.Slots(t))
	joined := append(s.Clone(), comp.Clone()...)
	for _, st := range joined[len(s):] {
		for i := range st.Args {
			if st.Args[i].Lit == nil {
				st.Args[i].Slot += shift
			}
		}
	}
	return joined
}

// Remove returns s without step i and without what hangs, directly or not, on
// its results. It reports false when there is no step i.
func Remove(t *Table, s Sequence, i int) (Sequence, bool) { return RemoveRange(t, s, i, i+1) }

// RemoveRange is [Remove] for the steps from … to-1. It reports false when they are
// not steps of s.
func RemoveRange(t *Table, s Sequence, from, to int) (Sequence, bool) {
	if from < 0 || from >= to || to > len(s) {
		return s, false
	}
	keep := make([]bool, len(s))
	gone := make([]bool, 0, s.Slots(t))
	for j := range s {
		keep[j] = j < from || j >= to
		for _, a := range s[j].Args {
			if a.Lit == nil && gone[a.Slot] {
				keep[j] = false
			}
		}
		for range t.Ops[s[j].Op].Results {
			gone = append(gone, !keep[j])
		}
	}
	return Pick(t, s, keep), true
}

// Prune returns the steps of s that can have to do with the values in keepSlots,
// as they stand after the last step, and with what step keepStep does.
// keepStep is the last step that counts, unless it is negative: what follows it is left out.
//
// A kept step needs its arguments as they stand then. So the steps before it are
// kept that make them, or take them where they may be changed: as anything but a
// value of a literal type. Where a step brings values together that can refer to
// each other, a value and what it is put into or taken from, a change of the one
// counts as a change of the other from then on.
func Prune(t *Table, s Sequence, keepSlots []int32, keepStep int) Sequence {
	if keepStep >= 0 && keepStep < len(s) {
		s = s[:keepStep+1]
	}
	p := newPruner(t, s)
	p.run(keepSlots, keepStep)
	return Pick(t, s, p.keep)
}

// PruneTo returns the steps of s that can have to do with the value in slot, as
// [Prune] does, and the number that the slot has there.
func PruneTo(t *Table, s Sequence, slot int32) (pruned Sequence, at int32) {
	p := newPruner(t, s)
	p.run([]int32{slot}, -1)
	for i := range s {
		r := p.results[i]
		if slot < r[1] {
			at += slot - r[0]
			break
		}
		if p.keep[i] {
			at += r[1] - r[0]
		}
	}
	return Pick(t, s, p.keep), at
}

// A pruner finds for each slot until which step its changes matter.
type pruner struct {
	s       Sequence
	keep    []bool
	results [][2]int32 // of each step: its first slot, and the end of its slots
	until   []int32    // by slot: changes by steps before this one matter
	mutable []bool     // by slot: the value can change, or refer to one that can
}

func newPruner(t *Table, s Sequence) *pruner {
	n := s.Slots(t)
	p := &pruner{s, make([]bool, len(s)), make([][2]int32, len(s)), make([]int32, n), make([]bool, 0, n)}
	for i := range s {
		first := int32(len(p.mutable))
		for _, id := range t.Ops[s[i].Op].Results {
			p.mutable = append(p.mutable, t.Types[id].Literal == NoLiteral)
		}
		p.results[i] = [2]int32{first, int32(len(p.mutable))}
	}
	return p
}

// run decides which steps to keep.
func (p *pruner) run(keepSlots []int32, keepStep int) {
	for _, slot := range keepSlots {
		if int(slot) < len(p.until) {
			p.until[slot] = math.MaxInt32
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(p.s) - 1; i >= 0; i-- {
			if !p.keep[i] && !p.needs(i) && i != keepStep {
				continue
			}
			p.keep[i] = true
			changed = p.extend(i) || changed
		}
	}
}

// needs reports whether step i makes or may change a value that matters later.
func (p *pruner) needs(i int) bool {
	for slot := p.results[i][0]; slot < p.results[i][1]; slot++ {
		if p.until[slot] > int32(i) {
			return true
		}
	}
	for _, a := range p.s[i].Args {
		if a.Lit == nil && p.mutable[a.Slot] && p.until[a.Slot] > int32(i) {
			return true
		}
	}
	return false
}

// extend makes matter what kept step i needs, and reports whether that is news.
func (p *pruner) extend(i int) bool {
	together := int32(i) // the last step before which changes of what i brings together matter
	for slot := p.results[i][0]; slot < p.results[i][1]; slot++ {
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
		for slot := p.results[i][0]; slot < p.results[i][1]; slot++ {
			raise(slot)
		}
	}
	return news
}

// Pick returns the steps of s that keep says, their slots renumbered. What they
// take must be among them.
func Pick(t *Table, s Sequence, keep []bool) Sequence {
	picked := make(Sequence, 0, len(s))
	renumbered := make([]int32, 0, s.Slots(t))
	next := int32(0)
	for i := range s {
		for range t.Ops[s[i].Op].Results {
			renumbered = append(renumbered, next)
			if keep[i] {
				next++
			}
		}
		if keep[i] {
			picked = append(picked, s[i])
		}
	}
	picked = picked.Clone()
	for _, st := range picked {
		for j := range st.Args {
			if st.Args[j].Lit == nil {
				st.Args[j].Slot = renumbered[st.Args[j].Slot]
			}
		}
	}
	return picked
}
