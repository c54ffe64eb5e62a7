package regression

import (
	"maps"
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// maxBases bounds the tests behind which a method is tried that no test calls.
const maxBases = 32

// Idle returns sequences that call methods which the tests hardly use: the calls of a
// test, then a method that no test has changing a value and that changes one there, or
// a method that no test calls. A corpus lacks such calls if they take no branch of
// their own, as Clear of a container.
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

// calling returns one of bases with a call of the method behind it: the first that
// changes a value, or else the first that returns, which is pure. It may be nil.
func (b *Builder) calling(id seq.OpID, bases []seq.Sequence) (first seq.Sequence, pure bool) {
	tried := 0
	for _, base := range bases {
		for _, c := range b.callsBehind(id, base) {
			if tried++; tried > maxBases {
				return first, true
			}
			s, at := b.behind(base, []call{c})
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

// callsBehind returns calls of the method on the last value of its type that s makes,
// with arguments that s has.
func (b *Builder) callsBehind(id seq.OpID, s seq.Sequence) []call {
	types := s.SlotTypes(b.table)
	for slot := len(types) - 1; slot >= 0; slot-- {
		if types[slot] == b.table.Ops[id].Params[0] {
			return b.calls(nil, id, int32(slot), b.inPlay(s, types))
		}
	}
	return nil
}
