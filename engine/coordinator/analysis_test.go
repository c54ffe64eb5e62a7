package coordinator

import (
	"context"
	"slices"
	"testing"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// TestAttemptsOfTheDead: an attempt that a process was in when it died counts, once.
func TestAttemptsOfTheDead(t *testing.T) {
	w := &slot{}
	r := &run{slots: []*slot{w}}
	r.analysis.frontier = map[int32]engine.Side{7: {Side: 7, Status: engine.SideConstant, Turns: 2, Price: 8}}
	countAttempts := func() {
		r.analysis.countAttempts(w.attempts)
		w.attempts = nil
	}
	for _, side := range []int32{7, 9, 7} {
		r.take(t.Context(), event{slot: w, msg: &wire.Message{Turn: &wire.Turn{Side: side}}})
	}
	countAttempts()
	countAttempts()
	if a, b := r.analysis.frontier[7], r.analysis.frontier[9]; a.Turns != 4 || a.Price != 10 || a.Status != engine.SideConstant || b.Turns != 1 || b.Side != 9 || b.Status != engine.SideTried {
		t.Errorf("frontier %+v", r.analysis.frontier)
	}
	r.take(t.Context(), event{slot: w, msg: &wire.Message{Turn: &wire.Turn{Side: 9}}})
	r.take(t.Context(), event{slot: w, msg: &wire.Message{Stats: &wire.Stats{Frontier: []engine.Side{{Side: 9, Status: engine.SideTried, Turns: 2}}}}})
	countAttempts()
	if got := r.analysis.frontier[9].Turns; got != 2 {
		t.Errorf("%d turns at side 9, of which the process has told; want 2", got)
	}
}

// TestPricesOfRunsBefore: workers are told of the prices that earlier runs have left, but not that this
// run has tried anything.
func TestPricesOfRunsBefore(t *testing.T) {
	c, _ := config(t, workertest.Table())
	c.Prices = map[int32]uint32{3: 5, 1: 2}
	want := []engine.Side{{Side: 1, Status: engine.SideUntried, Price: 2}, {Side: 3, Status: engine.SideUntried, Price: 5}}
	if got := newRun(c).analysis.sides(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A run says that it has no worker left also where the only one waited for the analysis build,
// and no process of that can be started.
func TestNoProcessAims(t *testing.T) {
	c, rec := config(t, workertest.Table())
	c.Sequences, c.confirmTime = runs(10_000), unbounded
	c.Params.QuietAfter = 50
	c.Conditions = []coverage.Condition{{First: 0, Sides: []string{"taken", "not taken"}}}
	c.Analysis = func(context.Context) (worker.Spawn, error) {
		return worker.Spawn{Binary: "no such file", Dir: t.TempDir()}, nil
	}
	if res := run1(t, c); res.Stopped != "no worker left" {
		t.Errorf("stopped by %q after %d sequences, want no worker left; warnings %q", res.Stopped, res.Counts.Sequences, rec.warnings)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for range 16 { // the end of the build and the interrupt come in any order
		r := newRun(c)
		r.slots = []*slot{{waits: true}}
		r.analysis.built <- build{err: ctx.Err()}
		if reason := r.loop(ctx); reason != "interrupted" {
			t.Errorf("stopped by %q, want by an interrupt", reason)
		}
		r.confirms.Close()
	}
}
