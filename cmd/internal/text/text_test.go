package text

import (
	"strings"
	"testing"
)

func TestPlural(t *testing.T) {
	for _, tt := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "call", "0 calls"}, {1, "call", "1 call"}, {2, "call", "2 calls"},
		{1, "entry", "1 entry"}, {17, "entry", "17 entries"}, {2, "way", "2 ways"},
		{1, "value class", "1 value class"}, {3, "value class", "3 value classes"},
	} {
		if got := Plural(tt.n, tt.noun); got != tt.want {
			t.Errorf("Plural(%d, %q) = %q, want %q", tt.n, tt.noun, got, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"":                  "''",
		"a/b@v1.2.3":        "a/b@v1.2.3",
		"./...":             "./...",
		"-tags=a,b":         "-tags=a,b",
		"my out":            "'my out'",
		"it's":              `'it'\''s'`,
		"$HOME":             "'$HOME'",
		"-gcflags=all=-N *": "'-gcflags=all=-N *'",
	} {
		if got := Quote(word); got != want {
			t.Errorf("Quote(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestSome(t *testing.T) {
	names := strings.Fields("a b c d e f")
	for _, tt := range []struct {
		n    int
		all  bool
		want string
	}{{0, false, ""}, {5, false, "a, b, c, d, e"}, {6, false, "a, b, c, d, 2 more"}, {6, true, "a, b, c, d, e, f"}} {
		if got := Some(names[:tt.n], tt.all); got != tt.want {
			t.Errorf("Some(%d names, %v) = %q, want %q", tt.n, tt.all, got, tt.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	if got := OneLine(" a\n\tb  cd", 4); got != "a b…" {
		t.Errorf("got %q", got)
	}
	if got := OneLine("äöü", 3); got != "äöü" {
		t.Errorf("got %q", got)
	}
}

func TestRows(t *testing.T) {
	var b strings.Builder
	long := strings.Repeat("x", 33)
	Rows(&b, [][2]string{{"ä", "one"}, {"abc", "two"}, {long, "three"}})
	if want := "  ä    one\n  abc  two\n  " + long + "  three\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
