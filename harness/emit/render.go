package emit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Statements returns s as Go statements for people. Only results that are used,
// or in keep, have names, and a value made for one argument is written in its
// place. The parser of package seq does not read them.
func Statements(t *seq.Table, s seq.Sequence, keep ...int32) string {
	return newShown(t, s, keep, nil).statements()
}

// Shown returns the statements of s that show v, in the form of [Statements].
func Shown(t *seq.Table, s seq.Sequence, v *engine.Verdict) string {
	return newShown(t, s, nil, v.Past).statements()
}

// A renderer writes a sequence as a person would.
type renderer struct {
	t       *seq.Table
	s       seq.Sequence
	uses    []int    // by slot: arguments that take it, and one more than any number where it is wanted by name
	step    []int    // by slot: the step that makes it
	slot    []int    // by step: its first slot
	inlined []bool   // by step: stands where its result is used
	gone    []bool   // by step: left out
	names   []string // by slot; empty if it needs none
	hoisted int      // literals that had to become variables
	past    []int32  // steps that panicked and after which the run went on
	before  string   // an expression to evaluate before the last step, if any
	// Of a regression test:
	fields  map[[2]int]string // by step and argument: the field written instead of a literal
	collect map[int]string    // by step, a function literal: the variable that its first arguments are appended to
}

func newRenderer(t *seq.Table, s seq.Sequence, keep []int32) *renderer {
	r := countUses(t, s, keep)
	r.inline()
	r.name()
	return r
}

// newShown returns a renderer for people: it leaves out values that nothing uses, and
// assertions of a type that a value has anyway. past are steps that panicked.
func newShown(t *seq.Table, s seq.Sequence, keep, past []int32) *renderer {
	s, same, gone := withoutAsserts(t, s)
	kept := make([]int32, len(keep))
	for i, slot := range keep {
		kept[i] = same[slot]
	}
	r := countUses(t, s, kept)
	r.gone, r.past = gone, past
	r.dropIdle()
	r.inline()
	r.name()
	for slot, of := range same {
		r.names[slot] = r.names[of]
	}
	return r
}

func countUses(t *seq.Table, s seq.Sequence, keep []int32) *renderer {
	n := s.Slots(t)
	r := &renderer{
		t: t, s: s, uses: make([]int, n), slot: make([]int, len(s)),
		inlined: make([]bool, len(s)), gone: make([]bool, len(s)), names: make([]string, n),
	}
	for i := range s {
		r.slot[i] = len(r.step)
		for range t.Ops[s[i].Op].Results {
			r.step = append(r.step, i)
		}
		for _, a := range s[i].Args {
			if a.Lit == nil {
				r.uses[a.Slot]++
			}
		}
	}
	for _, slot := range keep {
		r.uses[slot] += 2
	}
	return r
}

// withoutAsserts returns s with arguments that are the results of assertions of a type that
// the value has anyway replaced by the value. same has, by slot, the slot that replaces it.
// gone marks the assertions.
func withoutAsserts(t *seq.Table, s seq.Sequence) (out seq.Sequence, same []int32, gone []bool) {
	out, gone = slices.Clone(s), make([]bool, len(s))
	var types []seq.TypeID // by slot
	for i := range out {
		st, op := &out[i], &t.Ops[s[i].Op]
		st.Args = slices.Clone(st.Args)
		for j := range st.Args {
			if st.Args[j].Lit == nil {
				st.Args[j].Slot = same[st.Args[j].Slot]
			}
		}
		for _, typ := range op.Results {
			same, types = append(same, int32(len(types))), append(types, typ)
		}
		if op.Kind != seq.Assert || i == len(s)-1 || len(st.Args) != 1 || len(op.Results) != 1 || st.Args[0].Lit != nil {
			continue
		}
		from, to := types[st.Args[0].Slot], op.Results[0]
		if !t.Types[from].Interface && (from == to || t.Types[to].Interface && slices.Contains(t.Types[to].Assignable, from)) {
			same[len(same)-1], gone[i] = st.Args[0].Slot, true
			st.Args = nil
		}
	}
	return out, same, gone
}

// dropIdle marks the steps that only make a value that nothing uses.
func (r *renderer) dropIdle() {
	for i := len(r.s) - 2; i >= 0; i-- {
		idle := isValue(r.op(i).Kind) && !r.gone[i] && !slices.Contains(r.past, int32(i))
		for k := range r.op(i).Results {
			idle = idle && r.uses[r.slot[i]+k] == 0
		}
		if !idle {
			continue
		}
		r.gone[i] = true
		for _, a := range r.s[i].Args {
			if a.Lit == nil {
				r.uses[a.Slot]--
			}
		}
	}
}

// inline decides which steps stand within the one step that uses them.
func (r *renderer) inline() {
	single := make([]bool, len(r.s)) // one result, used once, of a kind that only makes a value
	movable := make([]bool, len(r.s))
	for i := range r.s {
		if r.gone[i] {
			continue
		}
		op := r.op(i)
		single[i] = len(op.Results) == 1 && r.uses[r.slot[i]] == 1 && isValue(op.Kind)
		movable[i] = true
		for _, a := range r.s[i].Args {
			if a.Lit != nil {
				continue
			}
			p := r.step[a.Slot]
			isConstant := r.t.Types[r.typ(a.Slot)].Literal != seq.NoLiteral
			movable[i] = movable[i] && (isConstant || single[p] && movable[p])
		}
	}
	for i := len(r.s) - 1; i >= 0; i-- {
		if !single[i] {
			continue
		}
		user := i + 1
		between := false // a statement that stays stands between i and its use
		for !r.takes(user, r.slot[i]) {
			between = between || !r.inlined[user] && !r.gone[user]
			user++
		}
		r.inlined[i] = (movable[i] || !between) && r.isArgument(user, r.slot[i]) && !(isAddress(r.op(user)) && r.typ(int32(r.slot[i])) == r.op(user).Params[0])
	}
}

// isValue reports whether operations of kind k do nothing but make a value.
func isValue(k seq.Kind) bool {
	switch k {
	case seq.Const, seq.Composite, seq.Elements, seq.Convert, seq.FuncLit, seq.Standard:
		return true
	}
	return false
}

func (r *renderer) op(i int) *seq.Operation { return &r.t.Ops[r.s[i].Op] }

// typ returns the type of a slot.
func (r *renderer) typ(slot int32) seq.TypeID {
	p := r.step[slot]
	return r.op(p).Results[int(slot)-r.slot[p]]
}

func (r *renderer) takes(i, slot int) bool {
	return !r.gone[i] && r.s[i].Takes(int32(slot))
}

// isArgument reports whether step i's template has slot in one place, where an
// expression of its type may stand.
func (r *renderer) isArgument(i, slot int) bool {
	places := 0
	only := seq.Operand
	r.t.AppendCall(nil, &r.s[i], func(dst []byte, j int, h seq.Hole) []byte {
		if a := r.s[i].Args[j]; a.Lit == nil && int(a.Slot) == slot {
			places++
			only = h.Place()
		}
		return dst
	})
	return places == 1 && only == seq.Argument
}

// name names the results that are used, by step.
func (r *renderer) name() {
	n := 0
	for i := range r.s {
		used := false
		if r.gone[i] {
			continue
		}
		for k := range r.op(i).Results {
			if slot := r.slot[i] + k; r.uses[slot] > 0 && !r.inlined[i] {
				r.names[slot] = seq.ValueName(n, k)
				used = true
			}
		}
		if used {
			n++
		}
	}
}

func (r *renderer) statements() string { return r.upTo(len(r.s)) }

// split returns the statements before the last step, and that as an expression.
func (r *renderer) split() (before, call string) {
	before = r.upTo(len(r.s) - 1)
	var variables []byte
	call = string(r.call(nil, len(r.s)-1, &variables))
	return before + string(variables), call
}

// upTo returns the first n steps.
func (r *renderer) upTo(n int) string {
	var b strings.Builder
	for i := range r.s[:n] {
		if !r.inlined[i] && !r.gone[i] {
			r.statement(&b, i)
		}
	}
	return b.String()
}

// statement writes step i.
func (r *renderer) statement(b *strings.Builder, i int) {
	var variables []byte
	call := r.call(nil, i, &variables)
	b.Write(variables)
	if i == len(r.s)-1 && r.before != "" {
		b.WriteString(r.t.VariableName("before") + " := " + r.before + "\n")
	}
	passed := slices.Contains(r.past, int32(i))
	if (passed || r.throws(i) && i < len(r.s)-1) && r.results(i) == "" {
		// The run went on after the panic.
		fmt.Fprintf(b, "func() {\n\tdefer func() { recover() }()\n\t%s\n}()\n", call)
		return
	}
	results := r.results(i)
	if results == "_ = " && r.op(i).Shape == seq.Unnamed { // any(f())
		results, call = "", bytes.TrimSuffix(bytes.TrimPrefix(call, []byte("any(")), []byte(")"))
	}
	b.WriteString(results)
	b.Write(call)
	b.WriteByte('\n')
}

// throws reports whether step i is given a function that does nothing but panic.
func (r *renderer) throws(i int) bool {
	for _, a := range r.s[i].Args {
		if a.Lit != nil {
			continue
		}
		maker := r.step[a.Slot]
		if op := r.op(maker); op.Shape == seq.Throw || r.inlined[maker] && r.throws(maker) {
			return true
		}
	}
	return false
}

// results returns the text before the call of step i: "v0, _ := ", "_ = " or
// nothing.
func (r *renderer) results(i int) string {
	op := r.op(i)
	names := make([]string, len(op.Results))
	assign := " = "
	for k := range names {
		names[k] = "_"
		if name := r.names[r.slot[i]+k]; name != "" {
			names[k] = name
			assign = " := "
		}
	}
	isCall := (op.Kind == seq.Func || op.Kind == seq.Method || op.Kind == seq.Call) && op.Shape != seq.Unnamed
	if strings.HasSuffix(op.Template, ".String()") || strings.HasSuffix(op.Template, ".Error()") {
		isCall = false // go vet wants their results used
	}
	if len(names) == 0 || isCall && assign == " = " {
		return ""
	}
	return strings.Join(names, ", ") + assign
}

// call appends the text of step i, with inlined steps in it. Literals that
// cannot be constants there become variables, which it declares.
func (r *renderer) call(dst []byte, i int, variables *[]byte) []byte {
	st := &r.s[i]
	op := r.op(i)
	from := len(dst)
	if short, ok := r.appendShort(dst, i); ok {
		return short
	}
	dst = r.t.AppendCall(dst, st, func(dst []byte, j int, h seq.Hole) []byte {
		a := st.Args[j]
		switch {
		case a.Lit == nil && r.inlined[r.step[a.Slot]]:
			maker := r.step[a.Slot]
			if n, ok := r.duration(maker); ok {
				return r.appendDuration(dst, n, h.Place(), op.Param(j) == r.typ(a.Slot))
			}
			return r.call(dst, maker, variables)
		case a.Lit == nil:
			return r.appendName(dst, r.names[a.Slot], r.typ(a.Slot), op.Param(j), h)
		case r.fields[[2]int{i, j}] != "":
			return r.appendName(dst, r.fields[[2]int{i, j}], a.Lit.Type, op.Param(j), h)
		case r.mustVary(st, j, h.Place()):
			name := fmt.Sprintf("x%d", r.hoisted)
			r.hoisted++
			*variables = append(r.t.AppendTyped(append(*variables, name+" := "...), a.Lit), '\n')
			return append(dst, name...)
		}
		return r.appendLiteral(dst, a.Lit, op.Param(j), h)
	})
	if op.Kind == seq.FuncLit && r.collect[i] == "" {
		dst = append(dst[:from], renameParams(string(dst[from:]))...)
	}
	if list := r.collect[i]; list != "" {
		head, body, _ := strings.Cut(string(dst[from:]), " {")
		if body = strings.TrimSpace(strings.TrimSuffix(body, "}")); body != "" {
			body += "\n"
		}
		dst = fmt.Appendf(dst[:from], "%s {\n%s = append(%[2]s, %s)\n%s}", head, list, firstParameter(head), body)
	}
	return dst
}

// appendName appends the name of a value of a type, where another may be wanted.
func (r *renderer) appendName(dst []byte, name string, typ, want seq.TypeID, h seq.Hole) []byte {
	if wrap := r.t.Wrap(h, typ, want); wrap != "" {
		return append(dst, wrap+name+")"...)
	}
	return append(dst, name...)
}

// appendShort appends step i if people have a shorter form for it: time.Hour, &v.
func (r *renderer) appendShort(dst []byte, i int) ([]byte, bool) {
	if n, ok := r.duration(i); ok && r.op(i).Kind == seq.Convert {
		return r.appendDuration(dst, n, seq.Free, false), true
	}
	if name := r.addressed(i); name != "" {
		return append(dst, "&"+name...), true
	}
	return dst, false
}

// addressed returns the variable with the argument of step i if the step makes a pointer to a
// copy and nothing else uses the variable. The variable is as good as the copy then.
func (r *renderer) addressed(i int) string {
	if !isAddress(r.op(i)) {
		return ""
	}
	a := r.s[i].Args[0]
	if a.Lit != nil || r.uses[a.Slot] != 1 || r.typ(a.Slot) != r.op(i).Params[0] {
		return ""
	}
	return r.names[a.Slot]
}

// isAddress reports whether op makes a pointer to a copy of its argument.
func isAddress(op *seq.Operation) bool {
	return op.Shape == seq.Address
}

// firstParameter returns the name of the first parameter in "func(a, b int) bool".
func firstParameter(head string) string {
	name := strings.TrimPrefix(head, "func(")
	return name[:strings.IndexAny(name, " ,)")]
}

// mustVary reports whether the compiler could reject the statement because
// argument j of st, a literal, is constant: int8(300), a[-1].
func (r *renderer) mustVary(st *seq.Step, j int, at seq.Place) bool {
	op := &r.t.Ops[st.Op]
	l := st.Args[j].Lit
	ty := &r.t.Types[l.Type]
	isNumber := ty.Literal >= seq.Int && ty.Literal <= seq.Complex
	switch {
	case !isNumber || op.Kind == seq.FuncLit:
		return false
	case op.Kind == seq.Index:
		base := &r.t.Types[op.Params[0]]
		if base.Literally(seq.MapType) {
			return false
		}
		return !base.Literally(seq.SliceType) || !isSmall(l)
	case op.Kind == seq.Convert || at == seq.Free:
		var to seq.Type
		if len(op.Results) > 0 {
			to = r.t.Types[op.Results[0]]
		}
		return !isSmall(l) && !to.Interface && (to.Literal != ty.Literal || to.Bits < ty.Bits)
	}
	return false
}

// isSmall reports whether l is an integer that every numeric type has.
func isSmall(l *seq.Literal) bool {
	switch v := l.Value.(type) {
	case int64:
		return 0 <= v && v < 128
	case uint64:
		return v < 128
	}
	return false
}
