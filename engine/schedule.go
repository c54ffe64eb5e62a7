package engine

import (
	"slices"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// schedule chooses operations: by yield, with a floor for all, and seldom those
// that mostly panic.
type schedule struct {
	calls lottery // operations of the API
	uses  lottery // the rest that take values: field reads, assertions, ranges
	// writes to fields and variables may break any invariant, and what then hangs
	// or panics is their caller's fault: they have sequences of their own.
	writes lottery
	stats  []opStats
	// instances lists, by operation, those that call the same function.
	instances [][]seq.OpID

	now      uint64 // steps and sequences composed: what holds are measured in
	lastHeld uint64 // from then on no operation is held back
}

// opStats is what became of an operation's runs.
type opStats struct {
	Tries  uint32 // runs since the counts were last halved
	Yield  uint32 // new values and sides in them
	Runs   uint64
	Normal uint64
	Failed uint64
	Broken uint64
	dear   uint64 // what its runs cost beyond the usual, in panics
	banned bool
	tame   tameness

	accepted *accepted // nil if nothing was learnt

	stalls    uint64   // sequences with it that were abandoned because they stalled
	holds     uint32   // how often it was held back for that
	heldUntil uint64   // … until when
	past      OpCounts // in earlier processes
}

// Weights of what an operation yields, in new results. A result is new for no
// merit of its operation where what it was read from is: a changed value counts
// more. A new branch side is rarer by orders of magnitude.
const (
	changeYield = 8
	sideYield   = 64
)

// agingTries is how many runs an operation's yield looks back on.
const agingTries = 1 << 14

// maxBrokenShare bounds the panics of an operation to one in so many runs: a
// recovered nil dereference costs 2.8 µs, some fifty steps.
const maxBrokenShare = 100

func newSchedule(t *seq.Table, impossible []bool) *schedule {
	// Values whose fields were written are always new; they are states that the
	// package did not make, and the loops among them end the process.
	s := &schedule{stats: make([]opStats, len(t.Ops)), uses: lottery{even: true}, instances: instances(t)}
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
	if writes && len(s.writes.ops) > 0 && src.OneIn("write", 8) {
		list = &s.writes
	} else if len(list.ops) == 0 || len(s.uses.ops) > 0 && src.OneIn("use", 12) {
		list = &s.uses
	}
	for range 8 {
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

// A lottery holds each operation as often as it is to be drawn.
type lottery struct {
	ops     []seq.OpID // of which all are drawn
	tickets []seq.OpID
	even    bool // not by yield
	draws   int  // until the tickets are dealt anew
}

// Of lotteryParts parts of the tickets one is the same for all operations, so
// that none is forgotten. The others go by yield per try. (The better of two
// drawn at random, tried before, cannot be drawn more often than two times in n.)
const (
	lotteryParts = 4
	lotteryDraws = 1 << 12
)

// draw draws an operation; ok is false if there is none.
func (l *lottery) draw(src *draw.Source, stats []opStats, now uint64) (id seq.OpID, ok bool) {
	if l.draws--; l.draws < 0 {
		l.deal(stats, now)
	}
	if len(l.tickets) == 0 {
		return 0, false
	}
	return l.tickets[src.Choose("operation", len(l.tickets))], true
}

// forget forgets what became of operations: each is as likely as any other again.
func (s *schedule) forget() {
	clear(s.stats)
	for _, l := range s.lotteries() {
		l.draws = 0
	}
}

// deal deals the tickets by what the operations have yielded of late; those that
// are held back get none.
func (l *lottery) deal(stats []opStats, now uint64) {
	l.draws, l.tickets = lotteryDraws, l.tickets[:0]
	if l.even {
		for _, id := range l.ops {
			if stats[id].heldUntil <= now {
				l.tickets = append(l.tickets, id)
			}
		}
		return
	}
	var sum float64
	for _, id := range l.ops {
		sum += stats[id].yieldPerTry()
	}
	const each = 16 // tickets of an operation of average yield
	byYield := float64(each * len(l.ops) * (lotteryParts - 1) / lotteryParts)
	for _, id := range l.ops {
		if stats[id].heldUntil > now {
			continue
		}
		n := each/lotteryParts + int(byYield*stats[id].yieldPerTry()/sum)
		for range n {
			l.tickets = append(l.tickets, id)
		}
	}
}

// yieldPerTry is never zero: an operation without a try is as good as one whose
// every try is new.
func (st *opStats) yieldPerTry() float64 { return float64(st.Yield+1) / float64(st.Tries+1) }

// allowed says no to banned operations, and so often to those that panic or cost
// much that one draw in maxBrokenShare ends in that. Not more often: on a tree whose
// insertion panics in three calls of a hundred, for want of a comparator, it is
// still what all else needs.
func (s *schedule) allowed(id seq.OpID, src *draw.Source) bool {
	st := &s.stats[id]
	if st.banned || st.heldUntil > s.now {
		return false
	}
	if len(s.calls.ops)+len(s.uses.ops) == 1 {
		return true // it is that or nothing
	}
	if dear := st.Broken + st.dear; dear > 16 && dear*maxBrokenShare > st.Runs {
		// The sixteen first are free, so that rare legal uses get their chance.
		return uint64(src.Choose("panics", 1<<20))*dear*maxBrokenShare < st.Runs<<20
	}
	return true
}

// admits says no to what is not allowed, unless the call can be guided by what the
// operation has accepted: then it need not panic. What mostly fails is guided every other
// time.
func (s *schedule) admits(id seq.OpID, src *draw.Source) (ok, guided bool) {
	st := &s.stats[id]
	switch {
	case s.allowed(id, src):
		return true, st.Failed*2 > st.Runs && st.accepted.helps() && src.OneIn("guided", 2)
	case st.banned || st.heldUntil > s.now:
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

// ban takes an operation out of what is picked: left among the calls it would
// cost a draw each time, and many of them end sequences before they begin.
func (s *schedule) ban(id seq.OpID) {
	s.stats[id].banned = true
	for _, l := range s.lotteries() {
		l.ops = slices.DeleteFunc(l.ops, func(other seq.OpID) bool { return other == id })
		l.draws = 0
	}
}

func (s *schedule) lotteries() [3]*lottery { return [3]*lottery{&s.calls, &s.uses, &s.writes} }

// tameness says which numbers an operation is given.
type tameness uint8

const (
	untamed   tameness = iota
	noHuge             // it allocated much when given a huge number
	smallOnly          // it ended a process: no nil either, if there is anything else
)
