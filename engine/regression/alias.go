package regression

import "foray.test/engine/seq"

// direct returns s with each value under the first of its names: where a call has
// returned what an earlier one has made, steps behind it take that. So l.Init(), which
// returns l, makes no second name for l, and a type assertion is not needed any more.
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
		for k := range b.table.Ops[st.Op].Results {
			if r := run.Steps[i].Results; k < len(r) && r[k].How == Same && types[slot] == types[r[k].Slot] {
				first[slot] = first[r[k].Slot]
			}
			slot++
		}
	}
	return direct, changed
}
