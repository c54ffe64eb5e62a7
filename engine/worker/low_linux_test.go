package worker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foray.test/engine/internal/workertest"
	"foray.test/engine/worker"
)

// All threads of a process that gives way have a low priority.
func TestLow(t *testing.T) {
	nice := func(low bool) []string {
		s := workertest.Spawn(t, workertest.Table())
		s.Low = low
		p, err := s.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			p.Kill()
			p.Dispose()
		}()
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", worker.Pid(p)))
		if err != nil || len(threads) == 0 {
			t.Fatalf("threads %q, %v", threads, err)
		}
		var list []string
		for _, file := range threads {
			if stat, err := os.ReadFile(file); err == nil { // else the thread has ended
				_, fields, _ := strings.Cut(string(stat), ") ") // from the third on: see proc_pid_stat(5)
				list = append(list, strings.Fields(fields)[19-3])
			}
		}
		return list
	}
	usual := nice(false)[0]
	for _, n := range nice(true) {
		if n == usual {
			t.Errorf("niceness %s, as usual", n)
		}
	}
}
