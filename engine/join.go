package engine

import "foray.test/engine/seq"

// Join returns a sequence in place of a and b: both, one behind the other, where
// values of a stand for values of b, so that their makers and the steps that are
// superfluous then can go. keep says what must not be lost. It reports false if that
// saves no step, or if keep does not hold of both, one behind the other. Cost: O(n²)
// calls of keep for n steps, in the worst case.
func Join(t *seq.Table, a, b seq.Sequence, keep func(seq.Sequence) bool) (seq.Sequence, bool) {
	s := seq.Concat(t, a, b)
	if !keep(s) {
		return nil, false
	}
	r := reducer{t: t, keep: keep}
	s = r.shorten(r.mergeSlots(s))
	return s, len(s) < len(a)+len(b)
}
