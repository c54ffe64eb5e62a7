package confirm

import (
	"slices"
	"strings"
	"sync"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
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

// next removes and returns the job of the highest urgency, the earliest of these. It returns
// false if there is none, or if it is one that hold holds back.
func (l *line) next(urgency func(*Job) int, hold func(*Job) bool) (j Job, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.jobs) == 0 {
		return j, false
	}
	best := 0
	for i := range l.jobs {
		if urgency(&l.jobs[i]) > urgency(&l.jobs[best]) {
			best = i
		}
	}
	if j = l.jobs[best]; hold(&j) {
		return j, false
	}
	l.jobs = slices.Delete(l.jobs, best, best+1)
	return j, true
}

// urgency orders the jobs of a line: the higher comes first. Errors come before panics, and the
// first of a family before the others; then suspects, those by huge numbers and those of a family
// that is confirmed last.
func (q *Queue) urgency(j *Job) int {
	v := &j.Finding.Verdict
	switch {
	case v.Tier >= engine.Panic && q.repeated(j):
		return int(v.Tier)
	case v.Tier >= engine.Panic:
		return int(engine.Tiers + v.Tier)
	case engine.Huge(j.Finding.Steps), q.repeated(j):
		return 0
	}
	return 1
}

// repeated reports whether one of the family of j is confirmed, or a death of its kind that makes
// it less urgent.
func (q *Queue) repeated(j *Job) bool {
	is := false
	q.confirmed.Range(func(family, other any) bool {
		o := other.(*engine.Verdict)
		is = family == q.family(j) || j.Death && o.Kind == j.Finding.Verdict.Kind && q.follows(j, o)
		return !is
	})
	return is
}

// follows reports whether a death waits for those of other causes, as one of its kind is confirmed.
// A panic does, because one a package is shown, and so does a hang of functions that the other
// shares. What used up its fuel has no known cause before it is confirmed.
func (q *Queue) follows(j *Job, confirmed *engine.Verdict) bool {
	v := &j.Finding.Verdict
	return v.Tier == engine.Panic || j.Endless && confirmed.Tier >= engine.Panic || v.Kind == engine.KindHang && q.meet(v.Stack, confirmed.Stack)
}

// meet reports whether a function of the package is in both stacks.
func (q *Queue) meet(stack, other string) bool {
	for line := range strings.Lines(other) {
		if strings.HasPrefix(line, q.config.Table.Package) && strings.Contains("\n"+stack, "\n"+line) {
			return true
		}
	}
	return false
}

// family names the deaths of a kind in functions and methods of one name, but for digits: such
// functions mostly do the same, and fail for one cause. A panic is of one family with those of the
// same statement and caller, whatever they say. A contract has none.
func (q *Queue) family(j *Job) string {
	v := &j.Finding.Verdict
	if j.Death {
		return v.Kind + " " + seq.StripDigits(q.config.Table.Ops[v.Op].Base)
	}
	return v.Site()
}

// serve confirms the jobs of l until the queue is closed.
func (q *Queue) serve(l *line) {
	for {
		j, ok := l.next(q.urgency, q.holds)
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
		if family := q.family(&j); family != "" && res.Shown > 0 {
			q.confirmed.Store(family, &res.Finding.Verdict)
		}
		select {
		case q.results <- res:
		case <-q.ctx.Done():
			return
		}
	}
}

// holds reports whether j has to wait for processor time.
func (q *Queue) holds(j *Job) bool {
	if q.processors == 0 || q.unbound.Load() || !q.repeated(j) && (!j.Death || j.Finding.Verdict.Tier > engine.Suspect) {
		return false
	}
	return q.CPU() > time.Duration(cpuShare*float64(q.processors)*float64(time.Since(q.began)))
}
