package engine

import (
	"math"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// TestSamplerShares: a quarter of the draws is the same for all operations, the
// rest goes by yield per try.
func TestSamplerShares(t *testing.T) {
	stats := []opStats{{Tries: 999, Yield: 599}, {Tries: 999, Yield: 199}, {Tries: 999}, {Tries: 1999, Yield: 399}}
	l := sampler{ops: []seq.OpID{0, 1, 2, 3}}
	src := draw.Random(1)
	const draws = 40000
	var count [4]int
	for range draws {
		id, ok := l.draw(src, stats, 0)
		if !ok {
			t.Fatal("nothing drawn")
		}
		count[id]++
	}
	for id, perTry := range []float64{0.6, 0.2, 0.001, 0.2} {
		want := 0.25/4 + 0.75*perTry/1.001
		if got := float64(count[id]) / draws; math.Abs(got-want) > 0.03 {
			t.Errorf("operation %d: drawn %.3f of the times, want %.3f", id, got, want)
		}
	}
}

func TestSamplerWithoutOperations(t *testing.T) {
	var l sampler
	if _, ok := l.draw(draw.Random(1), nil, 0); ok {
		t.Error("something drawn from nothing")
	}
}

// TestPanicsAreAShareOfDraws: an operation that panics in one of three runs is
// allowed three times in a hundred draws, so that one ends in a panic.
func TestPanicsAreAShareOfDraws(t *testing.T) {
	src := draw.Random(1)
	for _, oneIn := range []uint64{1, 3, 30, 200} {
		s := newSchedule(fakeTable(), make([]bool, opMust+1))
		s.stats[opPut] = opStats{Runs: 1000 * oneIn, Broken: 1000}
		const draws = 100000
		allowed := 0
		for range draws {
			if s.allowed(opPut, src) {
				allowed++
			}
		}
		want := min(1, float64(oneIn)/maxBrokenShare)
		if got := float64(allowed) / draws; math.Abs(got-want) > 0.01 {
			t.Errorf("panics once in %d runs: allowed %.3f of the times, want %.3f", oneIn, got, want)
		}
	}
}

// What the calls of earlier processes cost counts.
func TestCostIsRecalled(t *testing.T) {
	s := newSchedule(fakeTable(), make([]bool, opMust+1))
	s.recall(OpCounts{Op: opPut, Runs: 3000, Cost: 8000})
	src := draw.Random(1)
	const draws = 10000
	allowed := 0
	for range draws {
		if s.allowed(opPut, src) {
			allowed++
		}
	}
	if want := draws / maxBrokenShare; allowed > want {
		t.Errorf("allowed %d of %d times, want at most %d", allowed, draws, want)
	}
}

// A call that costs much counts as several that panicked.
func TestCostlyAreFewOfDraws(t *testing.T) {
	s := newSchedule(fakeTable(), make([]bool, opMust+1))
	s.stats[opPut] = opStats{Runs: 3000, restriction: restriction{extraCost: 8000}}
	src := draw.Random(1)
	const draws = 100000
	allowed := 0
	for range draws {
		if s.allowed(opPut, src) {
			allowed++
		}
	}
	want := 3.0 / (maxBrokenShare * 8)
	if got := float64(allowed) / draws; got < want/2 || got > 2*want {
		t.Errorf("allowed %.4f of the times, want %.4f", got, want)
	}
}
