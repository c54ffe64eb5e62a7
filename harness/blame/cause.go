package blame

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// Causes returns keys of the probable causes of a finding, minimized to s, beside its
// signature. Findings that share a key are reported as one. These are the kinds of keys:
//
//	value      the call that left an object broken, whichever call fails later:
//	               v0 := q.New(); v0.Put(1); v0.FromJSON(b); v0.Get()	// panics
//	               v0 := q.New(); v0.Put(1); v0.FromJSON(b); v0.Len()	// -1
//	family     functions written by one pattern: DropInt, DropString …
//	helper     functions of one name, of several types, that such functions call
//	place      the function that panics explicitly, with any text
//	statement  the statement that panics, of any package but the standard library
//	number     what suspects of one rule lack: a check of the numbers given
//
// One report per cause: [Pacheco09 §8.2.1].
func Causes(t *seq.Table, s seq.Sequence, v *engine.Verdict) []string {
	var list []string
	for _, key := range []string{valueCause(t, s, v), familyCause(t, v), helperCause(t, v), placeCause(v), statementCause(t, v), numberCause(v)} {
		if key != "" {
			list = append(list, key)
		}
	}
	return list
}

// valueCause names the last call before the finding that changed the broken object, and
// the calls up to it. In a minimized sequence every step is needed, so a call without used
// results is there for its change. Calls that put things into a container or move an
// iterator are not suspected. If no other call is left, valueCause may name the maker of
// the object. That is so if it leaves a duty to its caller, or if a part of the object is
// missing at the first call. A literal without fields counts as such a maker.
func valueCause(t *seq.Table, s seq.Sequence, v *engine.Verdict) string {
	h := NewHistory(t, s, nil, len(s))
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
	made, direct := "", true // direct: no call of the API in between
	for i := failed - 1; i >= 0; i-- {
		if !h.touches(i, wanted) {
			continue
		}
		switch op := h.op(i); {
		case op.Zero || op.Kind == seq.Composite && op.Shape == seq.Empty && direct && missing(v, true) != "":
			made = "value:zero " + t.Types[op.Results[0]].Base
		case !op.API:
		case naming.LeavesDuty(op.Pre.Sentence):
			made = "value:" + op.Member + " leaves a duty"
		case direct && made == "" && h.makes(i) && missing(v, h.ofNothing(i)) != "":
			made = "value:" + missing(v, true) + " after " + root(t, op.Member)
		case !h.resultsUsed(i) && !naming.HasWord(adderWords, naming.Of(op)) && !naming.HasWord(moveWords, naming.Of(op)) && !naming.HasWord(placeWords, naming.Of(op)):
			return "value:" + root(t, op.Member) + " after " + strings.Join(h.members(i), " ")
		}
		direct = direct && !h.op(i).API
		h.take(i, wanted)
	}
	return made
}

// makes reports whether step i is a function that makes an object.
func (h *History) makes(i int) bool {
	op := h.op(i)
	return op.Kind == seq.Func && len(op.Results) > 0 && !basic(h.t, op.Results[0])
}

// ofNothing reports whether step i takes a zero or negative number.
func (h *History) ofNothing(i int) bool {
	for j := range h.s[i].Args {
		if n, known := h.integer(i, j); known && n <= 0 {
			return true
		}
	}
	return false
}

// missing returns the class of a panic because a part of an object is missing: a nil pointer,
// a nil map or, in one made of nothing, a zero divisor. An index out of range is no such
// panic: each call has to check for an empty object by itself.
func missing(v *engine.Verdict, ofNothing bool) string {
	c := class(v.Signature.Class)
	if v.Signature.Kind == engine.KindPanic && (c == nilDeref || c == nilMap || c == divide && ofNothing) {
		return string(c)
	}
	return ""
}

// statementCause is equal for panics of one statement of the package, or of another that is
// not of the standard library.
func statementCause(t *seq.Table, v *engine.Verdict) string {
	if v.Signature.Kind != engine.KindPanic {
		return ""
	}
	lines := strings.Split(v.Stack, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		host, _, _ := strings.Cut(lines[i], "/")
		if strings.HasPrefix(lines[i], godump.EscapePath(t.Package)+".") || strings.Contains(host, ".") && strings.Contains(lines[i], "/") {
			return "statement:" + strings.TrimSpace(lines[i+1])
		}
	}
	return ""
}

// numberCause is equal for suspects of one rule about the numbers that functions are given.
// One function that checks none is seldom alone.
func numberCause(v *engine.Verdict) string {
	if v.Tier == engine.Suspect && slices.Contains(numberRules, v.Rule) {
		return "number:" + v.Rule
	}
	return ""
}

// numberRules are the rules for an index and a size that functions are given.
var numberRules = []string{"index", "alloc"}

// adderWords are names of operations that put something into a container.
var adderWords = naming.Set("add append enqueue insert offer prepend push put set store upsert write")

// take adds the objects that step i takes.
func (h *History) take(i int, wanted map[int32]bool) {
	for _, a := range h.s[i].Args {
		if a.Lit == nil && int(a.Slot) < len(h.types) && !basic(h.t, h.types[a.Slot]) {
			wanted[a.Slot] = true
		}
	}
}

// touches reports whether step i makes or takes a wanted object.
func (h *History) touches(i int, wanted map[int32]bool) bool {
	found := false
	h.objects(i, func(n int32) { found = found || wanted[n] })
	return found
}

// resultsUsed reports whether a later step takes a result of step i.
func (h *History) resultsUsed(i int) bool {
	for j := range h.op(i).Results {
		if len(seq.Uses(h.s, int32(h.first[i]+j))) > 0 {
			return true
		}
	}
	return false
}

// members returns, sorted, the members that the steps up to i call.
func (h *History) members(i int) []string {
	var list []string
	for j := range i + 1 {
		if op := h.op(j); op.API {
			list = append(list, root(h.t, op.Member))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// root returns the member that does the work of a member that only forwards to it.
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

// familyCause is equal for findings in functions of one pattern: their names differ in
// the name of a type or a number, and their documentation differs in nothing else.
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

// helperCause is equal for panics in functions of one pattern that are called by
// operations of one pattern: each method calls lookup of one of several tables.
func helperCause(t *seq.Table, v *engine.Verdict) string {
	if v.Signature.Kind != engine.KindPanic || t.Ops[v.Op].Doc == "" {
		return ""
	}
	where := v.Signature.Where
	if _, exported := memberOp(t, where); exported || where == "" {
		return ""
	}
	op := &t.Ops[v.Op]
	return "helper:" + event(v.Signature) + ":" + stem(naming.Base(where)) + " of " + pattern(op, op.Member)
}

// pattern returns the name and documentation of the member of op without the names of types
// and numbers in them.
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

// placeCause is equal for explicit panics of one function.
func placeCause(v *engine.Verdict) string {
	if sig := v.Signature; sig.Kind == engine.KindPanic && sig.Class == string(explicit) {
		return "place:" + sig.Where
	}
	return ""
}
