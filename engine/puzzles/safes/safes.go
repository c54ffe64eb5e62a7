// Package safes has a side in each function that opens after a search: what aiming
// at it must find within five thousand runs. The keys are computed, so that they
// stand nowhere in the source.
package safes

import (
	"math"
	"strings"
)

// mix returns the n-th of a fixed series of numbers, of all bits.
func mix(n uint64) uint64 {
	n = (n + 1) * 0xd1342543de82ef95
	n = (n ^ n>>32) * 0xaf251af3b0f025b5
	return n ^ n>>31
}

// word returns the n-th of a fixed series of words of eight letters.
func word(n uint64) string {
	var b strings.Builder
	for x := mix(n); b.Len() < 8; x >>= 7 {
		b.WriteByte('a' + byte(x%26))
	}
	return b.String()
}

var (
	secret       = word(1)
	sum          = uint32(mix(2))
	low          = math.Sqrt(float64(mix(3) >> 40))
	high         = low + low/(1<<40)
	factor, plus = mix(4) | 1, mix(5)
	product      = mix(6)
	full         = 35 + int(mix(7)%6)
	other        = word(8)
)

// Letters takes one word, of which it compares one letter after the other.
func Letters(s string) bool {
	i := 0
	for i < len(s) && i < len(secret) && s[i] == secret[i] {
		i++
	}
	return i == len(secret)
}

// equal compares as [Letters] does.
func equal(s, t string) bool {
	if len(s) != len(t) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != t[i] {
			return false
		}
	}
	return true
}

// Word takes one word, which a function compares for it.
func Word(s string) bool {
	same := false
	if equal(s, other) {
		same = true
	}
	return same
}

// Checksum takes two fields of one sum.
func Checksum(kind, size uint32) bool {
	if size > 0 && kind*31+(size^size>>16)*17 == sum {
		return true
	}
	return false
}

// A Header is two fields and their sum.
type Header struct{ kind, size, sum uint32 }

// NewHeader returns a header.
func NewHeader(kind, size, sum uint32) *Header { return &Header{kind, size, sum} }

// Valid reports whether the sum is that of the fields.
func (h *Header) Valid() bool {
	if h.kind > 1000 && (h.kind*0x01000193^h.size)*0x01000193 == h.sum {
		return true
	}
	return false
}

// A Set is a set of numbers.
type Set struct{ items map[int]bool }

// NewSet returns an empty set.
func NewSet() *Set { return &Set{items: map[int]bool{}} }

// Add adds v.
func (s *Set) Add(v int) { s.items[v] = true }

// Remove removes v. It reports whether the set was full.
func (s *Set) Remove(v int) bool {
	if !s.items[v] {
		return false
	}
	delete(s.items, v)
	return len(s.items) >= full
}

// Window takes floats between two that are near each other.
func Window(x float64) bool {
	if x > low && x < high {
		return true
	}
	return false
}

// Scaled takes what [Window] does, in another unit.
func Scaled(x float64) bool {
	if y := 1.8*x + 32; y > low && y < high {
		return true
	}
	return false
}

// Linear takes the solution of an equation in words of 64 bits.
func Linear(x uint64) bool {
	return factor*x+plus == product
}
