package exhaustive

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"foray.test/engine/draw"
)

const (
	defaultLimit  = 1 << 32
	estimateAfter = 1 << 20 // runs
	pauseEvery    = 1 << 12 // runs, between looks at the limit
	probes        = 256     // of an estimate that a walk makes
)

// A failure ends a walk.
type failure struct {
	at     []choice
	err    error
	found  bool // by visit; otherwise the cases cannot be enumerated
	beyond bool // the limit, at no case in particular
}

func (f *failure) Error() string {
	if f.beyond {
		return fmt.Sprintf("exhaustive: %v", f.err)
	}
	return fmt.Sprintf("exhaustive: case %s: %v", format(f.at), f.err)
}

func (f *failure) Unwrap() error { return f.err }

// before reports whether f is to be shown rather than g.
func (f *failure) before(g *failure) bool {
	if g == nil || f.beyond != g.beyond {
		return g == nil || g.beyond
	}
	return compare(f.at, g.at) < 0
}

// A walk is the state that its workers share.
type walk struct {
	mu      sync.Mutex
	wake    sync.Cond
	tasks   [][]choice
	working int // workers with a task
	idle    atomic.Int32
	runs    atomic.Int64
	failed  atomic.Bool // least is set
	least   *failure    // in the order of the walk
	begun   time.Time
}

// A worker walks the cases of one task at a time.
type worker[T any] struct {
	of      *Cases[T]
	c       *C
	run     func() T
	visit   func(*C, T) error
	shared  *walk
	alone   bool
	stats   Stats
	pauseAt int64
	length  int // the only number of choices that counts; any if it is negative
}

func (s *Cases[T]) walk(visit func(*C, T) error) (Stats, *failure) {
	if !s.ShortestFirst {
		return s.round(visit, -1)
	}
	var total Stats
	longest := cmp.Or(s.Depth, maxChoices)
	for length := 0; ; length++ {
		stats, fail := s.round(visit, length)
		total.Cases += stats.Cases
		total.Runs += stats.Runs
		total.Cut = stats.Cut
		if fail != nil || stats.Cut == 0 || length == longest {
			return total, fail
		}
	}
}

// round walks the cases of a number of choices, of any if it is negative.
func (s *Cases[T]) round(visit func(*C, T) error, length int) (Stats, *failure) {
	shared := &walk{tasks: [][]choice{nil}, begun: time.Now()}
	shared.wake.L = &shared.mu
	workers := make([]*worker[T], max(s.Workers, 1))
	for i := range workers {
		w := &worker[T]{of: s, visit: visit, shared: shared, alone: len(workers) == 1, length: length}
		w.c, w.run = s.newC()
		if length >= 0 {
			w.c.max, w.c.cut = length, true
		}
		w.pauseAt = min(pauseEvery, s.limit())
		workers[i] = w
	}
	var group sync.WaitGroup
	for _, w := range workers[1:] {
		group.Go(w.work)
	}
	workers[0].work()
	group.Wait()
	var total Stats
	for _, w := range workers {
		total.Cases += w.stats.Cases
		total.Runs += w.stats.Runs
		total.Cut += w.stats.Cut
	}
	return total, shared.least
}

func (w *worker[T]) work() {
	for task, ok := w.shared.take(); ok; task, ok = w.shared.take() {
		w.do(task)
	}
}

// take waits for a task. It reports false if all work is done.
func (s *walk) take() ([]choice, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.tasks) == 0 {
		if s.working == 0 {
			return nil, false
		}
		s.idle.Add(1)
		s.wake.Wait()
		s.idle.Add(-1)
	}
	last := len(s.tasks) - 1
	task := s.tasks[last]
	s.tasks = s.tasks[:last]
	s.working++
	return task, true
}

func (w *worker[T]) do(task []choice) {
	defer func() {
		w.shared.mu.Lock()
		w.shared.working--
		w.shared.mu.Unlock()
		w.shared.wake.Broadcast()
	}()
	w.c.load(task)
	for !w.batch() {
		if !w.next() {
			return
		}
	}
}

// batch runs cases until the task is done, or returns false for a run that did not
// return. One deferred call serves all runs up to there.
func (w *worker[T]) batch() (done bool) {
	c := w.c
	defer c.rescue()
	for {
		c.begin()
		v := w.run()
		c.running = false
		if !c.dropped && (w.length < 0 || w.length == len(c.made)) {
			w.stats.Cases++
			if err := w.visit(c, v); err != nil {
				w.fail(&failure{err: err, found: true})
				w.stats.Runs++
				return true
			}
		}
		if !w.next() {
			return true
		}
	}
}

// next counts a run and moves to the next case. It reports false if there is none.
func (w *worker[T]) next() bool {
	c := w.c
	w.stats.Runs++
	if c.tooLong {
		w.stats.Cut++
	}
	if c.err == nil && c.next < len(c.made) {
		c.err = &differing{at: c.next, want: c.made[c.next].n}
	}
	if c.err != nil {
		w.fail(&failure{err: c.err})
		return false
	}
	if !w.alone && !w.attend() || !c.advance() {
		return false
	}
	return w.stats.Runs < w.pauseAt || w.pause()
}

// attend serves the other workers. It reports false if one has failed on a case that
// comes before those that are left here.
func (w *worker[T]) attend() bool {
	s := w.shared
	if s.failed.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		return (&failure{at: w.c.made}).before(s.least)
	}
	if s.idle.Load() > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.tasks) < int(s.idle.Load()) {
			if task := w.c.split(); task != nil {
				s.tasks = append(s.tasks, task)
				s.wake.Signal()
			}
		}
	}
	return true
}

// fail keeps f if it is the first failure in the order of the walk.
func (w *worker[T]) fail(f *failure) {
	f.at = slices.Clone(w.c.made)
	var d *differing
	if errors.As(f.err, &d) && d.earlier == "" {
		d.earlier = w.of.siteOf(f.at[:d.at], d.want)
	}
	s := w.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.before(s.least) {
		s.least = f
		s.failed.Store(true)
	}
}

// siteOf returns the place of the question that follows given, if it asks for n
// values in one of a few runs.
func (s *Cases[T]) siteOf(given []choice, n int) string {
	c, run := s.newC()
	c.lenient, c.trace = true, true
	for range 64 {
		c.load(given)
		once(c, run)
		if at := len(given); at < len(c.made) && c.made[at].n == n {
			return c.sites[at]
		}
	}
	return ""
}

func (s *Cases[T]) limit() int64 { return cmp.Or(s.Limit, defaultLimit) }

// pause looks at the limit. It reports false if the walk is to end.
func (w *worker[T]) pause() bool {
	limit := w.of.limit()
	step := min(pauseEvery, limit)
	runs := w.shared.runs.Add(step)
	w.pauseAt += step
	estimate := float64(runs)
	if runs >= limit || runs == estimateAfter {
		estimate = max(estimate, w.of.estimate(probes))
	}
	if runs < limit && estimate <= float64(limit) {
		return true
	}
	each := time.Since(w.shared.begun) / time.Duration(runs)
	w.fail(&failure{beyond: true, err: fmt.Errorf("more than %d runs: about %.1g are to be expected, which take %s at %v a run: use smaller bounds or raise Limit",
		limit, estimate, long(estimate*each.Seconds()), each)})
	return false
}

// long tells a time that may be too long for a [time.Duration].
func long(seconds float64) string {
	const year = 365 * 24 * 3600
	if seconds > year {
		return fmt.Sprintf("%.2g years", seconds/year)
	}
	return time.Duration(seconds * 1e9).Round(time.Second).String()
}

// Estimate returns the expected number of runs of a walk [Knuth75]. It makes some random
// runs and takes the mean of the products of their numbers of values to choose from.
// It is seldom far too high. For a predicate that few structures satisfy it is often far
// too low.
func (s *Cases[T]) Estimate() float64 { return s.estimate(16 * probes) }

func (s *Cases[T]) estimate(probes int) float64 {
	c, run := s.newC()
	c.beyond = draw.Random(1)
	sum := 0.0
	for range probes {
		c.load(nil)
		once(c, run)
		product := 1.0
		for _, x := range c.made {
			product *= float64(x.n)
		}
		sum += product
	}
	return sum / float64(probes)
}
