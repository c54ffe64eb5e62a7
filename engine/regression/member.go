package regression

import (
	"maps"
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// maxBases is the most tests that a call of an uncalled member is appended to.
const maxBases = 32

// Idle returns sequences for members that the tests use too little. Each
// consists of the calls of a test and a call of one member. The call changes a
// value if no test has the member change one, or else it returns if no test
// calls the member. A corpus lacks such a call if it takes no side of its own:
// the member has no branches, as Clear of a container, or other calls take
// them, too.
func (b *Builder) Idle() []seq.Sequence {
	bases := slices.Clone(b.bases)
	slices.SortStableFunc(bases, func(x, y seq.Sequence) int { return len(x) - len(y) })
	called, changed := maps.Clone(b.called), maps.Clone(b.changed)
	var list []seq.Sequence
	for id := range b.table.Ops {
		op := &b.table.Ops[id]
		if !op.API || op.Kind != seq.Method || op.Pre.Blocks || changed[op.Member] {
			continue
		}
		s, pure := b.calling(seq.OpID(id), bases)
		if s == nil || pure && called[op.Member] {
			continue
		}
		called[op.Member], changed[op.Member] = true, !pure
		list = append(list, s)
	}
	return list
}

// calling returns a sequence of bases followed by a call of the method. It
// prefers the first call that changes a value, else the first, which is pure.
// The sequence is nil if no call returns.
func (b *Builder) calling(id seq.OpID, bases []seq.Sequence) (first seq.Sequence, pure bool) {
	tried := 0
	for _, base := range bases {
		for _, c := range b.callsAfter(id, base) {
			if tried++; tried > maxBases {
				return first, true
			}
			s, at := b.after(base, []call{c})
			run, ok := b.record(s)
			switch {
			case !ok:
				return first, true // it may end each process
			case len(run.Steps) != len(s) || run.Steps[at[0]].Status == engine.Broken:
			case !run.Steps[at[0]].Pure:
				return s, false
			case first == nil:
				first = s
			}
		}
	}
	return first, true
}

// callsAfter returns calls of the method on a value that s changes last, if it
// makes one of its type, with arguments that s has.
func (b *Builder) callsAfter(id seq.OpID, s seq.Sequence) []call {
	types := s.SlotTypes(b.table)
	for slot := len(types) - 1; slot >= 0; slot-- {
		if types[slot] == b.table.Ops[id].Params[0] {
			return b.calls(nil, id, int32(slot), b.inPlay(s, types))
		}
	}
	return nil
}
