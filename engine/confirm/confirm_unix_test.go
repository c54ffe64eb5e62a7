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

// A hang runs in one process, and not for long, if its test is tried afterwards.
func TestProved(t *testing.T) {
	table := workertest.Table("Block")
	s := workertest.Parse(t, table, workertest.Minimal(t, table, "Block"))
	hung, err := replay.NewRunner(config(t, table)).Alone(t.Context(), s, replay.Trial{Deadline: replay.HangTry})
	if err != nil || hung.Verdict == nil {
		t.Fatalf("Alone = %+v, %v; want a hang", hung, err)
	}
	v := *hung.Verdict
	for proved, want := range map[bool]int{false: Runs, true: 1} {
		c := config(t, table)
		note := filepath.Join(t.TempDir(), "starts")
		script := filepath.Join(t.TempDir(), "worker")
		if err := os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\necho >> %q\nexec %q\n", note, c.Spawn.Binary), 0o777); err != nil {
			t.Fatal(err)
		}
		c.Spawn.Binary, c.Spawn.Unconfined = script, true // it notes its starts
		q := NewQueue(c, unbounded)
		if proved {
			q.Proved()
		}
		res := q.show(engine.Finding{Verdict: v, Steps: s, Original: s}, replay.Trial{Want: v.Signature})
		q.Close()
		starts, err := os.ReadFile(note)
		if err != nil || res.Shown != Runs || len(starts) != want {
			t.Errorf("proved %v: shown in %d of %d processes, %v; want %d", proved, res.Shown, len(starts), err, want)
		}
	}
}
