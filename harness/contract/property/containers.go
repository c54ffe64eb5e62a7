package property

import (
	"reflect"
	"slices"
)

// Gets: a key gets what was put under it.
func Gets(get func(...any) any, x, key, value any) bool {
	return reflect.DeepEqual(get(x, key), value)
}

// GetsFound: a key gets what was put under it, and is found.
func GetsFound(get func(...any) (any, bool), x, key, value any) bool {
	got, ok := get(x, key)
	return ok && reflect.DeepEqual(got, value)
}

// GetsNoError: a key gets what was put under it, and no error.
func GetsNoError(get func(...any) (any, any), x, key, value any) bool {
	got, err := get(x, key)
	return err == nil && reflect.DeepEqual(got, value)
}

// Has: what was added is there.
func Has(found func(...any) bool, x, element any) bool { return found(x, element) }

// HasNot: what was removed is not there.
func HasNot(found func(...any) bool, x, element any) bool { return !found(x, element) }

// KeysOf is what is seen before an element is added or removed.
func KeysOf(keys func(...any) []any, x any) []any { return slices.Clone(keys(x)) }

// KeepsOthers: other elements than the one that is added or removed are there still.
func KeepsOthers(found func(...any) bool, x, element any, before []any) bool {
	for _, k := range before {
		if !reflect.DeepEqual(k, element) && !found(x, k) {
			return false
		}
	}
	return true
}

// IsEmpty: what was cleared has no elements.
func IsEmpty(length func(...any) int, x any) bool { return length(x) == 0 }

// TakesShown: what is taken is what was shown before.
// LengthOf is what is seen before an element is pushed.
func LengthOf(length func(...any) int, x any) int { return length(x) }

// PushLen: what was pushed makes one element more.
func PushLen(length func(...any) int, x any, before int) bool { return length(x) == before+1 }

// PushPop: what was pushed last is popped first.
func PushPop(pop func(...any) any, x, pushed any) bool {
	got := pop(x)
	return reflect.DeepEqual(got, pushed)
}

// PopsAsMany: a heap's Pop removes as many elements as its Push adds.
func PopsAsMany(pop func(...any) any, length func(...any) int, x any, before int) bool {
	pop(x)
	return length(x) == before
}

// PopsLast: a heap's Pop returns what was pushed last.
func PopsLast(pop func(...any) any, x, pushed any) bool {
	return reflect.DeepEqual(pop(x), any(pushed))
}

// AtPlace is what is seen before a place is set.
func AtPlace(at func(...any) any, x, i any) any { return at(x, i) }

// AtPlaces is AtPlace of two indexes.
func AtPlaces(at func(...any) any, x, i, j any) any { return at(x, i, j) }

// SetAt: what was set at a place is there.
func SetAt(at func(...any) any, x, i, value any) bool { return at(x, i) == value }

// SetAtPlaces is SetAt of two indexes.
func SetAtPlaces(at func(...any) any, x, i, j, value any) bool { return at(x, i, j) == value }

// KeepsPlace: a place that was not set has what it had.
func KeepsPlace(at func(...any) any, x, i, before any) bool { return at(x, i) == before }

// KeepsPlaces is KeepsPlace of two indexes.
func KeepsPlaces(at func(...any) any, x, i, j, before any) bool { return at(x, i, j) == before }
