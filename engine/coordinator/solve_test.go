package coordinator

import (
	"context"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// A run on its plateau asks for proposals once for the sides that it has, waits until they
// have run, and counts the sides of entries that come from them.
func TestSolve(t *testing.T) {
	c, rec := config(t, workertest.Table())
	entry := workertest.Parse(t, c.Table, "v0 := planted.New(); v0.Put(5)")
	proposal := workertest.Parse(t, c.Table, "v0 := planted.New(); v0.Put(7)")
	var asked [][]seq.Sequence
	c.Sides, c.Plateau, c.Entries = 10, true, []seq.Sequence{entry}
	c.Solve = func(ctx context.Context, u Unsolved) Late {
		asked = append(asked, u.Entries)
		if len(asked) > 1 {
			return Late{Note: "nothing"}
		}
		return Late{Seeds: []seq.Sequence{proposal}, Note: "one", Impossible: map[int]int{6: 1}}
	}
	r := newRun(c)
	r.slots = []*slot{{}}
	r.archive.covered.Add(0)
	r.solve(t.Context()) // it is not on its plateau yet
	if r.solving.underWay() {
		t.Fatal("asked before the plateau")
	}
	r.began = time.Now().Add(-time.Hour)
	r.totals.counts.Sequences = 1 << 30
	if r.stopReason() != "plateau" {
		t.Fatal("the run is not on its plateau")
	}

	r.solve(t.Context())
	if why := r.stopReason(); why != "" {
		t.Errorf("ends for %q while it is solved for", why)
	}
	r.takeSolved(<-r.solving.results)
	r.solve(t.Context())
	if why := r.stopReason(); why != "" {
		t.Errorf("ends for %q before the proposal has run", why)
	}
	if n := len(r.slots[0].seeds); n != 1 {
		t.Fatalf("%d sequences to run, want the proposal", n)
	}

	r.totals.counts.Seeds = 1
	r.solve(t.Context())
	if why := r.stopReason(); why != "plateau" || len(asked) != 1 {
		t.Errorf("ends for %q after asking %d times, want plateau and once", why, len(asked))
	}
	r.takeEntry(r.slots[0], &wire.Entry{Entry: engine.Entry{Sides: []int32{3, 4}, Seed: true}, Steps: seq.AppendBinary(nil, proposal)})
	if rec.solved != 1 || rec.seeds != 1 {
		t.Errorf("%d entries solved for, %d seeds, want one that is both", rec.solved, rec.seeds)
	}

	r.totals.counts.Sequences = 1 << 40 // the next plateau
	r.archive.lastNewAt = 0
	r.solve(t.Context())
	r.takeSolved(<-r.solving.results)
	if len(asked) != 2 || len(asked[0]) != 1 || len(asked[1]) != 2 {
		t.Errorf("asked with %d lists, want one entry and then two", len(asked))
	}
	if why := r.stopReason(); why != "plateau" {
		t.Errorf("ends for %q, want plateau: nothing was proposed", why)
	}
	if got := r.result("plateau").Solved; got.Asked != 2 || got.Proposed != 1 || got.Sides != 2 {
		t.Errorf("%+v, want one proposal of two sides in two rounds", got)
	} else if len(got.Impossible) != 1 || got.Impossible[6] != 1 {
		t.Errorf("impossible: %v, want what the first round has found, as the second did not come to its end", got.Impossible)
	}
}

// Proposals run while solving goes on, each in one worker.
func TestProposeEarly(t *testing.T) {
	c, _ := config(t, workertest.Table())
	c.Sides = 10
	ended := make(chan struct{})
	steps := workertest.Parse(t, c.Table, "v0 := planted.New(); v0.Put(7)")
	c.Solve = func(ctx context.Context, u Unsolved) Late {
		u.Propose(steps)
		u.Propose(steps)
		<-ctx.Done()
		u.Propose(steps) // nobody takes it
		close(ended)
		return Late{}
	}
	r := newRun(c)
	r.slots = []*slot{{}, {}}
	r.began, r.totals.counts.Sequences = time.Now().Add(-time.Hour), 1<<30
	r.archive.covered.Add(0)
	ctx, cancel := context.WithCancel(t.Context())
	r.solve(ctx)
	r.takeProposed(<-r.solving.proposed)
	r.takeProposed(<-r.solving.proposed)
	if n, m := len(r.slots[0].seeds), len(r.slots[1].seeds); n != 1 || m != 1 || r.solving.total.Proposed != 2 {
		t.Errorf("%d and %d sequences to run of %d proposed, want one each", n, m, r.solving.total.Proposed)
	}
	cancel()
	<-ended
	if r.takeSolved(<-r.solving.results); !r.solving.waits {
		t.Error("the run does not wait for the proposals")
	}
}

// A run that ends while it is solved for tells the time of that, too.
func TestSolveTime(t *testing.T) {
	c, _ := config(t, workertest.Table())
	r := newRun(c)
	r.solving.total.Time = time.Second
	r.solving.busy, r.solving.began = true, time.Now().Add(-time.Minute)
	if got := r.result("time").Solved.Time; got < time.Minute+time.Second {
		t.Errorf("%v, want that of both rounds", got)
	}
	r.takeSolved(Late{})
	if got := r.result("time").Solved.Time; got < time.Minute+time.Second || got >= 2*time.Minute {
		t.Errorf("%v when the second has ended, want that of both rounds", got)
	}
}

// Solving is over when the run is.
func TestSolveEnds(t *testing.T) {
	c, _ := config(t, workertest.Table())
	c.Sides = 10
	c.Solve = func(ctx context.Context, _ Unsolved) Late {
		<-ctx.Done()
		return Late{}
	}
	r := newRun(c)
	r.began, r.totals.counts.Sequences = time.Now().Add(-time.Hour), 1<<30
	r.archive.covered.Add(0)
	ctx, cancel := context.WithCancel(t.Context())
	r.solve(ctx)
	cancel()
	r.takeSolved(<-r.solving.results)
	if r.solving.total.Asked != 1 || r.solving.underWay() {
		t.Errorf("%+v, want one that ended", r.solving.total)
	}
}

// Runs that sequences end do not solve: a clock would decide when.
func TestSolveNotCounted(t *testing.T) {
	c, _ := config(t, workertest.Table())
	c.Sides, c.Sequences = 10, 1<<31
	c.Solve = func(context.Context, Unsolved) Late { return Late{} }
	r := newRun(c)
	r.began, r.totals.counts = time.Now().Add(-time.Hour), engine.Counts{Sequences: 1 << 30}
	r.archive.covered.Add(0)
	if r.solve(t.Context()); r.solving.underWay() {
		t.Error("a run of a number of sequences asked")
	}
}

// A run solves before its plateau when it has lasted for a while, and for longer if that takes
// sides.
func TestSolveDue(t *testing.T) {
	c, _ := config(t, workertest.Table())
	r := newRun(c)
	for _, tt := range []struct {
		elapsed, spent time.Duration
		sides          int
		want           bool
	}{
		{solveAfter - time.Second, 0, 0, false},
		{solveAfter, 0, 0, true},
		{10 * time.Minute, time.Minute, 0, false},
		{10 * time.Minute, time.Minute, 1, true},
		{3 * time.Minute, time.Minute, 1, false},
		{17 * time.Minute, time.Minute, 0, true},
	} {
		r.began, r.solving.total = time.Now().Add(-tt.elapsed), Solved{Time: tt.spent, Sides: tt.sides}
		if got := r.solveDue(); got != tt.want {
			t.Errorf("after %v, of which solving took %v and %d sides: due %v", tt.elapsed, tt.spent, tt.sides, got)
		}
	}
	r.began, r.solving.total = time.Now().Add(-solveAfter), Solved{}
	for left, want := range map[time.Duration]bool{2 * time.Second: false, time.Minute: true} {
		r.config.Duration = solveAfter + left
		if got := r.solveDue(); got != want {
			t.Errorf("%v before the end: due %v", left, got)
		}
	}
}
