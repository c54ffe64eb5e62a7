// Package confirm runs findings again in fresh processes, so that a person can repeat
// the findings that foray reports. Findings that end their process are minimized first. It also
// reviews the findings of earlier runs, and runs the detectors of races and leaks.
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

// Runs is how many fresh processes a finding runs in. Where its test is tried besides, one will do.
const Runs = 3

// A Queue confirms findings beside a run: one of each class at a time. So panics and
// contracts, which take milliseconds, wait for no hang.
type Queue struct {
	config               replay.Config
	runner               *replay.Runner
	fueled               atomic.Pointer[replay.Runner] // of the analysis build; nil without
	minimize             time.Duration                 // bounds the minimizing of one death
	hurrying             time.Duration                 // … once the run is over
	ctx                  context.Context
	results              chan Result
	cancel               context.CancelFunc
	waiting              sync.WaitGroup
	quick, deaths, hangs *line
	hurried              atomic.Bool
	confirmed            sync.Map // *engine.Verdict of those that are, by family
	counted              bool     // see Counted
	proved               bool     // see Proved
	budget
}

// A budget bounds the processor time of a queue.
type budget struct {
	processors int // of the run; zero sets no bound
	began      time.Time
	unbound    atomic.Bool
}

// A Job is a finding to be confirmed.
type Job struct {
	Finding engine.Finding
	Death   bool // its steps did not complete
	// Late is set if the process ended by a panic in another goroutine than that of the
	// steps. One of the sequences before may have started it.
	Late bool
	// Endless is set if it used up its fuel in the search, which did not wait for its end.
	Endless bool
	Before  []seq.Sequence // oldest first
	// Called are sequences with calls added that contracts may have made.
	Called []seq.Sequence
}

// A Result is the outcome of a job.
type Result struct {
	Finding engine.Finding // minimized, if it is a death
	Shown   int            // in how many of Runs processes; those that one has spared count
	Queued  engine.Verdict // the verdict in the queue
	Death   bool
	Endless bool
}

// NewQueue returns an empty queue, which must be closed. Minimizing a death may take
// minimizing, if that is longer than 2.5 seconds; then Hurry does not shorten it.
func NewQueue(c replay.Config, minimizing time.Duration) *Queue {
	c.Spawn.Place = "confirm" // so that the files of the search end no confirmation
	ctx, cancel := context.WithCancel(context.Background())
	q := &Queue{
		config: c, runner: replay.NewRunner(c), minimize: max(minimizeTime, minimizing), hurrying: max(hurriedTime, minimizing),
		ctx: ctx, cancel: cancel, results: make(chan Result), quick: newLine(), deaths: newLine(), hangs: newLine(), budget: budget{began: time.Now()},
	}
	for _, l := range []*line{q.quick, q.deaths, q.hangs} {
		q.waiting.Go(func() { q.serve(l) })
	}
	return q
}

// Bound bounds the processor time of confirming findings that end their process, to a share of
// so many processors from now on. The first error of each family and the first panic of each kind are
// not held back. It must be called before Add.
func (q *Queue) Bound(processors int) { q.processors, q.began = processors, time.Now() }

// Unbound lifts the bound: the run is over.
func (q *Queue) Unbound() { q.unbound.Store(true) }

// Analyze has hangs minimized in processes of the analysis build, which fuel bounds. c starts
// them.
func (q *Queue) Analyze(c replay.Config) {
	c.Spawn.Place = q.config.Spawn.Place
	q.fueled.Store(replay.NewRunner(c))
}

// Results returns the results of the jobs that were added.
func (q *Queue) Results() <-chan Result { return q.results }

// Add has j confirmed, after those of its class that were added before, or are more urgent.
func (q *Queue) Add(j Job) {
	switch {
	case j.Death && j.Finding.Verdict.Kind == engine.KindHang:
		q.hangs.add(j)
	case j.Death:
		q.deaths.add(j)
	default:
		q.quick.add(j)
	}
}

// Counted is called before the first Add, for a run that ends by a count. A death is
// minimized to the end then, and a hang by a count of runs, unless Hurry is called: no clock
// decides on the result.
func (q *Queue) Counted() { q.counted = true }

// Proved is called before the first Add, if a test is tried of each finding that is shown: of a
// hang for [replay.HangTime]. One process that shows it is enough then, unless it may be chance, and
// a shorter time for a hang.
func (q *Queue) Proved() { q.proved = true }

// Hurry is called when the run is over and waits for the confirmations: less time is
// spent to minimize from then on.
func (q *Queue) Hurry() { q.hurried.Store(true) }

// Close drops the jobs that are not done and ends all processes.
func (q *Queue) Close() {
	q.cancel()
	q.waiting.Wait()
}

// CPU returns the processor time of the processes that have ended.
func (q *Queue) CPU() time.Duration {
	took := q.runner.CPU()
	if r := q.fueled.Load(); r != nil {
		took += r.CPU()
	}
	return took
}

// confirm runs a finding in fresh processes, after minimizing it if it ends them. If the
// minimized sequence does not show it, it tries longer ones.
func (q *Queue) confirm(j Job) Result {
	f := j.Finding
	minimize := j.Death
	if f.Verdict.Kind == engine.KindHang && j.Death {
		// The clock decided that. Given more time, it may be slow or another finding.
		v := q.once(f.Steps, replay.Trial{Deadline: doubtTime, Want: f.Verdict.Signature})
		if minimize = v != nil; minimize {
			f.Verdict = *v
		} else if j.Endless {
			return Result{Finding: f} // it returned
		}
	}
	list := []engine.Finding{f}
	if minimize {
		list = q.minimizeDeath(f, j.trial(f.Verdict.Signature), j.Late)
	}
	if len(f.Original) > len(f.Steps) {
		list = append(list, engine.Finding{Verdict: f.Verdict, Steps: f.Original, Original: f.Original})
	}
	var res Result
	for _, f := range list {
		if res = q.show(f, j.trial(f.Verdict.Signature)); res.Shown > 0 || q.hurried.Load() {
			break
		}
	}
	if res.Shown == 0 {
		if f, ok := q.withEarlier(j); ok {
			for _, f := range q.minimizeDeath(f, j.trial(f.Verdict.Signature), true) {
				if res = q.show(f, j.trial(f.Verdict.Signature)); res.Shown > 0 {
					break
				}
			}
		}
	}
	return res
}

// withEarlier returns the finding of j with another sequence: one of the earlier ones, or
// the original after as many of them as show it. It reports false if none does.
func (q *Queue) withEarlier(j Job) (engine.Finding, bool) {
	began := time.Now()
	n := len(j.Before)
	var list []seq.Sequence
	if j.Late {
		list = slices.Concat(longest(j.Before), longest(j.Called))
	}
	t := j.trial(j.Finding.Verdict.Signature)
	t.Deadline = replay.DeathTime
	joined := j.Finding.Original
	for i := n - 1; i >= max(0, n-maxJoined); i-- {
		if len(joined)+len(j.Before[i]) > maxJoinedSteps {
			break
		}
		joined = seq.Concat(q.config.Table, j.Before[i], joined)
		list = append(list, joined)
	}
	for _, s := range list {
		if q.stops(0, began) {
			break
		}
		if v := q.once(s, t); shows(v, j.Finding.Verdict.Signature) {
			return engine.Finding{Verdict: *v, Steps: s, Original: s}, true
		}
	}
	return j.Finding, false
}

// longest returns the maxAlone longest of list: most of the others are parts of them that ran
// to prune them.
func longest(list []seq.Sequence) []seq.Sequence {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b seq.Sequence) int { return len(b) - len(a) })
	return list[:min(len(list), maxAlone)]
}

// stops reports whether to stop minimizing a death, of which so many runs hung. It began then.
func (q *Queue) stops(hung int, began time.Time) bool {
	if q.counted && !q.hurried.Load() {
		return hung >= countedHangs || q.ctx.Err() != nil
	}
	return q.over(began)
}

// over reports whether the time of a job that began then is up.
func (q *Queue) over(began time.Time) bool {
	took := time.Since(began)
	return took > q.minimize || took > q.hurrying && q.hurried.Load() || q.ctx.Err() != nil
}

// trial returns how a finding with a signature is looked for. A panic of another goroutine is looked
// for without contracts, whose calls are no part of the test and may start such goroutines, too.
func (j *Job) trial(want engine.Signature) replay.Trial {
	if j.Late {
		return replay.Trial{Linger: lingerTime, Want: engine.Nothing}
	}
	return replay.Trial{Want: want}
}

// show runs f in fresh processes and counts those that show it. A call that takes memory without end
// may first take all that there is or all the time: the finding becomes the one that is shown.
func (q *Queue) show(f engine.Finding, t replay.Trial) Result {
	verdicts := q.run(f, t)
	res := count(f, verdicts)
	for _, v := range verdicts {
		if res.Shown == 0 && swells(v, &f.Verdict) {
			f.Verdict, t.Want = *v, v.Signature
			return count(f, q.run(f, t))
		}
	}
	return res
}

// swells reports whether v and w are of one call, which did not return in the one and took all
// memory in the other.
func swells(v, w *engine.Verdict) bool {
	endless := func(kind string) bool { return kind == engine.KindHang || kind == engine.KindMemory }
	return v != nil && v.Op == w.Op && v.Kind != w.Kind && endless(v.Kind) && endless(w.Kind)
}

// run runs f in fresh processes, and returns the verdict of each.
func (q *Queue) run(f engine.Finding, t replay.Trial) []*engine.Verdict {
	t.Deadline = replay.DeathTime
	verdicts := make([]*engine.Verdict, Runs)
	switch {
	case f.Verdict.Kind == engine.KindHang:
		q.showHang(verdicts, f, t)
	case q.proved && t.Linger == 0 && repeatable(&f.Verdict):
		if verdicts[0] = q.once(f.Steps, t); shows(verdicts[0], f.Verdict.Signature) {
			fill(verdicts, verdicts[0])
		} else {
			q.showAtOnce(verdicts[1:], f, t)
		}
	default:
		q.showAtOnce(verdicts, f, t)
	}
	return verdicts
}

// repeatable reports whether it is hardly chance that a process shows v.
func repeatable(v *engine.Verdict) bool {
	switch v.Kind {
	case engine.KindPanic, engine.KindMemory, engine.KindExit:
		return true
	}
	return v.Kind == engine.KindFatal && v.Signature.Class == engine.ClassOverflow
}

// count returns the result of the processes that ran f.
func count(f engine.Finding, verdicts []*engine.Verdict) Result {
	res := Result{Finding: f}
	for _, v := range verdicts {
		if shows(v, f.Verdict.Signature) {
			res.Shown++
			v.Inherit(&f.Verdict)
			res.Finding.Verdict = *v
		}
	}
	return res
}

// showAtOnce runs f in as many processes as there are to be verdicts.
func (q *Queue) showAtOnce(verdicts []*engine.Verdict, f engine.Finding, t replay.Trial) {
	var wg sync.WaitGroup
	for i := range verdicts {
		wg.Go(func() { verdicts[i] = q.once(f.Steps, t) })
	}
	wg.Wait()
}

// showHang runs f in one process after the other, as an endless loop takes a processor
// from the run. Once a process has hung for long enough to report it, the others only
// have to hang briefly. If a test is to show it, the first process is enough.
func (q *Queue) showHang(verdicts []*engine.Verdict, f engine.Finding, t replay.Trial) {
	t.Deadline = replay.HangTime
	if q.proved {
		t.Deadline = doubtTime
		fill(verdicts, q.once(f.Steps, t))
		return
	}
	for i := range verdicts {
		verdicts[i] = q.once(f.Steps, t)
		if shows(verdicts[i], f.Verdict.Signature) {
			t.Deadline = replay.HangTry
		}
	}
}

// fill has processes that are spared show what another showed.
func fill(verdicts []*engine.Verdict, v *engine.Verdict) {
	for i := range verdicts {
		verdicts[i] = v
	}
}

// once runs s in a process of its own, and returns its verdict.
func (q *Queue) once(s seq.Sequence, t replay.Trial) *engine.Verdict {
	x, _ := q.runner.Alone(q.ctx, s, t) // without a process there is no verdict
	return x.Verdict
}

func shows(v *engine.Verdict, signature engine.Signature) bool {
	return v != nil && v.Signature == signature
}
