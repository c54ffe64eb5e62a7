// Package confirm shows findings again in fresh processes, after minimizing those that
// end them, and those of earlier runs in a few: what it reports, a person can repeat.
//
//	q := confirm.NewQueue(config, 0)
//	defer q.Close()
//	q.Add(confirm.Job{Finding: f, Death: true})
//	res := <-q.Results() // res.Shown of confirm.Runs processes showed it
package confirm

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// Runs is how many fresh processes a finding is shown in.
const Runs = 3

// A Finding is confirmed in fresh processes.
type Finding struct {
	engine.Finding
	Flaky bool // some of the fresh processes did not show it
}

// Bounds on what one confirmation may take, some seven seconds in all. Every try
// that ends its process costs one, and one of a hang lasts until its deadline.
const (
	doubtTime    = 600 * time.Millisecond // before a hang is minimized: most of what is only slow has ended by then
	minimizeTime = 2500 * time.Millisecond
	hurriedTime  = 500 * time.Millisecond // … once the run is over
)

// A Queue confirms findings beside a run: one of a class at a time, so that panics
// and contracts, which take milliseconds, wait for no hang.
type Queue struct {
	config   replay.Config
	runner   *replay.Runner
	minimize time.Duration // bounds the minimizing of one death
	hurrying time.Duration // … once the run is over
	ctx      context.Context
	results  chan Result
	cancel   context.CancelFunc
	waiting  sync.WaitGroup
	// A turn is held by whoever confirms a finding of the class.
	quick, deaths, hangs chan struct{}
	hurried              atomic.Bool
}

// A Job is a finding to be confirmed.
type Job struct {
	Finding engine.Finding
	Death   bool // its steps did not come to their end
	// Late says that a goroutine ended the process that the step did not run in; it
	// may have been started by one of the sequences before.
	Late bool
	// Endless says that it used up its fuel in the search, where nobody has waited for
	// its end.
	Endless bool
	Before  []seq.Sequence // oldest first
}

// A Result is what became of a job.
type Result struct {
	Finding engine.Finding // minimized, if it is a death
	Shown   int            // in how many of Runs processes
	Queued  engine.Verdict // that it had in the queue
	Death   bool
	Endless bool
}

// NewQueue returns an empty queue, which must be closed. Minimizing a death may take
// patience, if that is longer than 2.5 seconds, and no less when the queue is hurried.
func NewQueue(c replay.Config, patience time.Duration) *Queue {
	ctx, cancel := context.WithCancel(context.Background())
	turn := func() chan struct{} { return make(chan struct{}, 1) }
	return &Queue{
		config: c, runner: replay.NewRunner(c), minimize: max(minimizeTime, patience), hurrying: max(hurriedTime, patience),
		ctx: ctx, cancel: cancel, results: make(chan Result), quick: turn(), deaths: turn(), hangs: turn(),
	}
}

// Results returns what has been confirmed, or not, of what was added.
func (q *Queue) Results() <-chan Result { return q.results }

// Add has j confirmed when its turn comes.
func (q *Queue) Add(j Job) {
	turn := q.quick
	switch {
	case j.Death && j.Finding.Verdict.Kind == engine.KindHang:
		turn = q.hangs
	case j.Death:
		turn = q.deaths
	}
	q.waiting.Go(func() {
		select {
		case turn <- struct{}{}:
		case <-q.ctx.Done():
			return
		}
		res := q.confirm(j)
		res.Queued, res.Death, res.Endless = j.Finding.Verdict, j.Death, j.Endless
		<-turn
		select {
		case q.results <- res:
		case <-q.ctx.Done():
		}
	})
}

// Hurry says that the run is over and waits for what is being confirmed: less time
// is spent to minimize it.
func (q *Queue) Hurry() { q.hurried.Store(true) }

// Close drops what is not confirmed and ends all processes.
func (q *Queue) Close() {
	q.cancel()
	q.waiting.Wait()
}

// CPU returns the processor time of the processes that have ended.
func (q *Queue) CPU() time.Duration { return q.runner.CPU() }

// confirm runs a finding in fresh processes, after minimizing it if it ends them.
// Should the minimized sequence not show it, longer ones may.
func (q *Queue) confirm(j Job) Result {
	f := j.Finding
	minimize := j.Death
	if f.Verdict.Kind == engine.KindHang && j.Death {
		// The clock called it so. With patience it may be something else, or slow.
		v := q.once(f.Steps, replay.Trial{Deadline: doubtTime})
		if minimize = v != nil; minimize {
			f.Verdict = *v
		} else if j.Endless {
			return Result{Finding: f} // it ended
		}
	}
	list := []engine.Finding{f}
	if minimize {
		list = q.minimizeDeath(f, replay.Trial{Linger: j.linger()}, j.Late)
	}
	if len(f.Original) > len(f.Steps) {
		list = append(list, engine.Finding{Verdict: f.Verdict, Steps: f.Original, Original: f.Original})
	}
	var res Result
	for _, f := range list {
		if res = q.show(f, j.linger()); res.Shown > 0 || q.hurried.Load() {
			break
		}
	}
	if res.Shown == 0 {
		if f, ok := q.withEarlier(j); ok {
			for _, f := range q.minimizeDeath(f, replay.Trial{Linger: j.linger()}, true) {
				if res = q.show(f, j.linger()); res.Shown > 0 {
					break
				}
			}
		}
	}
	return res
}

// withEarlier returns the finding of j with one of the sequences before instead, or
// with as many of them in front as it takes to show it. It reports false if
// nothing does.
func (q *Queue) withEarlier(j Job) (engine.Finding, bool) {
	began := time.Now()
	n := len(j.Before)
	var list []seq.Sequence
	if j.Late {
		// Most are parts of another, run to prune it: the longest first.
		list = slices.Clone(j.Before)
		slices.SortStableFunc(list, func(a, b seq.Sequence) int { return len(b) - len(a) })
		list = list[:min(n, maxAlone)]
	}
	joined := j.Finding.Original
	for i := n - 1; i >= max(0, n-maxJoined); i-- {
		if len(joined)+len(j.Before[i]) > maxJoinedSteps {
			break
		}
		joined = seq.Concat(q.config.Table, j.Before[i], joined)
		list = append(list, joined)
	}
	for _, s := range list {
		if q.over(began) {
			break
		}
		if v := q.once(s, replay.Trial{Deadline: replay.DeathTime, Linger: j.linger()}); shows(v, j.Finding.Verdict.Signature) {
			return engine.Finding{Verdict: *v, Steps: s, Original: s}, true
		}
	}
	return j.Finding, false
}

// How many of the sequences before are tried, alone and joined in front.
const (
	maxAlone       = 8
	maxJoined      = 8
	maxJoinedSteps = 2000
)

// over reports whether what has begun then has taken its time.
func (q *Queue) over(began time.Time) bool {
	spent := time.Since(began)
	return spent > q.minimize || spent > q.hurrying && q.hurried.Load() || q.ctx.Err() != nil
}

// lingerTime is how long a process is given behind the last step to be ended by a
// goroutine.
const lingerTime = 50 * time.Millisecond

func (j *Job) linger() time.Duration {
	if j.Late {
		return lingerTime
	}
	return 0
}

// show runs f in fresh processes and counts those that show the same.
func (q *Queue) show(f engine.Finding, linger time.Duration) Result {
	t := replay.Trial{Deadline: replay.DeathTime, Linger: linger, Want: f.Verdict.Signature}
	verdicts := make([]*engine.Verdict, Runs)
	if f.Verdict.Kind == engine.KindHang {
		q.showHang(verdicts, f, t)
	} else {
		var wg sync.WaitGroup
		for i := range verdicts {
			wg.Go(func() { verdicts[i] = q.once(f.Steps, t) })
		}
		wg.Wait()
	}
	res := Result{Finding: f}
	for _, v := range verdicts {
		if shows(v, f.Verdict.Signature) {
			res.Shown++
			res.Finding.Verdict = *v
		}
	}
	return res
}

// showHang runs f in one process after the other: what computes on and on takes a
// processor from the run. Once one has had the time that it takes to say so, the
// others are only asked whether it is so each time.
func (q *Queue) showHang(verdicts []*engine.Verdict, f engine.Finding, t replay.Trial) {
	t.Deadline = replay.HangTime
	for i := range verdicts {
		verdicts[i] = q.once(f.Steps, t)
		if shows(verdicts[i], f.Verdict.Signature) {
			t.Deadline = replay.HangTry
		}
	}
}

// once runs s in a process of its own, and returns its verdict.
func (q *Queue) once(s seq.Sequence, t replay.Trial) *engine.Verdict {
	x, _ := q.runner.Alone(q.ctx, s, t) // without a process nothing shows
	return x.Verdict
}

func shows(v *engine.Verdict, signature string) bool { return v != nil && v.Signature == signature }
