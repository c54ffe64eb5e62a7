package coordinator

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/wire"
)

// TestAttemptsOfTheDead: an attempt that a process was in when it died counts, once.
func TestAttemptsOfTheDead(t *testing.T) {
	w := &slot{}
	r := &run{slots: []*slot{w}}
	r.analysis.frontier = map[int32]engine.Side{7: {Side: 7, Status: engine.SideConstant, Turns: 2}}
	countAttempts := func() {
		r.analysis.countAttempts(w.attempts)
		w.attempts = nil
	}
	for _, side := range []int32{7, 9, 7} {
		r.take(t.Context(), event{slot: w, msg: &wire.Message{Turn: &wire.Turn{Side: side}}})
	}
	countAttempts()
	countAttempts()
	if a, b := r.analysis.frontier[7], r.analysis.frontier[9]; a.Turns != 4 || a.Status != engine.SideConstant || b.Turns != 1 || b.Side != 9 || b.Status != engine.SideTried {
		t.Errorf("frontier %+v", r.analysis.frontier)
	}
	r.take(t.Context(), event{slot: w, msg: &wire.Message{Turn: &wire.Turn{Side: 9}}})
	r.take(t.Context(), event{slot: w, msg: &wire.Message{Stats: &wire.Stats{Frontier: []engine.Side{{Side: 9, Status: engine.SideTried, Turns: 2}}}}})
	countAttempts()
	if got := r.analysis.frontier[9].Turns; got != 2 {
		t.Errorf("%d turns at side 9, of which the process has told; want 2", got)
	}
}
