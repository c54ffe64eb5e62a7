package mutators

import (
	"slices"

	"foray.test/engine/seq"
)

// with returns s with arg at p. It shares with s all arguments of other steps.
func with(s seq.Sequence, p Position, arg seq.Arg) seq.Sequence {
	c := slices.Clone(s)
	c[p.Step].Args = slices.Clone(c[p.Step].Args)
	c[p.Step].Args[p.Arg] = arg
	return c
}

// withArgs returns s with args for the arguments of step i.
func withArgs(s seq.Sequence, i int, args []seq.Arg) seq.Sequence {
	c := slices.Clone(s)
	c[i].Args = args
	return c
}

// appendMoved appends steps to dst, with those slots that are at least base moved
// by shift. Steps without one share their arguments.
func appendMoved(dst, steps seq.Sequence, base, shift int32) seq.Sequence {
	for _, st := range steps {
		moves := func(a seq.Arg) bool { return a.Lit == nil && a.Slot >= base }
		if shift != 0 && slices.ContainsFunc(st.Args, moves) {
			st.Args = slices.Clone(st.Args)
			for i := range st.Args {
				if moves(st.Args[i]) {
					st.Args[i].Slot += shift
				}
			}
		}
		dst = append(dst, st)
	}
	return dst
}

// insert returns s with steps before step at. Their slots are numbered as they
// stand there: first those of s[:at], then their own.
func insert(t *seq.Table, s seq.Sequence, at int, steps seq.Sequence) seq.Sequence {
	c := make(seq.Sequence, 0, len(s)+len(steps))
	c = append(append(c, s[:at]...), steps...)
	return appendMoved(c, s[at:], int32(s[:at].Slots(t)), int32(steps.Slots(t)))
}

// replaceUses returns s with by in each place of the steps from on that takes slot.
// It shares the arguments of the steps that do not.
func replaceUses(s seq.Sequence, from int, slot, by int32) seq.Sequence {
	c := slices.Clone(s)
	for i := from; i < len(c); i++ {
		takes := func(a seq.Arg) bool { return a.Lit == nil && a.Slot == slot }
		if !slices.ContainsFunc(c[i].Args, takes) {
			continue
		}
		c[i].Args = slices.Clone(c[i].Args)
		for j := range c[i].Args {
			if takes(c[i].Args[j]) {
				c[i].Args[j].Slot = by
			}
		}
	}
	return c
}

// fitsUses reports whether a value of type ty may stand wherever steps of s from
// step on take slot.
func fitsUses(t *seq.Table, s seq.Sequence, from int, slot int32, ty seq.TypeID) bool {
	for i := from; i < len(s); i++ {
		for j, a := range s[i].Args {
			if a.Lit == nil && a.Slot == slot && !t.AssignableTo(ty, t.Ops[s[i].Op].Param(j)) {
				return false
			}
		}
	}
	return true
}
