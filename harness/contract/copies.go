package contract

import (
	"foray.test/engine"
	"foray.test/engine/seq"
)

// copies lists for types with Equal: a copy is equal to its original. That it
// is independent is for the digests of the executor to see.
func copies(a *api) []Contract {
	var all []Contract
	a.each("Clone Copy DeepCopy Dup Duplicate", 1, func(id seq.OpID, op *seq.Operation) {
		if op.Kind != seq.Method || op.Pre.Panics || len(op.Results) != 1 || op.Results[0] != op.Params[0] {
			return
		}
		eq, eqOp := a.find(op.Params[0], equalNames, 2, seq.Bool)
		if eqOp == nil || !a.binary(eqOp) {
			return
		}
		all = append(all, Contract{
			Name: "copy-equal", Arity: 1, Tier: engine.Error, Type: op.Params[0], Op: id, Cost: Linear,
			Doc:    "a copy is equal to what it was copied from, as of slices.Clone and maps.Clone",
			Assert: expr(eqOp, "$0", expr(op, "$0")),
			Holds: func(c Caller, v []any) (bool, string) {
				copied, ok := one(c, id, v[0])
				if !ok {
					return true, ""
				}
				if isNil(copied) {
					return false, "the copy is nil"
				}
				same, ok := callBool(c, eq, v[0], copied)
				if !ok || same || holdsFloat(true, v[0]) || holdsFunc(v[0]) {
					return true, ""
				}
				return false, "the copy is not equal to its original"
			},
		})
	})
	return all
}
