package blame

import (
	"iter"
	"reflect"
	"slices"

	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// A Taint is a reason to blame the caller rather than the package for a broken
// value.
type Taint uint8

// The taints. A value of a basic type has none: any caller may have it.
const (
	TaintNil       Taint = 1 << iota // made or changed with a nil that the documentation does not mention, or with fields left nil
	TaintZero                        // the zero value of a type that offers a constructor
	TaintFailed                      // returned together with a non-nil error or, empty, with false; or holding an error in an exported field
	TaintDerived                     // made or changed with a TaintZero or TaintFailed value
	TaintWritten                     // connected to a value with fields that the sequence wrote or set in a literal
	TaintVar                         // a package variable was set before
	TaintUndecoded                   // decoded from text, which returned an error: it may be half of one value and half of another
	TaintUnset                       // made of options with fields left nil, which its maker could have refused
)

// A Tainter finds the taints of sequences, one after the other, in the same memory. Its zero
// value is ready for use.
type Tainter struct{ history History }

// Taints returns the taints of each slot of s, until the next call. values are the results
// by slot as far as they are known, or nil: with them, nils and errors that calls returned
// are seen as well as nil literals. Contracts should not be judged as errors on
// tainted values: the caller may have broken them.
func (x *Tainter) Taints(t *seq.Table, s seq.Sequence, values []any) []Taint {
	x.history.read(t, s, values, len(s))
	return x.history.taints
}

// A History is the record of how the steps of a sequence connected and changed each
// other's values. It is about the objects of the last step, the one that failed, or see
// [History.About].
type History struct {
	t      *seq.Table
	s      seq.Sequence
	values []any
	types  []seq.TypeID // by slot
	from   []int        // by slot: the step that made it
	first  []int        // by step: its first slot
	group  []int32      // by slot: union-find over slots that steps connected, the first joined of them
	joined int
	taints []Taint     // by slot
	ends   []int       // steps that end the use of what they are given
	facts  *tableFacts // of t
	last   int         // the step that fails; len(s) if values do
	slots  []int32     // the values that fail
	vars   bool        // a package variable was set, or an object used whose use had ended
}

// NewHistory reads s. values are the results by slot as far as they are known, or nil. Only the first done steps have had their effects: a step that
// panicked has made nothing.
func NewHistory(t *seq.Table, s seq.Sequence, values []any, done int) *History {
	h := new(History)
	h.read(t, s, values, done)
	h.connectAll()
	return h
}

func (h *History) read(t *seq.Table, s seq.Sequence, values []any, done int) {
	h.reset(t, s)
	h.values, h.last = values, len(s)-1
	for i := range s {
		h.add(i)
	}
	for i := range s[:done] {
		h.taint(i)
	}
	h.written(done)
}

// reset makes h a history of no step of s, with room for all.
func (h *History) reset(t *seq.Table, s seq.Sequence) {
	slots := s.Slots(t)
	taints := slices.Grow(h.taints[:0], slots)[:slots]
	clear(taints)
	if h.t != t {
		h.facts = factsOf(t)
	}
	*h = History{
		t: t, s: s, facts: h.facts, first: slices.Grow(h.first[:0], len(s)), from: slices.Grow(h.from[:0], slots),
		types: slices.Grow(h.types[:0], slots), group: slices.Grow(h.group[:0], slots), taints: taints, ends: h.ends[:0],
	}
}

// add adds the slots of step i.
func (h *History) add(i int) {
	h.first = append(h.first, len(h.types))
	for _, id := range h.opFacts(i).results {
		h.group = append(h.group, int32(len(h.types)))
		h.types = append(h.types, id)
		h.from = append(h.from, i)
	}
	if h.trait(i, traitEnds) {
		h.ends = append(h.ends, i)
	}
}

// A GrowingTainter finds the taints of one sequence step by step, beside a run of it: at every
// step those that a [Tainter] would. Its zero value is ready for use.
type GrowingTainter struct {
	history History
	done    int     // steps whose taints are set
	saved   []Taint // by slot: those without what written adds, which depends on later steps
}

// Taints returns the taints of each slot of s as far as it was run: up to step last, which has
// not run. values are the results of the others.
func (x *GrowingTainter) Taints(t *seq.Table, s seq.Sequence, last int, values []any) []Taint {
	h := &x.history
	if h.t == nil {
		h.reset(t, s)
	}
	copy(h.taints, x.saved)
	h.values, h.vars = values, false
	for i := len(h.first); i <= last; i++ {
		h.add(i)
	}
	for ; x.done < last; x.done++ {
		h.taint(x.done)
	}
	x.saved = append(x.saved[:0], h.taints...)
	h.written(last)
	return h.taints
}

func (h *History) op(step int) *seq.Operation { return &h.t.Ops[h.s[step].Op] }

func (h *History) opFacts(step int) *opFacts { return &h.facts.ops[h.s[step].Op] }

// trait reports whether the operation of a step has a trait.
func (h *History) trait(step int, trait uint32) bool { return h.facts.trait(h.t, h.s[step].Op, trait) }

// value returns the value in slot n, if it is known.
func (h *History) value(n int) (any, bool) {
	if n < len(h.values) {
		return h.values[n], true
	}
	return nil, false
}

// objects calls f for each slot of step i, argument or result, that is not basic.
func (h *History) objects(i int, f func(slot int32)) {
	for _, a := range h.s[i].Args {
		if a.Lit == nil && int(a.Slot) < len(h.types) && !h.facts.basic[h.types[a.Slot]] {
			f(a.Slot)
		}
	}
	for j, id := range h.opFacts(i).results {
		if !h.facts.basic[id] {
			f(int32(h.first[i] + j))
		}
	}
}

func (h *History) find(n int32) int32 {
	for h.group[n] != n {
		h.group[n] = h.group[h.group[n]]
		n = h.group[n]
	}
	return n
}

// connectAll joins the groups of the slots that steps connect. Few sequences need it for taints.
func (h *History) connectAll() {
	for ; h.joined < len(h.first); h.joined++ {
		h.connect(h.joined)
	}
}

func (h *History) connect(i int) {
	last := int32(-1)
	h.objects(i, func(n int32) {
		if last >= 0 {
			h.group[h.find(last)] = h.find(n)
		}
		last = n
	})
}

// Connected reports whether the steps of s, but for step except, connect the objects in two slots:
// these may share parts.
func Connected(t *seq.Table, s seq.Sequence, n, m int32, except int) bool {
	h := new(History)
	h.reset(t, s)
	for i := range s {
		if h.add(i); i != except {
			h.connect(i)
		}
	}
	return h.find(n) == h.find(m)
}

// givesNil reports whether argument j of step i is a nil that op does not deal with.
func (h *History) givesNil(i, j int) bool {
	nils := h.opFacts(i).nils
	switch nils[min(j, len(nils)-1)] {
	case noNil:
		return false
	case eachNil:
		return h.isNil(h.s[i].Args[j])
	}
	return !h.isKey(i, j) && h.isNil(h.s[i].Args[j])
}

// isNil reports whether an argument is nil, as far as is known.
func (h *History) isNil(a seq.Arg) bool {
	if a.Lit != nil {
		return a.Lit.Value == nil
	}
	v, known := h.value(int(a.Slot))
	return known && IsNil(v)
}

// dynamicType returns the name of an argument's type, as package reflect writes it, and "nil" for
// a nil without one.
func (h *History) dynamicType(a seq.Arg) string {
	if a.Lit == nil {
		if v, known := h.value(int(a.Slot)); known && v != nil {
			return reflect.TypeOf(v).String()
		} else if known {
			return "nil"
		}
		return h.t.Types[h.types[a.Slot]].Name
	}
	if ty := &h.t.Types[a.Lit.Type]; a.Lit.Value != nil || !ty.IsAny() {
		return ty.Name
	}
	return "nil"
}

// isKey reports whether argument j of step i is the key of a map literal, of an interface
// type: nil is a key as others.
func (h *History) isKey(i, j int) bool {
	op := h.op(i)
	if op.Kind != seq.Composite || len(op.Results) != 1 {
		return false
	}
	p, made := &h.t.Types[op.Param(j)], &h.t.Types[op.Results[0]]
	return made.Kind == seq.MapType && p.Interface && p.Name == made.Key && j%2 == 0
}

// anyNil reports whether one of the first n steps passes a nil that its operation does not handle.
func (h *History) anyNil(n int) bool {
	for i := range n {
		for j := range h.s[i].Args {
			if h.givesNil(i, j) {
				return true
			}
		}
	}
	return false
}

// taint sets the taints of step i. Its results get the taints of its arguments, its
// receiver those of the other arguments.
func (h *History) taint(i int) {
	op, st := h.opFacts(i), &h.s[i]
	recv, hasRecv := h.Receiver(i)
	if hasRecv && h.taints[recv]&(TaintZero|TaintNil|TaintUndecoded) != 0 && !h.failed(i) && h.trait(i, traitInitializes) {
		h.taints[recv] &^= TaintZero | TaintUndecoded
		if h.op(h.from[recv]).Incomplete && !h.anyNil(i) { // a call that decodes into a literal sets the fields left nil
			h.taints[recv] &^= TaintNil
		}
	}
	if hasRecv && h.failed(i) && h.trait(i, traitDecodes) {
		h.taintObject(i, recv, TaintUndecoded)
	}
	var all, others Taint
	for j, a := range st.Args {
		var t Taint
		if h.givesNil(i, j) {
			t = TaintNil
		}
		if a.Lit == nil && int(a.Slot) < len(h.taints) {
			if op.kind == seq.Convert || op.kind == seq.Assert { // it is the same object
				t |= h.taints[a.Slot]
			} else if t |= derived(h.taints[a.Slot]); h.accepts(i, a.Slot) {
				if t&TaintNil != 0 {
					t |= TaintUnset
				}
				t &^= TaintDerived | TaintNil
			}
		}
		all |= t
		if j > 0 {
			others |= t
		}
	}
	if others != 0 && hasRecv && !h.facts.basic[h.types[recv]] {
		h.taintObject(i, recv, others)
	}
	if op.kind == seq.Call { // a function holds the values it was made with, and gives them to its arguments
		for _, a := range st.Args {
			if a.Lit == nil && !basic(h.t, h.types[a.Slot]) {
				h.taints[a.Slot] |= all
			}
		}
	}
	h.taintResults(i, all)
}

// taintObject gives taints to the slots before step i that hold the object of slot n.
func (h *History) taintObject(i int, n int32, t Taint) {
	h.taints[n] |= t
	for m := range h.first[i] {
		if h.same(m, int(n)) {
			h.taints[m] |= t
		}
	}
}

// accepts reports whether step i calls a function of the API that was given a zero value in slot n,
// which is no pointer: a list of options. The function could have refused it, and returned no error.
func (h *History) accepts(i int, n int32) bool {
	op, ty := h.op(i), &h.t.Types[h.types[n]]
	if !op.API || op.Kind != seq.Func || !op.ReturnsError || len(op.Results) < 2 || ty.IsPointer() || ty.Interface || h.taints[n]&(TaintZero|TaintFailed|TaintDerived) != TaintZero {
		return false
	}
	v, known := h.value(h.first[i] + len(op.Results) - 1)
	return known && v == nil
}

// taintResults gives the results of step i the taints of its arguments and its own.
func (h *History) taintResults(i int, given Taint) {
	op, failed, denied := h.opFacts(i), h.failed(i), h.denied(i)
	for j, id := range op.results {
		last := j == len(op.results)-1
		if h.facts.basic[id] || op.returnsError && last {
			continue
		}
		n := h.first[i] + j
		h.taints[n] |= given | op.taints
		v, _ := h.value(n)
		if failed || h.facts.keptError(h.t, id, v) || denied && !last && emptyPointer(v) {
			h.taints[n] |= TaintFailed
		}
		if op.kind == seq.VarGet && zeroStruct(v) {
			h.taints[n] |= TaintDerived
		}
	}
}

// zeroStruct reports whether v is a struct with hidden fields, all of which are zero. A variable
// that holds one mostly stands for no value, such as netip's invalid address.
func zeroStruct(v any) bool {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Struct || !r.IsZero() {
		return false
	}
	for i := range r.NumField() {
		if !r.Type().Field(i).IsExported() {
			return true
		}
	}
	return false
}

// initializes reports whether op is named for making a usable value of a zero one, and may
// change it. A method that decodes into an argument, as Unmarshal(any), leaves its receiver
// unchanged, and one that returns what it decodes uses it.
func initializes(t *seq.Table, op *seq.Operation) bool {
	returns := slices.ContainsFunc(op.Results, func(id seq.TypeID) bool {
		ty := &t.Types[id]
		return !ty.Is("", "error") && ty.Literal != seq.Int && !slices.Contains(op.Params[:1], id)
	})
	return op.SetsReceiver && !returns && naming.HasWord(initWords, naming.Of(op)) && !(len(op.Params) == 2 && t.Types[op.Params[1]].IsAny())
}

// Decodes reports whether op sets its receiver to what a text says, and may refuse the text.
func Decodes(t *seq.Table, op *seq.Operation) bool {
	return op.API && op.Kind == seq.Method && op.ReturnsError && initializes(t, op) &&
		slices.ContainsFunc(op.Params[1:], func(id seq.TypeID) bool { return t.Types[id].IsText() })
}

// same reports whether two slots hold one object: methods that are called in a chain
// return their receiver.
func (h *History) same(m, n int) bool {
	v, ok := h.value(m)
	w, known := h.value(n)
	return ok && known && v != nil && reflect.TypeOf(v).Kind() == reflect.Pointer && v == w
}

// derived returns the taints of a value made from one with taints t.
func derived(t Taint) Taint {
	if t&(TaintZero|TaintFailed) != 0 {
		t |= TaintDerived
	}
	return t &^ (TaintZero | TaintFailed)
}

// failed reports whether step i returned a non-nil error, as far as is known.
func (h *History) failed(i int) bool {
	op := h.opFacts(i)
	if !op.returnsError {
		return false
	}
	v, known := h.value(h.first[i] + len(op.results) - 1)
	return known && v != nil
}

// denied reports whether step i returned false after another result, as far as is known: as
// Go's own expressions do that have no value to give.
func (h *History) denied(i int) bool {
	op := h.opFacts(i)
	if !op.denies {
		return false
	}
	v, known := h.value(h.first[i] + len(op.results) - 1)
	return known && v == false
}

// emptyPointer reports whether v is a pointer to a struct whose fields are all zero.
func emptyPointer(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && !r.IsNil() && r.Elem().Kind() == reflect.Struct && r.Elem().IsZero()
}

// written taints all that is connected to a value with fields of the caller's making.
// A field of a node that a tree handed out is a field of the tree: hence groups.
func (h *History) written(done int) {
	var bad map[int32]bool // by group
	for i := range h.s[:done] {
		switch kind := h.opFacts(i).kind; kind {
		case seq.VarSet:
			h.vars = true
		case seq.Func:
			h.vars = h.vars || h.handsOverBroken(i)
		case seq.FieldSet, seq.Composite:
			// Not every composite has fields set: &$0 has none.
			if kind == seq.FieldSet || h.op(i).Shape == seq.Filled {
				if bad == nil {
					bad = map[int32]bool{}
					h.connectAll()
				}
				h.objects(i, func(n int32) { bad[h.find(n)] = true })
			}
		}
	}
	if h.vars = h.vars || h.usedAfterEnd(); bad == nil && !h.vars {
		return
	}
	for n := range h.types {
		if basic(h.t, h.types[n]) {
			continue
		}
		if bad[h.find(int32(n))] {
			h.taints[n] |= TaintWritten
		}
		if h.vars {
			h.taints[n] |= TaintVar
		}
	}
}

// handsOverBroken reports whether step i gives a function of the package an object
// that its caller may have broken. The function returns no value: like
// slog.SetDefault, it passes the effect on to the package.
func (h *History) handsOverBroken(i int) bool {
	op := h.op(i)
	if !op.API || len(op.Results) > 0 && !(op.ReturnsError && len(op.Results) == 1) {
		return false
	}
	for j, a := range h.s[i].Args {
		if h.givesNil(i, j) || a.Lit == nil && int(a.Slot) < len(h.taints) && h.taints[a.Slot]&(TaintNil|TaintZero|TaintFailed|TaintDerived) != 0 {
			return true
		}
	}
	return false
}

// About returns h, made to be about the values in slots, and not about the last step.
func (h *History) About(slots []int32) *History {
	h.slots, h.last = slots, len(h.s)
	return h
}

// focus calls f for each object that the finding is about: the values that fail, or the arguments
// of the step that fails.
func (h *History) focus(f func(slot int32)) {
	if 0 <= h.last && h.last < len(h.s) {
		h.objects(h.last, f)
	}
	for _, n := range h.slots {
		if int(n) < len(h.types) {
			f(n)
		}
	}
}

// related yields each step that touches a value connected to one that the finding is about, and
// the step that fails.
func (h *History) related() iter.Seq[int] {
	return func(yield func(step int) bool) {
		mine := map[int32]bool{}
		h.focus(func(n int32) { mine[h.find(n)] = true })
		for i := range h.s {
			touches := i == h.last
			h.objects(i, func(n int32) { touches = touches || mine[h.find(n)] })
			if touches && !yield(i) {
				return
			}
		}
	}
}

// anyRelated reports whether ok holds for one of these steps.
func (h *History) anyRelated(ok func(step int) bool) bool {
	for step := range h.related() {
		if ok(step) {
			return true
		}
	}
	return false
}

// anyGiven reports whether ok holds for an argument of a step that is a result of an earlier one.
func (h *History) anyGiven(step int, ok func(j int, slot int32) bool) bool {
	for j, a := range h.s[step].Args {
		if a.Lit == nil && int(a.Slot) < len(h.from) && ok(j, a.Slot) {
			return true
		}
	}
	return false
}

// converted returns the slot before the conversion that made slot n: it holds the
// same map or slice.
func (h *History) converted(n int32) int32 {
	for {
		step := h.from[n]
		args := h.s[step].Args
		if h.op(step).Kind != seq.Convert || args[0].Lit != nil || int(args[0].Slot) >= len(h.types) {
			return n
		}
		n = args[0].Slot
	}
}

// pointedAt returns the slot of the pointer through which slot n was read, and n if it was not.
func (h *History) pointedAt(n int32) int32 {
	step := h.from[n]
	op, args := h.op(step), h.s[step].Args
	if op.Kind != seq.Index || len(args) != 1 || args[0].Lit != nil || !h.t.Types[op.Params[0]].IsPointer() {
		return n
	}
	return args[0].Slot
}

// chains reports whether step i calls a method that returns its receiver's type: perhaps
// its receiver.
func (h *History) chains(i int) bool {
	recv, ok := h.Receiver(i)
	op := h.op(i)
	return ok && op.Kind == seq.Method && len(op.Results) > 0 && (op.Results[0] == h.types[recv] || op.Results[0] == op.Params[0])
}

// Receiver returns the slot of the receiver of step i, if it has one.
func (h *History) Receiver(i int) (int32, bool) {
	if !h.opFacts(i).receiver || len(h.s[i].Args) == 0 {
		return 0, false
	}
	a := h.s[i].Args[0]
	return a.Slot, a.Lit == nil && int(a.Slot) < len(h.types)
}

// Ancestors returns the objects that slot n was made from, directly or through
// others.
func (h *History) Ancestors(n int32) map[int32]bool {
	seen := map[int32]bool{}
	var walk func(n int32)
	walk = func(n int32) {
		for _, a := range h.s[h.from[n]].Args {
			if a.Lit == nil && int(a.Slot) < len(h.types) && !seen[a.Slot] && !basic(h.t, h.types[a.Slot]) {
				seen[a.Slot] = true
				walk(a.Slot)
			}
		}
	}
	walk(n)
	return seen
}

// plainNil reports whether nil is a value like others of type id: of any, of
// error (no error) and of slices (an empty one).
func plainNil(t *seq.Table, id seq.TypeID) bool {
	return t.Types[id].IsAny() || t.Types[id].Literally(seq.SliceType) || t.Types[id].Is("", "error")
}
