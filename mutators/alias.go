package mutators

import "foray.test/engine/seq"

// selfAliases takes one value in two argument places of a step.
func selfAliases(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o := a.offers(try)
	for _, i := range a.steps() {
		st := &a.Witness[i]
		op := &t.Ops[st.Op]
		types := a.Witness[:i].SlotTypes(t)
		for j, from := range st.Args {
			for k, to := range st.Args {
				if j == k || from.Lit != nil || to == from || !t.AssignableTo(types[from.Slot], op.Param(k)) {
					continue
				}
				if !o.sequence(with(a.Witness, Position{int32(i), int32(k)}, from)) {
					return
				}
			}
		}
	}
}

// aliases lets another value that is there stand for an argument: for all uses of
// it from there on, then for that one alone. The binary set for references of
// [Pacheco09 §6.2].
func aliases(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o, places, types := a.offers(try), a.places(), a.Witness.SlotTypes(t)
	for i := range places {
		p := &places[i]
		live := int32(a.Witness[:p.Step].Slots(t))
		for by := live - 1; by >= 0; by-- {
			if !t.AssignableTo(types[by], p.want) || p.arg == seq.Slot(int(by)) {
				continue
			}
			alone := with(a.Witness, p.Position, seq.Slot(int(by)))
			if p.arg.Lit == nil && fitsUses(t, a.Witness, int(p.Step), p.arg.Slot, types[by]) {
				if all := replaceUses(a.Witness, int(p.Step), p.arg.Slot, by); !all.Equal(alone) && !o.sequence(all) {
					return
				}
			}
			if !o.sequence(alone) {
				return
			}
		}
	}
}

// duplicates makes a value a second time, by the steps that made it, and takes the
// copy in one place: two objects that are equal, or differ in one literal.
func duplicates(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o, places := a.offers(try), a.places()
	for i := range places {
		p := &places[i]
		if p.arg.Lit != nil {
			continue
		}
		before := a.Witness[:p.Step]
		chain, slot := seq.PruneTo(t, before, p.arg.Slot)
		base := before.Slots(t)
		chain = appendMoved(make(seq.Sequence, 0, len(chain)), chain, 0, int32(base))
		if !a.offerCopy(o, p, chain, base+int(slot)) {
			return
		}
		for j := range chain {
			for k, arg := range chain[j].Args {
				if arg.Lit == nil || arg.Lit.Value == nil {
					continue
				}
				edited := with(chain, Position{int32(j), int32(k)}, a.another(arg, 1))
				if !a.offerCopy(o, p, edited, base+int(slot)) {
					return
				}
			}
		}
	}
}

// offerCopy offers the witness with chain before the step of p, which takes slot.
func (a *Aim) offerCopy(o *offers, p *place, chain seq.Sequence, slot int) bool {
	s := insert(a.Index.Table, a.Witness, int(p.Step), chain)
	return o.sequence(with(s, Position{p.Step + int32(len(chain)), p.Arg}, seq.Slot(slot)))
}
