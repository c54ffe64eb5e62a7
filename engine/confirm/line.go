package confirm

import (
	"slices"
	"sync"
	"time"

	"foray.test/engine"
)

// Bounds on the processor time that confirmations of deaths take from a run. An error or a panic is
// confirmed whatever the time; a suspect waits until all confirmations together have taken
// less than cpuShare of the run's processors, beyond freeCPU.
const (
	cpuShare = 0.15
	freeCPU  = 5 * time.Second
)

// A line holds the jobs of one class, of which one at a time is confirmed.
type line struct {
	mu      sync.Mutex
	jobs    []Job
	changed chan struct{} // holds a token after jobs have changed
}

func newLine() *line { return &line{changed: make(chan struct{}, 1)} }

func (l *line) add(j Job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs = append(l.jobs, j)
	l.wake()
}

func (l *line) wake() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// next removes and returns the job to confirm now: errors come first, then panics, then suspects
// without huge numbers, the earliest of each. It returns false if there is none, or if the
// first is one that hold holds back.
func (l *line) next(hold func(*Job) bool) (j Job, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.jobs) == 0 {
		return j, false
	}
	best := 0
	for i := range l.jobs {
		if l.jobs[i].urgency() > l.jobs[best].urgency() {
			best = i
		}
	}
	if j = l.jobs[best]; hold(&j) {
		return j, false
	}
	l.jobs = slices.Delete(l.jobs, best, best+1)
	return j, true
}

// urgency orders the jobs of a line: the higher comes first.
func (j *Job) urgency() int {
	switch {
	case j.Finding.Verdict.Tier == engine.Error:
		return 3
	case j.Finding.Verdict.Tier == engine.Panic:
		return 2
	case engine.Huge(j.Finding.Steps):
		return 0
	}
	return 1
}

// serve confirms the jobs of l until the queue is closed.
func (q *Queue) serve(l *line) {
	for {
		j, ok := l.next(q.holds)
		if !ok {
			select {
			case <-l.changed:
			case <-time.After(lookEvery):
			case <-q.ctx.Done():
				return
			}
			continue
		}
		res := q.confirm(j)
		res.Queued, res.Death, res.Endless = j.Finding.Verdict, j.Death, j.Endless
		select {
		case q.results <- res:
		case <-q.ctx.Done():
			return
		}
	}
}

// lookEvery is how often a line looks whether there is time again for the job it holds.
const lookEvery = 100 * time.Millisecond

// holds reports whether j has to wait for processor time.
func (q *Queue) holds(j *Job) bool {
	if q.processors == 0 || q.unbound.Load() || !j.Death || j.Finding.Verdict.Tier > engine.Suspect {
		return false
	}
	return q.CPU() > freeCPU+time.Duration(cpuShare*float64(q.processors)*float64(time.Since(q.began)))
}
