// Package models has Go bodies for functions of the standard library that are written in
// assembly, or that use what the interpreter of package concolic lacks. The interpreter
// calls IndexByte in place of internal/bytealg.IndexByte, and so on: they run like
// any other code, with branches on symbolic bytes.
package models

// IndexByte returns the index of the first c in b, or -1.
func IndexByte(b []byte, c byte) int {
	for i, x := range b {
		if x == c {
			return i
		}
	}
	return -1
}

// IndexByteString returns the index of the first c in s, or -1.
func IndexByteString(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// LastIndexByteString returns the index of the last c in s, or -1.
func LastIndexByteString(s string, c byte) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// Count returns how many c there are in b.
func Count(b []byte, c byte) int {
	n := 0
	for _, x := range b {
		if x == c {
			n++
		}
	}
	return n
}

// CountString returns how many c there are in s.
func CountString(s string, c byte) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] == c {
			n++
		}
	}
	return n
}

// Equal reports whether a and b have equal bytes.
func Equal(a, b []byte) bool { return string(a) == string(b) }

// Compare orders a and b.
func Compare(a, b []byte) int { return CompareString(string(a), string(b)) }

// CompareString orders a and b.
func CompareString(a, b string) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// Index returns the index of the first b in a, or -1.
func Index(a, b []byte) int { return IndexString(string(a), string(b)) }

// IndexString returns the index of the first b in a, or -1.
func IndexString(a, b string) int {
	for i := 0; i+len(b) <= len(a); i++ {
		if a[i:i+len(b)] == b {
			return i
		}
	}
	return -1
}

// MakeNoZero returns n bytes.
func MakeNoZero(n int) []byte { return make([]byte, n) }

// Clone returns a copy of s.
func Clone(s string) string { return s }

type formatted struct {
	text string
	err  error
}

func (f *formatted) Error() string { return f.text }

func (f *formatted) Unwrap() error { return f.err }

// Errorf returns an error with a text, that wraps another one or nil.
func Errorf(text string, err error) error { return &formatted{text, err} }

// Is is errors.Is, but for errors that cannot be compared.
func Is(err, target error) bool {
	for err != nil && err != target {
		if x, ok := err.(interface{ Is(error) bool }); ok && x.Is(target) {
			return true
		}
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			for _, err := range x.Unwrap() {
				if Is(err, target) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return err == target
}

const runeError = '\uFFFD'

// DecodeRune returns the first rune of s, which is not empty, and its width.
func DecodeRune(s string) (rune, int) {
	c := s[0]
	size, lo, hi := 0, byte(0x80), byte(0xBF)
	switch {
	case c < 0x80:
		return rune(c), 1
	case c < 0xC2 || c > 0xF4:
		return runeError, 1
	case c < 0xE0:
		size = 2
	case c < 0xF0:
		size = 3
		if c == 0xE0 {
			lo = 0xA0
		} else if c == 0xED {
			hi = 0x9F
		}
	default:
		size = 4
		if c == 0xF0 {
			lo = 0x90
		} else if c == 0xF4 {
			hi = 0x8F
		}
	}
	if len(s) < size {
		return runeError, 1
	}
	r := rune(c) & (0xFF >> (size + 1))
	for i := 1; i < size; i++ {
		b := s[i]
		if b < lo || b > hi {
			return runeError, 1
		}
		r, lo, hi = r<<6|rune(b&0x3F), 0x80, 0xBF
	}
	return r, size
}

// EncodeRune returns the string of r.
func EncodeRune(r rune) string {
	switch {
	case r < 0 || r > 0x10FFFF || r >= 0xD800 && r < 0xE000:
		return string([]byte{0xEF, 0xBF, 0xBD})
	case r < 0x80:
		return string([]byte{byte(r)})
	case r < 0x800:
		return string([]byte{0xC0 | byte(r>>6), 0x80 | byte(r&0x3F)})
	case r < 0x10000:
		return string([]byte{0xE0 | byte(r>>12), 0x80 | byte(r>>6&0x3F), 0x80 | byte(r&0x3F)})
	}
	return string([]byte{0xF0 | byte(r>>18), 0x80 | byte(r>>12&0x3F), 0x80 | byte(r>>6&0x3F), 0x80 | byte(r&0x3F)})
}
