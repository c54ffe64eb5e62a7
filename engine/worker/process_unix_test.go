//go:build unix

package worker_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"foray.test/engine/internal/workertest"
	"foray.test/engine/worker"
)

// A process that was killed before it was ready may be started anew; one that ended may not.
func TestKilledAtStart(t *testing.T) {
	for script, want := range map[string]bool{"kill -KILL $$": true, "exit 3": false} {
		s := workertest.Spawn(t, workertest.Table())
		s.Binary = filepath.Join(t.TempDir(), "worker")
		if err := os.WriteFile(s.Binary, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Start(t.Context()); err == nil || errors.Is(err, worker.ErrKilled) != want {
			t.Errorf("%s: %v; killed: want %v", script, err, want)
		}
	}
}
