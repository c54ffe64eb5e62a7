package property

import (
	"fmt"
	"reflect"
	"slices"
)

// Gets: looking up a key returns the value put under it.
func Gets(get func(...any) any, x, key, value any) bool {
	return reflect.DeepEqual(get(x, key), value)
}

// GetsFound: looking up a key finds and returns the value put under it.
func GetsFound(get func(...any) (any, bool), x, key, value any) bool {
	got, ok := get(x, key)
	return ok && reflect.DeepEqual(got, value)
}

// GetsNoError: looking up a key returns the value put under it, and no error.
func GetsNoError(get func(...any) (any, any), x, key, value any) bool {
	got, err := get(x, key)
	return err == nil && reflect.DeepEqual(got, value)
}

// Has: an added element is there.
func Has(found func(...any) bool, x, element any) bool { return found(x, element) }

// HasNot: a removed element is not there.
func HasNot(found func(...any) bool, x, element any) bool { return !found(x, element) }

// KeysOf returns the keys before an element is added or removed.
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

// IsEmpty: a cleared container has no elements.
func IsEmpty(length func(...any) int, x any) bool { return length(x) == 0 }

// Shown returns the text of an operation's results before a call.
func Shown(look func(...any) any, x any) string { return fmt.Sprint(look(x)) }

// ShownAlike: an operation says the same of two values.
func ShownAlike(look func(...any) any, x, y any) bool {
	return fmt.Sprint(look(x)) == fmt.Sprint(look(y))
}

// SameShown: a call returns the results shown before.
func SameShown(results any, before string) bool { return fmt.Sprint(results) == before }

// LengthOf returns the length before an element is pushed.
func LengthOf(length func(...any) int, x any) int { return length(x) }

// PushLen: a push adds one element.
func PushLen(length func(...any) int, x any, before int) bool { return length(x) == before+1 }

// PushPop: the element pushed last is popped first.
func PushPop(pop func(...any) any, x, pushed any) bool {
	got := pop(x)
	return reflect.DeepEqual(got, pushed)
}

// PopsAsMany: a heap's Pop removes as many elements as its Push adds.
func PopsAsMany(pop func(...any) any, length func(...any) int, x any, before int) bool {
	pop(x)
	return length(x) == before
}

// PopsLast: a heap's Pop returns the element pushed last.
func PopsLast(pop func(...any) any, x, pushed any) bool {
	return reflect.DeepEqual(pop(x), any(pushed))
}

// StillShown: the results of an operation have not changed.
func StillShown(look func(...any) any, x any, before string) bool {
	return fmt.Sprint(look(x)) == before
}

// ElementsOf returns the elements of a slice before a call takes it.
func ElementsOf(list []any) []any { return slices.Clone(list) }

// ElementsKept: a slice has the elements that it had.
func ElementsKept(list, before []any) bool { return reflect.DeepEqual(list, before) }

// Returned is the text of the results that the same call returns for copies.
func Returned(results any) string { return fmt.Sprint(results) }

// ResultOwn: the receiver does not change with the slice that it has handed out.
func ResultOwn(look func(...any) any, empty func(...any) []any, x, list any) bool {
	shown := fmt.Sprint(look(x))
	empty(list)
	return fmt.Sprint(look(x)) == shown
}
