package models

import (
	"testing"
	"unicode/utf8"
)

// Runes are decoded and encoded as Go does.
func TestRunes(t *testing.T) {
	check := func(s string) {
		if r, n := DecodeRune(s); true {
			if want, size := utf8.DecodeRuneInString(s); r != want || n != size {
				t.Errorf("DecodeRune(%q) = %#x, %d, want %#x, %d", s, r, n, want, size)
			}
		}
	}
	for r := rune(-2); r <= utf8.MaxRune+2; r++ {
		s := string(r)
		if got := EncodeRune(r); got != s {
			t.Errorf("EncodeRune(%#x) = %q, want %q", r, got, s)
		}
		if r%7 == 0 || r < 0x900 {
			check(s)
			check(s[:len(s)-1] + "a")
			check(s[:1])
		}
	}
	for a := range 256 {
		for _, b := range []byte{0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0} {
			check(string([]byte{byte(a), b}))
			check(string([]byte{byte(a), b, 0x80, 0x80}))
			check(string([]byte{byte(a), b, 0x80, 0xc0}))
		}
	}
}
