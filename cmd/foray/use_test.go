package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/profile"
	"foray.test/cmd/internal/usage"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/build"
	"foray.test/harness/contract"
	"foray.test/harness/odds"
)

// The use of a finding is that of its last call, which it names if the finding is of another.
func TestCompareTests(t *testing.T) {
	table := &seq.Table{Package: "m.test/p", Ops: []seq.Operation{{Name: "F", Short: "F", Member: "F", API: true}, {Name: "G", Short: "G", Member: "G", API: true}}}
	read, _ := profile.New(table)
	read.Operation("F").In(profile.Tests).Places = 1
	s := &subject{common: &common{}, table: table, found: analysis{Usage: &usage.Usage{Functions: 1, Profile: read}}}
	for _, tt := range []struct {
		last seq.OpID
		of   string
		want string
	}{
		{0, "F", "tests or users of the package call it, with other kinds of arguments"},
		{0, "G", "tests or users of the package call F, with other kinds of arguments"},
		{1, "G", "no test or user of the package calls it"},
		{1, "F", "no test or user of the package calls G"},
	} {
		e := &event.Finding{Operation: tt.of}
		if s.compareTests(e, &engine.Finding{Steps: seq.Sequence{{Op: tt.last}}}); e.Use != tt.want {
			t.Errorf("finding of %s, last call %d: %q, want %q", tt.of, tt.last, e.Use, tt.want)
		}
	}
}

// What the user, the package or the race detector says has no odds. A broken promise that was lowered,
// and a crash that is seldom a bug, are told in a line.
func TestOdds(t *testing.T) {
	table := &seq.Table{Package: "m.test/p", Ops: []seq.Operation{{Name: "F", Short: "F", Member: "F", API: true, Template: "p.F()"}}}
	steps := seq.Sequence{{}}
	for _, tt := range []struct {
		v        engine.Verdict
		fuzz     string
		certain  bool
		unlikely bool
	}{
		{engine.Verdict{Claim: engine.ClaimOwn, Kind: engine.KindContract, Tier: engine.Error}, "", true, false},
		{engine.Verdict{Claim: engine.ClaimPromise, Kind: engine.KindContract, Tier: engine.Error, Signature: engine.Signature{Class: contract.Invariant}}, "", true, false},
		{engine.Verdict{Claim: engine.ClaimPromise, Kind: engine.KindContract, Tier: engine.Error, Signature: engine.Signature{Class: "round-trip"}}, "", false, true},
		{engine.Verdict{Claim: engine.ClaimPromise, Kind: engine.KindRace, Tier: engine.Error}, "", true, false},
		{engine.Verdict{Claim: engine.ClaimCrash, Kind: engine.KindFail, Tier: engine.Panic}, "FuzzF", true, false},
		{engine.Verdict{Claim: engine.ClaimCrash, Kind: engine.KindPanic, Tier: engine.Panic}, "", false, true},
		{engine.Verdict{Claim: engine.ClaimOwn, Kind: engine.KindContract, Tier: engine.Panic}, "", true, true},
		{engine.Verdict{Claim: engine.ClaimRefusal, Kind: engine.KindPanic, Tier: engine.Panic, Rule: engine.RuleAnyText}, "", false, true},
		{engine.Verdict{Claim: engine.ClaimRefusal, Kind: engine.KindPanic, Tier: engine.Panic, Rule: ruleOdds}, "", false, true},
	} {
		s := &subject{common: &common{telling: telling{likely: odds.Likely}}, table: table, existing: existing{fuzz: tt.fuzz}}
		e := &event.Finding{Operation: "F"}
		s.compareTests(e, &engine.Finding{Verdict: tt.v, Steps: steps})
		if certain := e.Odds == 1; certain != tt.certain || e.Text.Unlikely != tt.unlikely || e.Odds <= 0 {
			t.Errorf("%+v: odds %.2f, unlikely %v", tt.v, e.Odds, e.Text.Unlikely)
		}
		if want := tt.v.Tier == engine.Panic && tt.v.Claim != engine.ClaimCrash && tt.v.Rule != ruleOdds; e.Text.Lowered != want {
			t.Errorf("%+v: lowered by a rule: %v", tt.v, e.Text.Lowered)
		}
	}
}

// A run adds its use to that of earlier runs. A damaged file is told in a line and replaced, that
// of a later version stays, and a process without the lock saves nothing.
func TestRememberProfile(t *testing.T) {
	dir := t.TempDir()
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	run := func(claim bool, times int) *profile.Profile {
		t.Helper()
		table := &seq.Table{Package: "m.test/p", Ops: []seq.Operation{{Name: "F", Short: "F", Member: "F", API: true}}}
		read, _ := profile.New(table)
		read.Operation("F").In(profile.Tests).Places = 1
		s := &subject{
			common: &common{out: event.NewPrinter(nil, &errs, event.Options{})}, target: &build.Target{Path: "m.test/p"}, store: st,
			found: analysis{Usage: &usage.Usage{Functions: 1, Profile: read}},
		}
		if times > 0 {
			ran, _ := profile.New(table)
			ran.Operation("F").Ran = &profile.Calls{Times: times}
			s.ran = &usage.Usage{Profile: ran}
		}
		if claim {
			defer s.claim()()
		}
		s.rememberProfile()
		if read.Operation("F").Ran != nil {
			t.Error("what a run has read has changed: findings are judged by it")
		}
		got := new(profile.Profile)
		if s.store.LoadProfile(got) != nil {
			return nil
		}
		return got
	}
	if got := run(false, 7); got != nil {
		t.Errorf("without the lock: %+v", got)
	}
	if got := run(true, 7); got == nil || got.Operation("F").Ran.Times != 7 || got.Operation("F").Places() != 1 {
		t.Errorf("first run: %+v", got)
	}
	if got := run(true, 0); got.Operation("F").Ran == nil || errs.Len() > 0 {
		t.Errorf("a run without a recording forgot an earlier one: %+v %s", got, &errs)
	}
	for text, want := range map[string]string{
		"":                                  "unexpected end of JSON input: moved to quarantine/profile.json",
		"[1, 2":                             "unexpected end of JSON input: moved to quarantine/profile.json",
		`{"schema":1,"package":"m.test/p"}`: "damaged: the checksum is another: moved to quarantine/profile.json",
	} {
		errs.Reset()
		put(t, dir, text)
		if got := run(true, 3); got == nil || got.Operation("F").Ran.Times != 3 || !strings.Contains(errs.String(), want) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: %+v, told %q, want %q", text, got, &errs, want)
		}
	}
	const later = `{"schema":99,"operations":"?"}`
	put(t, dir, later)
	errs.Reset()
	run(true, 3)
	if data, err := os.ReadFile(filepath.Join(dir, "profile.json")); err != nil || string(data) != later || errs.String() != "foray: warning: m.test/p: corpus: load profile: schema 99, want at most 1: it is of a later foray, and stays as it is\n" {
		t.Errorf("the profile of a later version is now %s (%v), told %s", data, err, &errs)
	}
}

func put(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "profile.json"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
