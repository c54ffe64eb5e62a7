package coordinator

import (
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/wire"
)

// A process may stall between sequences because the machine is busy. Many do for a reason.
func TestStall(t *testing.T) {
	var all totals
	for n, want := range []int{0, 0, 1, 2} {
		if all.stall("it did not go on"); all.unexplained != want {
			t.Errorf("after %d: %d are unexplained, want %d", n+1, all.unexplained, want)
		}
	}
	if all.unexplain("signal: killed"); all.unexplained != 3 || all.lastUnexplained != "signal: killed" {
		t.Errorf("%d are unexplained, the last by %q", all.unexplained, all.lastUnexplained)
	}
}

// The estimate of what is new is of the process that sampled most, not of all together.
func TestAddEstimate(t *testing.T) {
	sum := engine.Counts{}
	for _, c := range []engine.Counts{{Sequences: 8, Once: 5, Sampled: 1}, {Sequences: 800, Once: 2, Sampled: 100}, {Sequences: 80, Once: 9, Sampled: 10}} {
		sum = add(sum, c)
	}
	if sum.Sequences != 888 || sum.Discovery() != 0.02 {
		t.Errorf("%d sequences, of which the next is new with %v, want 888 and 0.02", sum.Sequences, sum.Discovery())
	}
}

// The next process learns what calls cost the ones before it, and which left many goroutines.
func TestCostsAreTold(t *testing.T) {
	c, _ := config(t, workertest.Table("Leave"))
	r := newRun(c)
	defer r.confirms.Close()
	for range 2 {
		r.totals.add(&wire.Stats{Ops: []engine.OpCounts{{Op: 0, Runs: 2}, {Op: 1, Runs: 3, Cost: 40}, {Op: 2, Runs: 1, Limits: engine.Limits{Few: true}}}}, engine.Counts{}, r.policy)
	}
	want := []engine.OpCounts{{Op: 1, Runs: 6, Cost: 80}, {Op: 2, Runs: 2, Limits: engine.Limits{Few: true}}}
	if got := r.backoffs(); !slices.Equal(got, want) {
		t.Errorf("told %+v, want %+v", got, want)
	}
}
