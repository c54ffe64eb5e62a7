package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// Settings are the literals that set numbers of a struct, by its type. An operation that takes
// such a struct takes its numbers: once it has ended a process, it is given only such literals,
// and their numbers stay small.
type Settings struct {
	table   *seq.Table
	makers  map[seq.TypeID][]seq.OpID
	numbers []bool // by operation: it takes a number by itself
}

// NewSettings returns the settings of a table. Of a pointer to a struct with a constructor, a
// literal may be no valid value.
func NewSettings(t *seq.Table) *Settings {
	s := &Settings{table: t, makers: map[seq.TypeID][]seq.OpID{}, numbers: make([]bool, len(t.Ops))}
	for i := range t.Ops {
		op := &t.Ops[i]
		s.numbers[i] = slices.ContainsFunc(op.Params, func(id seq.TypeID) bool { return takesAnyNumber(&t.Types[id]) })
		if s.numbers[i] && op.Kind == seq.Composite && len(op.Results) == 1 && !(op.Zero && t.Types[op.Results[0]].IsPointer()) {
			s.makers[op.Results[0]] = append(s.makers[op.Results[0]], seq.OpID(i))
		}
	}
	return s
}

// takesAnyNumber reports whether a type has numbers of any size.
func takesAnyNumber(t *seq.Type) bool {
	switch t.Literal {
	case seq.Int, seq.Uint, seq.Float:
		return !t.Duration() && len(t.Constants) == 0
	}
	return false
}

// For returns the literals for argument j of an operation, nil if it is no such struct. Numbers
// that a function takes by itself are blamed first.
func (s *Settings) For(id seq.OpID, j int) []seq.OpID {
	op := &s.table.Ops[id]
	if j == 0 && op.Kind == seq.Method || s.numbers[id] && op.Kind != seq.Composite {
		return nil
	}
	return s.makers[op.Param(j)]
}

// Numbers reports whether an operation takes numbers, by itself or in a struct.
func (s *Settings) Numbers(id seq.OpID) bool { return s.numbers[id] || s.takes(id) }

// takes reports whether it takes them in a struct.
func (s *Settings) takes(id seq.OpID) bool {
	for j := range s.table.Ops[id].Params {
		if s.For(id, j) != nil {
			return true
		}
	}
	return false
}

// modest reports whether the structs given to step i of a sequence are literals of small numbers.
func (s *schedule) modest(list seq.Sequence, i int) bool {
	for j, a := range list[i].Args {
		makers := s.settings.For(list[i].Op, j)
		if makers == nil || a.Lit != nil {
			continue
		}
		made := &list[list.Maker(s.settings.table, a.Slot)]
		if !slices.Contains(makers, made.Op) || slices.ContainsFunc(made.Args, s.isLarge) {
			return false
		}
	}
	return true
}
