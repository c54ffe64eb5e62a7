package mutators

import (
	"slices"

	"foray.test/engine/seq"
)

// operations replaces the operation of each step, and keeps its arguments where they
// fit: by operations that take its first value, and by makers of the results in use.
func operations(a *Aim, try func(seq.Sequence) bool) {
	o := a.emitter(try)
	for _, i := range a.steps() {
		for _, op := range a.candidates(i) {
			if op == a.Witness[i].Op || !a.allows(op) {
				continue
			}
			if args, ok := a.matched(i, op); ok && !o.sequence(a.withOperation(i, op, args)) {
				return
			}
		}
	}
}

// candidates returns operations to try in place of that of step i.
func (a *Aim) candidates(i int) []seq.OpID {
	t := a.Index.Table
	st := &a.Witness[i]
	types := a.Witness[:i+1].SlotTypes(t)
	var list []seq.OpID
	if at := firstSlot(st); at >= 0 {
		list = append(list, a.Index.Takers[types[st.Args[at].Slot]]...)
	}
	for slot := len(types) - len(t.Ops[st.Op].Results); slot < len(types); slot++ {
		if a.Witness.Takes(int32(slot)) {
			list = append(list, a.Index.Makers[types[slot]]...)
		}
	}
	if len(list) == 0 {
		list = t.OpsThat(func(op *seq.Operation) bool { return slices.Equal(op.Params, t.Ops[st.Op].Params) })
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// firstSlot returns the number of the first argument that is a slot, or -1.
func firstSlot(st *seq.Step) int {
	return slices.IndexFunc(st.Args, func(arg seq.Arg) bool { return arg.Lit == nil })
}

// withOperation returns the witness with a call of op on args for step i. It returns nil
// if op does not make a result that is in use.
func (a *Aim) withOperation(i int, op seq.OpID, args []seq.Arg) seq.Sequence {
	t := a.Index.Table
	base := int32(a.Witness[:i].Slots(t))
	results := make([]int, len(t.Ops[a.Witness[i].Op].Results))
	for k := range results {
		slot := base + int32(k)
		results[k] = slices.IndexFunc(t.Ops[op].Results, func(ty seq.TypeID) bool { return seq.FitsUses(t, a.Witness, i+1, slot, ty) })
		if results[k] < 0 && a.Witness.Takes(slot) {
			return nil
		}
	}
	return seq.ReplaceStep(t, a.Witness, i, seq.Step{Op: op, Args: args}, results)
}

// matched returns arguments for op in place of step i: those of the step where they
// fit, else the first word or the last slot that does. It reports false if there is none.
func (a *Aim) matched(i int, op seq.OpID) ([]seq.Arg, bool) {
	t := a.Index.Table
	have := slices.Clone(a.Witness[i].Args)
	types := a.Witness[:i].SlotTypes(t)
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
		} else if arg, ok := a.lastSlot(types, want); ok {
			args = append(args, arg)
		} else if l != nil && (k > 0 || t.Ops[op].Kind != seq.Method) { // no nil receivers
			args = append(args, seq.Lit(l))
		} else {
			return nil, false
		}
	}
	return args, true
}

// closures replaces func literals by others. If the other one returns its argument,
// that is an operand of the condition first, then words of the pool.
func closures(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o := a.emitter(try)
	values := a.operandValues()
	for _, i := range a.steps() {
		now := &t.Ops[a.Witness[i].Op]
		if now.Kind != seq.FuncLit {
			continue
		}
		for _, op := range a.Index.Makers[now.Results[0]] {
			if to := &t.Ops[op]; to.Kind != seq.FuncLit || !slices.Equal(to.Results, now.Results) || !a.allows(op) {
				continue
			}
			if !a.emitClosure(o, i, op, values) {
				return
			}
		}
	}
}

// operandValues returns the operands of the conditions and the values wanted for them.
func (a *Aim) operandValues() []any {
	var list []any
	for _, pr := range append(a.compared(), a.nearby()...) {
		list = append(list, pr.wanted()...)
		list = append(list, pr.x)
	}
	return list
}

// emitClosure proposes the func literal op for step i, with each of values.
func (a *Aim) emitClosure(o *emitter, i int, op seq.OpID, values []any) bool {
	args, ok := a.matched(i, op)
	if !ok {
		return true
	}
	if op != a.Witness[i].Op {
		if s := a.withOperation(i, op, args); s == nil || !o.sequence(s) {
			return !o.done
		}
	}
	for j, want := range a.Index.Table.Ops[op].Params {
		p := place{Position{int32(i), int32(j)}, args[j], want}
		for _, l := range a.literalsFor(p, values) {
			changed := slices.Clone(args)
			changed[j] = seq.Lit(l)
			if !o.sequence(a.withOperation(i, op, changed)) {
				return false
			}
		}
	}
	return true
}

// literalsFor returns other literals for p: of values, then the first words.
func (a *Aim) literalsFor(p place, values []any) []*seq.Literal {
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
	for _, id := range a.Index.Literals[p.want] {
		words := a.Literals.Words(id)
		for _, l := range words[:min(len(words), maxClosureWords)] {
			add(l)
		}
	}
	return list
}
