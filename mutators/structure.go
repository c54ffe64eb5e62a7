package mutators

import (
	"slices"

	"foray.test/coverage"
	"foray.test/engine/seq"
)

// repetitionsOfSteps are how often a step is repeated if the condition names no
// number: one time more, a handful, past the first growth of most containers, and
// past a page of a B-tree.
var repetitionsOfSteps = []int{1, 2, 9, 39, 150}

// repeatSteps repeats each call: as often as an operand is away from what is
// wanted, then by fixed numbers; with literals that count on from those there,
// since equal ones find what is there already, then with the same.
func repeatSteps(a *Aim, try func(seq.Sequence) bool) {
	o := a.offers(try)
	var counts []int
	for _, pr := range a.compared() {
		for _, x := range pr.wanted() {
			for _, n := range sizesFor(&pr, x, 0, maxRepeat) {
				if !slices.Contains(counts, n) {
					counts = append(counts, n)
				}
			}
		}
	}
	for _, n := range repetitionsOfSteps {
		if !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
	}
	steps := slices.DeleteFunc(a.steps(), func(i int) bool { return !a.Index.Table.Ops[a.Witness[i].Op].API })
	for _, n := range counts {
		for _, i := range steps {
			counting, same := a.repeatStep(a.Witness, i, n, 1), a.repeatStep(a.Witness, i, n, 0)
			if !o.sequence(counting) || !counting.Equal(same) && !o.sequence(same) {
				return
			}
		}
	}
}

// repeatStep returns s with n more of step i behind it, each with literals further
// by d than the one before. It returns nil if that is too long.
func (a *Aim) repeatStep(s seq.Sequence, i, n, d int) seq.Sequence {
	if len(s)+n > a.maxSteps() {
		return nil
	}
	more := make(seq.Sequence, 0, n)
	for k := range n {
		st := s[i]
		if d != 0 && slices.ContainsFunc(st.Args, func(arg seq.Arg) bool { return arg.Lit != nil && arg.Lit.Value != nil }) {
			st.Args = slices.Clone(st.Args)
			for j := range st.Args {
				st.Args[j] = a.another(st.Args[j], d*(k+1))
			}
		}
		more = append(more, st)
	}
	return insert(a.Index.Table, s, i+1, more)
}

// drops leaves out each step, with what hangs on it, and all steps of each operation.
func drops(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o := a.offers(try)
	for _, i := range a.steps() {
		if s, ok := seq.Remove(t, a.Witness, i); ok && !o.sequence(s) {
			return
		}
	}
	for _, i := range a.steps() {
		op := a.Witness[i].Op
		if slices.IndexFunc(a.Witness, func(st seq.Step) bool { return st.Op == op }) < i {
			continue // done, or to be done there
		}
		if s := dropAll(t, a.Witness, op); len(s) < len(a.Witness)-1 && !o.sequence(s) {
			return
		}
	}
}

// dropAll returns s without the steps of op and what hangs on them.
func dropAll(t *seq.Table, s seq.Sequence, op seq.OpID) seq.Sequence {
	for i := len(s) - 1; i >= 0; i-- {
		if i < len(s) && s[i].Op == op {
			s, _ = seq.Remove(t, s, i)
		}
	}
	return s
}

// moves changes the order of steps that do not hang on each other: each step one
// place later, and at the end.
func moves(a *Aim, try func(seq.Sequence) bool) {
	t := a.Index.Table
	o := a.offers(try)
	last := len(a.Witness) - 1
	for _, i := range a.steps() {
		for _, to := range slices.Compact([]int{i + 1, max(i+1, last)}) {
			if s, ok := moved(t, a.Witness, i, to); ok && !s.Equal(a.Witness) && !o.sequence(s) {
				return
			}
		}
	}
}

// moved returns s with step i at place to, i < to, whose results no step up to there takes.
func moved(t *seq.Table, s seq.Sequence, i, to int) (seq.Sequence, bool) {
	if to <= i || to >= len(s) {
		return nil, false
	}
	first := int32(s[:i].Slots(t))
	n := int32(len(t.Ops[s[i].Op].Results))
	for _, st := range s[i+1 : to+1] {
		for _, arg := range st.Args {
			if arg.Lit == nil && arg.Slot >= first && arg.Slot < first+n {
				return nil, false
			}
		}
	}
	between := int32(s[i+1 : to+1].Slots(t))
	renumber := func(slot int32) int32 {
		switch {
		case slot < first || slot >= first+n+between:
			return slot
		case slot < first+n:
			return slot + between
		}
		return slot - n
	}
	c := append(append(append(make(seq.Sequence, 0, len(s)), s[:i]...), s[i+1:to+1]...), s[i])
	return renumbered(append(c, s[to+1:]...), i, renumber), true
}

// renumbered renumbers the slots that steps of s from on take. It changes s, but
// not the arguments it has in common with others.
func renumbered(s seq.Sequence, from int, number func(int32) int32) seq.Sequence {
	for i := from; i < len(s); i++ {
		s[i].Args = slices.Clone(s[i].Args)
		for j, arg := range s[i].Args {
			if arg.Lit == nil {
				s[i].Args[j].Slot = number(arg.Slot)
			}
		}
	}
	return s
}

// insertions call drawn operations on values that are there, at drawn places.
func insertions(a *Aim, try func(seq.Sequence) bool) {
	o := a.offers(try)
	for range draws {
		if s, ok := a.insertCall(a.Witness); ok && !o.sequence(s) {
			return
		}
	}
}

// insertCall returns s with a drawn call of an operation that takes a value of s.
func (a *Aim) insertCall(s seq.Sequence) (seq.Sequence, bool) {
	at := a.Source.Choose("place", len(s)+1)
	d := a.draft(s[:at])
	if len(d.types) == 0 {
		return nil, false
	}
	slot := a.Source.Choose("value", len(d.types))
	takers := a.Index.takers[d.types[slot]]
	if len(takers) == 0 {
		return nil, false
	}
	op := takers[a.Source.Choose("operation", len(takers))]
	if !a.Index.Table.Ops[op].API { // what takes any value: calls first
		op = takers[a.Source.Choose("operation", len(takers))]
	}
	if !a.allows(op) || !d.callOn(op, slot) {
		return nil, false
	}
	return insert(a.Index.Table, s, at, d.steps[at:]), true
}

// splices put components in the place of values.
func splices(a *Aim, try func(seq.Sequence) bool) {
	a.replaceValues(try, func(d *draft, want seq.TypeID) (seq.Arg, bool) { return d.component(want) })
}

// states put each component in the place of a value, where the condition compares
// nothing itself: what it asks, a call before has set.
func states(a *Aim, try func(seq.Sequence) bool) {
	if c := a.Condition; a.Components == nil || c == nil || c.Kind != coverage.Bool || c.Op != "" {
		return
	}
	o, t := a.offers(try), a.Index.Table
	for _, p := range a.places() {
		if p.arg.Lit != nil {
			continue
		}
		n, more := 0, true
		a.Components.Each(p.want, func(steps seq.Sequence, slot int32) bool {
			d := a.draft(a.Witness[:p.Step])
			arg := d.put(steps, slot)
			s := insert(t, a.Witness, int(p.Step), d.steps[p.Step:])
			more = o.sequence(with(s, Position{p.Step + int32(len(steps)), p.Arg}, arg))
			n++
			return more && n < maxStates
		})
		if !more {
			return
		}
	}
}

// maxStates bounds the components that are put in one place.
const maxStates = 16

// producers put the result of other operations in the place of values.
func producers(a *Aim, try func(seq.Sequence) bool) {
	a.replaceValues(try, func(d *draft, want seq.TypeID) (seq.Arg, bool) { return d.product(want, 0) })
}

// borrowings put a component in the place of a value, and a literal that made it in
// the place of another argument of the step: a key that was put there, an index of
// what was added.
func borrowings(a *Aim, try func(seq.Sequence) bool) {
	o := a.offers(try)
	places := slices.DeleteFunc(a.literals(), func(p place) bool {
		return !slices.ContainsFunc(a.Witness[p.Step].Args, func(arg seq.Arg) bool { return arg.Lit == nil })
	})
	if len(places) == 0 {
		return
	}
	for range draws {
		p := &places[a.Source.Choose("place", len(places))]
		if s, ok := a.borrow(p); ok && !o.sequence(s) {
			return
		}
	}
}

// keys are the borrowings for a read of a map: whoever put the key knows it.
func keys(a *Aim, try func(seq.Sequence) bool) {
	if slices.ContainsFunc(a.Visits, func(v coverage.Visit) bool { return v.Kind == coverage.KeyOperands }) {
		borrowings(a, try)
	}
}

// borrow returns the witness with a component for the first value that the step of
// p takes and one of its literals at p.
func (a *Aim) borrow(p *place) (seq.Sequence, bool) {
	at := slices.IndexFunc(a.Witness[p.Step].Args, func(arg seq.Arg) bool { return arg.Lit == nil })
	value := a.place(a.Witness, Position{p.Step, int32(at)})
	s, ok := a.replaceValue(a.Witness, &value, func(d *draft, want seq.TypeID) (seq.Arg, bool) { return d.component(want) })
	if !ok {
		return nil, false
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
		return nil, false
	}
	l := lent[a.Source.Choose("literal", len(lent))]
	return with(s, Position{p.Step + more, p.Arg}, seq.Lit(l)), true
}

// dynamicTypes puts a value of each other type in the places of interfaces: a word
// of the pool, a component, the result of a call.
func dynamicTypes(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.offers(try), a.places()
	for i := range places {
		p := &places[i]
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
			s, ok := a.replaceValue(a.Witness, p, func(d *draft, _ seq.TypeID) (seq.Arg, bool) {
				if arg, ok := d.component(ty); ok {
					return arg, true
				}
				return d.product(ty, 0)
			})
			if ok && !o.sequence(s) {
				return
			}
		}
	}
}

// replaceValues draws positions and takes there what produce makes before it.
func (a *Aim) replaceValues(try func(seq.Sequence) bool, produce func(d *draft, want seq.TypeID) (seq.Arg, bool)) {
	o, places := a.offers(try), a.places()
	if len(places) == 0 {
		return
	}
	for range draws {
		p := &places[a.Source.Choose("place", len(places))]
		if s, ok := a.replaceValue(a.Witness, p, produce); ok && !o.sequence(s) {
			return
		}
	}
}

// replaceValue returns s with what produce makes at p, or, drawn, in all places
// that take the value at p from there on.
func (a *Aim) replaceValue(s seq.Sequence, p *place, produce func(d *draft, want seq.TypeID) (seq.Arg, bool)) (seq.Sequence, bool) {
	t := a.Index.Table
	d := a.draft(s[:p.Step])
	arg, ok := produce(d, p.want)
	if !ok || arg.Lit != nil {
		return nil, false
	}
	steps, ty := d.steps[p.Step:], d.types[arg.Slot]
	if !t.AssignableTo(ty, p.want) { // as it may not be, made for a type that is
		return nil, false
	}
	s = insert(t, s, int(p.Step), steps)
	at := Position{p.Step + int32(len(steps)), p.Arg}
	if p.arg.Lit == nil && a.Source.OneIn("all uses", 2) && fitsUses(t, s, int(at.Step), p.arg.Slot, ty) {
		return replaceUses(s, int(at.Step), p.arg.Slot, arg.Slot), true
	}
	return with(s, at, arg), true
}

// allows reports whether op may come in.
func (a *Aim) allows(op seq.OpID) bool { return a.Allowed == nil || a.Allowed(op) }
