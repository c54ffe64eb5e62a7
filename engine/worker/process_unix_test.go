//go:build unix

package worker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foray.test/engine/internal/workertest"
	"foray.test/engine/worker"
)

// A process that does not get ready is ended, whether it waits or computes.
func TestNotReady(t *testing.T) {
	worker.ReadyWithin(t, 100*time.Millisecond)
	for _, end := range []string{"exec sleep 100", "while :; do :; done"} {
		s := workertest.Spawn(t, workertest.Table())
		s.Binary = filepath.Join(t.TempDir(), "worker")
		if err := os.WriteFile(s.Binary, []byte("#!/bin/sh\n"+end+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		workertest.LeavesNothing(t, func() {
			if _, err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "not ready within 100ms") {
				t.Errorf("%s: error %v", end, err)
			}
		})
	}
}

// A process that was killed before it was ready is started anew; one that ended is not.
func TestKilledAtStart(t *testing.T) {
	for _, tc := range []struct {
		end           string
		ends, started int
		ready         bool
	}{
		{"kill -KILL $$", 2, 3, true},
		{"kill -KILL $$", 100, 8, false},
		{"exit 3", 100, 1, false},
	} {
		s := workertest.Spawn(t, workertest.Table())
		s.Unconfined = true // it notes its starts
		dir := t.TempDir()
		note := filepath.Join(dir, "starts")
		script := fmt.Sprintf("#!/bin/sh\necho >> %[1]q\n[ $(wc -l < %[1]q) -gt %[2]d ] || %[3]s\nexec %[4]q\n", note, tc.ends, tc.end, s.Binary)
		s.Binary = filepath.Join(dir, "worker")
		if err := os.WriteFile(s.Binary, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		p, err := s.Start(t.Context())
		if err == nil {
			p.Kill()
			p.Dispose()
		}
		starts, _ := os.ReadFile(note)
		if (err == nil) != tc.ready || len(starts) != tc.started {
			t.Errorf("%+v: %d starts, error %v", tc, len(starts), err)
		}
	}
}
