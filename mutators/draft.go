package mutators

import "foray.test/engine/seq"

// A draft is a beginning of a sequence to which drawn calls are added.
type draft struct {
	a     *Aim
	steps seq.Sequence // shares the arguments of what it began with
	types []seq.TypeID // by slot
}

// maxDraftDepth bounds how far a draft goes to make what an argument needs.
const maxDraftDepth = 3

func (a *Aim) draft(s seq.Sequence) *draft {
	return &draft{a, append(make(seq.Sequence, 0, len(s)+8), s...), s.SlotTypes(a.Index.Table)}
}

// call adds a call of op with drawn arguments, and calls that make them.
func (d *draft) call(op seq.OpID, depth int) bool { return d.add(op, -1, depth) }

// callOn adds a call of op that takes slot in the first place that can.
func (d *draft) callOn(op seq.OpID, slot int) bool { return d.add(op, slot, 0) }

func (d *draft) add(id seq.OpID, slot, depth int) bool {
	t := d.a.Index.Table
	op := &t.Ops[id]
	n := len(op.Params)
	if op.Variadic {
		n += d.a.Source.Choose("variadic arguments", 4) - 1
	}
	args := make([]seq.Arg, n)
	for i := range args {
		want := op.Param(i)
		if slot >= 0 && t.AssignableTo(d.types[slot], want) {
			args[i], slot = seq.Slot(slot), -1
			continue
		}
		arg, ok := d.argument(want, depth)
		if !ok || i == 0 && op.Kind == seq.Method && arg.Lit != nil && arg.Lit.Value == nil { // no nil receivers
			return false
		}
		args[i] = arg
	}
	d.steps = append(d.steps, seq.Step{Op: id, Args: args})
	d.types = append(d.types, op.Results...)
	return true
}

// argument draws an argument: a literal, a value that is there, a component, the
// result of another call, nil.
func (d *draft) argument(want seq.TypeID, depth int) (seq.Arg, bool) {
	takes := d.a.Literals.Takes(want)
	if len(takes) > 0 && d.a.Source.Choose("literal", 8) > 0 {
		if l := d.literal(takes[d.a.Source.Choose("literal type", len(takes))]); l != nil {
			return seq.Lit(l), true
		}
	}
	if d.a.Source.Choose("reuse", 4) > 0 {
		if arg, ok := d.live(want); ok {
			return arg, true
		}
	}
	if arg, ok := d.component(want); ok {
		return arg, true
	}
	if arg, ok := d.product(want, depth); ok {
		return arg, true
	}
	if arg, ok := d.live(want); ok {
		return arg, true
	}
	l := d.a.first(want)
	return seq.Arg{Lit: l}, l != nil
}

// literal draws a word of type t, or an operand of the condition.
func (d *draft) literal(t seq.TypeID) *seq.Literal {
	if visits := d.a.Visits; len(visits) > 0 && d.a.Source.OneIn("operand", 4) {
		pairs := appendPair(nil, &visits[d.a.Source.Choose("visit", len(visits))], "")
		if len(pairs) > 0 {
			wanted := append(pairs[0].wanted(), pairs[0].x)
			if v, ok := fit(&d.a.Index.Table.Types[t], wanted[d.a.Source.Choose("value", len(wanted))]); ok {
				return &seq.Literal{Type: t, Value: v}
			}
		}
	}
	return d.a.word(t)
}

// word draws a word of type t within bounds, or returns nil.
func (a *Aim) word(t seq.TypeID) *seq.Literal {
	list := a.Literals.Words(t)
	if len(list) == 0 {
		return nil
	}
	// Of two draws the earlier: the most telling stand first.
	i, j := a.Source.Choose("word", len(list)), a.Source.Choose("word", len(list))
	if l := list[min(i, j)]; a.withinBounds(l.Value) {
		return l
	}
	return list[0]
}

// live draws a slot that may stand where want does, of the last ones.
func (d *draft) live(want seq.TypeID) (seq.Arg, bool) {
	var found [4]int
	n := 0
	for slot := len(d.types) - 1; slot >= 0 && n < len(found); slot-- {
		if d.a.Index.Table.AssignableTo(d.types[slot], want) {
			found[n] = slot
			n++
		}
	}
	if n == 0 {
		return seq.Arg{}, false
	}
	return seq.Slot(found[d.a.Source.Choose("slot", n)]), true
}

// component adds a component that leaves a value that may stand where want does.
func (d *draft) component(want seq.TypeID) (seq.Arg, bool) {
	if d.a.Components == nil {
		return seq.Arg{}, false
	}
	steps, slot, ok := d.a.Components.Pick(d.a.Source, want)
	if !ok {
		return seq.Arg{}, false
	}
	return d.put(steps, slot), true
}

// put adds steps, and returns what they leave in slot.
func (d *draft) put(steps seq.Sequence, slot int32) seq.Arg {
	base := int32(len(d.types))
	d.steps = appendMoved(d.steps, steps, 0, base)
	d.types = append(d.types, steps.SlotTypes(d.a.Index.Table)...)
	return seq.Slot(int(base + slot))
}

// product adds a call of an operation that makes a value that may stand where want does.
func (d *draft) product(want seq.TypeID, depth int) (seq.Arg, bool) {
	makers := d.a.Index.makers[want]
	if depth >= maxDraftDepth || len(makers) == 0 {
		return seq.Arg{}, false
	}
	op := makers[d.a.Source.Choose("maker", len(makers))]
	if !d.a.allows(op) || !d.call(op, depth+1) {
		return seq.Arg{}, false
	}
	t := d.a.Index.Table
	base := len(d.types) - len(t.Ops[op].Results)
	for i, made := range t.Ops[op].Results {
		if t.AssignableTo(made, want) {
			return seq.Slot(base + i), true
		}
	}
	panic("mutators: an index that does not belong to its table")
}
