package coverage

import (
	"errors"
	"fmt"
	"math/bits"
)

// MaxSides bounds the sets that UnmarshalBinary accepts, so that a damaged
// message makes it allocate 2 MB at most. The whole standard library has under
// 100,000 sides.
const MaxSides = 1 << 24

// The two forms of an encoded set; after the form byte comes the number of sides
// as a varint. The shorter form is used, formBits if they are equally long, so
// that equal sets have equal encodings.
const (
	formBits = 0 // ceil(sides/8) bytes, bit i%8 of byte i/8 for side i
	formRuns = 1 // varint lengths of runs: absent, present, absent, … up to the last present one
)

// MarshalBinary returns a compact encoding of s. Equal sets have equal
// encodings. The error is always nil.
func (s *Set) MarshalBinary() ([]byte, error) {
	bitsLen := (s.sides + 7) / 8
	runs := appendUvarint([]byte{formRuns}, uint64(s.sides))
	header := len(runs)
	for at := 0; at < s.sides && len(runs)-header < bitsLen; {
		from := s.next(at, true)
		if from == s.sides {
			break
		}
		to := s.next(from, false)
		runs = appendUvarint(runs, uint64(from-at))
		runs = appendUvarint(runs, uint64(to-from))
		at = to
	}
	if len(runs)-header < bitsLen {
		return runs, nil
	}
	data := append(make([]byte, 0, header+bitsLen), runs[:header]...)
	data[0] = formBits
	for i := range bitsLen {
		data = append(data, byte(s.words[i/8]>>(i%8*8)))
	}
	return data, nil
}

// next returns the first side from at on that is present, or absent, in s;
// s.sides if there is none.
func (s *Set) next(at int, present bool) int {
	for at < s.sides {
		w := s.words[at/64]
		if !present {
			w = ^w
		}
		if w >>= at % 64; w != 0 {
			return min(at+bits.TrailingZeros64(w), s.sides)
		}
		at += 64 - at%64
	}
	return s.sides
}

// UnmarshalBinary sets s to the set encoded in data. It accepts only encodings
// that MarshalBinary returns, of at most MaxSides sides. On error s is
// unchanged.
func (s *Set) UnmarshalBinary(data []byte) error {
	if len(data) == 0 {
		return errors.New("coverage: encoded set is empty")
	}
	form := data[0]
	n, rest, ok := takeUvarint(data[1:])
	if !ok || n > MaxSides {
		return fmt.Errorf("coverage: encoded set has a bad number of sides, want at most %d", MaxSides)
	}
	t := NewSet(int(n))
	var err error
	switch form {
	case formBits:
		err = t.readBits(rest)
	case formRuns:
		err = t.readRuns(rest)
	default:
		err = fmt.Errorf("coverage: encoded set has form %d, want %d or %d", form, formBits, formRuns)
	}
	if err != nil {
		return err
	}
	if again, _ := t.MarshalBinary(); string(again) != string(data) {
		return errors.New("coverage: encoded set is not in the shorter form")
	}
	*s = *t
	return nil
}

func (s *Set) readBits(data []byte) error {
	if want := (s.sides + 7) / 8; len(data) != want {
		return fmt.Errorf("coverage: encoded set has %d bytes of bits, want %d for %d sides", len(data), want, s.sides)
	}
	if s.sides%8 != 0 && data[len(data)-1]>>(s.sides%8) != 0 {
		return fmt.Errorf("coverage: encoded set has bits after side %d", s.sides-1)
	}
	for i, b := range data {
		s.words[i/8] |= uint64(b) << (i % 8 * 8)
	}
	return nil
}

func (s *Set) readRuns(data []byte) error {
	at, present := 0, false
	for len(data) != 0 {
		n, rest, ok := takeUvarint(data)
		if !ok || n > uint64(s.sides-at) {
			return fmt.Errorf("coverage: encoded set has a bad run after side %d of %d", at, s.sides)
		}
		if present {
			for side := at; side < at+int(n); side++ {
				s.Add(side)
			}
		}
		at, present, data = at+int(n), !present, rest
	}
	return nil
}

func appendUvarint(b []byte, x uint64) []byte {
	for ; x >= 0x80; x >>= 7 {
		b = append(b, byte(x)|0x80)
	}
	return append(b, byte(x))
}

// takeUvarint returns the varint at the start of data and the bytes after it.
// It reads only values below 1<<35, which take five bytes.
func takeUvarint(data []byte) (x uint64, rest []byte, ok bool) {
	for i := 0; i < len(data) && i < 5; i++ {
		x |= uint64(data[i]&0x7f) << (7 * i)
		if data[i] < 0x80 {
			return x, data[i+1:], true
		}
	}
	return 0, nil, false
}
