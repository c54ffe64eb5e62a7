package contract

import (
	"foray.test/engine"
	"foray.test/engine/seq"
)

// hashing lists for types with a hash of integer type that it stays the same and, if
// they have Equal, that equal values have equal hashes.
func hashing(a *api) []Contract {
	var all []Contract
	a.each("Hash HashCode Hash32 Hash64", 1, func(id seq.OpID, op *seq.Operation) {
		if op.Kind != seq.Method || op.Pre.Panics || !a.returns(op, seq.Int, seq.Uint) {
			return
		}
		eq, eqOp := a.find(op.Params[0], equalNames, 2, seq.Bool)
		all = append(all, Contract{
			Name: "hash-stable", Arity: 1, Tier: engine.Error, Type: op.Params[0], Op: id, Cost: Linear,
			Doc:    "a value that has not changed has the same hash: package hash/maphash",
			Assert: expr(op, "$0") + " == " + expr(op, "$0"),
			Holds: func(c Caller, v []any) (bool, string) {
				n, ok := callInt(c, id, v[0])
				m, ok2 := callInt(c, id, v[0])
				return !ok || !ok2 || n == m, "asked twice, it has two hashes"
			},
		})
		if eqOp == nil || !a.binary(eqOp) {
			return
		}
		all = append(all, Contract{
			Name: "equal-hash", Arity: 2, Tier: engine.Error, Type: op.Params[0], Op: id, Cost: Linear,
			Doc:    "equal values have equal hashes: package hash/maphash, Hasher; [Pacheco09 fig. 7-3]",
			Assert: "!" + expr(eqOp, "$0", "$1") + " || " + expr(op, "$0") + " == " + expr(op, "$1"),
			Holds: func(c Caller, v []any) (bool, string) {
				if same, ok := callBool(c, eq, v[0], v[1]); !ok || !same {
					return true, ""
				}
				n, ok := callInt(c, id, v[0])
				if !ok {
					return true, ""
				}
				m, ok := callInt(c, id, v[1])
				// -0 and +0 are equal and have different bits: whoever hashes floats knows.
				if !ok || n == m || holdsFloat(false, v...) {
					return true, ""
				}
				return false, "two equal values have different hashes"
			},
		})
	})
	return all
}
