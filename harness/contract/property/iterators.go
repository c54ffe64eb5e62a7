package property

import (
	"fmt"
	"iter"
)

// SeekLands: where a seek lands, the key is greater or equal.
func SeekLands(landed bool, atLeast func(key, want any) bool, key func(...any) any, x, want any) bool {
	return !landed || atLeast(key(x), want)
}

// FirstIndex: First stands on index zero.
func FirstIndex(stands bool, index func(...any) int, x any) bool { return !stands || index(x) == 0 }

// LastIndex: Last stands on the last index.
func LastIndex(stands bool, index func(...any) int, begin func(...any) []any, next func(...any) bool, x any) bool {
	i, n := index(x), 0
	for begin(x); next(x); {
		n++
	}
	return !stands || i == n-1
}

// IteratesAgain: a second walk over an iterator yields the same elements.
func IteratesAgain(it iter.Seq[any]) bool {
	count := map[string]int{}
	for x := range it {
		count[fmt.Sprint(x)]++
	}
	for x := range it {
		count[fmt.Sprint(x)]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// IteratesAgainPairs is IteratesAgain of pairs.
func IteratesAgainPairs(it iter.Seq2[any, any]) bool {
	count := map[string]int{}
	for k, v := range it {
		count[fmt.Sprint(k, v)]++
	}
	for k, v := range it {
		count[fmt.Sprint(k, v)]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// IteratesUntil: an iterator stops when it is told to.
func IteratesUntil(it iter.Seq[any]) bool {
	for range it {
		break // panics if the iterator goes on
	}
	return true
}

// IteratesAll: an iterator yields as many elements as there are.
func IteratesAll(it iter.Seq[any], length func(...any) int, x any) bool {
	n := 0
	for range it {
		n++
	}
	return n == length(x)
}
