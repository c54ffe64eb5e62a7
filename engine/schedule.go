package engine

import (
	"slices"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A schedule chooses operations: by yield, with a floor for all, and seldom those
// that mostly panic.
type schedule struct {
	calls sampler // operations of the API
	uses  sampler // the rest that take values: field reads, assertions, ranges
	// writes to fields and variables may break any invariant. If a later call hangs or
	// panics their caller is to blame, so they have sequences of their own.
	writes sampler
	stats  []opStats
	// instances lists, by operation, those that call the same function.
	instances [][]seq.OpID

	now         uint64 // steps and sequences composed: the clock of backoffs
	lastBackoff uint64 // from then on no operation is backed off

	refusals Refusals
}

// opStats tells how an operation's runs ended.
type opStats struct {
	Tries     uint32 // runs since the counts were last halved
	Yield     uint32 // new values and sides in them
	Runs      uint64
	Normal    uint64
	Failed    uint64
	Broken    uint64
	extraCost uint64 // cost of its runs beyond the usual, in panics
	restriction

	accepted *accepted // nil if nothing was learnt

	stalls uint64   // sequences with it that were abandoned because they stalled
	past   OpCounts // in earlier processes
}

func newSchedule(t *seq.Table, impossible []bool) *schedule {
	s := &schedule{stats: make([]opStats, len(t.Ops)), uses: sampler{even: true}, instances: instances(t), refusals: Refusals{}}
	for i := range t.Ops {
		if impossible[i] {
			continue
		}
		op := &t.Ops[i]
		switch {
		case op.Kind == seq.FieldSet || op.Kind == seq.VarSet:
			s.writes.ops = append(s.writes.ops, seq.OpID(i))
		case op.API:
			s.calls.ops = append(s.calls.ops, seq.OpID(i))
		case takesSlot(t, op):
			s.uses.ops = append(s.uses.ops, seq.OpID(i))
		}
	}
	return s
}

// instances returns, for each operation, those that call the same function.
func instances(t *seq.Table) [][]seq.OpID {
	byMember := map[string][]seq.OpID{}
	list := make([][]seq.OpID, len(t.Ops))
	for i := range t.Ops {
		list[i] = []seq.OpID{seq.OpID(i)}
		if m := t.Ops[i].Member; m != "" {
			byMember[m] = append(byMember[m], seq.OpID(i))
		}
	}
	for _, same := range byMember {
		for _, id := range same {
			list[id] = same
		}
	}
	return list
}

// takesSlot reports whether op works on a value that only operations make.
func takesSlot(t *seq.Table, op *seq.Operation) bool {
	switch op.Kind {
	case seq.FieldGet, seq.FieldSet, seq.VarSet, seq.Assert, seq.Index, seq.Chan, seq.Call, seq.Range:
		return len(op.Params) > 0
	}
	return false
}

// pick draws an operation to call, and tells whether the call is to be guided.
func (s *schedule) pick(src *draw.Source, writes bool) (id seq.OpID, guided, ok bool) {
	list := &s.calls
	if writes && len(s.writes.ops) > 0 && src.OneIn("write", pickWriteOneIn) {
		list = &s.writes
	} else if len(list.ops) == 0 || len(s.uses.ops) > 0 && src.OneIn("use", pickUseOneIn) {
		list = &s.uses
	}
	for range pickTries {
		id, ok = list.draw(src, s.stats, s.now)
		if !ok {
			continue
		}
		if ok, guided = s.admits(id, src); ok {
			return id, guided, true
		}
	}
	return 0, false, false
}

// forget forgets the statistics of operations: each is as likely as any other again.
func (s *schedule) forget() {
	clear(s.stats)
	for _, l := range s.samplers() {
		l.draws = 0
	}
}

// yieldPerTry is never zero: an operation without a try is as good as one that yielded
// at every try.
func (st *opStats) yieldPerTry() float64 { return float64(st.Yield+1) / float64(st.Tries+1) }

// allowed rejects disabled and backed off operations. It samples those that panic or cost
// much, so that one draw in maxBrokenShare panics. Not fewer: on a tree without a
// comparator 3 % of insertions panic, and all other operations still need insertion.
func (s *schedule) allowed(id seq.OpID, src *draw.Source) bool {
	st := &s.stats[id]
	if !st.admits(s.now) {
		return false
	}
	if len(s.calls.ops)+len(s.uses.ops) == 1 {
		return true // it is that or nothing
	}
	if cost := st.Broken + st.extraCost; cost > freeBroken && cost*maxBrokenShare > st.Runs {
		return uint64(src.Choose("panics", 1<<20))*cost*maxBrokenShare < st.Runs<<20
	}
	return true
}

// admits also admits an operation that mostly panics, if its call can be guided by the
// types that it has accepted. An operation that mostly fails is guided every other time.
func (s *schedule) admits(id seq.OpID, src *draw.Source) (ok, guided bool) {
	st := &s.stats[id]
	switch {
	case s.allowed(id, src):
		return true, st.Failed*2 > st.Runs && st.accepted.helps() && src.OneIn("guided", guidedOneIn)
	case !st.restriction.admits(s.now):
		return false, false
	}
	guided = st.accepted.helps()
	return guided, guided
}

// guided counts a guided call.
func (s *schedule) guided(id seq.OpID, broke bool) {
	a := s.stats[id].accepted
	a.guided++
	if broke {
		a.broken++
	}
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

// isWrite reports whether an operation writes fields or variables.
func (s *schedule) isWrite(id seq.OpID) bool { return slices.Contains(s.writes.ops, id) }

func (s *schedule) yielded(id seq.OpID, n uint32) { s.stats[id].Yield += n }

func (s *schedule) samplers() [3]*sampler { return [3]*sampler{&s.calls, &s.uses, &s.writes} }
