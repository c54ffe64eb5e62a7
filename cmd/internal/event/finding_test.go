package event

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
)

var newYear = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// The text of a finding has its parts in order, and no line for a part that is empty.
func TestFindingText(t *testing.T) {
	bare := Finding{Operation: "F", Tier: "suspect", Kind: "panic", Signature: "s", Message: "m", News: true, Text: Shown{Rerun: "foray replay"}}
	full := bare
	full.Flaky, full.Document, full.File = true, "doc", "/m/t/f_test.go"
	full.Text = Shown{Code: "a()\nb()\n", Stack: "p.F\n\t/f.go:1\n", Origin: "seed 1, 2 calls", Rerun: "foray replay", Annotation: "::error ::50%25"}
	again := bare
	again.News, again.Text.First, again.Message = false, newYear, "two\nlines"
	once := again
	once.Hits, once.File, once.Text.Annotation = 1, "/m/t", "::error ::m"
	wrong, long := again, again
	wrong.Tier, wrong.Text.Code, long.Tier, long.Text.Code = "error", "a()\nb()\n", "error", strings.Repeat("a()\n", mostAgain+1)
	panics, stays := bare, again
	panics.Tier, panics.Odds, stays.Tier = "panic", 0.36, "panic"
	open, unsure := bare, bare
	open.Tier, open.Unconfirmed, unsure.Unconfirmed = "error", "its test passes", "its test passes"
	late := open
	late.Unconfirmed, late.Text.Untried, late.Document = "there was no time to try its test", true, "doc"
	hidden := full
	hidden.Text.Hidden = true
	for _, tt := range []struct {
		name string
		o    Options
		e    Finding
		want string
	}{
		{"few parts", Options{}, bare, "--- SUSPECT: F (suspect: panic)\n    m\n    signature s\n    re-run: foray replay\n\n"},
		{"all parts", Options{Dir: "/m"}, full, "::error ::50%25\n--- SUSPECT: F (suspect: panic, flaky)\n    m\n    doc\n        a()\n        b()\n    p.F\n    \t/f.go:1\n" +
			"    seed 1, 2 calls\n    signature s\n    written to t/f_test.go\n    re-run: foray replay\n\n"},
		{"a file far away", Options{Dir: "/x/y/z"}, Finding{Tier: "error", File: "/m/f", News: true}, "--- FAIL:  (error: )\n    signature \n    written to /m/f\n    re-run: \n\n"},
		{"again, never hit", Options{}, again, "--- still there: F (suspect: panic)\n    two\n    lines\n    found 2026-01-01\n    signature s\n\n"},
		{"again, hit once", Options{Dir: "/m"}, once, "::error ::m\n--- still there: F (suspect: panic)\n    two\n    lines\n    found 2026-01-01, 1 sequence ended in it since\n    signature s\n    written to t\n\n"},
		{"an error again", Options{}, wrong, "--- still there: F (error: panic)\n    two\n    lines\n        a()\n        b()\n    found 2026-01-01\n    signature s\n\n"},
		{"an error of many calls again", Options{}, long, "--- still there: F (error: panic)\n    two\n    lines\n    found 2026-01-01\n    signature s\n\n"},
		{"panic", Options{}, panics, "--- PANIC: F (panic)\n    m\n    of findings with such calls 36 in 100 were bugs\n    signature s\n    re-run: foray replay\n\n"},
		{"panic, again", Options{}, stays, "--- still there: F (panic)\n    two\n    lines\n    found 2026-01-01\n    signature s\n\n"},
		{"an error unconfirmed", Options{}, open, "--- UNCONFIRMED: F (error: panic)\n    m\n    fresh processes of foray show it, but its test passes\n    " + unconfirmedHint + "\n    signature s\n"},
		{"an error whose test was not tried", Options{}, late, "--- UNCONFIRMED: F (error: panic)\n    m\n    doc\n    fresh processes of foray show it, but there was no time to try its test\n    " + untriedHint + "\n    signature s\n"},
		{"a suspect unconfirmed", Options{}, unsure, ""},
		{"a suspect unconfirmed, all", Options{Verbose: true}, unsure, "--- UNCONFIRMED: F (suspect: panic)\n    m\n    fresh processes of foray show it, but its test passes\n    " + unconfirmedHint + "\n    signature s\n"},
		{"hidden", Options{Verbose: true}, hidden, ""},
	} {
		if got, _ := printed(tt.o, &tt.e); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
		if got, _ := printed(tt.o, &Replayed{Finding: &tt.e}); got != tt.want {
			t.Errorf("%s, replayed: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestFindingJSON(t *testing.T) {
	e := NewFinding(queue(), put(), "m.test/q")
	e.Package, e.File, e.Hits, e.SameCauseAs, e.Text.Hidden = "p", "f", 2, "s", true
	const want = `{"schema":1,"event":"finding","tier":"error","kind":"panic","operation":"(*Q).Put","signature":"panic:index:(*Q).Put","message":"Put panics: 50%","document":"doc",` +
		`"steps":2,"original_steps":3,"flaky":false,"package":"p","file":"f","sequence":"v0 := q.New(); v0.Put(1)","test":"","news":true,"hits":2,"same_cause_as":"s","imports":["m.test/q"],"code":"v0 := q.New()\nv0.Put(int(1))\n"}` + "\n"
	if steps := queue().String(put().Steps); e.Sequence != steps {
		t.Errorf("sequence %q, want %q", e.Sequence, steps)
	}
	e.Sequence = "v0 := q.New(); v0.Put(1)"
	if got, _ := printed(Options{JSON: true}, e); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

// A contract shows the assertion, and a race the calls of the two goroutines.
func TestCode(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    engine.Verdict
		want string
	}{
		{"panic", engine.Verdict{Kind: engine.KindPanic}, "v0 := q.New()\nv0.Put(int(1))\n"},
		{"contract", engine.Verdict{Kind: engine.KindContract, Assert: "$0 == $0", Slots: []int32{0}, Steps: 2}, "v0 := q.New()\nv0.Put(int(1))\nfmt.Println(v0 == v0) // false\n"},
		{"contract that panics", engine.Verdict{Kind: engine.KindPanic, Assert: "$0 == $0", Slots: []int32{0}, Steps: 2}, "v0 := q.New()\nv0.Put(int(1))\nfmt.Println(v0 == v0) // panics\n"},
		{"race", engine.Verdict{Kind: engine.KindRace, Fork: 1}, "v0 := q.New()\n// and then, in two goroutines at once:\nv0.Put(int(1))\n"},
		{"race without a fork", engine.Verdict{Kind: engine.KindRace}, "v0 := q.New()\nv0.Put(int(1))\n"},
	} {
		f := put()
		f.Verdict = tt.v
		if got := code(queue(), f).Code; got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// The length of a finding is in calls, of a fuzz target in bytes.
func TestOrigin(t *testing.T) {
	input := func(text string) seq.Sequence {
		return seq.Sequence{{Args: []seq.Arg{seq.Lit(&seq.Literal{Value: text}), seq.Slot(0), seq.Lit(&seq.Literal{Value: int64(1)})}}}
	}
	table := queue()
	for _, tt := range []struct {
		name     string
		now, was seq.Sequence
		target   bool
		want     string
	}{
		{"minimized", put().Steps, put().Original, false, "minimized from 3 calls to 2"},
		{"as found", put().Steps, put().Steps, false, "2 calls"},
		{"one call", put().Steps[:1], put().Steps[:1], false, "1 call"},
		{"minimized input", input("a"), input("abc"), true, "minimized from 3 bytes to 1"},
		{"input", input("a"), input("a"), true, "1 byte"},
		{"empty input", input(""), input("a"), true, "minimized from 1 byte to 0"},
	} {
		f := put()
		f.Steps, f.Original = tt.now, tt.was
		if got := Origin(table, f, tt.target); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestExplained(t *testing.T) {
	e := Explained{Signature: "s", Message: "m", Tier: "suspect", Sequence: "a()\nb()", First: newYear, Last: newYear.AddDate(0, 1, 0), Hits: 1, File: "/m/f"}
	full := e
	full.Document, full.Flaky, full.Stack, full.Hits, full.Known, full.KnownAt = "doc", true, "p.F\n\t/f.go:1\n", 2, true, "foray.known:3"
	pasted := e
	pasted.Code = "a()\nfmt.Println(b()) // false"
	for _, tt := range []struct {
		name string
		e    Explained
		want string
	}{
		{"few parts", e, "s\n    m\n    suspect: whatever its arguments are\n        a()\n        b()\n    found 2026-01-01, last seen 2026-02-01; 1 sequence ended in it\n    written to f\n\n"},
		{"code to paste", pasted, "s\n    m\n    suspect: whatever its arguments are\n        a()\n        fmt.Println(b()) // false\n    found 2026-01-01, last seen 2026-02-01; 1 sequence ended in it\n    written to f\n\n"},
		{"all parts", full, "s\n    m\n    suspect: doc\n    flaky: not every fresh process showed it\n        a()\n        b()\n    p.F\n    \t/f.go:1\n" +
			"    found 2026-01-01, last seen 2026-02-01; 2 sequences ended in it\n    known: foray.known:3\n    written to f\n\n"},
	} {
		if got, _ := printed(Options{Dir: "/m"}, &tt.e); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// Findings with one cause are joined by the way in which they fail.
func TestGroupAdd(t *testing.T) {
	table, g := queue(), NewGroup(false, true)
	if got := g.Add(table, put()); got != (Place{}) {
		t.Errorf("the first: %+v, want it shown", got)
	}
	if got, want := g.Add(table, put()), (Place{SameCauseAs: "panic:index:(*Q).Put", Hidden: true}); got != want {
		t.Errorf("the same again: %+v, want %+v", got, want)
	}
	var b bytes.Buffer
	NewPrinter(&b, io.Discard, Options{}).Print(&Replay{Package: "p", Entries: 2, Findings: 2, Group: g})
	const want = "ok\tp\t2 entries, 2 findings, 0 failing\n" // a finding is no other way to see itself
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}
