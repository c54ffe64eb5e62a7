package property

// EqualReflexive: a value is equal to itself.
func EqualReflexive(equal func(...any) bool, x any) bool { return equal(x, x) }

// EqualSymmetric: if one is equal to the other, the other is equal to the one.
func EqualSymmetric(equal func(...any) bool, x, y any) bool { return equal(x, y) == equal(y, x) }

// EqualTransitive: if x equals y and y equals z, x equals z.
func EqualTransitive(equal func(...any) bool, x, y, z any) bool {
	return !(equal(x, y) && equal(y, z)) || equal(x, z)
}

// CopyEqual: a copy is equal to its original.
func CopyEqual(equal func(...any) bool, clone func(...any) any, x any) bool {
	return equal(x, clone(x))
}

// CompareReflexive: a value compares as equal to itself.
func CompareReflexive(compare func(...any) int, x any) bool { return compare(x, x) == 0 }

// CompareAntisymmetric: the other way round, a comparison has the opposite sign.
func CompareAntisymmetric(compare func(...any) int, x, y any) bool {
	n, m := compare(x, y), compare(y, x)
	return (n < 0) == (m > 0) && (n > 0) == (m < 0)
}

// CompareTransitive: if x is at most y and y at most z, x is at most z. So being
// neither less nor greater is transitive, too.
func CompareTransitive(compare func(...any) int, x, y, z any) bool {
	return !(compare(x, y) <= 0 && compare(y, z) <= 0) || compare(x, z) <= 0
}

// CompareEqual: values compare as equal if and only if they are equal.
func CompareEqual(compare func(...any) int, equal func(...any) bool, x, y any) bool {
	return (compare(x, y) == 0) == equal(x, y)
}

// CompareLess: a value compares as less than another if and only if it is less.
func CompareLess(compare func(...any) int, less func(...any) bool, x, y any) bool {
	return (compare(x, y) < 0) == less(x, y)
}

// LessIrreflexive: no value is less than itself.
func LessIrreflexive(less func(...any) bool, x any) bool { return !less(x, x) }

// LessAsymmetric: no two values are each less than the other.
func LessAsymmetric(less func(...any) bool, x, y any) bool { return !(less(x, y) && less(y, x)) }

// LessTransitive: if x is less than y and y less than z, x is less than z.
func LessTransitive(less func(...any) bool, x, y, z any) bool {
	return !(less(x, y) && less(y, z)) || less(x, z)
}

// SortLess: no element is less than itself, no two are each less than the other.
func SortLess(length func(...any) int, less func(...any) bool, x any) bool {
	for i := range length(x) {
		for j := range i + 1 {
			if less(x, i, j) && less(x, j, i) {
				return false
			}
		}
	}
	return true
}

// HashStable: asked twice, a value has the same hash.
//
//lint:ignore SA4000 it is asked twice
func HashStable(hash func(...any) int, x any) bool { return hash(x) == hash(x) }

// EqualHash: equal values have equal hashes.
func EqualHash(equal func(...any) bool, hash func(...any) int, x, y any) bool {
	return !equal(x, y) || hash(x) == hash(y)
}
