package blame

import (
	"reflect"

	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// span returns which parameters of op are integers that are named for where something
// begins, and where it ends: Sub(lo, hi). It reports false if there is no such pair.
func span(t *seq.Table, op *seq.Operation) (begin, end int, ok bool) {
	begin, end = -1, -1
	for i, name := range op.Names {
		if i >= len(op.Params) || t.Types[op.Params[i]].Literal != seq.Int {
			continue
		}
		switch {
		case begin < 0 && naming.HasWord(beginWords, name):
			begin = i
		case end < 0 && naming.HasWord(finishWords, name):
			end = i
		}
	}
	return begin, end, begin >= 0 && end >= 0
}

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

// reversed reports whether step i was given an end that lies before its begin.
func (h *History) reversed(i int) bool {
	begin, end, ok := span(h.t, h.op(i))
	if !ok {
		return false
	}
	from, known := h.integer(i, begin)
	to, both := h.integer(i, end)
	return known && both && to < from
}

// sets reports whether op is a method that sets one property of an object: SetPadding(n).
func sets(op *seq.Operation) bool {
	w := naming.Words(naming.Of(op))
	return len(w) > 1 && w[0] == "set" && hasReceiver(op) && len(op.Params) == 2
}

// mismeasured returns why step i may be the caller's mistake, or "". The step makes
// an object of a slice and a length that differs from the slice's, FromWithLength(5,
// words). The function neither checks that nor documents its effect.
func (h *History) mismeasured(i int) string {
	op := h.op(i)
	if op.Kind != seq.Func || len(op.Results) == 0 || basic(h.t, op.Results[0]) || h.t.Types[op.Results[0]].Literally(seq.SliceType) || op.Pre.Panics || op.ReturnsError || naming.Says(op, "nil") {
		return ""
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
		return ""
	}
	if n, known := h.integer(i, length); known && h.elements(i, list) == n {
		return ""
	}
	return op.Short + " was given a length beside a slice, which need not be that of the slice"
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

// keepsNil reports whether step i is given a nil that its body looks for and its
// documentation does not speak of.
func (h *History) keepsNil(i int) bool {
	op := h.op(i)
	if !op.API || naming.Says(op, "nil") {
		return false
	}
	for j, a := range h.s[i].Args {
		if !plainNil(h.t, op.Param(j)) && op.AllowsNil(j) && !(j == 0 && hasReceiver(op)) && h.isNil(a) {
			return true
		}
	}
	return false
}

// givesNegative reports whether step i takes a negative integer by a parameter not
// named as an element of a container.
func (h *History) givesNegative(i int) bool {
	op := h.op(i)
	for j := range h.s[i].Args {
		if h.t.Types[op.Param(j)].Literal != seq.Int || j < len(op.Names) && naming.HasWord(elementWords, op.Names[j]) {
			continue
		}
		if n, known := h.integer(i, j); known && n < 0 {
			return true
		}
	}
	return false
}

// DoubtSize returns why a negative size may be the caller's mistake, or "". The object has
// an end before its begin, or was made of or set to a negative number or nil.
func (h *History) DoubtSize() string {
	for i := range h.s {
		switch op := h.op(i); {
		case !op.API:
		case h.reversed(i):
			return op.Short + " was given an end that lies before the begin"
		case h.keepsNil(i):
			return op.Short + " was given a nil, of which its documentation says nothing"
		case (op.Kind == seq.Func && len(op.Results) > 0 || sets(op)) && h.givesNegative(i) && !naming.Says(op, "negative", "< 0"):
			return op.Short + " was given a negative number, of which its documentation says nothing"
		}
	}
	return ""
}
