package versions

import (
	"context"
	"sync"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// examiner looks at mismatches step by step, in a process of each version that
// lives until it dies: it tells what does not repeat itself from what differs,
// minimizes that, finds what is to blame and shows it again in fresh processes.
type examiner struct {
	table    *seq.Table
	pool     *engine.Pool
	runners  [2]*replay.Runner // of the old and the new version
	benches  [2]*replay.Bench
	unstable []bool
	unsteady map[seq.OpID]int // how often an operation did not repeat itself
	seen     map[likeness]int // how often differences were looked at
	deadline time.Duration    // of a run in the processes at hand, for the look under way
	waiting  sync.WaitGroup
	ctx      context.Context
	cancel   context.CancelFunc
}

// likeness is what tells at first sight whether a difference is like another.
type likeness struct {
	op    seq.OpID // in which it shows
	class string
	place difference.Place
}

// A result is the outcome of a request.
type result struct {
	request    request
	difference *Difference
	unstable   []seq.OpID // operations that do not repeat themselves
	flaky      int
	why        string // there is no difference
}

func newExaminer(c Config) *examiner {
	x := &examiner{table: c.Table, pool: c.Pool, unstable: make([]bool, len(c.Table.Ops)), unsteady: map[seq.OpID]int{}, seen: map[likeness]int{}}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	for i, sp := range []worker.Spawn{c.Old, c.New} {
		x.runners[i] = replay.NewRunner(replay.Config{Spawn: sp, Table: c.Table, Pool: c.Pool, JudgeDeath: c.JudgeDeath})
		x.benches[i] = x.runners[i].Bench()
	}
	return x
}

func (x *examiner) serve(requests <-chan request, results chan<- result) {
	x.waiting.Add(1)
	defer x.waiting.Done()
	for l := range requests {
		r := x.examine(l)
		select {
		case results <- r:
		case <-x.ctx.Done():
		}
	}
}

func (x *examiner) close() {
	x.cancel()
	x.waiting.Wait()
	for _, b := range x.benches {
		b.Close()
	}
}

func (x *examiner) cpu() time.Duration { return x.runners[0].CPU() + x.runners[1].CPU() }

// Bounds on what one mismatch may take.
const (
	requestTime = 4 * time.Second // to minimize
	requestRuns = 2000
	// steadyRuns is how often each version must repeat itself. A call that gives one
	// of two results at random passes for one that differs once in 2¹¹ times.
	steadyRuns = 5
	// freshRuns is how many fresh processes of each version must show the same. What a
	// process does in one of two ways for all its life, chosen at random, passes for a
	// difference once in 2⁷ times.
	freshRuns  = 4
	maxWitness = 32
	// maxSeen is how often differences that look alike are minimized, as they may
	// have other causes.
	maxSeen = 3
	// maxUnsteady is how often an operation may fail to repeat itself, with some of its
	// arguments, before no result of it is looked at.
	maxUnsteady = 3
	// runTime is how long a sequence may take.
	runTime = 1 * time.Second
)

// examine examines one mismatch.
func (x *examiner) examine(l request) result {
	r := result{request: l}
	for _, op := range l.unstable {
		x.unstable[op] = true
	}
	x.deadline = runTime
	before, after := x.both(l.steps)
	d, ok := x.first(l.steps, before, after)
	if d.Class == difference.TimeChanges {
		x.deadline = replay.HangTry // one version hangs: each run of it takes as long
	}
	if !ok {
		r.why = "no difference when looked at"
		return r
	}
	kind := likeness{op: l.steps[d.Step].Op, class: d.Class, place: d.Place}
	if x.seen[kind]++; x.seen[kind] > maxSeen {
		r.why = "like what was looked at before"
		return r
	}
	if !x.steady(&r, l.steps, before, after, 1) {
		return r
	}
	s, d := x.minimize(x.pruned(l.steps, d), d)
	if before, after := x.both(s); x.steady(&r, s, before, after, steadyRuns) {
		x.confirm(&r, s, d)
	}
	return r
}

// steady runs s some more times and reports whether each version shows the same.
func (x *examiner) steady(r *result, s seq.Sequence, before, after difference.Run, times int) bool {
	for range times {
		if a, b := x.both(s); !x.repeats(r, s, before, a) || !x.repeats(r, s, after, b) {
			return false
		}
	}
	return true
}

// confirm runs s some times on each version, every time in a fresh process: what is
// reported differs between the versions and never within one.
func (x *examiner) confirm(r *result, s seq.Sequence, d difference.Difference) {
	before, after := x.bothFresh(s, replay.HangTime)
	deadline := replay.HangTime
	if d.Class == difference.TimeChanges {
		deadline = replay.HangTry // once is enough to tell it from what is slow
	}
	for range freshRuns - 1 {
		if a, b := x.bothFresh(s, deadline); !x.repeats(r, s, before, a) || !x.repeats(r, s, after, b) {
			r.flaky++
			r.why = "does not repeat itself in fresh processes"
			return
		}
	}
	again, ok := x.first(s, before, after)
	if !ok || again.Class != d.Class {
		r.flaky++
		r.why = "no difference in fresh processes"
		return
	}
	r.difference = &Difference{
		Difference: again, Op: s[again.Step].Op, Steps: s[:again.Step+1], Original: r.request.steps, Before: before, After: after,
	}
	x.blame(r.difference)
	if shown := (likeness{s[again.Step].Op, again.Class, again.Place}); r.difference.Op == shown.op {
		x.seen[shown] = maxSeen // it is reported
	}
}

// repeats reports whether two runs of s in one version show the same. If not, the
// operation that does not repeat itself is noted.
func (x *examiner) repeats(r *result, s seq.Sequence, a, b difference.Run) bool {
	d, differ := x.first(s, a, b)
	if !differ {
		return true
	}
	op := s[d.Step].Op
	if x.unsteady[op]++; x.unsteady[op] == maxUnsteady {
		x.unstable[op] = true
		r.unstable = append(r.unstable, op)
	}
	return false
}

// pruned returns the steps of s that can have to do with a difference, if they show
// one still.
func (x *examiner) pruned(s seq.Sequence, d difference.Difference) seq.Sequence {
	s = s[:d.Step+1]
	var slots []int32
	if d.Place == difference.InSlot {
		slots = []int32{int32(d.Index)}
	}
	p := seq.Prune(x.table, s, slots, d.Step)
	if got, ok := x.differs(p); ok && got.Class == d.Class && p[got.Step].Op == s[d.Step].Op {
		return p
	}
	return s
}

// differs runs s on both versions and returns the first difference.
func (x *examiner) differs(s seq.Sequence) (difference.Difference, bool) {
	before, after := x.both(s)
	return x.first(s, before, after)
}

// both runs s on both versions, in the processes at hand.
func (x *examiner) both(s seq.Sequence) (before, after difference.Run) {
	var wg sync.WaitGroup
	wg.Go(func() { before = x.run(0, s) })
	after = x.run(1, s)
	wg.Wait()
	return before, after
}

func (x *examiner) first(s seq.Sequence, before, after difference.Run) (difference.Difference, bool) {
	return difference.First(x.table, s, before, after, func(op seq.OpID) bool { return x.unstable[op] })
}

// run runs s in the process of a version that is at hand.
func (x *examiner) run(i int, s seq.Sequence) difference.Run {
	got, _ := x.benches[i].Run(x.ctx, s, replay.Trial{Deadline: x.deadline, Observe: true})
	return observed(got)
}

// fresh runs s in a process of its own.
func (x *examiner) fresh(i int, s seq.Sequence, deadline time.Duration) difference.Run {
	got, _ := x.runners[i].Alone(x.ctx, s, replay.Trial{Deadline: deadline, Observe: true})
	return observed(got)
}

// bothFresh runs s on both versions, in processes of its own.
func (x *examiner) bothFresh(s seq.Sequence, deadline time.Duration) (before, after difference.Run) {
	var wg sync.WaitGroup
	wg.Go(func() { before = x.fresh(0, s, deadline) })
	after = x.fresh(1, s, deadline)
	wg.Wait()
	return before, after
}

// observed returns what could be seen of a sequence, and how its process died, if it
// did; nothing if there was none.
func observed(x replay.Shown) (run difference.Run) {
	if x.Run != nil {
		run = *x.Run
	}
	if x.Died && x.Verdict != nil {
		run.Death, run.Kind, run.DiedIn, run.Place = x.Verdict.Message, x.Verdict.Kind, len(x.Steps)-1, x.Verdict.Signature
	}
	return run
}

// minimize returns a sequence that differs in the same way in the same operation,
// and how. The last step of s is the one in which it shows.
func (x *examiner) minimize(s seq.Sequence, d difference.Difference) (seq.Sequence, difference.Difference) {
	op, class := s[len(s)-1].Op, d.Class
	began, runs := time.Now(), 0
	same := func(s seq.Sequence, got difference.Difference) bool {
		return got.Class == class && got.Place == d.Place && s[got.Step].Op == op
	}
	keep := func(cand seq.Sequence) bool {
		if runs++; runs > requestRuns || time.Since(began) > requestTime || x.ctx.Err() != nil {
			return false
		}
		got, ok := x.differs(cand)
		if !ok || !same(cand, got) {
			return false
		}
		d = got
		return true
	}
	if again, ok := x.differs(s); ok && same(s, again) {
		s = engine.Minimize(x.table, x.pool, s, nil, keep)
	}
	return s, d
}
