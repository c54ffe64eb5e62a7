package blame

import (
	"slices"

	"foray.test/engine/seq"
)

// strayConstant reports whether a number is used as a value of an enumeration that has no such
// constant, or one that stands for no value. A step related to the last one uses it. The number
// is a literal, or comes from an earlier step that made an argument, or is a new zero.
func (h *History) strayConstant() bool {
	found := false
	h.traced(func(step int) {
		if op := h.op(step); op.Shape == seq.New {
			of := h.t.Types[op.Results[0]].Elem
			found = found || slices.ContainsFunc(h.t.Types, func(ty seq.Type) bool { return ty.Name == of && stray(ty.Constants, 0) })
		}
		for _, a := range h.s[step].Args {
			if a.Lit == nil {
				continue
			}
			id := a.Lit.Type
			if op := h.op(step); op.Kind == seq.Convert {
				id = op.Results[0]
			}
			n, is := ArgFact{Value: a.Lit.Value}.Int()
			ty := &h.t.Types[id]
			found = found || is && !ty.Basic && (n == 0 && ty.ZeroIsNone || stray(ty.Constants, n))
		}
	})
	return found
}

// traced calls f for each step that related visits, and for the steps related to
// those that made the numbers and strings among their arguments.
func (h *History) traced(f func(step int)) {
	done := make([]bool, len(h.s))
	mine := map[int32]bool{}
	h.focus(func(n int32) { mine[h.find(n)] = true })
	if 0 <= h.last && h.last < len(h.s) {
		done[h.last] = true
	}
	for again := true; again; {
		again = false
		for i := range h.s {
			touches := done[i]
			h.objects(i, func(n int32) { touches = touches || mine[h.find(n)] })
			if !touches {
				continue
			}
			again = again || !done[i]
			done[i] = true
			h.objects(i, func(n int32) {
				again = again || !mine[h.find(n)]
				mine[h.find(n)] = true
			})
			for _, a := range h.s[i].Args {
				if a.Lit == nil && int(a.Slot) < len(h.from) && !done[h.from[a.Slot]] {
					done[h.from[a.Slot]], again = true, true
				}
			}
		}
	}
	for i := range done {
		if done[i] {
			f(i)
		}
	}
}

// stray reports whether n is no value of a type with the given constants, in order.
// The type is an enumeration or a set of flags. Zero is a value of a type, unless it has the constants 1, 2 and so on. A type
// with one constant, or with a large one that is no flag, as time.Duration, is a
// quantity: it has any number as a value.
func stray(constants []int64, n int64) bool {
	switch {
	case len(constants) < 2 || slices.Contains(constants, n):
		return false
	case n == 0: // a value that begins at one is unset when it is zero
		return constants[0] == 1 && constants[len(constants)-1] == int64(len(constants)) && !flags(constants)
	case flags(constants):
		return n&^union(constants) != 0
	}
	return constants[len(constants)-1] < 1<<16
}

// flags reports whether constants are adjacent bits and combinations of them. More
// than two consecutive numbers are no flags.
func flags(constants []int64) bool {
	bits, singles := int64(0), 0
	for _, n := range constants {
		if n > 0 && n&(n-1) == 0 {
			bits |= n
			singles++
		}
	}
	consecutive := len(constants) > 2 && constants[len(constants)-1]-constants[0] == int64(len(constants)-1)
	low := bits & -bits
	run := bits != 0 && bits&(bits+low) == 0
	return singles > 1 && run && !consecutive && union(constants)&^bits == 0
}

func union(constants []int64) int64 {
	all := int64(0)
	for _, n := range constants {
		all |= n
	}
	return all
}
