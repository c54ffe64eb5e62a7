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

func TestLong(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.2: "0s", 59.6: "1m0s", 599: "9m59s", 3 * 3600: "3h0m", 40 * 3600: "40h0m", 48 * 3600: "2 days", 364 * 24 * 3600: "364 days", 730 * 24 * 3600: "2 years", 1e30: "3.2e+22 years",
	} {
		if got := Long(seconds); got != want {
			t.Errorf("Long(%v) = %q, want %q", seconds, got, want)
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

// A word is cut only if it is too long.
func TestCutAtWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"panic:index:(*Queue).Get", 30, "panic:index:(*Queue).Get"},
		{"panic:index:(*Queue).Get", 24, "panic:index:(*Queue).Get"},
		{"panic:index:(*Queue).Get", 23, "panic:index:(*Queue).…"},
		{"panic:index:(*Queue).Get", 18, "panic:index:(*…"},
		{"no such file", 9, "no such…"},
		{"abcdefghij kl", 8, "abcdefg…"},
		{"ab", 1, "…"},
	} {
		if got := Cut(tt.text, tt.n); got != tt.want {
			t.Errorf("%q to %d: %q, want %q", tt.text, tt.n, got, tt.want)
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

func TestNearest(t *testing.T) {
	names := []string{"fuzz", "explore", "replay", "gen", "diff", "init", "version", "v", ""}
	for word, want := range map[string]string{
		"fuz": "fuzz", "fzuz": "fuzz", "fuzzz": "fuzz", "repaly": "replay", "versoin": "version", "explain": "", "egn": "gen",
		"generate": "", "test": "", "x": "", "": "", "dif": "diff", "inti": "init",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"ab", "ba", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}, {"abcd", "acbd", 1}} {
		if got := edits(tt.a, tt.b); got != tt.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"p: no file": "p: no file", "a\tb\nc": "a\tb\nc", "\x1b[2Jé": `\x1b[2Jé`, "a\rb\x00": `a\rb\x00`, "\u009b": `\u009b`,
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{"F": "`F`", "": "`  `", "a`b": "``a`b``", "``": "``` `` ```"} {
		if got := Code(text); got != want {
			t.Errorf("Code(%q) = %q, want %q", text, got, want)
		}
	}
	if got := Fence("x ```` y", "```"); got != "`````" {
		t.Errorf("Fence = %q", got)
	}
}
