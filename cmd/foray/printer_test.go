package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/load"
	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/coordinator"
)

func TestPlural(t *testing.T) {
	for _, tt := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "call", "0 calls"}, {1, "call", "1 call"}, {2, "call", "2 calls"},
		{1, "entry", "1 entry"}, {17, "entry", "17 entries"},
	} {
		if got := plural(tt.n, tt.noun); got != tt.want {
			t.Errorf("plural(%d, %q) = %q, want %q", tt.n, tt.noun, got, tt.want)
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
		if got := quote(word); got != want {
			t.Errorf("quote(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	frame := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintf(&b, "%s\n\t/src/x.go:1\n", n)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, stack, want string }{
		{"short", frame("m.test/p.F"), frame("m.test/p.F")},
		{"leaves out frames of others", frame("sync.fatal", "sync.unlock", "m.test/p.F"), frame("sync.fatal") + "… 1 frame\n" + frame("m.test/p.F")},
		{"leaves out a recursion", frame("m.test/p.F", "m.test/p.F", "m.test/p.F", "m.test/p.G"), frame("m.test/p.F") + "… 2 frames\n" + frame("m.test/p.G")},
		{"leaves out what is far away", frame("m.test/p.A", "m.test/p.B", "m.test/p.C", "m.test/p.D", "m.test/p.E", "m.test/p.F"), frame("m.test/p.A", "m.test/p.B", "m.test/p.C", "m.test/p.D", "m.test/p.E") + "… 1 frame\n"},
		{"another package", frame("m.test/q.F", "m.test/pp.F"), frame("m.test/q.F") + "… 1 frame\n"},
	} {
		if got := shorten(tt.stack, "m.test/p"); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestPrintError(t *testing.T) {
	var b bytes.Buffer
	a := &load.Error{Place: "a", Msg: "one", Hint: "do"}
	n := printError(&b, errors.Join(a, errors.Join(errors.New("two"), &load.Error{Place: "c", Msg: "three", Hint: "don't"})))
	const want = "foray: a: one\n  hint: do\nforay: two\nforay: c: three\n  hint: don't\n"
	if got := b.String(); got != want || n != 3 {
		t.Errorf("got %d errors\n%swant 3\n%s", n, got, want)
	}
}

func TestFuzzTime(t *testing.T) {
	for text, want := range map[string]fuzzTime{
		"60s": {duration: time.Minute}, "1m30s": {duration: 90 * time.Second}, "5000x": {sequences: 5000},
		"": {}, "x": {}, "0x": {}, "-1x": {}, "1.5x": {}, "5": {}, "0s": {}, "-1s": {}, "soon": {}, "99999999999999999999x": {},
	} {
		var got fuzzTime
		if err := got.Set(text); (err != nil) != (want == fuzzTime{}) || got != want {
			t.Errorf("Set(%q) = %v, got %+v, want %+v", text, err, got, want)
		}
	}
}

// TestLiveLine holds that a line on a terminal is never longer than it, and is
// taken back before other output.
func TestLiveLine(t *testing.T) {
	var b bytes.Buffer
	p := &printer{w: &b, fd: -1, live: true}
	s := coordinator.Snapshot{Elapsed: time.Second, Counts: engine.Counts{Sequences: 123456789012, Values: 123456789012}, Covered: coverage.NewSet(1), Deaths: 1000}
	p.Progress(s)
	line, ok := strings.CutPrefix(b.String(), "\r\x1b[K")
	if n := len([]rune(line)); !ok || n > 79 {
		t.Errorf("drew %q, %d wide", b.String(), n)
	}
	b.Reset()
	s.Elapsed += time.Millisecond
	p.Progress(s)
	p.println("done")
	if got, want := b.String(), "\r\x1b[Kdone\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
