//go:build unix

package confirm

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/replay"
)

// countStarts has the processes of c note their starts. The function returns how many there were.
func countStarts(t *testing.T, c *replay.Config) func() int {
	t.Helper()
	note := filepath.Join(t.TempDir(), "starts")
	script := filepath.Join(t.TempDir(), "worker")
	if err := os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\necho >> %q\nexec %q\n", note, c.Spawn.Binary), 0o777); err != nil {
		t.Fatal(err)
	}
	c.Spawn.Binary, c.Spawn.Unconfined = script, true
	return func() int {
		starts, err := os.ReadFile(note)
		if err != nil {
			t.Error(err)
		}
		return len(starts)
	}
}

// A sequence that ends its process is not run again once it shows what was seen.
func TestShownBy(t *testing.T) {
	table := workertest.Table("Leave")
	s := workertest.Parse(t, table, workertest.Minimal(t, table, "Leave"))
	c := config(t, table)
	starts := countStarts(t, &c)
	b := replay.NewRunner(c).Bench()
	defer b.Close()
	seen := map[string]bool{}
	for i, want := range []struct{ verdicts, starts int }{{1, 2}, {0, 3}} {
		list, err := shownBy(t.Context(), b, s, replay.Trial{Deadline: replay.DeathTime}, seen)
		if n := starts(); err != nil || len(list) != want.verdicts || n != want.starts {
			t.Errorf("time %d: %d new verdicts, %d processes so far, error %v; want %+v", i, len(list), n, err, want)
		}
	}
}

// A hang runs in one process, and not for long, if its test is tried afterwards. So does another finding
// that is hardly chance; one that the process does not show runs in the others as well.
func TestProved(t *testing.T) {
	for _, tt := range []struct {
		op            string
		proved        bool
		starts, shown int
		want          string // the signature, if not its own
	}{
		{"Block", false, Runs, Runs, ""},
		{"Block", true, 1, Runs, ""},
		{"Crash", false, Runs, Runs, ""},
		{"Crash", true, 1, Runs, ""},
		{"Crash", true, Runs, 0, "panic:index:Other"},
		{"Leave", true, 1, Runs, ""},
		{"Grab", true, 1, Runs, ""},
		{"Race", true, Runs, Runs, ""}, // chance may show it
	} {
		table := workertest.Table(tt.op)
		s := workertest.Parse(t, table, workertest.Minimal(t, table, tt.op))
		x, err := replay.NewRunner(config(t, table)).Alone(t.Context(), s, replay.Trial{Deadline: replay.DeathTime})
		if err != nil || x.Verdict == nil {
			t.Fatalf("Alone = %+v, %v; want a finding", x, err)
		}
		v := *x.Verdict
		if tt.want != "" {
			v.Signature = engine.ParseSignature(tt.want)
		}
		c := config(t, table)
		starts := countStarts(t, &c)
		q := NewQueue(c, unbounded)
		if tt.proved {
			q.Proved()
		}
		res := q.show(engine.Finding{Verdict: v, Steps: s, Original: s}, replay.Trial{Want: v.Signature})
		q.Close()
		if n := starts(); res.Shown != tt.shown || n != tt.starts {
			t.Errorf("%s, proved %v: shown by %d of %d processes; want %d of %d", tt.op, tt.proved, res.Shown, n, tt.shown, tt.starts)
		}
	}
}
