package engine

import (
	"fmt"
	"maps"
	"testing"

	"foray.test/engine/seq"
)

// An interruptible executor does not come back from one step, counted over all its runs.
type interruptible struct {
	Executor
	run    Run
	begun  int // steps
	stopAt int // of them
}

func (x *interruptible) Begin(o RunOptions) Run {
	x.run = x.Executor.Begin(o)
	return x
}

func (x *interruptible) Append(st seq.Step) StepOutcome {
	if x.begun++; x.begun == x.stopAt {
		panic(errStalled)
	}
	return x.run.Append(st)
}

func (x *interruptible) State(slots []int32, o StateOptions) ([]int32, uint64, bool) {
	return x.run.State(slots, o)
}

func (x *interruptible) Digests() []SlotDigest { return x.run.Digests() }

func (x *interruptible) End(s seq.Sequence, fresh []int32) Outcome { return x.run.End(s, fresh) }

// hits returns the sides that the run under way took.
func (x *interruptible) hits() []byte {
	switch f := x.Executor.(type) {
	case *fakeExecutor:
		return f.hits[:]
	case *lock:
		return f.hits[:]
	}
	return nil
}

// totals are the sums that abandoning a run may not lose.
type totals struct {
	counts            Counts
	ops               map[seq.OpID]OpCounts
	covered           int
	entries, findings int // reported
}

func totalsOf(e *Engine, sink *fakeSink) totals {
	t := totals{counts: e.Counts(), ops: map[seq.OpID]OpCounts{}, covered: e.Covered().Count(), entries: len(sink.entries), findings: len(sink.findings)}
	for _, c := range e.OpCounts() {
		t.ops[c.Op] = c
	}
	return t
}

// interrupted has an engine work until the step numbered at, and returns its totals before
// and after the run of that step is abandoned, and the run.
func interrupted(e *Engine, x *interruptible, sink *fakeSink, work func(*Engine), at int) (before, after totals, now inflight, ok bool) {
	x.stopAt = at
	func() {
		defer func() {
			if v := recover(); v != nil && v != errStalled {
				panic(v)
			} else if v != nil {
				ok = true
			}
		}()
		work(e)
	}()
	if !ok {
		return
	}
	now = e.runner.now
	now.steps = now.steps.Clone()
	before = totalsOf(e, sink)
	e.Abandon(x, x.hits(), Stalled)
	return before, totalsOf(e, sink), now, true
}

// want returns the totals after a run is abandoned: they are those before, and this run.
func (t totals) want(now inflight, covered int) totals {
	n := uint64(len(now.steps))
	t.ops = maps.Clone(t.ops)
	switch now.purpose {
	case composing, attempting:
		t.counts.Sequences++
		t.counts.Steps += n
	default:
		t.counts.Replayed += n
	}
	if now.purpose == attempting {
		t.counts.Aimed++
	}
	if now.purpose == reducing { // reported as small as it has become, and no one is to blame
		if now.entry != nil {
			t.entries++
		} else {
			t.findings++
		}
		return t
	}
	t.counts.Abandoned++
	if covered > t.covered {
		t.covered, t.counts.LastNew = covered, t.counts.Sequences
	}
	seen := map[seq.OpID]bool{}
	for i := range now.steps {
		op := now.steps[i].Op
		c := t.ops[op]
		if c.Op = op; !seen[op] {
			c.Stalls++
		}
		if i == len(now.steps)-1 {
			c.Runs++ // it ran, though it did not return
		}
		seen[op], t.ops[op] = true, c
	}
	return t
}

// inflightSequences is how many sequences the engines of TestAbandonAnywhere run.
const inflightSequences = 30

// A run of any purpose may be abandoned at any step. Nothing is lost or counted
// twice, and the engine goes on.
func TestAbandonAnywhere(t *testing.T) {
	compose := func(e *Engine) { e.Run(max(0, inflightSequences-int(e.Counts().Sequences))) }
	tests := func(e *Engine) {
		for _, text := range []string{"v0 := bag.New(); v0.Put(1); v1 := v0.Get()", "v0 := bag.New(); v1 := bag.New(); v0.Join(v1)"} {
			s := parseFake(t, e.runner.table, text)
			e.runner.box(s)
			e.Seed(s)
		}
	}
	engines := map[string]func() (*Engine, *interruptible, *fakeSink){
		"tests": func() (*Engine, *interruptible, *fakeSink) {
			e, f, sink := newFakeEngine(t, 2, Params{})
			return e, &interruptible{Executor: f}, sink
		},
		"composition": func() (*Engine, *interruptible, *fakeSink) {
			e, f, sink := newFakeEngine(t, 1, Params{})
			return e, &interruptible{Executor: f}, sink
		},
		"frontier": func() (*Engine, *interruptible, *fakeSink) {
			e, l, sink := newLockEngine(1, true)
			e.frontier.owed = 0
			l.steady = true
			return e, &interruptible{Executor: l}, sink
		},
	}
	purposes := map[purpose]int{}
	for name, start := range engines {
		stride := 1
		if testing.Short() {
			stride = 7
		}
		for at := 1; ; at += stride {
			e, x, sink := start()
			e.Use(x)
			work := compose
			if name == "tests" {
				work = tests
			}
			before, after, now, ok := interrupted(e, x, sink, work, at)
			if !ok {
				break
			}
			purposes[now.purpose]++
			want := before.want(now, after.covered)
			for op := range want.ops { // backoffs are another test's
				w, a := want.ops[op], after.ops[op]
				w.Holds, a.Holds = 0, 0
				want.ops[op], after.ops[op] = w, a
			}
			if got, want := fmt.Sprintf("%+v", after), fmt.Sprintf("%+v", want); got != want {
				t.Fatalf("%s, step %d, purpose %d: after it is abandoned\n got %s\nwant %s", name, at, now.purpose, got, want)
			}
			x.stopAt = 0
			compose(e)
			checkKept(t, e, sink)
			if n := e.Counts().Sequences; n < inflightSequences {
				t.Fatalf("%s, step %d: %d sequences, want at least %d", name, at, n, inflightSequences)
			}
		}
	}
	for _, p := range []purpose{composing, attempting, tracing, replaying, sowing, reducing} {
		if purposes[p] == 0 && !testing.Short() {
			t.Errorf("no run of purpose %d was abandoned: %v", p, purposes)
		}
	}
}

// checkKept checks that the sides kept are those of the entries that were reported, each
// of one, and that each known finding was reported once.
func checkKept(t *testing.T, e *Engine, sink *fakeSink) {
	t.Helper()
	of := map[int32]int{}
	for _, en := range sink.entries {
		for _, side := range en.Sides {
			of[side]++
		}
	}
	for side := range e.Covered().Len() {
		want := 0
		if e.archive.kept.Has(side) {
			want = 1
		}
		if of[int32(side)] != want || want == 1 && !e.Covered().Has(side) {
			t.Fatalf("side %d: %d entries are for it, want %d; covered: %v", side, of[int32(side)], want, e.Covered().Has(side))
		}
	}
	reported := map[string]bool{}
	for _, f := range sink.findings {
		if reported[f.Verdict.DedupKey()] {
			t.Fatalf("%s is reported twice", f.Verdict.Signature)
		}
		reported[f.Verdict.DedupKey()] = true
	}
	if !maps.Equal(reported, e.archive.known) {
		t.Fatalf("reported %v, known %v", reported, e.archive.known)
	}
}
