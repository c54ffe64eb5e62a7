package corpus

// ValueSet is a placeholder until the digest branch lands.
type ValueSet struct{ sets [][4]uint64 }

func NewValueSet(bytes int) *ValueSet { return &ValueSet{make([][4]uint64, bytes/32)} }

func (v *ValueSet) Add(h uint64) bool {
	if h == 0 {
		h = 1
	}
	s := &v.sets[h%uint64(len(v.sets))]
	for _, x := range s {
		if x == h {
			return false
		}
	}
	copy(s[1:], s[:3])
	s[0] = h
	return true
}
