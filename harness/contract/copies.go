package contract

import (
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract/property"
)

// copies lists for types with Equal: a copy is equal to its original. That it
// is independent is for the digests of the executor to see.
func copies(a *api) []Contract {
	var all []Contract
	a.every("Clone Copy DeepCopy Dup Duplicate", "-> T", func(clone operation) {
		equal := a.equal(clone.Params[0])
		if clone.Kind != seq.Method || clone.Pre.Panics || !equal.exists() {
			return
		}
		d := a.draft(clone, engine.ClaimPromise, "a copy is equal to what it was copied from, as of slices.Clone and maps.Clone")
		all = append(all, d.named("copy-equal", "the copy is not equal to its original", noEquality).contract(property.CopyEqual, func(c Caller, v []any) bool {
			copied := clone.any(c)(v[0])
			return !isNil(copied) && property.CopyEqual(equal.bool(c), func(...any) any { return copied }, v[0])
		}, 1, equal.argument(), clone.argument(), slots[0]))
	})
	return all
}
