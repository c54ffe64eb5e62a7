package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// Impossible tells, by operation, which operations of t can never be called,
// because nothing makes a value for one of their parameters or, as contracts, they are
// not for sequences.
func Impossible(t *seq.Table) []bool {
	made := make([]bool, len(t.Types)) // some possible operation results in exactly this type
	has := func(op *seq.Operation, i int) bool {
		ty := &t.Types[op.Params[i]]
		if ty.Literal != seq.NoLiteral {
			return true
		}
		receiver := i == 0 && op.Kind == seq.Method
		if ty.Nilable && !receiver {
			return true
		}
		return op.Variadic && i == len(op.Params)-1 || slices.ContainsFunc(ty.Assignable, func(from seq.TypeID) bool {
			return made[from] || t.Types[from].Literal != seq.NoLiteral
		})
	}
	possible := make([]bool, len(t.Ops))
	for changed := true; changed; {
		changed = false
	ops:
		for i := range t.Ops {
			op := &t.Ops[i]
			if possible[i] || op.Kind == seq.Check {
				continue
			}
			for j := range op.Params {
				if !has(op, j) {
					continue ops
				}
			}
			possible[i], changed = true, true
			for _, r := range op.Results {
				made[r] = true
			}
		}
	}
	impossible := make([]bool, len(t.Ops))
	for i := range impossible {
		impossible[i] = !possible[i]
	}
	return impossible
}
