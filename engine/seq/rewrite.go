package seq

import "slices"

// The functions of this file edit sequences. Each returns a new sequence, which
// shares the arguments of unchanged steps with its input, unless it says otherwise.

// rewriteSlots replaces each slot that the steps of s take by the argument that
// number returns for it. It changes the steps of s, but copies their arguments.
func rewriteSlots(s Sequence, number func(slot int32) Arg) {
	for i := range s {
		copied := false
		for j, a := range s[i].Args {
			if a.Lit != nil {
				continue
			}
			by := number(a.Slot)
			if by == a {
				continue
			}
			if !copied {
				s[i].Args, copied = slices.Clone(s[i].Args), true
			}
			s[i].Args[j] = by
		}
	}
}

// shift adds by to the slots that the steps of s take, from slot first on.
func shift(s Sequence, first, by int32) {
	rewriteSlots(s, func(slot int32) Arg {
		if slot >= first {
			slot += by
		}
		return Arg{Slot: slot}
	})
}

// With returns s with a for argument arg of step i.
func (s Sequence) With(i, arg int, a Arg) Sequence {
	args := slices.Clone(s[i].Args)
	args[arg] = a
	return s.WithArgs(i, args)
}

// WithArgs returns s with args for the arguments of step i.
func (s Sequence) WithArgs(i int, args []Arg) Sequence {
	c := slices.Clone(s)
	c[i].Args = args
	return c
}

// Takes reports whether a step of s takes slot.
func (s Sequence) Takes(slot int32) bool {
	return slices.ContainsFunc(s, func(st Step) bool { return st.Takes(slot) })
}

// Takes reports whether the step takes slot.
func (st *Step) Takes(slot int32) bool { return slices.Contains(st.Args, Arg{Slot: slot}) }

// Uses returns the steps of s that take slot as an argument.
func Uses(s Sequence, slot int32) []int {
	var steps []int
	for i := range s {
		if s[i].Takes(slot) {
			steps = append(steps, i)
		}
	}
	return steps
}

// FitsUses reports whether a value of type ty is assignable wherever the steps of s
// from step from on take slot.
func FitsUses(t *Table, s Sequence, from int, slot int32, ty TypeID) bool {
	for _, st := range s[from:] {
		for j, a := range st.Args {
			if a == (Arg{Slot: slot}) && !t.AssignableTo(ty, t.Ops[st.Op].Param(j)) {
				return false
			}
		}
	}
	return true
}

// ReplaceUses returns s with by wherever the steps from step from on take slot.
func ReplaceUses(s Sequence, from int, slot int32, by Arg) Sequence {
	c := slices.Clone(s)
	rewriteSlots(c[from:], func(n int32) Arg {
		if n == slot {
			return by
		}
		return Arg{Slot: n}
	})
	return c
}

// ReplaceStep returns s with st for step i. results[k] is the result of st that
// stands for result k of the step before; it matters for results that are taken only.
func ReplaceStep(t *Table, s Sequence, i int, st Step, results []int) Sequence {
	c := slices.Clone(s)
	c[i] = st
	first, had, has := s[:i].Slots(t), len(results), len(t.Ops[st.Op].Results)
	rewriteSlots(c[i+1:], func(slot int32) Arg {
		switch n := int(slot); {
		case n < first:
			return Slot(n)
		case n < first+had:
			return Slot(first + results[n-first])
		default:
			return Slot(n + has - had)
		}
	})
	return c
}

// Insert returns s with steps before step at. The slots of steps are numbered as
// they stand there: first those of s[:at], then their own.
func Insert(t *Table, s Sequence, at int, steps Sequence) Sequence {
	c := slices.Concat(s[:at], steps, s[at:])
	shift(c[at+len(steps):], int32(s[:at].Slots(t)), int32(steps.Slots(t)))
	return c
}

// Concat returns the steps of s and behind them those of tail, a sequence of its own.
func Concat(t *Table, s, tail Sequence) Sequence {
	c := slices.Concat(s, tail)
	shift(c[len(s):], 0, int32(s.Slots(t)))
	return c
}

// Move returns s with step i at place to. It reports false unless i < to < len(s) and
// no step in between takes a result of step i.
func Move(t *Table, s Sequence, i, to int) (Sequence, bool) {
	if to <= i || to >= len(s) {
		return nil, false
	}
	first := int32(s[:i].Slots(t))
	n, between := int32(len(t.Ops[s[i].Op].Results)), int32(s[i+1:to+1].Slots(t))
	for slot := first; slot < first+n; slot++ {
		if s[i+1 : to+1].Takes(slot) {
			return nil, false
		}
	}
	c := slices.Concat(s[:i], s[i+1:to+1], s[i:i+1], s[to+1:])
	rewriteSlots(c[i:], func(slot int32) Arg {
		switch {
		case slot >= first && slot < first+n:
			slot += between
		case slot >= first && slot < first+n+between:
			slot -= n
		}
		return Arg{Slot: slot}
	})
	return c, true
}

// Filter returns a copy of the steps i of s for which keep[i] holds, and the new number of
// each slot of s, -1 for the results of removed steps. It removes steps that take such
// a result as well, and clears keep for them.
func Filter(t *Table, s Sequence, keep []bool) (kept Sequence, number []int32) {
	number = make([]int32, 0, s.Slots(t))
	steps, nargs, next := 0, 0, int32(0)
	for i := range s {
		for _, a := range s[i].Args {
			keep[i] = keep[i] && (a.Lit != nil || number[a.Slot] >= 0)
		}
		if keep[i] {
			steps, nargs = steps+1, nargs+len(s[i].Args)
		}
		for range t.Ops[s[i].Op].Results {
			if keep[i] {
				number, next = append(number, next), next+1
			} else {
				number = append(number, -1)
			}
		}
	}
	kept = make(Sequence, 0, steps)
	args := make([]Arg, 0, nargs)
	for i := range s {
		if !keep[i] {
			continue
		}
		from := len(args)
		for _, a := range s[i].Args {
			if a.Lit == nil {
				a.Slot = number[a.Slot]
			}
			args = append(args, a)
		}
		kept = append(kept, Step{Op: s[i].Op, Args: args[from:len(args):len(args)]})
	}
	return kept, number
}

// RemoveFunc returns a copy of s without the steps i for which remove(i) holds, and
// without the steps that depend, directly or not, on their results.
func RemoveFunc(t *Table, s Sequence, remove func(i int) bool) Sequence {
	keep := make([]bool, len(s))
	for i := range keep {
		keep[i] = !remove(i)
	}
	kept, _ := Filter(t, s, keep)
	return kept
}

// RemoveRange is [RemoveFunc] for the steps from … to-1. It reports false when they are
// not steps of s.
func RemoveRange(t *Table, s Sequence, from, to int) (Sequence, bool) {
	if from < 0 || from >= to || to > len(s) {
		return s, false
	}
	return RemoveFunc(t, s, func(i int) bool { return from <= i && i < to }), true
}

// Remove is [RemoveFunc] for step i. It reports false when there is no step i.
func Remove(t *Table, s Sequence, i int) (Sequence, bool) { return RemoveRange(t, s, i, i+1) }

// RemoveUnused returns a copy of s without the steps that have results of which no step
// takes one. It keeps the last step.
func RemoveUnused(t *Table, s Sequence) Sequence {
	keep := make([]bool, len(s))
	taken := make([]bool, s.Slots(t))
	end := len(taken)
	for i := len(s) - 1; i >= 0; i-- {
		first := end - len(t.Ops[s[i].Op].Results)
		keep[i] = i == len(s)-1 || first == end || slices.Contains(taken[first:end], true)
		for _, a := range s[i].Args {
			if a.Lit == nil && keep[i] {
				taken[a.Slot] = true
			}
		}
		end = first
	}
	kept, _ := Filter(t, s, keep)
	return kept
}
