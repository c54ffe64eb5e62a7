package mutators

import (
	"testing"

	"foray.test/engine/draw"
)

func TestEditString(t *testing.T) {
	const word = "W"
	for _, tt := range []struct {
		name, in string
		choices  []int // edit, position, then the edit's own
		want     string
	}{
		{"inserts a word", "abc", []int{0, 1}, "aWbc"},
		{"inserts at the end", "abc", []int{0, 3}, "abcW"},
		{"appends a word", "abc", []int{1, 0}, "abcW"},
		{"replaces the rest", "abc", []int{2, 1}, "aW"},
		{"removes a range", "abcd", []int{3, 1, 2}, "ad"},
		{"removes nothing of the empty string", "", []int{3, 0, 0}, ""},
		{"repeats a range", "abc", []int{4, 1, 1, 0}, "abbc"},
		{"repeats up to five times", "abc", []int{4, 1, 1, 3}, "abbbbbc"},
		{"truncates", "abc", []int{5, 2}, "ab"},
		{"changes a byte", "abc", []int{6, 1, 'z' - ' '}, "azc"},
		{"leaves the byte behind the end", "abc", []int{6, 3}, "abc"},
		{"changes a number", "v12.3", []int{7, 0, 0, 3}, "v2.3"},
		{"changes the number behind the position", "v12.3", []int{7, 3, 7, 12}, "v12.7"},
		{"finds no number", "abc", []int{7, 0}, "abc"},
		{"wraps", "abc", []int{8, 0, 2}, "(abc)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := draw.From(&draw.Tape{Choices: tt.choices})
			if got := EditString(src, tt.in, func() string { return word }); got != tt.want {
				t.Errorf("EditString(%q) with choices %v: got %q, want %q", tt.in, tt.choices, got, tt.want)
			}
		})
	}
}
