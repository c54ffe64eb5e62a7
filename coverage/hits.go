package coverage

import (
	"math/bits"
	"strconv"
)

// The functions below read probe.Hits, one byte a side, 0 or 1. They run at
// least once per executed sequence, so they take eight bytes at a time and
// compare whole words of a Set. hits may be shorter than the set, or longer up
// to the next multiple of 64, the length at which scanning is fastest.

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

// MergeHits marks in seen the sides that are marked in hits. Both have the same length.
func MergeHits(seen, hits []byte) {
	for len(hits) >= 64 && len(seen) >= 64 {
		s, h := (*[64]byte)(seen), (*[64]byte)(hits)
		if load(h[0:8])|load(h[8:16])|load(h[16:24])|load(h[24:32])|load(h[32:40])|load(h[40:48])|load(h[48:56])|load(h[56:64]) != 0 {
			for i := 0; i < 64; i += 8 {
				store(s[i:i+8], load(s[i:i+8])|load(h[i:i+8]))
			}
		}
		seen, hits = seen[64:], hits[64:]
	}
	for i, h := range hits {
		seen[i] |= h
	}
}

func (s *Set) checkHits(hits []byte) {
	if len(hits) > 64*len(s.words) {
		panic("coverage: hits of " + strconv.Itoa(len(hits)) + " sides for a set for " + strconv.Itoa(s.sides))
	}
}

// takeWord makes one word of the first 64 bytes of hits, bit i from byte i, and
// returns the bytes after them. Missing bytes count as 0.
func takeWord(hits []byte) (uint64, []byte) {
	if len(hits) < 64 {
		return lastWord(hits), nil
	}
	h := (*[64]byte)(hits)
	// Eight bytes hold one bit each, the lowest: eight such words fit into one.
	// Bit 8i+j of it is byte 8j+i of h. Not by |, for the compiler would take the
	// loads apart and fail to put them together again: five times slower.
	w := load(h[0:8]) ^ load(h[8:16])<<1 ^ load(h[16:24])<<2 ^ load(h[24:32])<<3 ^
		load(h[32:40])<<4 ^ load(h[40:48])<<5 ^ load(h[48:56])<<6 ^ load(h[56:64])<<7
	if w != 0 {
		w = transpose(w)
	}
	return w, hits[64:]
}

// lastWord is takeWord for fewer than 64 bytes.
func lastWord(hits []byte) uint64 {
	var w uint64
	row := 0
	for ; len(hits) >= 8; hits = hits[8:] {
		w ^= load(hits) << row
		row++
	}
	w = transpose(w)
	for i, h := range hits {
		w |= uint64(h) << (8*row + i)
	}
	return w
}

// load reads the first eight bytes of b, the first one as the lowest; one
// instruction where that is the machine's order.
func load(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// store is the reverse of load.
func store(b []byte, w uint64) {
	_ = b[7]
	b[0], b[1], b[2], b[3] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
	b[4], b[5], b[6], b[7] = byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56)
}

// transpose moves bit 8i+j of w to bit 8j+i: it swaps within 2x2 squares of bits,
// then squares within larger ones.
func transpose(w uint64) uint64 {
	t := (w ^ w>>7) & 0x00AA00AA00AA00AA
	w ^= t ^ t<<7
	t = (w ^ w>>14) & 0x0000CCCC0000CCCC
	w ^= t ^ t<<14
	t = (w ^ w>>28) & 0x00000000F0F0F0F0
	return w ^ t ^ t<<28
}
