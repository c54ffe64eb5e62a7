package worker

import (
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Code under test may start processes that leave its process group. They keep the
// environment that they were started with, as a rule, and so are known by a mark there.

// EnvRun is the environment variable with the mark of a run or of one of its workers.
const EnvRun = "FORAY_RUN"

// Run returns the mark of this process. Those of its workers begin with it.
var Run = sync.OnceValue(func() string {
	var random [8]byte
	rand.Read(random[:])
	return fmt.Sprintf("%x.", random)
})

// workers are the numbers of the workers that live.
var workers struct {
	sync.Mutex
	alive map[string]bool // by mark
	swept time.Time
}

var numbers atomic.Uint64

// newMark returns the mark of a worker that is about to start.
func newMark() string {
	mark := fmt.Sprintf("%s%d.", Run(), numbers.Add(1))
	workers.Lock()
	defer workers.Unlock()
	if workers.alive == nil {
		workers.alive = map[string]bool{}
	}
	workers.alive[mark] = true
	return mark
}

// sweepEvery is how often processes are looked for that dead workers left: it takes
// milliseconds, as long as a small worker lives.
const sweepEvery = time.Second

// dead notes that the worker with a mark has ended. Now and then it ends the processes
// that such workers left.
func dead(mark string) {
	workers.Lock()
	defer workers.Unlock()
	delete(workers.alive, mark)
	if time.Since(workers.swept) >= sweepEvery {
		EndMarked(func(m string) bool { return len(m) > len(Run()) && m[:len(Run())] == Run() && !workers.alive[m] })
		workers.swept = time.Now()
	}
}
