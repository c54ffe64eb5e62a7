package contract

import "foray.test/engine/seq"

// integer returns argument j of step i as an integer, if it is one and known.
func (h *history) integer(i, j int) (int64, bool) {
	if j >= len(h.s[i].Args) {
		return 0, false
	}
	a := h.s[i].Args[j]
	if a.Lit != nil {
		return ArgFact{Value: a.Lit.Value}.int()
	}
	v, known := h.value(int(a.Slot))
	if !known {
		return 0, false
	}
	return Describe(v).int()
}

// doubtSize returns why a negative size may be the caller's mistake: an object was made of a
// negative number, or of a range that ends before it begins.
func doubtSize(t *seq.Table, s seq.Sequence) string {
	h := newHistory(t, s, nil, len(s))
	for i := range s {
		low := int64(0)
		for j := range s[i].Args {
			n, known := h.integer(i, j)
			if op := h.op(i); known && n < low && op.API && op.Kind == seq.Func {
				return op.Short + " was given a negative number, or an end that lies before the begin"
			}
			low = n
		}
	}
	return ""
}
