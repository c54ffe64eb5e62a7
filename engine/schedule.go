package engine

import (
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// schedule chooses operations: by yield, with a floor for all, and seldom those
// that mostly panic.
type schedule struct {
	calls []seq.OpID // operations of the API
	uses  []seq.OpID // the rest that take values: field reads and writes, assertions, ranges
	stats []opStats
}

// opStats is what became of an operation's runs.
type opStats struct {
	Tries  uint32 // runs since the counts were last halved
	Yield  uint32 // new values and sides in them
	Runs   uint64
	Normal uint64
	Failed uint64
	Broken uint64
	banned bool
	tame   tameness
}

// Weights of what an operation yields, in new values. A new branch side is rarer
// by orders of magnitude than a new value.
const sideYield = 64

// agingTries is how many runs an operation's yield looks back on.
const agingTries = 1 << 14

// maxBrokenShare bounds the panics of an operation to one in so many runs: a
// recovered nil dereference costs 2.8 µs, some fifty steps.
const maxBrokenShare = 100

func newSchedule(t *seq.Table, impossible []bool) *schedule {
	s := &schedule{stats: make([]opStats, len(t.Ops))}
	for i := range t.Ops {
		if impossible[i] {
			continue
		}
		op := &t.Ops[i]
		switch {
		case op.API:
			s.calls = append(s.calls, seq.OpID(i))
		case takesSlot(t, op):
			s.uses = append(s.uses, seq.OpID(i))
		}
	}
	return s
}

// takesSlot reports whether op works on a value that only operations make.
func takesSlot(t *seq.Table, op *seq.Operation) bool {
	switch op.Kind {
	case seq.FieldGet, seq.FieldSet, seq.VarSet, seq.Assert, seq.Index, seq.Chan, seq.Call, seq.Range:
		return len(op.Params) > 0
	}
	return false
}

// pick draws an operation to call.
func (s *schedule) pick(src *draw.Source) (seq.OpID, bool) {
	list := s.calls
	if len(list) == 0 || len(s.uses) > 0 && src.OneIn("use", 12) {
		list = s.uses
	}
	if len(list) == 0 {
		return 0, false
	}
	for range 8 {
		id := list[src.Choose("operation", len(list))]
		if !src.OneIn("uniform", 4) {
			other := list[src.Choose("operation", len(list))]
			if s.better(other, id) {
				id = other
			}
		}
		if s.allowed(id, src) {
			return id, true
		}
	}
	return 0, false
}

// better compares yield per try, an untried operation first.
func (s *schedule) better(a, b seq.OpID) bool {
	x, y := &s.stats[a], &s.stats[b]
	return uint64(x.Yield+1)*uint64(y.Tries+1) > uint64(y.Yield+1)*uint64(x.Tries+1)
}

// allowed says no to banned operations and mostly to those that mostly panic.
func (s *schedule) allowed(id seq.OpID, src *draw.Source) bool {
	st := &s.stats[id]
	if st.banned {
		return false
	}
	if st.Broken > 16 && st.Broken*maxBrokenShare > st.Runs {
		// The sixteen first are free, so that rare legal uses get their chance.
		return src.OneIn("panics", maxBrokenShare)
	}
	return true
}

func (s *schedule) ran(id seq.OpID, status Status) {
	st := &s.stats[id]
	st.Runs++
	st.Tries++
	switch status {
	case Normal:
		st.Normal++
	case Failed:
		st.Failed++
	case Broken:
		st.Broken++
	}
	if st.Tries >= agingTries {
		st.Tries /= 2
		st.Yield /= 2
	}
}

func (s *schedule) yielded(id seq.OpID, n uint32) { s.stats[id].Yield += n }

func (s *schedule) ban(id seq.OpID) { s.stats[id].banned = true }

// tameness says which numbers an operation is given.
type tameness uint8

const (
	untamed   tameness = iota
	noHuge             // it allocated much when given a huge number
	smallOnly          // it ended a process
)
