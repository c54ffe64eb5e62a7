package engine

import (
	"slices"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A restriction says how an operation may be called. The zero value restricts nothing. It
// is set by what runs have shown; [schedule.ask] reads it when an operation is drawn, and
// [schedule.toleratesAll] for whole sequences.
type restriction struct {
	disabled bool // it ended processes too often
	numbers  numberLimit
	noNil    []bool // by argument: it is given no nil
	timing
	hasty     bool      // a sequence in which it was given a short duration has left goroutines behind
	backoffs  uint32    // how often it was backed off
	until     uint64    // when the last backoff ends, in steps and sequences composed
	extraCost uint64    // of its runs beyond the usual, in panics
	accepted  *accepted // nil if nothing was learnt
}

// admits reports whether the operation is neither disabled nor backed off.
func (r *restriction) admits(now uint64) bool { return !r.disabled && r.until <= now }

// A permit says with what an operation may be called in a sequence.
type permit struct {
	size magnitude // of numbers; if tiny, nil only if there is nothing else
	timing
	guided bool // open parameters take types that they have taken before
}

// ask decides whether an operation is called now in a sequence of style in, and with what.
// Composing asks once for each operation that it draws. An operation that mostly panics
// may be called if it can be guided, and one that mostly fails is guided every other time.
func (s *schedule) ask(src *draw.Source, id seq.OpID, in *style) (p permit, ok bool) {
	st := &s.stats[id]
	if !st.admits(s.now) {
		return permit{}, false
	}
	p = st.permit(in)
	if !s.affordable(st, src) {
		if !st.accepted.helps() {
			return permit{}, false
		}
		p.guided = true
	} else if st.Failed*2 > st.Runs && st.accepted.helps() {
		p.guided = src.OneIn("guided", guidedOneIn)
	}
	return p, !s.unsafe[id] || src.OneIn("unsafe maker", unsafeOneIn)
}

// askEdit decides whether an edit may add a call of an operation.
func (s *schedule) askEdit(src *draw.Source, id seq.OpID) bool {
	return s.allowed(id, src) && !s.unsafe[id] && !s.isWrite(id)
}

// permit returns with what the operation may be called in a sequence of style in.
func (r *restriction) permit(in *style) permit {
	p := permit{size: in.size, timing: r.timing}
	switch r.numbers {
	case smallOnly, few:
		p.size = tiny
	case noHuge:
		p.size = min(in.size, large)
	}
	return p
}

// allowed reports whether an operation may be called now, unguided.
func (s *schedule) allowed(id seq.OpID, src *draw.Source) bool {
	st := &s.stats[id]
	return st.admits(s.now) && s.affordable(st, src)
}

// affordable samples operations that panic or cost much, so that one draw in
// maxBrokenShare panics. Not fewer: on a tree without a comparator 3 % of insertions panic,
// and all other operations still need insertion.
func (s *schedule) affordable(st *opStats, src *draw.Source) bool {
	cost, runs := st.Broken+st.extraCost+st.past.Broken+st.past.Cost, st.Runs+st.past.Runs
	if cost <= freeBroken || cost*maxBrokenShare <= runs {
		return true
	}
	if len(s.calls.ops)+len(s.uses.ops) == 1 {
		return true // it is that or nothing
	}
	return uint64(src.Choose("panics", 1<<20))*cost*maxBrokenShare < runs<<20
}

// numberLimit says which numbers an operation is given.
type numberLimit uint8

const (
	anyNumber numberLimit = iota
	noHuge                // it allocated much when given a huge number
	smallOnly             // it ended a process: no nil either, if there is anything else
	few                   // it left many goroutines behind when given more than restrictedRange
)

// tolerates reports whether st may run: it has not too many arguments, and its operation
// is not disabled and may be given its numbers and nils.
func (s *schedule) tolerates(st *seq.Step) bool {
	r := &s.stats[st.Op].restriction
	if r.disabled || len(st.Args) > MaxStepArgs {
		return false
	}
	if r.numbers == anyNumber && r.timing == (timing{}) {
		return true
	}
	for j, a := range st.Args {
		switch {
		case a.Lit == nil:
		case a.Lit.Value == nil && j < len(r.noNil) && r.noNil[j]:
			return false
		case r.numbers >= smallOnly && s.isLarge(a):
			return false
		case s.durations[a.Lit.Type] && r.mistimed(a.Lit):
			return false
		case !s.durations[a.Lit.Type] && magnitudeOf(a.Lit.Value) == huge:
			return false
		}
	}
	return true
}

// A timing says which durations an operation is given.
type timing struct {
	brief  bool // short ones: it waits as long as it is told to
	steady bool // long ones: its goroutines take the processor if told to do something too often
}

// mistimed reports whether a duration is longer or shorter than that.
func (t timing) mistimed(d *seq.Literal) bool {
	return t.brief && isLong(d) || t.steady && isHasty(d)
}

// mistimed reports whether a step has such a duration.
func (s *schedule) mistimed(st *seq.Step) bool {
	return slices.ContainsFunc(st.Args, func(a seq.Arg) bool {
		return a.Lit != nil && s.durations[a.Lit.Type] && s.stats[st.Op].mistimed(a.Lit)
	})
}

// harmless reports whether st may run, and its operation has not ended a process.
func (s *schedule) harmless(st *seq.Step) bool {
	return s.stats[st.Op].numbers < smallOnly && s.tolerates(st)
}

// isLarge reports whether an argument is no literal for an operation that ended a process.
func (s *schedule) isLarge(a seq.Arg) bool {
	if a.Lit == nil || s.durations[a.Lit.Type] {
		return a.Lit != nil && isLong(a.Lit)
	}
	return magnitudeOf(a.Lit.Value) >= large
}

// toleratesAll reports whether all of a sequence may run now.
func (s *schedule) toleratesAll(list seq.Sequence) bool {
	for i := range list {
		if !s.tolerates(&list[i]) {
			return false
		}
	}
	return !s.backedOff(list)
}

// limit lets an operation have no larger numbers than so from now on.
func (s *schedule) limit(id seq.OpID, n numberLimit) {
	r := &s.stats[id].restriction
	r.numbers = max(r.numbers, n)
	if n == smallOnly {
		r.noNil = s.made(id)
	}
	s.tamed = s.tamed || n == few || n == smallOnly && s.settings.takes(id)
}

// made tells for each parameter of an operation whether another operation makes a value for it.
func (s *schedule) made(id seq.OpID) []bool {
	t := s.settings.table
	list := make([]bool, len(t.Ops[id].Params))
	for j, ty := range t.Ops[id].Params {
		list[j] = slices.ContainsFunc(t.Ops, func(op seq.Operation) bool {
			return op.Name != t.Ops[id].Name && slices.ContainsFunc(op.Results, func(got seq.TypeID) bool { return t.AssignableTo(got, ty) })
		})
	}
	return list
}

// costly reports whether no sequence is to start from that of an outcome.
func (out *Outcome) costly() bool {
	return out.Allocated > costlyBytes || out.Left > manyGoroutines || out.Spins
}

// leftBehind restricts operations of a sequence by the goroutines that it has left behind. If there
// are many, those that got larger numbers get only small ones from now on. If one computes on and
// on, the sequence has stalled, though all its calls have returned.
func (s *schedule) leftBehind(list seq.Sequence, out *Outcome) {
	if out.Left > 0 {
		s.noteHasty(list)
	}
	if out.Spins && !s.slowDown() {
		s.stalled(list)
	}
	for i := range list {
		if out.Left > manyGoroutines && s.isMany(&list[i]) {
			for _, id := range s.instances[list[i].Op] {
				s.limit(id, few)
			}
		}
	}
}

// isMany reports whether a step is given a number beyond restrictedRange.
func (s *schedule) isMany(st *seq.Step) bool {
	return slices.ContainsFunc(st.Args, func(a seq.Arg) bool {
		return a.Lit != nil && !s.durations[a.Lit.Type] && sizeOf(a.Lit.Value) > restrictedRange
	})
}

// limitHuge denies huge numbers to the operations of a costly sequence that got any.
func (s *schedule) limitHuge(list seq.Sequence) {
	for _, st := range list {
		for _, a := range st.Args {
			if a.Lit != nil && !s.durations[a.Lit.Type] && magnitudeOf(a.Lit.Value) == huge {
				s.limit(st.Op, noHuge)
			}
		}
	}
}

// noteHasty notes which operations of a sequence were given durations shorter than the steady ones. Those
// that make nothing may wait as long as they are told to.
func (s *schedule) noteHasty(list []seq.Step) {
	for i := range list {
		st := &s.stats[list[i].Op]
		st.hasty = st.hasty || s.makes[list[i].Op] && slices.ContainsFunc(list[i].Args, func(a seq.Arg) bool { return a.Lit != nil && s.durations[a.Lit.Type] && isHasty(a.Lit) })
	}
}

// slowDown gives operations that were given short durations, such as the period of a ticker, none any
// more. It reports whether there are any.
func (s *schedule) slowDown() (isNew bool) {
	for i := range s.stats {
		if st := &s.stats[i]; st.hasty && !st.steady {
			for _, same := range s.instances[i] {
				s.stats[same].steady = true
			}
			isNew, s.tamed = true, true
		}
	}
	return isNew
}

// shorten gives an operation of a sequence that waits no long durations any more, if it
// was given one. It reports whether that is new.
func (s *schedule) shorten(list []seq.Step, id seq.OpID) bool {
	for i := range list {
		if list[i].Op != id || s.stats[id].brief {
			continue
		}
		for _, a := range list[i].Args {
			if a.Lit != nil && s.durations[a.Lit.Type] && isLong(a.Lit) {
				for _, same := range s.instances[id] {
					s.stats[same].brief, s.tamed = true, true
				}
				return true
			}
		}
	}
	return false
}

// welcomes reports whether a sequence calls no operation that is disabled or backed off.
func (s *schedule) welcomes(list seq.Sequence) bool { return !s.disables(list) && !s.backedOff(list) }

// disables reports whether a sequence calls an operation that is disabled.
func (s *schedule) disables(list seq.Sequence) bool {
	return slices.ContainsFunc(list, func(st seq.Step) bool { return s.stats[st.Op].disabled })
}

// disable takes an operation out of the samplers: left among the calls it would
// cost a draw each time, and many of them end sequences before they begin.
func (s *schedule) disable(id seq.OpID) {
	s.stats[id].disabled = true
	for _, l := range s.samplers() {
		l.ops = slices.DeleteFunc(l.ops, func(other seq.OpID) bool { return other == id })
		l.draws = 0
	}
}
