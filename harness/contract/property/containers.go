package property

import (
	"fmt"
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

// Shown is what an operation says, before a call.
func Shown(look func(...any) any, x any) string { return fmt.Sprint(look(x)) }

// SameShown: what a call returned is what was shown before.
func SameShown(results any, before string) bool { return fmt.Sprint(results) == before }

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

// StillShown: what an operation says has not changed.
func StillShown(look func(...any) any, x any, before string) bool {
	return fmt.Sprint(look(x)) == before
}

// ElementsOf is what is seen of a slice that a call is given.
func ElementsOf(list []any) []any { return slices.Clone(list) }

// ElementsKept: a slice has the elements that it had.
func ElementsKept(list, before []any) bool { return reflect.DeepEqual(list, before) }

// Returned is what the same call returns of copies.
func Returned(results any) string { return fmt.Sprint(results) }

// ResultOwn: the receiver does not change with the slice that it has handed out.
func ResultOwn(look func(...any) any, empty func(...any) []any, x, list any) bool {
	shown := fmt.Sprint(look(x))
	empty(list)
	return fmt.Sprint(look(x)) == shown
}
