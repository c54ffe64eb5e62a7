package regression

import (
	"maps"
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// maxBases is how many tests a member is tried behind that no test calls.
const maxBases = 32

// Uncalled returns, for members that no test calls, a sequence that ends in a call of
// one behind the calls of a test: the shortest in which it changes a value, if there
// is any. A corpus has no such call if the member has no branches, or takes none that
// others do not: Clear of a container is often so.
func (b *Builder) Uncalled() []seq.Sequence {
	bases := slices.Clone(b.bases)
	slices.SortStableFunc(bases, func(x, y seq.Sequence) int { return len(x) - len(y) })
	called := maps.Clone(b.called)
	var list []seq.Sequence
	for id := range b.table.Ops {
		op := &b.table.Ops[id]
		if !op.API || op.Kind != seq.Method || op.Pre.Blocks || called[op.Member] {
			continue
		}
		if s := b.calling(seq.OpID(id), bases); s != nil {
			called[op.Member] = true
			list = append(list, s)
		}
	}
	return list
}

// calling returns one of bases with a call of the method behind it; nil if there is
// none that returns.
func (b *Builder) calling(id seq.OpID, bases []seq.Sequence) seq.Sequence {
	var pure seq.Sequence
	tried := 0
	for _, base := range bases {
		for _, c := range b.callsBehind(id, base) {
			if tried++; tried > maxBases {
				return pure
			}
			s, at := b.behind(base, []call{c})
			run, ok := b.record(s)
			switch {
			case !ok || len(run.Steps) != len(s) || run.Steps[at[0]].Status == engine.Broken:
			case !run.Steps[at[0]].Pure:
				return s
			case pure == nil:
				pure = s
			}
		}
	}
	return pure
}

// callsBehind returns calls of the method on a value that s changes last, if it
// makes one of its type, with arguments that s has.
func (b *Builder) callsBehind(id seq.OpID, s seq.Sequence) []call {
	types := s.SlotTypes(b.table)
	for slot := len(types) - 1; slot >= 0; slot-- {
		if types[slot] == b.table.Ops[id].Params[0] {
			return b.calls(nil, id, int32(slot), b.inPlay(s, types))
		}
	}
	return nil
}
