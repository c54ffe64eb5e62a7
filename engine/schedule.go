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
	durations []bool // by type
	unsafe    []bool // by operation: see Doubtful
	makes     []bool // by operation: it returns more than an error
	settings  *Settings
	tamed     bool     // some operation is given only literals of them
	apart     []opInfo // of all operations, if no object is to be put into itself
	loopOneIn int      // … but in one sequence of so many
	roots     []int32  // by slot, of the sequence that is looked at: see slotInfo

	now         uint64 // steps and sequences composed: the clock of backoffs
	lastBackoff uint64 // from then on no operation is backed off

	refusals Refusals
}

// opStats tells how an operation's runs ended.
type opStats struct {
	Tries  uint32 // runs since the counts were last halved
	Yield  uint32 // new values and sides in them
	Runs   uint64
	Normal uint64
	Failed uint64
	Broken uint64
	restriction

	stalls uint64   // sequences with it that were abandoned because they stalled
	past   OpCounts // in earlier processes
}

func newSchedule(t *seq.Table, impossible []bool) *schedule {
	s := &schedule{
		stats: make([]opStats, len(t.Ops)), uses: sampler{even: true},
		instances: instances(t), durations: make([]bool, len(t.Types)), unsafe: make([]bool, len(t.Ops)), makes: make([]bool, len(t.Ops)), settings: NewSettings(t), refusals: Refusals{},
	}
	for i := range t.Types {
		s.durations[i] = t.Types[i].Duration()
	}
	for i := range t.Ops {
		s.unsafe[i] = Doubtful(t, &t.Ops[i])
		s.makes[i] = len(t.Ops[i].Results) > 1 || len(t.Ops[i].Results) == 1 && !t.Ops[i].ReturnsError
		if impossible[i] {
			continue
		}
		op := &t.Ops[i]
		switch {
		case op.Kind == seq.FieldSet || op.Kind == seq.VarSet:
			s.writes.ops = append(s.writes.ops, seq.OpID(i))
		case op.API:
			s.calls.ops = append(s.calls.ops, seq.OpID(i))
		case takesSlot(op):
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
func takesSlot(op *seq.Operation) bool {
	switch op.Kind {
	case seq.FieldGet, seq.FieldSet, seq.VarSet, seq.Assert, seq.Index, seq.Chan, seq.Call, seq.Range, seq.Method:
		return len(op.Params) > 0
	}
	return false
}

// pick draws an operation to call in a sequence of style in.
func (s *schedule) pick(src *draw.Source, in *style) (id seq.OpID, p permit, ok bool) {
	list := &s.calls
	if in.writes && len(s.writes.ops) > 0 && src.OneIn("write", pickWriteOneIn) {
		list = &s.writes
	} else if len(list.ops) == 0 || len(s.uses.ops) > 0 && src.OneIn("use", pickUseOneIn) {
		list = &s.uses
	}
	for range pickTries {
		id, ok = list.draw(src, s.stats, s.now)
		if !ok {
			continue
		}
		if p, ok = s.ask(src, id, in); ok {
			return id, p, true
		}
	}
	return 0, permit{}, false
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

// guided counts a guided call.
func (s *schedule) guided(id seq.OpID, broke bool) {
	a := s.stats[id].accepted
	a.guided++
	if broke {
		a.broken++
	}
}

// ran takes in how a run of an operation ended and its cost beyond the usual, in panics.
func (s *schedule) ran(id seq.OpID, status Status, cost uint32) {
	st := &s.stats[id]
	st.Runs++
	st.Tries++
	st.extraCost += uint64(cost)
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
