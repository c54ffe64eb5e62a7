package mutators

import (
	"testing"

	"foray.test/engine/draw"
)

func TestEditBytes(t *testing.T) {
	edit := func(n int) int { return len(stringEdits) + n }
	for _, tt := range []struct {
		name, in string
		choices  []int // edit, position, then the edit's own
		want     string
	}{
		{"makes edits of strings", "abc", []int{0, 1}, "aWbc"},
		{"sets a byte", "abc", []int{edit(0), 1, 0xff}, "a\xffc"},
		{"sets no byte behind the end", "abc", []int{edit(0), 3, 0xff}, "abc"},
		{"flips a bit", "abc", []int{edit(1), 0, 7}, "\xe1bc"},
		{"flips none behind the end", "abc", []int{edit(1), 3}, "abc"},
		{"adds to a byte", "abc", []int{edit(2), 1, 16}, "acc"},
		{"takes from a byte", "abc", []int{edit(2), 1, 15}, "aac"},
		{"wraps around", "\x00", []int{edit(2), 0, 0}, "\xf0"},
		{"inserts a byte", "abc", []int{edit(3), 3, 0}, "abc\x00"},
		{"removes a byte", "abc", []int{edit(4), 0}, "bc"},
		{"removes none behind the end", "abc", []int{edit(4), 3}, "abc"},
		{"overwrites with a word", "abc", []int{edit(5), 2}, "abW"},
		{"sets a little-endian integer", "abcdef", []int{edit(6), 1, 1, 15, 0}, "a\xff\x01def"[:1] + "\x00\x02def"},
		{"sets a big-endian integer", "abcdef", []int{edit(6), 1, 1, 15, 1}, "a\x02\x00def"},
		{"cuts an integer at the end", "abc", []int{edit(6), 2, 3, 13, 0}, "ab\xff"},
		{"copies a part", "abcd", []int{edit(7), 4, 1, 2}, "abcdbc"},
		{"swaps parts", "abcd", []int{edit(8), 2, 2}, "cdab"},
		{"swaps nothing at an end", "abcd", []int{edit(8), 4, 0}, "abcd"},
		{"leaves the empty string", "", []int{edit(6), 0, 3, 29, 0}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := draw.From(&draw.Tape{Choices: tt.choices})
			if got := EditBytes(src, tt.in, func() string { return "W" }); got != tt.want {
				t.Errorf("EditBytes(%q) with choices %v: got %q, want %q", tt.in, tt.choices, got, tt.want)
			}
		})
	}
}

// No edit reaches beyond the string, wherever it falls.
func TestEditBytesAnywhere(t *testing.T) {
	src := draw.Random(1)
	s := ""
	for range 20_000 {
		if s = EditBytes(src, s, func() string { return "word" }); len(s) > 200 {
			s = s[:src.Choose("cut", 200)]
		}
	}
}
