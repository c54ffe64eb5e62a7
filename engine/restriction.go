package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// A restriction says how an operation may be called. The zero value restricts nothing.
type restriction struct {
	disabled bool // it ended processes too often
	numbers  numberLimit
	backoffs uint32 // how often it was backed off
	until    uint64 // when the last backoff ends, in steps and sequences composed
}

// admits reports whether the operation may be called now.
func (r *restriction) admits(now uint64) bool { return !r.disabled && r.until <= now }

// numberLimit says which numbers an operation is given.
type numberLimit uint8

const (
	anyNumber numberLimit = iota
	noHuge                // it allocated much when given a huge number
	smallOnly             // it ended a process: no nil either, if there is anything else
)

// tolerates reports whether st may run: it has not too many arguments, and its operation
// is not disabled and may be given its numbers.
func (s *schedule) tolerates(st *seq.Step) bool {
	r := &s.stats[st.Op].restriction
	if r.disabled || len(st.Args) > MaxStepArgs {
		return false
	}
	if r.numbers == anyNumber {
		return true
	}
	for _, a := range st.Args {
		if a.Lit == nil {
			continue
		}
		if m := magnitudeOf(a.Lit.Value); m == huge || m == large && r.numbers == smallOnly {
			return false
		}
	}
	return true
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
}

// limitHuge denies huge numbers to the operations of a costly sequence that got any.
func (s *schedule) limitHuge(list seq.Sequence) {
	for _, st := range list {
		for _, a := range st.Args {
			if a.Lit != nil && magnitudeOf(a.Lit.Value) == huge {
				s.limit(st.Op, noHuge)
			}
		}
	}
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
