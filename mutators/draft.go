package mutators

import "foray.test/engine/seq"

// A draft is the beginning of a sequence, to which drawn calls are added.
type draft struct {
	seq.Draft
	a  *Aim
	at int // how many steps it began with
}

// draft returns a draft that begins with s.
func (a *Aim) draft(s seq.Sequence) *draft { return &draft{seq.NewDraft(a.Index.Table, s), a, len(s)} }

// added returns the steps that were added.
func (d *draft) added() seq.Sequence { return d.Steps[d.at:] }

// call adds a call of id with drawn arguments, and the calls that make them. Unless
// slot is negative, the first parameter that it is assignable to takes it.
func (d *draft) call(id seq.OpID, slot, depth int) bool {
	op := &d.Table.Ops[id]
	n := len(op.Params)
	if op.Variadic {
		n += d.a.Source.Choose("variadic arguments", variadicRange) - 1
	}
	return d.Call(id, n, func(i int, want seq.TypeID) (seq.Arg, bool) {
		if slot >= 0 && d.Table.AssignableTo(d.Types[slot], want) {
			arg := seq.Slot(slot)
			slot = -1
			return arg, true
		}
		arg, ok := d.argument(want, depth)
		isNil := arg.Lit != nil && arg.Lit.Value == nil
		return arg, ok && !(isNil && i == 0 && op.Kind == seq.Method) // no nil receivers
	})
}

// argument draws an argument: a literal, a slot, a component, the result of another
// call, nil.
func (d *draft) argument(want seq.TypeID, depth int) (seq.Arg, bool) {
	literals := d.a.Index.Literals[want]
	if len(literals) > 0 && !d.a.Source.OneIn("literal", noLiteralOneIn) {
		if l := d.literal(literals[d.a.Source.Choose("literal type", len(literals))]); l != nil {
			return seq.Lit(l), true
		}
	}
	if !d.a.Source.OneIn("reuse", noReuseOneIn) {
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
	if visits := d.a.Visits; len(visits) > 0 && d.a.Source.OneIn("operand", operandOneIn) {
		pairs := appendPair(nil, &visits[d.a.Source.Choose("visit", len(visits))], "")
		if len(pairs) > 0 {
			wanted := append(pairs[0].wanted(), pairs[0].x)
			if v, ok := fit(&d.Table.Types[t], wanted[d.a.Source.Choose("value", len(wanted))]); ok {
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

// live draws one of the last liveSlots slots that are assignable to want.
func (d *draft) live(want seq.TypeID) (seq.Arg, bool) {
	var found [liveSlots]int
	n := 0
	for slot := len(d.Types) - 1; slot >= 0 && n < len(found); slot-- {
		if d.Table.AssignableTo(d.Types[slot], want) {
			found[n] = slot
			n++
		}
	}
	if n == 0 {
		return seq.Arg{}, false
	}
	return seq.Slot(found[d.a.Source.Choose("slot", n)]), true
}

// component adds a drawn component that makes a value assignable to want.
func (d *draft) component(want seq.TypeID) (seq.Arg, bool) {
	if d.a.Components == nil {
		return seq.Arg{}, false
	}
	steps, slot, ok := d.a.Components.Pick(d.a.Source, want)
	if !ok {
		return seq.Arg{}, false
	}
	return seq.Slot(d.Put(steps) + int(slot)), true
}

// product adds a call of a drawn operation that makes a value assignable to want.
func (d *draft) product(want seq.TypeID, depth int) (seq.Arg, bool) {
	makers := d.a.Index.Makers[want]
	if depth >= maxDraftDepth || len(makers) == 0 {
		return seq.Arg{}, false
	}
	op := makers[d.a.Source.Choose("maker", len(makers))]
	if !d.a.allows(op) || !d.call(op, -1, depth+1) {
		return seq.Arg{}, false
	}
	return d.Made(want)
}

// made is product with calls nested as deep as may be.
func (d *draft) made(want seq.TypeID) (seq.Arg, bool) { return d.product(want, 0) }
