package coverage

import (
	"math/bits"
	"strconv"
)

// A Set is a set of sides out of a fixed number of them, as bits. Sets are used
// together only if they are for the same number of sides, that is from one
// build; anything else panics. A Set is not safe for concurrent writing.
type Set struct {
	words []uint64
	sides int
}

// NewSet returns an empty set for sides 0 to n-1.
func NewSet(n int) *Set {
	return &Set{words: make([]uint64, (n+63)/64), sides: n}
}

// Len returns the number of sides that s is for, in it or not.
func (s *Set) Len() int { return s.sides }

// Count returns the number of sides in s.
func (s *Set) Count() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Has reports whether side is in s.
func (s *Set) Has(side int) bool {
	s.check(side)
	return s.words[side/64]>>(side%64)&1 != 0
}

// Add puts side into s and reports whether it is new there.
func (s *Set) Add(side int) bool {
	s.check(side)
	w, bit := &s.words[side/64], uint64(1)<<(side%64)
	isNew := *w&bit == 0
	*w |= bit
	return isNew
}

// Clone returns a copy that shares nothing with s.
func (s *Set) Clone() *Set {
	return &Set{words: append([]uint64(nil), s.words...), sides: s.sides}
}

func (s *Set) check(side int) {
	if uint(side) >= uint(s.sides) {
		panic("coverage: side " + strconv.Itoa(side) + " of a set for " + strconv.Itoa(s.sides))
	}
}

func (s *Set) checkSame(other *Set) {
	if s.sides != other.sides {
		panic("coverage: a set for " + strconv.Itoa(s.sides) + " sides and one for " + strconv.Itoa(other.sides))
	}
}
