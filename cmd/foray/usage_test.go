package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/known"
	"foray.test/engine"
	"foray.test/harness/build"
)

// A mistake in the arguments of any command is told before anything is built, in a line and with a hint.
func TestUsageErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tt := range []struct{ args, want string }{
		{"fuzz -fuzztime soon", "foray: invalid value \"soon\" for flag -fuzztime: want a duration such as 60s or a number of sequences such as 5000x\n  hint: foray fuzz -h lists the flags\n"},
		{"fuzz -fuzztime 0x", "want a count above zero before x, such as 5000x\n"},
		{"fuzz -parallel 0", "flag -parallel: want a number from 1 to 65535\n"},
		{"fuzz -parallel 65536", "flag -parallel: want a number from 1 to 65535\n"},
		{"fuzz -seed -1", "flag -seed: want a number, zero or above\n"},
		{"gen -n -1", "flag -n: want a number, zero or above\n"},
		{"fuzz -ops (", "flag -ops: error parsing regexp: missing closing ): `(`\n"},
		{"fuzz -format xml", "foray: -format: \"xml\", want text or github\n"},
		{"fuzz -json -format github", "foray: -json and -format github exclude each other\n"},
		{"fuzz . -fuzztime soon x -race", "foray: invalid value \"soon\" for flag -fuzztime"},
		{"fuzz . -fuztime 5s", "foray: flag provided but not defined: -fuztime\n  hint: did you mean -fuzztime? foray fuzz -h lists the flags\n"},
		{"fuz .", "foray: unknown command \"fuz\"\n  hint: did you mean foray fuzz? foray -h lists the commands\n"},
		{"corpus stats .", "unknown command \"corpus stats\"\n  hint: did you mean foray corpus stat? foray corpus -h lists the commands\n"},
		{"./... -race", "unknown command \"./...\"\n  hint: did you mean foray fuzz ./... -race? a command comes first, and foray -h lists them\n"},
		{"-C dir fuzz .", "foray: unknown command \"-C\"\n  hint: did you mean foray fuzz -C dir .? a command comes first\n"},
		{"frobnicate", "unknown command \"frobnicate\"\n  hint: foray -h lists the commands\n"},
		{"list a.go", "foray: a.go: a file, want packages\n  hint: name the directory of the file: ./dir\n"},
		{"list -C " + missing, "foray: -C: chdir " + missing},
		{"list -seed 1", "foray: flag provided but not defined: -seed\n  hint: -seed is a flag of foray fuzz, foray diff, foray solve; foray list -h lists the flags\n"},
		{"replay -format xml", "foray: -format: \"xml\", want text or github\n"},
		{"fuzz -C " + missing, "\n  hint: -C names the directory to change to first\n"},
		{"fuzz -json=3", "\n  hint: a flag without a value is set, -name=false is not; foray fuzz -h lists the flags\n"},
		{"fuzz -fuzz [", "foray: -fuzz: error parsing regexp: missing closing ]: `[`\n  hint: foray fuzz -h lists the flags\n"},
		{"version now", "foray: version: takes no arguments\n"},
		{"clean ./...", "foray: clean: takes no arguments\n"},
		{"solve -o x_test.go", "foray: -o and -seeds are for structures, want -func\n"},
		{"fuzz -fuzz F -leaks", "foray: -leaks, -past and -usage-of are about sequences of calls, -fuzz makes inputs\n"},
		{"fuzz -fuzz F -past", "foray: -leaks, -past and -usage-of are about sequences of calls, -fuzz makes inputs\n"},
		{"diff -json -format markdown a b", "foray: -json and -format markdown exclude each other\n"},
		{"judge panic:index:F false", "foray: judge: want SIGNATURE, real or false, and a REASON\n"},
		{"judge F false x", "\"F\" is not a signature: want one such as panic:index:(*Queue).Get\n"},
		{"judge panic:index:F perhaps x", "\"perhaps\", want real or false\n"},
		{"version -race", "flag provided but not defined: -race\n"},
		{"corpus distill -n -prune", "foray: -n, -prune and -undo exclude each other\n"},
		{"corpus distill -prune -undo", "foray: -n, -prune and -undo exclude each other\n"},
	} {
		var stderr bytes.Buffer
		p := &process{stdout: t.Output(), stderr: &stderr, temps: &temps{}}
		if code := p.run(t.Context(), strings.Fields(tt.args)); code != exitUsage || !strings.Contains(stderr.String(), tt.want) {
			t.Errorf("%s: exit %d, %s\nwant %s", tt.args, code, &stderr, tt.want)
		}
		if said := stderr.String(); strings.Count(said, "\n") != 2 || !strings.Contains(said, "\n  hint: ") {
			t.Errorf("%s: want one line and a hint, got\n%s", tt.args, said)
		}
	}
}

func TestFlagValues(t *testing.T) {
	var s seed
	if err := s.set("0"); err != nil || !s.given {
		t.Errorf("seed 0: %v, %+v", err, s)
	}
	if s.setSeed(); s.n != 0 {
		t.Errorf("seed 0 became %d", s.n)
	}
}

// A known finding that shows is counted, and not printed.
func TestSilenced(t *testing.T) {
	other, listed := engine.ParseSignature("panic:index:F"), engine.ParseSignature("panic:index:G")
	r := &recorder{silence: silence{known: known.List{Lines: map[string]int{listed.String(): 3}}, knownSeen: map[engine.Signature]bool{}}}
	r.count(map[engine.Signature]uint64{listed: 4, other: 2})
	if r.knownHits != 4 || !r.knownSeen[listed] || len(r.knownSeen) != 1 {
		t.Errorf("%d hits, seen %v, want 4 of the known one", r.knownHits, r.knownSeen)
	}
	r.count(map[engine.Signature]uint64{listed: 0})
	if r.knownHits != 4 || r.silenced(other) || !r.silenced(listed) {
		t.Errorf("%d hits, other silenced %v", r.knownHits, r.silenced(other))
	}
}

func TestFailureKinds(t *testing.T) {
	for _, tt := range []struct {
		kind         string
		quick, after bool
	}{
		{engine.KindPanic, true, false}, {engine.KindContract, true, false}, {engine.KindHang, false, false},
		{engine.KindRace, false, true}, {engine.KindLeak, false, true},
	} {
		if quick(tt.kind) != tt.quick || foundAfterRun(tt.kind) != tt.after {
			t.Errorf("%s: quick %v, found after the run %v", tt.kind, quick(tt.kind), foundAfterRun(tt.kind))
		}
	}
}

// A warning is printed once.
func TestWarnOnce(t *testing.T) {
	var stderr bytes.Buffer
	s := &subject{target: &build.Target{Path: "m.test/p"}}
	r := &recorder{s: s, warned: map[string]bool{}, f: &fuzzing{fuzzOptions: &fuzzOptions{common: &common{out: event.NewPrinter(nil, &stderr, event.Options{})}}}}
	for _, msg := range []string{"a", "b", "a"} {
		r.Warn(msg)
	}
	if got, want := stderr.String(), "foray: warning: m.test/p: a\nforay: warning: m.test/p: b\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
