package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// stalled takes in that steps never ended. The last step may be waiting on a lock that an
// earlier step holds, so it backs off the function with the highest stall rate; on a tie,
// the later. A function suspected wrongly then gets many runs that end well. A function that
// was told how long to wait is told less at first.
func (s *schedule) stalled(steps []seq.Step) {
	worst, most := steps[len(steps)-1].Op, -1.0
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
	if !s.shorten(steps, worst) {
		s.backOff(worst)
	}
}

func calledIn(steps []seq.Step, id seq.OpID) bool {
	return slices.ContainsFunc(steps, func(st seq.Step) bool { return st.Op == id })
}

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

// backOff takes a function out of composition for a while.
func (s *schedule) backOff(id seq.OpID) {
	for _, id := range s.instances[id] {
		st := &s.stats[id]
		st.until = s.now + backoffSteps<<min(st.backoffs, maxBackoffShift)
		st.backoffs++
		s.lastBackoff = max(s.lastBackoff, st.until)
	}
	for _, l := range s.samplers() {
		l.draws = 0
	}
}

// endless takes in that a call of id used up its fuel: as much as some 100,000 steps.
// It backs the function off for about as long, unless there is nothing else to call.
func (s *schedule) endless(id seq.OpID) {
	if len(s.instances[id]) == len(s.calls.ops) {
		return
	}
	for _, id := range s.instances[id] {
		s.stats[id].backoffs = min(s.stats[id].backoffs, endlessBackoffs)
	}
	s.backOff(id)
}

// recall takes in how the runs of an operation ended in earlier processes. Without runs
// it only says how often the operation is to be taken as backed off.
func (s *schedule) recall(c OpCounts) {
	st := &s.stats[c.Op]
	if c.Runs > 0 {
		st.past = c
	}
	if c.Few {
		s.limit(c.Op, few)
	}
	st.brief, st.steady = st.brief || c.Brief, st.steady || c.Steady
	s.tamed = s.tamed || st.brief || st.steady
	if c.Holds > st.backoffs {
		for _, id := range s.instances[c.Op] {
			s.stats[id].backoffs = c.Holds - 1
		}
		s.backOff(c.Op)
	}
}

// backedOff reports whether a sequence calls an operation that is backed off. It does so, too, for
// an argument that is given no more: a struct, a number, or an object that the call takes already.
func (s *schedule) backedOff(list seq.Sequence) bool {
	if s.lastBackoff <= s.now && !s.tamed && s.apart == nil {
		return false
	}
	for i := range list {
		if s.avoids(list, i) {
			return true
		}
	}
	return s.apart != nil && s.joins(list)
}

// avoids reports whether step i of a sequence is not to run, as [schedule.backedOff] says.
func (s *schedule) avoids(list seq.Sequence, i int) bool {
	switch st := &s.stats[list[i].Op]; {
	case st.until > s.now:
		return true
	case !s.tamed:
		return false
	default:
		return st.numbers >= smallOnly && !s.modest(list, i) || st.numbers == few && s.isMany(&list[i]) || s.mistimed(&list[i])
	}
}

// joins reports whether a step of a sequence may put an object into itself.
func (s *schedule) joins(list seq.Sequence) bool {
	s.roots = s.roots[:0]
	rootOf := func(slot int32) int32 { return s.roots[slot] }
	for n, st := range list {
		op := &s.apart[st.Op]
		for i := range st.Args {
			if op.joins(st.Args, i, rootOf) {
				return true
			}
		}
		for i := range op.results {
			root := int32(n)
			if op.mayReturn(st.Args, i) {
				root = s.roots[st.Args[0].Slot]
			}
			s.roots = append(s.roots, root)
		}
	}
	return false
}
