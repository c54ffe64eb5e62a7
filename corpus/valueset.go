package corpus

import "math/bits"

// ways is how many hashes share a set. Four of them are 16 bytes, a quarter of a
// cache line, so that looking at a whole set costs one miss.
const ways = 4

// DefaultSetBytes is the default size of a [ValueSet]: it fits a second-level
// cache. An exact set cost 32 ns an add in the inner loop and grew without end.
const DefaultSetBytes = 1 << 20

// A ValueSet remembers hashes, as many as fit into a fixed size. The hashes are
// of values, to tell new ones from known ones, or of sequences. It forgets, so
// a hash that it reports as new may be known. It stores half of a hash, and the
// other half chooses its place, so a hash reported as known is new once in 2^30
// times. All bits of a hash must be well spread. The same adds in the same
// order give the same answers. Only one goroutine at a time may use it.
type ValueSet struct {
	sets  [][ways]uint32 // latest first; zero is a free place
	shift uint           // of a hash, to the number of its set
}

// NewValueSet returns an empty set of sizeBytes, rounded down to a power of two;
// zero means [DefaultSetBytes].
func NewValueSet(sizeBytes int) *ValueSet {
	if sizeBytes <= 0 {
		sizeBytes = DefaultSetBytes
	}
	n := max(2, sizeBytes/(4*ways))
	log := bits.Len(uint(n)) - 1
	return &ValueSet{sets: make([][ways]uint32, 1<<log), shift: uint(64 - log)}
}

// tag is the part of h that a set holds.
func tag(h uint64) uint32 { return max(uint32(h), 1) }

// Add reports whether h was absent, and then adds it in place of the oldest hash
// of its set. Adding a hash again does not make it younger.
func (s *ValueSet) Add(h uint64) bool {
	set, t := &s.sets[h>>(s.shift&63)], tag(h)
	if set[0] == t || set[1] == t || set[2] == t || set[3] == t {
		return false
	}
	set[0], set[1], set[2], set[3] = t, set[0], set[1], set[2]
	return true
}
