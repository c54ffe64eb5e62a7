package mutators

import (
	"slices"

	"foray.test/engine/seq"
)

// callees puts another operation in the place of each, on the same arguments as far
// as it takes them: those that take the value it takes, those that make what is
// used of its results.
func callees(a *Aim, try func(seq.Sequence) bool) {
	o := a.offers(try)
	for _, i := range a.steps() {
		for _, op := range a.candidates(i) {
			if op == a.Witness[i].Op || !a.allows(op) {
				continue
			}
			if s, ok := a.withCallee(i, op, nil); ok && !o.sequence(s) {
				return
			}
		}
	}
}

// candidates returns operations that may stand in place of that of step i.
func (a *Aim) candidates(i int) []seq.OpID {
	t := a.Index.Table
	st := &a.Witness[i]
	types := a.Witness[:i+1].SlotTypes(t)
	var list []seq.OpID
	for _, arg := range st.Args {
		if arg.Lit == nil {
			list = append(list, a.Index.takers[types[arg.Slot]]...)
			break
		}
	}
	first := len(types) - len(t.Ops[st.Op].Results)
	for slot := first; slot < len(types); slot++ {
		if len(seq.Uses(a.Witness, int32(slot))) > 0 {
			list = append(list, a.Index.makers[types[slot]]...)
		}
	}
	if len(list) == 0 {
		for id := range t.Ops {
			if slices.Equal(t.Ops[id].Params, t.Ops[st.Op].Params) {
				list = append(list, seq.OpID(id))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// withCallee returns the witness with op for the operation of step i. args are its
// arguments; if nil, those of the step where they fit, and else the last value or
// the first word that does. It reports false where an argument cannot be had, or a
// result that is used is not made.
func (a *Aim) withCallee(i int, op seq.OpID, args []seq.Arg) (seq.Sequence, bool) {
	t := a.Index.Table
	st := &a.Witness[i]
	if args == nil {
		var ok bool
		if args, ok = a.matched(i, op); !ok {
			return nil, false
		}
	}
	base := int32(a.Witness[:i].Slots(t))
	n, made := int32(len(t.Ops[st.Op].Results)), t.Ops[op].Results
	place := make([]int32, n) // by result of the operation there: the one that stands for it
	stays := int(n) == len(made)
	for j := range n {
		k := slices.IndexFunc(made, func(ty seq.TypeID) bool { return fitsUses(t, a.Witness, i+1, base+j, ty) })
		if k < 0 && len(seq.Uses(a.Witness, base+j)) > 0 {
			return nil, false
		}
		place[j] = base + int32(k)
		stays = stays && int32(k) == j
	}
	c := slices.Clone(a.Witness)
	c[i] = seq.Step{Op: op, Args: args}
	if stays {
		return c, true
	}
	return renumbered(c, i+1, func(slot int32) int32 {
		switch {
		case slot < base:
			return slot
		case slot < base+n:
			return place[slot-base]
		}
		return slot + int32(len(made)) - n
	}), true
}

// matched returns arguments for op in the place of step i.
func (a *Aim) matched(i int, op seq.OpID) ([]seq.Arg, bool) {
	t := a.Index.Table
	before, have := a.Witness[:i], slices.Clone(a.Witness[i].Args)
	types := before.SlotTypes(t)
	var args []seq.Arg
	for k, want := range t.Ops[op].Params {
		fits := func(arg seq.Arg) bool {
			if arg.Lit != nil {
				return t.AssignableTo(arg.Lit.Type, want)
			}
			return arg.Slot >= 0 && t.AssignableTo(types[arg.Slot], want)
		}
		at := k
		if k >= len(have) || !fits(have[k]) {
			at = slices.IndexFunc(have, fits)
		}
		if at >= 0 {
			args = append(args, have[at])
			have[at] = seq.Slot(-1) // taken
			continue
		}
		if l := a.first(want); l != nil && (t.Types[want].Literal != seq.NoLiteral || l.Value != nil) {
			args = append(args, seq.Lit(l))
		} else if arg, ok := a.lastSlot(before, want); ok {
			args = append(args, arg)
		} else if l != nil && (k > 0 || t.Ops[op].Kind != seq.Method) { // no nil receivers
			args = append(args, seq.Lit(l))
		} else {
			return nil, false
		}
	}
	return args, true
}

// maxClosureWords is how many words a closure is tried with that returns its argument.
const maxClosureWords = 8

// closures puts other func literals in the place of those there: with an argument
// to return, that is an operand of the condition first, then words of the pool.
func closures(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o := a.offers(try)
	values := a.operandValues()
	for _, i := range a.steps() {
		now := &t.Ops[a.Witness[i].Op]
		if now.Kind != seq.FuncLit {
			continue
		}
		for _, op := range a.Index.makers[now.Results[0]] {
			if to := &t.Ops[op]; to.Kind != seq.FuncLit || !slices.Equal(to.Results, now.Results) || !a.allows(op) {
				continue
			}
			if !a.offerClosure(o, i, op, values) {
				return
			}
		}
	}
}

// operandValues returns what the condition compared and what is wanted.
func (a *Aim) operandValues() []any {
	var list []any
	for _, pr := range append(a.compared(), a.nearby()...) {
		list = append(list, pr.wanted()...)
		list = append(list, pr.x)
	}
	return list
}

func (a *Aim) offerClosure(o *offers, i int, op seq.OpID, values []any) bool {
	t := a.Index.Table
	args, ok := a.matched(i, op)
	if !ok {
		return true
	}
	if op != a.Witness[i].Op {
		if s, ok := a.withCallee(i, op, args); !ok || !o.sequence(s) {
			return !o.done
		}
	}
	for j, want := range t.Ops[op].Params {
		p := place{Position{int32(i), int32(j)}, args[j], want}
		for _, l := range a.literalsFor(&p, values) {
			changed := slices.Clone(args)
			changed[j] = seq.Lit(l)
			if s, ok := a.withCallee(i, op, changed); ok && !o.sequence(s) {
				return false
			}
		}
	}
	return true
}

// literalsFor returns literals for p other than what is there: of values, then the
// first words.
func (a *Aim) literalsFor(p *place, values []any) []*seq.Literal {
	var list []*seq.Literal
	add := func(l *seq.Literal) {
		if (p.arg.Lit == nil || !l.Equal(p.arg.Lit)) && !slices.ContainsFunc(list, l.Equal) {
			list = append(list, l)
		}
	}
	for _, v := range values {
		for _, id := range a.typesFor(p, v) {
			if fitting, ok := fit(&a.Index.Table.Types[id], v); ok {
				add(&seq.Literal{Type: id, Value: fitting})
			}
		}
	}
	for _, id := range a.Literals.Takes(p.want) {
		words := a.Literals.Words(id)
		for _, l := range words[:min(len(words), maxClosureWords)] {
			add(l)
		}
	}
	return list
}
