package engine

import "foray.test/engine/seq"

// Join returns a sequence in place of a and b. It appends b to a and puts values of a in
// place of values of b. Then it removes the makers and other steps that are superfluous, as
// long as keep holds. It reports false if that saves no step, or if keep does not hold
// for b appended to a. Cost: O(n²) calls of keep for n steps, in the worst case.
func Join(t *seq.Table, a, b seq.Sequence, keep func(seq.Sequence) bool) (seq.Sequence, bool) {
	s := seq.Concat(t, a, b)
	if !keep(s) {
		return nil, false
	}
	r := reducer{t: t, keep: keep}
	s = r.shorten(r.mergeSlots(s))
	return s, len(s) < len(a)+len(b)
}
