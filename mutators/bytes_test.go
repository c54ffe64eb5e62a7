package mutators

import (
	"testing"

	"foray.test/engine/draw"
)

func TestEditBytes(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		choices  []int // edit, position, then the edit's own
		want     string
	}{
		{"gives the empty string a byte", "", []int{7}, "\x07"},
		{"flips a bit", "\x00\x01", []int{0, 1, 3}, "\x00\x09"},
		{"sets a byte", "abc", []int{1, 1, 255}, "a\xffc"},
		{"adds to a byte", "abc", []int{2, 1, 2, 1, 0, 0}, "aec"},
		{"takes from a byte", "abc", []int{2, 1, 0, 0, 0, 0}, "aac"},
		{"carries in two bytes, low first", "\xff\x00x", []int{2, 0, 0, 1, 1, 0}, "\x00\x01x"},
		{"carries in two bytes, high first", "\x00\xffx", []int{2, 0, 0, 1, 1, 1}, "\x01\x00x"},
		{"adds to what is left", "\x00\xff", []int{2, 1, 0, 1, 3, 1}, "\x00\x00"},
		{"sets four bytes, low first", "abcdef", []int{3, 1, 10, 2, 0}, "a\x00\x00\x01\x00f"},
		{"sets four bytes, high first", "abcdef", []int{3, 1, 10, 2, 1}, "a\x00\x01\x00\x00f"},
		{"copies a range", "abcdef", []int{4, 0, 3, 1}, "decdef"},
		{"copies a range past the end", "abcdef", []int{4, 5, 0, 2}, "abcdeabc"},
		{"fills a range", "abcdef", []int{5, 2, 2, 0}, "ab\x00\x00\x00f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := draw.From(&draw.Tape{Choices: tt.choices})
			if got := EditBytes(src, tt.in); got != tt.want {
				t.Errorf("EditBytes(%q) with choices %v: got %q, want %q", tt.in, tt.choices, got, tt.want)
			}
		})
	}
}

func TestIsBinary(t *testing.T) {
	for s, want := range map[string]bool{"": false, "key: 1\n\t\"x\"": false, "\x7fELF": true, "GIF89a\x00": true, "\xff\xd8": true} {
		if got := isBinary(s); got != want {
			t.Errorf("isBinary(%q): got %v", s, got)
		}
	}
}

// Both random editors make strings of any input and any choices.
func FuzzEditText(f *testing.F) {
	f.Add("", []byte{})
	f.Add("a1 b", []byte{7, 0, 1, 1})
	f.Add("\x00\x01\x02\x03\x04\x05\x06\x07\x08", []byte{2, 1, 9, 3, 3})
	f.Fuzz(func(t *testing.T, s string, choices []byte) {
		src := draw.From(draw.NewBytes(choices))
		for range 8 {
			if s = EditString(src, s, func() string { return "word" }); len(s) > 1<<12 {
				s = s[:1<<12]
			}
			s = EditBytes(src, s)
		}
	})
}
