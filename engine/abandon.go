package engine

import "foray.test/engine/seq"

// Abandon gives up the run under way, whose last call does not come back: it
// waits for what nobody will do (stalled), or has ended its goroutine. What called
// Run or Add is given up with it; whoever calls Abandon goes on in its place, with
// x as the executor. hits are the branch sides that the run took.
//
// A run that composes counts as a sequence. One that was to minimize a finding or
// to prune an entry ends that: what it had come to is reported. All else that the
// engine has learnt stays, so that one worker and one seed still have one history.
func (e *Engine) Abandon(x Executor, hits []byte, stalled bool) {
	c := &e.cur
	e.exec = x
	x.Want("")
	steps := c.steps
	if f := e.frontier; f != nil {
		if s := f.abandon(); s != nil {
			c.composing, steps = true, s
			e.counts.Aimed++
		} else if c.composing {
			f.composed(len(steps), 0)
		}
	}
	if salvage := e.salvage; salvage != nil {
		e.salvage = nil
		salvage()
		return
	}
	if c.composing {
		c.composing = false
		e.counts.Sequences++
		e.counts.Steps += uint64(len(steps))
	}
	e.counts.Abandoned++
	e.cover(hits)
	if len(steps) == 0 {
		return
	}
	if stalled {
		e.schedule.stalled(steps)
	} else {
		e.schedule.ran(steps[len(steps)-1].Op, Broken)
	}
}

// Use makes x the executor, where another run than one of the engine's was given up.
func (e *Engine) Use(x Executor) { e.exec = x }

// Recall tells the engine what became of operations in earlier processes, as far
// as sequences with them did not come to their end. Without runs it only says that
// an operation is to be held back as if it had been so often before.
func (e *Engine) Recall(list []OpCounts) {
	for _, c := range list {
		e.schedule.recall(c)
	}
}

// holdSteps is how many steps pass without an operation that is held back for the
// first time, and twice as many each time after. To find that a call waits takes
// milliseconds, as long as 20,000 steps and more; but the first suspicion is often
// wrong, and what always stalls does so a dozen times in a minute.
const (
	holdSteps    = 1 << 13
	maxHoldShift = 14
)

// stalled takes in that steps never ended. A lock that one step leaves held stops
// another that is none the worse for it; so not the last step's function is held
// back but the one whose runs have most often come to this, of equals the later.
// Whoever was suspected wrongly gets many runs that end well, and is not again.
func (s *schedule) stalled(steps []seq.Step) {
	worst, most := steps[len(steps)-1].Op, -1.0
	s.stats[worst].Runs++ // it ran, though it did not return
	for i := len(steps) - 1; i >= 0; i-- {
		id := steps[i].Op
		if !calledIn(steps[i+1:], id) {
			s.stats[id].stalls++
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if share := s.stallShare(steps[i].Op); share > most {
			worst, most = steps[i].Op, share
		}
	}
	s.hold(worst)
}

func calledIn(steps []seq.Step, id seq.OpID) bool {
	for i := range steps {
		if steps[i].Op == id {
			return true
		}
	}
	return false
}

// rareRuns is how many runs that ended well everything is taken to have had: what
// was run but once is not the likeliest cause.
const rareRuns = 4

// stallShare estimates how many of a function's runs belong to sequences that
// never end, by its instances in this process and earlier ones.
func (s *schedule) stallShare(id seq.OpID) float64 {
	stalls, runs := uint64(0), uint64(rareRuns)
	for _, id := range s.instances[id] {
		st := &s.stats[id]
		stalls += st.stalls + st.past.Stalls
		runs += st.Runs + st.past.Runs
	}
	return float64(stalls) / float64(runs)
}

// hold takes a function out of composition for a while.
func (s *schedule) hold(id seq.OpID) {
	for _, id := range s.instances[id] {
		st := &s.stats[id]
		st.heldUntil = s.now + holdSteps<<min(st.holds, maxHoldShift)
		st.holds++
		s.lastHeld = max(s.lastHeld, st.heldUntil)
	}
	// Those that are drawn are dealt anew, as when one is banned.
	for _, l := range s.lotteries() {
		l.draws = 0
	}
}

// endless takes in that a call of id used up its fuel: as much as some 100,000 steps.
// It is held back for about as long, unless there is nothing else to call.
func (s *schedule) endless(id seq.OpID) {
	if len(s.instances[id]) == len(s.calls.ops) {
		return
	}
	for _, id := range s.instances[id] {
		s.stats[id].holds = min(s.stats[id].holds, endlessHolds)
	}
	s.hold(id)
}

// endlessHolds bounds the doublings of a hold for want of fuel.
const endlessHolds = 3

func (s *schedule) recall(c OpCounts) {
	st := &s.stats[c.Op]
	if c.Runs > 0 {
		st.past = c
	}
	if c.Holds > st.holds {
		for _, id := range s.instances[c.Op] {
			s.stats[id].holds = c.Holds - 1
		}
		s.hold(c.Op)
	}
}

// held reports whether a kept sequence calls what is held back.
func (s *schedule) held(list seq.Sequence) bool {
	if s.lastHeld <= s.now {
		return false
	}
	for i := range list {
		if s.stats[list[i].Op].heldUntil > s.now {
			return true
		}
	}
	return false
}
