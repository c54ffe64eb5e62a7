package contract

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Causes returns what a finding, minimized to s, has in common with others of, in
// all likelihood, one cause, beside its signature; two that share one of the texts
// are told as one. There are four kinds:
//
//	value   the call that left an object broken, whoever trips over it:
//	            v0 := q.New(); v0.Put(1); v0.FromJSON(b); v0.Get()	// panics
//	            v0 := q.New(); v0.Put(1); v0.FromJSON(b); v0.Len()	// -1
//	family  functions written by one pattern: DropInt, DropString …
//	helper  functions of one name, of several types, that such functions call
//	place   the function that throws, whatever text it chooses
//
// One report per cause: [Pacheco09 §8.2.1].
func Causes(t *seq.Table, s seq.Sequence, v *engine.Verdict) []string {
	var list []string
	for _, key := range []string{valueCause(t, s, v), familyCause(t, v), helperCause(t, v), placeCause(v)} {
		if key != "" {
			list = append(list, key)
		}
	}
	return list
}

// valueCause names what made an object break: the last call before the finding that
// changed it, and what led there. In a minimized sequence every step is needed: a
// call whose results no one takes is there for what it changes. Calls that put
// things into a container or move an iterator are how any comes to be where it is,
// and are not suspected. Is there no other, it is a maker that leaves a duty to its
// caller, a function that was given no size to make it with, so that each call on it
// fails for want of the same, or the zero value of a type that has a constructor.
func valueCause(t *seq.Table, s seq.Sequence, v *engine.Verdict) string {
	h := newHistory(t, s, nil, len(s))
	wanted := map[int32]bool{}
	failed := len(s) - 1
	switch {
	case v.Kind == engine.KindContract && v.Steps == 0:
		failed = len(s)
		for _, slot := range v.Slots {
			wanted[slot] = true
		}
	case v.Steps > 0 && v.Steps <= len(s):
		failed = v.Steps - 1
	}
	if failed < len(s) {
		h.take(failed, wanted)
	}
	made, direct := "", true // direct: nothing but what is called on since
	for i := failed - 1; i >= 0; i-- {
		if !h.touches(i, wanted) {
			continue
		}
		switch op := h.op(i); {
		case op.Zero:
			made = "value:zero " + t.Types[op.Results[0]].Base
		case !op.API:
		case leavesDuty(op.Pre.Sentence):
			made = "value:" + op.Member + " leaves a duty"
		case direct && made == "" && h.makesOfNothing(i):
			if class, ok := missing(v); ok {
				made = "value:" + class + " after " + root(t, op.Member) + " of nothing"
			}
		case !h.resultsUsed(i) && !any1(adderWords, opName(op)) && !any1(moveWords, opName(op)) && !any1(placeWords, opName(op)):
			return "value:" + root(t, op.Member) + " after " + strings.Join(h.members(i), " ")
		}
		direct = direct && !h.op(i).API
		h.take(i, wanted)
	}
	return made
}

// makesOfNothing reports whether step i is a function that makes an object and is given
// a zero or a negative number.
func (h *history) makesOfNothing(i int) bool {
	if op := h.op(i); op.Kind != seq.Func || len(op.Results) == 0 || basic(h.t, op.Results[0]) {
		return false
	}
	for j := range h.s[i].Args {
		if n, known := h.integer(i, j); known && n <= 0 {
			return true
		}
	}
	return false
}

// missing returns the class of a panic that is for want of what was never made: a
// nil pointer, a nil map, a zero to divide by. That there is no such index says less: of
// what is empty, each call has to see that by itself.
func missing(v *engine.Verdict) (string, bool) {
	for _, c := range []class{nilDeref, nilMap, divide} {
		if v.Signature.Kind == engine.KindPanic && v.Signature.Class == string(c) {
			return string(c), true
		}
	}
	return "", false
}

// adderWords name what puts something into a container.
var adderWords = set("add append enqueue insert offer prepend push put set store upsert write")

// take adds the objects that step i takes.
func (h *history) take(i int, wanted map[int32]bool) {
	for _, a := range h.s[i].Args {
		if a.Lit == nil && int(a.Slot) < len(h.types) && !basic(h.t, h.types[a.Slot]) {
			wanted[a.Slot] = true
		}
	}
}

// touches reports whether step i makes or takes a wanted object.
func (h *history) touches(i int, wanted map[int32]bool) bool {
	found := false
	h.objects(i, func(n int32) { found = found || wanted[n] })
	return found
}

// resultsUsed reports whether a later step takes a result of step i.
func (h *history) resultsUsed(i int) bool {
	for j := range h.op(i).Results {
		if len(seq.Uses(h.s, int32(h.first[i]+j))) > 0 {
			return true
		}
	}
	return false
}

// members returns, sorted, what step i and those before it call.
func (h *history) members(i int) []string {
	var list []string
	for j := range i + 1 {
		if op := h.op(j); op.API {
			list = append(list, root(h.t, op.Member))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// root returns the member that does the work of one that only forwards to it.
func root(t *seq.Table, member string) string {
	for range 3 {
		op, ok := memberOp(t, member)
		if !ok || op.Forwards == "" {
			break
		}
		member = op.Forwards
	}
	return member
}

// memberOp returns an operation that calls a member.
func memberOp(t *seq.Table, member string) (*seq.Operation, bool) {
	i := slices.IndexFunc(t.Ops, func(op seq.Operation) bool { return op.API && op.Member == member })
	if i < 0 {
		return nil, false
	}
	return &t.Ops[i], true
}

// familyCause is equal for findings that differ only in which of several functions
// is blamed, if these have one pattern: names that differ in the name of a type or a
// number, and documentation that does not differ in anything else.
func familyCause(t *seq.Table, v *engine.Verdict) string {
	if v.Signature.Kind == "" {
		return ""
	}
	what, where := event(v.Signature), root(t, v.Signature.Where)
	if what == "memory:memory" || what == "panic:alloc" { // the size decides which of the two
		what = "memory"
	}
	op, ok := memberOp(t, where)
	if !ok {
		return "family:" + what + ":" + where
	}
	return "family:" + what + ":" + pattern(op, where)
}

// event returns a signature's text without its place.
func event(sig engine.Signature) string {
	sig.Where = ""
	return strings.TrimSuffix(sig.String(), ":")
}

// helperCause is equal for panics in functions of one pattern that those of one pattern
// call: a method calls lookup of one of several tables.
func helperCause(t *seq.Table, v *engine.Verdict) string {
	if v.Signature.Kind != engine.KindPanic || t.Ops[v.Op].Doc == "" {
		return ""
	}
	where := v.Signature.Where
	if _, exported := memberOp(t, where); exported || where == "" {
		return ""
	}
	op := &t.Ops[v.Op]
	return "helper:" + event(v.Signature) + ":" + stem(base(where)) + " of " + pattern(op, op.Member)
}

// pattern returns what the member of op has in common with those whose names and
// documentation differ in the name of a type or a number.
func pattern(op *seq.Operation, where string) string {
	recv, name := "", where
	if dot := strings.LastIndexByte(where, '.'); dot >= 0 {
		recv, name = where[:dot+1], where[dot+1:]
	}
	doc := strings.ReplaceAll(op.Doc, name, stem(name))
	return recv + stem(name) + ": " + typeInText.ReplaceAllString(doc, "T")
}

// stem returns a name without the names of types and the numbers in it, if it has more.
func stem(name string) string { return cmp.Or(typeInName.ReplaceAllString(name, ""), name) }

// The names of types and numbers as they stand in names and in texts.
var (
	typeInName = regexp.MustCompile(`(?:U?Int|Float|Complex|String|Bool|Byte|Rune|Uint)(?:8|16|32|64|128)?s?|\d+`)
	typeInText = regexp.MustCompile(`(?i)(?:u?int|float|complex|string|bool|byte|rune)(?:8|16|32|64|128)?s?\b|\d+`)
)

// placeCause is equal for panics that one function throws by itself.
func placeCause(v *engine.Verdict) string {
	if sig := v.Signature; sig.Kind == engine.KindPanic && sig.Class == string(explicit) {
		return "place:" + sig.Where
	}
	return ""
}
