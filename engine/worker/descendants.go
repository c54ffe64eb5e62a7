package worker

import (
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Code under test may start processes that leave its process group. They are known by a mark
// that they inherit: in the environment and, where the system has it, in a limit, which stays
// if one is started with another environment.

// EnvRun is the environment variable with the mark of a run or of one of its workers.
const EnvRun = "FORAY_RUN"

// Run returns the mark of this process. Those of its workers begin with it.
var Run = sync.OnceValue(func() string {
	var random [randomBytes]byte
	rand.Read(random[:])
	return fmt.Sprintf("%x.", random)
})

// Numbers of marks, in a limit: one bit that says so, five bytes of the run, and the worker.
const (
	limitBit    = 1 << 61
	workerBits  = 20
	noWorker    = 1<<workerBits - 1 // the run itself
	randomBytes = 5
)

// limitOf returns the number of a mark, false if it is none of [Run] or a worker of a run.
func limitOf(mark string) (n uint64, ok bool) {
	var run, worker uint64
	if _, err := fmt.Sscanf(mark, "%x.%d.", &run, &worker); err != nil {
		if _, err := fmt.Sscanf(mark, "%x.", &run); err != nil {
			return 0, false
		}
		worker = noWorker
	}
	return limitBit | run<<workerBits | worker, run>>(8*randomBytes) == 0 && worker <= noWorker
}

// markOf returns the mark of a number, empty if it is none.
func markOf(n uint64) string {
	if n>>(8*randomBytes+workerBits) != limitBit>>(8*randomBytes+workerBits) {
		return ""
	}
	run, worker := n>>workerBits&(1<<(8*randomBytes)-1), n&noWorker
	if worker == noWorker {
		return fmt.Sprintf("%0*x.", 2*randomBytes, run)
	}
	return fmt.Sprintf("%0*x.%d.", 2*randomBytes, run, worker)
}

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
