package blame

import (
	"reflect"

	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// integer returns argument j of step i as an integer, if it is one and known.
func (h *History) integer(i, j int) (int64, bool) {
	if j >= len(h.s[i].Args) {
		return 0, false
	}
	a := h.s[i].Args[j]
	if a.Lit != nil {
		return ArgFact{Value: a.Lit.Value}.Int()
	}
	v, known := h.value(int(a.Slot))
	if !known {
		return 0, false
	}
	return Describe(v).Int()
}

// mismeasured reports whether step i makes an object of a slice and a length that differs from the
// slice's, FromWithLength(5, words). The function neither checks that nor documents its effect.
func (h *History) mismeasured(i int) bool {
	op := h.op(i)
	if op.Kind != seq.Func || len(op.Results) == 0 || basic(h.t, op.Results[0]) || h.t.Types[op.Results[0]].Literally(seq.SliceType) || op.Pre.Panics || op.ReturnsError || naming.Says(op, "nil") {
		return false
	}
	length, list := -1, -1
	for j, name := range op.Names[:min(len(op.Names), len(op.Params), len(h.s[i].Args))] {
		switch kind := h.t.Types[op.Params[j]].Literal; {
		case (kind == seq.Int || kind == seq.Uint) && naming.HasWord(lengthWords, name):
			length = j
		case h.t.Types[op.Params[j]].Literally(seq.SliceType):
			list = j
		}
	}
	if length < 0 || list < 0 {
		return false
	}
	n, known := h.integer(i, length)
	return !known || h.elements(i, list) != n
}

// elements returns the number of elements of argument j of step i, a slice, -1 if it is
// not known.
func (h *History) elements(i, j int) int64 {
	a := h.s[i].Args[j]
	if a.Lit != nil {
		return 0 // nil
	}
	if v, known := h.value(int(a.Slot)); known && reflect.ValueOf(v).Kind() == reflect.Slice {
		return int64(reflect.ValueOf(v).Len())
	}
	return -1
}
