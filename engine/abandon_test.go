package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/seq"
)

// A stalling executor does not come back from steps that stall: it panics with
// errStalled, and runStalling then abandons the run.
type stalling struct {
	*fakeExecutor
	ran    []seq.OpID // of the sequence
	stalls func(ran []seq.OpID) bool
}

var errStalled = errors.New("stalled")

func (x *stalling) Begin(o RunOptions) Run {
	x.ran = x.ran[:0]
	x.fakeExecutor.Begin(o)
	return x
}

func (x *stalling) Append(st seq.Step) StepOutcome {
	if x.ran = append(x.ran, st.Op); x.stalls(x.ran) {
		panic(errStalled)
	}
	return x.fakeExecutor.Append(st)
}

// afterJoin stalls all but New once a bag was joined: Join keeps a lock.
func afterJoin(ran []seq.OpID) bool {
	last := len(ran) - 1
	return ran[last] != opNew && slices.Contains(ran[:last], opJoin)
}

// newStalling returns an engine over a fake that stalls.
func newStalling(t *testing.T, stalls func([]seq.OpID) bool) (*Engine, *stalling, *fakeSink) {
	t.Helper()
	e, fake, sink := newFakeEngine(t, 1, Params{})
	x := &stalling{fakeExecutor: fake, stalls: stalls}
	e.Use(x)
	return e, x, sink
}

// run runs n sequences, those that stall included.
func (x *stalling) run(e *Engine, n uint64) {
	for e.Counts().Sequences < n {
		x.try(e, func() { e.Run(1) })
	}
}

func (x *stalling) try(e *Engine, f func()) {
	defer func() {
		if v := recover(); v == errStalled {
			e.Abandon(x, x.hits[:], Stalled)
		} else if v != nil {
			panic(v)
		}
	}()
	f()
}

// The function that leaves a lock held is backed off, not those that then wait for
// it, and the run goes on with all that was learnt.
func TestAbandonBacksOffTheCause(t *testing.T) {
	e, x, sink := newStalling(t, afterJoin)
	x.run(e, 3000)
	c := e.Counts()
	if c.Sequences != 3000 || c.Abandoned == 0 || c.Abandoned > 20 {
		t.Errorf("%d of %d sequences abandoned, want some and at most 20", c.Abandoned, c.Sequences)
	}
	runs := map[seq.OpID]OpCounts{}
	for _, op := range e.OpCounts() {
		runs[op.Op] = op
	}
	if join := runs[opJoin]; join.Holds == 0 || join.Stalls == 0 || join.Runs > 100 {
		t.Errorf("Join: %+v, want it backed off", join)
	}
	if get := runs[opGet]; get.Runs < 5000 || get.Holds > 3 {
		t.Errorf("Get: %+v, want it to run on", get)
	}
	if len(sink.entries) == 0 || !e.Covered().Has(sideJoin) {
		t.Errorf("%d entries, Join covered: %v; want what abandoned sequences took to count", len(sink.entries), e.Covered().Has(sideJoin))
	}
}

// One seed has one history, with sequences abandoned.
func TestAbandonedHistoryRepeats(t *testing.T) {
	history := func() string {
		e, x, _ := newStalling(t, afterJoin)
		x.record = true
		x.run(e, 1000)
		return fmt.Sprint(e.Counts(), e.OpCounts(), x.history)
	}
	if first, second := history(), history(); first != second {
		t.Error("the same seed has two histories")
	}
}

// A run that minimizes a finding or prunes an entry may stall, though the sequence
// did not. The reduction so far is reported, and nothing is backed off.
func TestAbandonReports(t *testing.T) {
	var e *Engine
	e, x, sink := newStalling(t, func([]seq.OpID) bool { return e.runner.now.purpose == reducing })
	x.run(e, 3000)
	if len(sink.findings) != 1 || sink.findings[0].Verdict.Signature.String() != "self join" {
		t.Errorf("findings %v, want the one there is", sink.findings)
	}
	taken := coverage.NewSet(e.Covered().Len())
	for _, en := range sink.entries {
		for _, side := range en.Sides {
			taken.Add(int(side))
		}
	}
	if got, want := taken.Count(), e.Covered().Count(); got == 0 || got < want-1 { // self join breaks: it has no entry
		t.Errorf("%d sides in %d entries, %d are covered", got, len(sink.entries), want)
	}
	for _, op := range e.OpCounts() {
		if op.Holds > 0 || op.Stalls > 0 {
			t.Errorf("%+v is backed off", op)
		}
	}
	if c := e.Counts(); c.Sequences != 3000 || c.Abandoned != 0 {
		t.Errorf("%+v, want 3000 sequences and none abandoned", c)
	}
}

// An entry that does not come to its end is no sequence of the engine's own.
func TestAbandonAdd(t *testing.T) {
	e, x, _ := newStalling(t, afterJoin)
	s, err := e.runner.table.Parse("v0 := bag.New(); v0.Join(v0); v0.Put(1)")
	if err != nil {
		t.Fatal(err)
	}
	x.try(e, func() { e.Add(s) })
	if c := e.Counts(); c.Sequences != 0 || c.Steps != 0 || c.Abandoned != 1 {
		t.Errorf("%+v, want one run abandoned and no sequence", c)
	}
	x.run(e, 100)
}

// A call that ended its goroutine is a call that broke.
func TestAbandonBroken(t *testing.T) {
	e, x, _ := newStalling(t, func([]seq.OpID) bool { return false })
	x.run(e, 10)
	e.composer.begin(0)
	e.composer.run(seq.Step{Op: opNew})
	e.runner.append(seq.Step{Op: opMust})
	before := e.schedule.stats[opMust]
	e.Abandon(x, x.hits[:], Exited)
	after := e.schedule.stats[opMust]
	if after.Broken != before.Broken+1 || after.backoffs != before.backoffs {
		t.Errorf("Must: %+v, was %+v; want it broken once more and not backed off", after, before)
	}
}

// An operation that was backed off in an earlier process is from the start, for as long as its
// next time would be, and all instances of a function are.
func TestRecall(t *testing.T) {
	e, _, _ := newFakeEngine(t, 1, Params{})
	e.Recall([]OpCounts{{Op: opJoin, Runs: 30, Stalls: 20, Holds: 3}})
	for e.Counts().Steps < backoffSteps {
		e.Run(1)
	}
	for _, op := range e.OpCounts() {
		if op.Op == opJoin {
			t.Errorf("Join ran: %+v", op)
		}
	}
	if got, want := e.schedule.stats[opJoin].until, uint64(backoffSteps<<2); got != want {
		t.Errorf("backed off until %d, want %d", got, want)
	}
	if share := e.schedule.stallShare(opJoin); share < 0.5 {
		t.Errorf("share of runs that stalled %v, want what was recalled to count", share)
	}
}

// maxSteps is more than sequences of the fake have on average.
const maxSteps = 64

// Kept sequences that call an operation that is backed off are left alone.
func TestBackedOffEntries(t *testing.T) {
	e, x, _ := newStalling(t, afterJoin)
	for _, s := range []string{"v0 := bag.New(); v0.Join(v0)", "v0 := bag.New(); v0.Put(4711)"} {
		parsed, err := e.runner.table.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		e.archive.entries = append(e.archive.entries, Entry{Steps: parsed})
	}
	e.schedule.backOff(opJoin)
	if !e.schedule.backedOff(e.archive.entries[0].Steps) || e.schedule.backedOff(e.archive.entries[1].Steps) {
		t.Error("held: want the first entry, not the second")
	}
	x.run(e, backoffSteps/maxSteps)
	if c := e.Counts(); c.Abandoned > 0 {
		t.Errorf("%d sequences stalled; want none to begin with the entry that joins", c.Abandoned)
	}
	e.schedule.now = e.schedule.lastBackoff
	if e.schedule.backedOff(e.archive.entries[0].Steps) {
		t.Error("held for ever")
	}
}

// All instances of a generic function share its statistics.
func TestInstances(t *testing.T) {
	table := fakeTable()
	table.Ops[opGet].Member = table.Ops[opPut].Member
	table.Ops[opMust].Member = ""
	s := newSchedule(table, make([]bool, len(table.Ops)))
	s.stats[opNew].Runs = 5
	s.stalled([]seq.Step{{Op: opNew}, {Op: opPut}})
	var held []string
	for i := range table.Ops {
		if s.stats[i].until > 0 {
			held = append(held, table.Ops[i].Name)
		}
	}
	if got := strings.Join(held, " "); got != "Put Get" {
		t.Errorf("backed off: %s; want Put Get", got)
	}
}

// An operation that uses up its fuel is backed off, longer each time up to a bound, unless there is
// nothing else to call.
func TestEndlessIsBackedOff(t *testing.T) {
	table := fakeTable()
	s := newSchedule(table, make([]bool, len(table.Ops)))
	var last uint64
	for i := range 6 {
		s.now = s.lastBackoff
		s.endless(opGet)
		held := s.stats[opGet].until - s.now
		if more := held > last; more != (i <= endlessBackoffs) {
			t.Errorf("backoff %d lasts %d steps, the one before %d", i+1, held, last)
		}
		last = held
	}
	alone := newSchedule(lockTable(), make([]bool, 1))
	if alone.endless(0); alone.stats[0].until > 0 {
		t.Error("the only operation is backed off")
	}
}

// jammed is a lock that now and then does not come back.
type jammed struct {
	*lock
	jams func() bool // after a step
}

func (x *jammed) Begin(o RunOptions) Run {
	x.lock.Begin(o)
	return x
}

func (x *jammed) Append(st seq.Step) StepOutcome {
	out := x.lock.Append(st)
	if x.jams() {
		panic(errStalled)
	}
	return out
}

// runJammed runs n sequences with a lock that jams, and its runs abandoned.
func runJammed(seed, n uint64, jams func(*lock) bool) *Engine {
	e, l, _ := newLockEngine(seed, true)
	x := &jammed{lock: l, jams: func() bool { return jams(l) }}
	e.Use(x)
	for e.Counts().Sequences < n {
		func() {
			defer func() {
				if v := recover(); v == errStalled {
					e.Abandon(x, l.hits[:], Exited)
				} else if v != nil {
					panic(v)
				}
			}()
			e.Step(1000)
		}()
	}
	return e
}

// Attempts go on where a run did not come to its end: at random, for a fixed period may hit
// the same proposal of a list again and again.
func TestAbandonInAttempts(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 7))
		e := runJammed(seed, 40_000, func(l *lock) bool { return l.opts.Trace == TraceVisits && random.IntN(10) == 0 })
		c := e.Counts()
		if c.Abandoned < 100 || c.Aimed < c.Abandoned {
			t.Errorf("seed %d: %+v, want many runs of attempts abandoned", seed, c)
		}
		if !e.Covered().Has(1) || !e.Covered().Has(3) {
			t.Errorf("seed %d: covered %d sides, want the secret and the password found all the same", seed, e.Covered().Count())
		}
	}
}

// An entry whose first run as a witness is abandoned is a witness all the same, unless the second
// is, too.
func TestAbandonedWitness(t *testing.T) {
	for _, tt := range []struct {
		jams int
		want bool
	}{{1, true}, {2, false}} {
		jams := tt.jams
		e := runJammed(1, 3000, func(l *lock) bool {
			if l.opts.Trace != TraceHashes || jams == 0 {
				return false
			}
			jams--
			return true
		})
		if got := e.Counts().Aimed > 0; got != tt.want {
			t.Errorf("%d runs of the first witness abandoned: attempts made: %v, want %v", tt.jams, got, tt.want)
		}
	}
}
