package mutators

import "foray.test/engine/seq"

// selfAliases passes one value as two arguments of a step.
func selfAliases(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o, types := a.emitter(try), a.Witness.SlotTypes(t)
	for _, i := range a.steps() {
		st := &a.Witness[i]
		for j, from := range st.Args {
			for k, to := range st.Args {
				if j == k || from.Lit != nil || to == from || !t.AssignableTo(types[from.Slot], t.Ops[st.Op].Param(k)) {
					continue
				}
				if !o.sequence(a.Witness.With(i, k, from)) {
					return
				}
			}
		}
	}
}

// aliases replaces an argument by another slot: in all uses from there on, then in
// that one alone. The binary set for references of [Pacheco09 §6.2].
func aliases(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o, places, types := a.emitter(try), a.places(), a.Witness.SlotTypes(t)
	for _, p := range places {
		live := a.Witness[:p.Step].Slots(t)
		for slot := live - 1; slot >= 0; slot-- {
			by := seq.Slot(slot)
			if !t.AssignableTo(types[slot], p.want) || p.arg == by {
				continue
			}
			alone := p.put(a.Witness, by)
			if p.arg.Lit == nil && seq.FitsUses(t, a.Witness, int(p.Step), p.arg.Slot, types[slot]) {
				if all := seq.ReplaceUses(a.Witness, int(p.Step), p.arg.Slot, by); !all.Equal(alone) && !o.sequence(all) {
					return
				}
			}
			if !o.sequence(alone) {
				return
			}
		}
	}
}

// duplicates makes a value a second time, by the steps that made it, and passes the
// copy in one place: two objects that are equal, or differ in one literal.
func duplicates(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o, places := a.emitter(try), a.places()
	for _, p := range places {
		if p.arg.Lit != nil {
			continue
		}
		before := a.Witness[:p.Step]
		chain, slot := seq.PruneTo(t, before, p.arg.Slot, len(before))
		copied := seq.Slot(before.Slots(t) + int(slot))
		if chain = seq.Concat(t, before, chain)[p.Step:]; !o.sequence(a.insertFor(a.Witness, p, chain, copied)) {
			return
		}
		for j := range chain {
			for k, arg := range chain[j].Args {
				if arg.Lit == nil || arg.Lit.Value == nil {
					continue
				}
				if !o.sequence(a.insertFor(a.Witness, p, chain.With(j, k, a.another(arg, 1)), copied)) {
					return
				}
			}
		}
	}
}

// insertFor returns s with steps before the step of p, and arg, which they make, at p.
func (a *Aim) insertFor(s seq.Sequence, p place, steps seq.Sequence, arg seq.Arg) seq.Sequence {
	return seq.Insert(a.Index.Table, s, int(p.Step), steps).With(int(p.Step)+len(steps), int(p.Arg), arg)
}
