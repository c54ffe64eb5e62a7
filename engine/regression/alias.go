package regression

import (
	"slices"

	"foray.test/engine/seq"
)

// direct returns s as a person would write it, and whether that differs from s.
// Each value has only its first name: if a call returns an earlier value, later
// steps use the earlier slot. So l.Init(), which returns l, makes no second
// name for l, and a type assertion becomes superfluous. And f([]int{1, 2}...)
// becomes f(1, 2). [Builder.minimize] removes the steps that are then unused.
func (b *Builder) direct(s seq.Sequence, run Run) (seq.Sequence, bool) {
	types := s.SlotTypes(b.table)
	first := make([]int32, len(types)) // name of each slot
	for slot := range first {
		first[slot] = int32(slot)
	}
	direct := make(seq.Sequence, len(s))
	changed := false
	slot := 0
	for i, st := range s {
		direct[i] = seq.Step{Op: st.Op}
		for _, a := range st.Args {
			if a.Lit == nil && first[a.Slot] != a.Slot {
				a, changed = seq.Slot(int(first[a.Slot])), true
			}
			direct[i].Args = append(direct[i].Args, a)
		}
		if listed, ok := b.listed(s, direct, i, run); ok {
			direct[i], changed = listed, true
		}
		for k := range b.table.Ops[st.Op].Results {
			if r := run.Steps[i].Results; k < len(r) && r[k].How == Same && types[slot] == types[r[k].Slot] {
				first[slot] = first[r[k].Slot]
			}
			slot++
		}
	}
	return direct, changed
}

// listed returns step i of direct with the elements of a slice as arguments. It
// does so if the step takes a slice literal of its own and does not change it.
func (b *Builder) listed(s, direct seq.Sequence, i int, run Run) (seq.Step, bool) {
	st := direct[i]
	op := &b.table.Ops[st.Op]
	if !op.Spread {
		return st, false
	}
	list := st.Args[len(st.Args)-1]
	twin := slices.IndexFunc(b.table.Ops, func(o seq.Operation) bool { return o.Variadic && o.Name+" spread" == op.Name })
	if twin < 0 || list.Lit != nil || len(seq.Uses(s, list.Slot)) > 1 || slices.ContainsFunc(run.Ends, func(e End) bool { return e.Slot == list.Slot }) {
		return st, false
	}
	maker := direct[s.Maker(b.table, list.Slot)]
	if made := &b.table.Ops[maker.Op]; made.Kind != seq.Elements || !made.Variadic && len(made.Params) > 0 {
		return st, false
	}
	return seq.Step{Op: seq.OpID(twin), Args: slices.Concat(st.Args[:len(st.Args)-1], maker.Args)}, true
}
