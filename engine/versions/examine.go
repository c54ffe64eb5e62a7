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

// An examiner examines mismatches step by step, in one process of each version. It tells
// differences from operations that do not repeat themselves, minimizes them, confirms
// them in fresh processes and finds the operation to blame.
type examiner struct {
	table    *seq.Table
	pool     *engine.Pool
	runners  [2]*replay.Runner // of the old and the new version
	benches  [2]*replay.Bench
	unstable []bool
	unsteady map[seq.OpID]int // how often an operation did not repeat itself
	seen     map[likeness]int // how often differences were examined
	deadline time.Duration    // of a run in the present processes, for the present request
	waiting  sync.WaitGroup
	ctx      context.Context
	cancel   context.CancelFunc
}

// A likeness is equal for differences that look alike.
type likeness struct {
	op    seq.OpID // the step that shows it
	class string
	place difference.Place
}

// A result is the outcome of a request.
type result struct {
	request    request
	difference *Difference
	unstable   []seq.OpID // operations that do not repeat themselves
	flaky      int
	why        string // why there is no difference
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

// steady runs s some more times and reports whether each version repeats itself.
func (x *examiner) steady(r *result, s seq.Sequence, before, after difference.Run, times int) bool {
	for range times {
		if a, b := x.both(s); !x.repeats(r, s, before, a) || !x.repeats(r, s, after, b) {
			return false
		}
	}
	return true
}

// confirm runs s several times on each version, each time in a fresh process. A reported
// difference is between the versions and never within one.
func (x *examiner) confirm(r *result, s seq.Sequence, d difference.Difference) {
	before, after := x.bothFresh(s, replay.HangTime)
	deadline := replay.HangTime
	if d.Class == difference.TimeChanges {
		deadline = replay.HangTry // the first run has shown that it is not only slow
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

// repeats reports whether two runs of s in one version are equal. If not, it notes the
// operation that does not repeat itself.
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

// pruned returns the steps of s that a difference can depend on, if they still show it.
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

// both runs s on both versions, in the present processes.
func (x *examiner) both(s seq.Sequence) (before, after difference.Run) {
	return onBoth(func(i int) (replay.Shown, error) {
		return x.benches[i].Run(x.ctx, s, replay.Trial{Deadline: x.deadline, Observe: true})
	})
}

// bothFresh runs s on both versions, in processes of its own.
func (x *examiner) bothFresh(s seq.Sequence, deadline time.Duration) (before, after difference.Run) {
	return onBoth(func(i int) (replay.Shown, error) {
		return x.runners[i].Alone(x.ctx, s, replay.Trial{Deadline: deadline, Observe: true})
	})
}

// onBoth runs a sequence on both versions at once.
func onBoth(run func(i int) (replay.Shown, error)) (before, after difference.Run) {
	var wg sync.WaitGroup
	wg.Go(func() { before = observed(run(0)) })
	after = observed(run(1))
	wg.Wait()
	return before, after
}

func (x *examiner) first(s seq.Sequence, before, after difference.Run) (difference.Difference, bool) {
	return difference.First(x.table, s, before, after, func(op seq.OpID) bool { return x.unstable[op] })
}

// observed returns the observable results of a run, and how its process died. A run without a
// process shows nothing.
func observed(x replay.Shown, _ error) (run difference.Run) {
	if x.Run != nil {
		run = *x.Run
	}
	if x.Died && x.Verdict != nil {
		run.Death, run.Kind, run.DiedIn, run.Place = x.Verdict.Message, x.Verdict.Kind, len(x.Steps)-1, x.Verdict.Signature.String()
	}
	return run
}

// minimize returns a shorter sequence that differs in the same way in the same operation,
// and its difference. The difference shows in the last step of s.
func (x *examiner) minimize(s seq.Sequence, d difference.Difference) (seq.Sequence, difference.Difference) {
	op, began := s[len(s)-1].Op, time.Now()
	r := replay.Reduction[difference.Difference]{
		Steps: s, Shown: d, MaxRuns: requestRuns, Over: func() bool { return time.Since(began) > requestTime || x.ctx.Err() != nil },
		Try: func(s seq.Sequence) (difference.Difference, bool) {
			got, ok := x.differs(s)
			return got, ok && got.Class == d.Class && got.Place == d.Place && s[got.Step].Op == op
		},
	}
	if r.Keep(s) {
		engine.Minimize(x.table, x.pool, s, r.Keep)
	}
	return r.Steps, r.Shown
}
