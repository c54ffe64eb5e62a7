package coverage

import (
	"math/bits"
	"strconv"
)

// The functions below read the bytes that probe.Hits holds, one a side, 0 or 1.
// They run once or more per executed sequence, so they take eight bytes at a
// time and look for what is new by words of a Set. hits may be shorter than the
// set; it is longest when it has the number of sides rounded up to a multiple of
// 64, and fastest when its length is a multiple of 8.

// AddHits adds to s the sides marked in hits and returns how many were new.
func (s *Set) AddHits(hits []byte) (newSides int) {
	s.checkHits(hits)
	for i := range s.words {
		if len(hits) == 0 {
			break
		}
		var w uint64
		w, hits = takeWord(hits)
		if add := w &^ s.words[i]; add != 0 {
			newSides += bits.OnesCount64(add)
			s.words[i] |= add
		}
	}
	return newSides
}

// HasNew reports whether hits marks a side that is not in s.
func HasNew(s *Set, hits []byte) bool {
	s.checkHits(hits)
	for _, have := range s.words {
		if len(hits) == 0 {
			break
		}
		var w uint64
		w, hits = takeWord(hits)
		if w&^have != 0 {
			return true
		}
	}
	return false
}

// AppendHits appends the sides marked in hits to dst, in increasing order, and
// returns the extended slice.
func AppendHits(dst []int, hits []byte) []int {
	for base := 0; len(hits) != 0; base += 64 {
		var w uint64
		for w, hits = takeWord(hits); w != 0; w &= w - 1 {
			dst = append(dst, base+bits.TrailingZeros64(w))
		}
	}
	return dst
}

// AppendNew appends to dst the sides set in hits that s lacks, in increasing
// order, and returns the extended slice.
func (s *Set) AppendNew(dst []int32, hits []byte) []int32 {
	s.checkHits(hits)
	for i, have := range s.words {
		if len(hits) == 0 {
			break
		}
		var w uint64
		w, hits = takeWord(hits)
		for w &^= have; w != 0; w &= w - 1 {
			dst = append(dst, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// AddBoth adds to s the sides that are both in a and set in hits.
func (s *Set) AddBoth(a *Set, hits []byte) {
	s.checkHits(hits)
	s.checkSame(a)
	for i := range s.words {
		if len(hits) == 0 {
			break
		}
		var w uint64
		w, hits = takeWord(hits)
		s.words[i] |= w & a.words[i]
	}
}

// AppendMissing appends to dst the sides of s that other lacks, in increasing
// order, and returns the extended slice.
func (s *Set) AppendMissing(dst []int32, other *Set) []int32 {
	s.checkSame(other)
	for i, w := range s.words {
		for w &^= other.words[i]; w != 0; w &= w - 1 {
			dst = append(dst, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return dst
}

func (s *Set) checkHits(hits []byte) {
	if len(hits) > 64*len(s.words) {
		panic("coverage: hits of " + strconv.Itoa(len(hits)) + " sides for a set for " + strconv.Itoa(s.sides))
	}
}

// takeWord makes one word of the first 64 bytes of hits, bit i from byte i, and
// returns the bytes after them. Missing bytes count as 0.
func takeWord(hits []byte) (uint64, []byte) {
	if len(hits) >= 64 {
		h := (*[64]byte)(hits)
		w := pack(h[0:8]) | pack(h[8:16])<<8 | pack(h[16:24])<<16 | pack(h[24:32])<<24 |
			pack(h[32:40])<<32 | pack(h[40:48])<<40 | pack(h[48:56])<<48 | pack(h[56:64])<<56
		return w, hits[64:]
	}
	return lastWord(hits), nil
}

func lastWord(hits []byte) uint64 {
	var w uint64
	n := 0
	for ; n+8 <= len(hits); n += 8 {
		w |= pack(hits[n:n+8]) << n
	}
	for ; n < len(hits); n++ {
		w |= uint64(hits[n]&1) << n
	}
	return w
}

// pack moves the lowest bits of eight bytes next to each other, bit i from byte
// i. The multiplier has bits 7, 14, … 56: bit 8i of the bytes lands on bit 56+i
// once, and no two products share a bit, so nothing carries.
func pack(b []byte) uint64 {
	_ = b[7]
	x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	return x & 0x0101010101010101 * 0x0102040810204080 >> 56
}
