package worker

import (
	"strings"
	"testing"
)

// TestTail: of a process's output the last bytes are kept, but from the message of the
// runtime on the first ones, too.
func TestTail(t *testing.T) {
	const fatal = "fatal error: stack overflow\n"
	for _, tt := range []struct {
		name   string
		writes []string
		want   string
	}{
		{"little", []string{"a", "b\n"}, "ab\n"},
		{"noise: the last half", []string{strings.Repeat("x", 60), strings.Repeat("y", 50)}, strings.Repeat("y", 50)},
		{"a message in the midst of noise", []string{strings.Repeat("x", 40), fatal, strings.Repeat("z", 100)}, strings.Repeat("x", 40) + fatal + strings.Repeat("z", 100)},
		{"the stack after a long message", []string{fatal, strings.Repeat("z", 120), "goroutine 7"}, fatal + strings.Repeat("z", 100-len(fatal)) + strings.Repeat("z", 20+len(fatal)) + "goroutine 7"},
		{"… and a longer one", []string{fatal, strings.Repeat("z", 500), "goroutine 7"}, fatal + strings.Repeat("z", 100-len(fatal)) + strings.Repeat("z", 50) + "goroutine 7"},
		{"a message after much noise", []string{strings.Repeat("x", 90), strings.Repeat("y", 20), fatal}, strings.Repeat("x", 30) + strings.Repeat("y", 20) + fatal},
		{"a message in two parts", []string{"fatal er", "ror: no\n"}, "fatal error: no\n"},
	} {
		b := newTail(100)
		for _, w := range tt.writes {
			if n, err := b.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("%s: Write = %d, %v", tt.name, n, err)
			}
		}
		if got := b.String(); got != tt.want {
			t.Errorf("%s: kept %q, want %q", tt.name, got, tt.want)
		}
	}
	for text, want := range map[string]bool{
		strings.Repeat("x", 200): false, fatal: false, fatal + strings.Repeat("z", 100): true,
	} {
		b := newTail(100)
		if b.Write([]byte(text)); b.full() != want {
			t.Errorf("full %v after %q, want %v", !want, text, want)
		}
	}
	b := newTail(100)
	b.Write([]byte("one\ntwo\n\n"))
	if got := b.lastLine(); got != "two" {
		t.Errorf("last line %q", got)
	}
}
