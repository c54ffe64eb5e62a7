package contract

import (
	"reflect"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract/property"
)

const equalNames = "Equal Equals Eq"

const docEqual = "an equality is reflexive, symmetric and transitive [Pacheco09 fig. 7-3]; like time.Time.Equal, it says of any two values whether they are the same"

// equality adds the contracts of Equal(T) bool, method or function.
func equality(a *api, add func(...Contract)) {
	a.every(equalNames, "_ -> Bool", func(equal operation) {
		if !a.binary(equal) || equal.Pre.Panics {
			return
		}
		d := a.draft(equal, engine.ClaimPromise, docEqual)
		// A value that is equal to none mostly stands for no value, as NaN does: none of 8 causes in
		// draws 2 to 21 (docs/bench) was a bug.
		self := d
		self.Claim = engine.ClaimName
		add(
			of1(self.named("equal-reflexive", "the value is not equal to itself", noEquality), property.EqualReflexive, operation.bool, equal),
			of2(d.named("equal-symmetric", "the first is equal to the second, or the second to the first, not both", nil), property.EqualSymmetric, operation.bool, equal),
			// Equality within a tolerance, customary for floating-point numbers, is not transitive.
			of3(d.named("equal-transitive", "the first is equal to the second, the second to the third, the first not to the third", anyFloat), property.EqualTransitive, operation.bool, equal))
	})
}

// equal returns the equality of type id, if it has one.
func (a *api) equal(id seq.TypeID) operation {
	if equal := a.methodOf(id, equalNames, "_ -> Bool"); equal.exists() && a.binary(equal) {
		return equal
	}
	return operation{}
}

// identical reports whether two values can be compared by ==, and are the same.
func identical(x, y any) bool {
	return reflect.ValueOf(x).Comparable() && reflect.ValueOf(y).Comparable() && x == y
}
