package mutators

import (
	"slices"

	"foray.test/coverage"
	"foray.test/engine/seq"
)

// repeatSteps repeats each call: as often as an operand is away from a wanted value,
// then by fixed numbers. The literals of the repetitions first count on from those
// there, since equal ones find values that are there already; then they are the same.
func repeatSteps(a *Aim, try func(seq.Sequence) bool) {
	o := a.emitter(try)
	var counts []int
	for _, pr := range a.compared() {
		for _, x := range pr.wanted() {
			counts = append(counts, sizesFor(&pr, x, 0, maxRepeat)...)
		}
	}
	steps := slices.DeleteFunc(a.steps(), func(i int) bool { return !a.Index.Table.Ops[a.Witness[i].Op].API })
	counts = append(counts, repetitionsOfSteps...)
	for at, n := range counts {
		if slices.Contains(counts[:at], n) {
			continue
		}
		for _, i := range steps {
			counting, same := a.repeatStep(a.Witness, i, n, 1), a.repeatStep(a.Witness, i, n, 0)
			if !o.sequence(counting) || !counting.Equal(same) && !o.sequence(same) {
				return
			}
		}
	}
}

// repeatStep returns s with n more of step i behind it, the literals of each further
// by d than those of the one before. It returns nil if that is too long.
func (a *Aim) repeatStep(s seq.Sequence, i, n, d int) seq.Sequence {
	if len(s)+n > a.maxSteps() {
		return nil
	}
	more := make(seq.Sequence, n)
	for k := range more {
		more[k] = s[i]
		if d != 0 && slices.ContainsFunc(s[i].Args, func(arg seq.Arg) bool { return arg.Lit != nil && arg.Lit.Value != nil }) {
			more[k].Args = slices.Clone(s[i].Args)
			for j, arg := range s[i].Args {
				more[k].Args[j] = a.another(arg, d*(k+1))
			}
		}
	}
	return seq.Insert(a.Index.Table, s, i+1, more)
}

// drops removes each step, with the steps that depend on it, and all steps of each
// operation.
func drops(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o := a.emitter(try)
	for _, i := range a.steps() {
		if s, _ := seq.Remove(t, a.Witness, i); !o.sequence(s) {
			return
		}
	}
	for _, i := range a.steps() {
		sameOp := func(j int) bool { return a.Witness[j].Op == a.Witness[i].Op }
		if slices.IndexFunc(a.Witness, func(st seq.Step) bool { return st.Op == a.Witness[i].Op }) < i {
			continue // done, or to be done there
		}
		if s := seq.RemoveFunc(t, a.Witness, sameOp); len(s) < len(a.Witness)-1 && !o.sequence(s) {
			return
		}
	}
}

// moves changes the order of steps that do not depend on each other: each step one
// place later, and at the end.
func moves(a *Aim, try func(seq.Sequence) bool) {
	o := a.emitter(try)
	last := len(a.Witness) - 1
	for _, i := range a.steps() {
		for _, to := range slices.Compact([]int{i + 1, max(i+1, last)}) {
			if s, ok := seq.Move(a.Index.Table, a.Witness, i, to); ok && !s.Equal(a.Witness) && !o.sequence(s) {
				return
			}
		}
	}
}

// insertions insert drawn calls on values that are there, at drawn places.
func insertions(a *Aim, try func(seq.Sequence) bool) {
	a.emitter(try).draw(func() seq.Sequence { return a.insertCall(a.Witness) })
}

// insertCall returns s with a drawn call of an operation that takes a value of s, or nil.
func (a *Aim) insertCall(s seq.Sequence) seq.Sequence {
	d := a.draft(s[:a.Source.Choose("place", len(s)+1)])
	if len(d.Types) == 0 {
		return nil
	}
	slot := a.Source.Choose("value", len(d.Types))
	takers := a.Index.Takers[d.Types[slot]]
	if len(takers) == 0 {
		return nil
	}
	op := takers[a.Source.Choose("operation", len(takers))]
	if !d.Table.Ops[op].API { // many operations take any value: prefer calls
		op = takers[a.Source.Choose("operation", len(takers))]
	}
	if !a.allows(op) || !d.call(op, slot, 0) {
		return nil
	}
	return seq.Insert(d.Table, s, d.at, d.added())
}

// A producer adds steps to a draft that make a value assignable to want.
type producer func(d *draft, want seq.TypeID) (seq.Arg, bool)

// splices replace values by components.
func splices(a *Aim, try func(seq.Sequence) bool) { a.replaceValues(try, (*draft).component) }

// producers replace values by results of other operations.
func producers(a *Aim, try func(seq.Sequence) bool) { a.replaceValues(try, (*draft).made) }

// states replaces values by each component, if the condition compares nothing itself:
// an earlier call has set the state that it asks for.
func states(a *Aim, try func(seq.Sequence) bool) {
	if c := a.Condition; a.Components == nil || c == nil || c.Kind != coverage.Bool || c.Op != "" {
		return
	}
	o := a.emitter(try)
	for _, p := range a.places() {
		if p.arg.Lit != nil {
			continue
		}
		n, more := 0, true
		a.Components.Each(p.want, func(steps seq.Sequence, slot int32) bool {
			d := a.draft(a.Witness[:p.Step])
			arg := seq.Slot(d.Put(steps) + int(slot))
			more = o.sequence(a.insertFor(a.Witness, p, d.added(), arg))
			n++
			return more && n < maxStates
		})
		if !more {
			return
		}
	}
}

// borrowings replace a value by a component, and another argument of the step by a
// literal of the component: a key that was put there, an index of an element.
func borrowings(a *Aim, try func(seq.Sequence) bool) {
	o := a.emitter(try)
	places := slices.DeleteFunc(a.literals(), func(p place) bool { return firstSlot(&a.Witness[p.Step]) < 0 })
	if len(places) == 0 {
		return
	}
	o.draw(func() seq.Sequence { return a.borrow(places[a.Source.Choose("place", len(places))]) })
}

// keys are the borrowings for a read of a map: the calls that put the key have it.
func keys(a *Aim, try func(seq.Sequence) bool) {
	if slices.ContainsFunc(a.Visits, func(v coverage.Visit) bool { return v.Kind == coverage.KeyOperands }) {
		borrowings(a, try)
	}
}

// borrow returns the witness with a component for the first slot that the step of p
// takes, and one of the literals of the component at p. It returns nil if there is none.
func (a *Aim) borrow(p place) seq.Sequence {
	value := a.place(a.Witness, Position{p.Step, int32(firstSlot(&a.Witness[p.Step]))})
	s := a.replaceValue(a.Witness, value, (*draft).component)
	if s == nil {
		return nil
	}
	more := int32(len(s) - len(a.Witness))
	var lent []*seq.Literal
	for _, st := range s[p.Step : p.Step+more] {
		for _, arg := range st.Args {
			if arg.Lit != nil && arg.Lit.Value != nil && a.Index.Table.AssignableTo(arg.Lit.Type, p.want) {
				lent = append(lent, arg.Lit)
			}
		}
	}
	if len(lent) == 0 {
		return nil
	}
	l := lent[a.Source.Choose("literal", len(lent))]
	return Position{p.Step + more, p.Arg}.put(s, seq.Lit(l))
}

// dynamicTypes puts a value of each other type in the places of interfaces: a word
// of the pool, a component, the result of a call.
func dynamicTypes(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.places()
	for _, p := range places {
		want := &a.Index.Table.Types[p.want]
		if !want.Interface {
			continue
		}
		for _, ty := range want.Assignable {
			if ty == p.want {
				continue
			}
			if words := a.Literals.Words(ty); len(words) > 0 {
				if (p.arg.Lit == nil || p.arg.Lit.Type != ty) && !o.literal(p, words[0]) {
					return
				}
				continue
			}
			s := a.replaceValue(a.Witness, p, func(d *draft, _ seq.TypeID) (seq.Arg, bool) {
				if arg, ok := d.component(ty); ok {
					return arg, true
				}
				return d.made(ty)
			})
			if !o.sequence(s) {
				return
			}
		}
	}
}

// replaceValues replaces values at drawn positions by those that produce makes.
func (a *Aim) replaceValues(try func(seq.Sequence) bool, produce producer) {
	o, places := a.emitter(try), a.places()
	if len(places) > 0 {
		o.draw(func() seq.Sequence {
			return a.replaceValue(a.Witness, places[a.Source.Choose("place", len(places))], produce)
		})
	}
}

// replaceValue returns s with the slot that produce makes at p or, drawn, in all uses
// of the slot at p from there on. It returns nil if produce makes none.
func (a *Aim) replaceValue(s seq.Sequence, p place, produce producer) seq.Sequence {
	d := a.draft(s[:p.Step])
	arg, ok := produce(d, p.want)
	if !ok || arg.Lit != nil {
		return nil
	}
	ty := d.Types[arg.Slot]
	if !d.Table.AssignableTo(ty, p.want) { // produce may make a value of another type
		return nil
	}
	longer := seq.Insert(d.Table, s, d.at, d.added())
	if at := len(d.Steps); p.arg.Lit == nil && a.Source.OneIn("all uses", allUsesOneIn) && seq.FitsUses(d.Table, longer, at, p.arg.Slot, ty) {
		return seq.ReplaceUses(longer, at, p.arg.Slot, arg)
	}
	return longer.With(len(d.Steps), int(p.Arg), arg)
}

// allows reports whether op may come in.
func (a *Aim) allows(op seq.OpID) bool { return a.Allowed == nil || a.Allowed(op) }
