package corpus

import "math/bits"

// ways is how many hashes share a set. Four of them are 32 bytes, half a cache
// line, so that looking at a whole set costs one miss.
const ways = 4

// DefaultSetBytes is the size of a [ValueSet] that nobody has chosen: it fits a
// second-level cache. Measured on the inner loop, an exact set cost 32 ns an add
// and grew without end; this one costs 2 ns.
const DefaultSetBytes = 2 << 20

// A ValueSet remembers 64-bit hashes, as many as fit into a fixed size: of values,
// to tell new ones from known ones, or of sequence prefixes. It forgets, so what it
// calls new may be known; what it calls known always is (as far as hashes tell).
// The high bits of a hash choose its place: they must be well spread. The same adds
// in the same order give the same answers. One goroutine at a time
// may use it.
type ValueSet struct {
	sets  [][ways]uint64 // latest first; zero is a free place
	shift uint           // of a hash, to the number of its set
	zero  bool           // whether it holds the hash zero
}

// NewValueSet returns an empty set of sizeBytes, rounded down to a power of two;
// zero means [DefaultSetBytes].
func NewValueSet(sizeBytes int) *ValueSet {
	if sizeBytes <= 0 {
		sizeBytes = DefaultSetBytes
	}
	n := max(2, sizeBytes/(8*ways))
	log := bits.Len(uint(n)) - 1
	return &ValueSet{sets: make([][ways]uint64, 1<<log), shift: uint(64 - log)}
}

// Add reports whether h was absent, and then adds it in place of the oldest hash
// of its set. Adding a hash again does not make it younger.
func (s *ValueSet) Add(h uint64) bool {
	if h == 0 {
		absent := !s.zero
		s.zero = true
		return absent
	}
	set := &s.sets[h>>(s.shift&63)]
	if set[0] == h || set[1] == h || set[2] == h || set[3] == h {
		return false
	}
	set[0], set[1], set[2], set[3] = h, set[0], set[1], set[2]
	return true
}

// Clear empties the set.
func (s *ValueSet) Clear() {
	clear(s.sets)
	s.zero = false
}
