package engine

import "foray.test/engine/seq"

// Status says how a step ended.
type Status uint8

// The statuses of a step.
const (
	Normal Status = iota // it returned
	Failed               // it returned a non-nil error
	Broken               // it panicked: the sequence ends here, End has the verdict
	// Refused says that the step did not run, for what the tests of the package require
	// of the call does not hold. The sequence may go on without it; if it ends with it,
	// End has the verdict.
	Refused
)

// A SlotDigest is the digest of the value a slot holds at the time of asking.
type SlotDigest struct {
	Slot int32
	Hash uint64
	// Step is the last step that made the value or may have changed it.
	Step int32
	// Large says that the value is too large to look at as a whole.
	Large bool
	// Changed says that the slot held another value when it was last digested,
	// or was not digested before.
	Changed bool
}

// An Outcome is what a whole run showed.
type Outcome struct {
	// Hits holds a non-zero byte for each branch side taken. It is the
	// executor's and valid until the next Begin; contracts add nothing to it.
	Hits      []byte
	Allocated uint64 // bytes, if metered
	// Rank is what the code under test says of its input itself, as a go-fuzz
	// function does: below zero that it is not to be kept whatever it took, above
	// that it is the better to build on. Zero if it says nothing.
	Rank int8
	// Past counts calls that panicked, and behind which the sequence went on: only an
	// executor that is to execute past panics has them [Pacheco09 §8.2.3].
	Past int
	// Verdict is what an oracle says, nil if none said no.
	Verdict *Verdict
}

// Nothing is what to want of [Executor.Want] where no contract matters.
const Nothing = KindContract + ":"

// The bits of Append's unfit from CostShift on are what the call cost, as a power of
// two: it counts for as many panics when calls are chosen. Of slowCost or more it
// ends the sequence, and what it made is no argument: what follows would be as slow.
const (
	CostShift = 24
	slowCost  = 4
)

// MaxStepArgs bounds the arguments of a step: no executor is given more.
const MaxStepArgs = 64

// An Executor runs one sequence at a time, step by step, from a fresh state.
type Executor interface {
	// Begin forgets the sequence before. With meter the outcome tells what the
	// sequence allocated.
	Begin(meter bool)
	// Box sets l.Boxed, without which no step may take l.
	Box(l *seq.Literal)
	// Append runs one step. It keeps neither st nor its arguments. Bit i of unfit
	// says that result i is no argument to try: nil, a number so large that a call
	// could take it for a size, or so long that what is made of several grows beyond
	// measure. The cost of a call is in its upper bits: see [CostShift]. If the step is
	// refused, unfit is the operation of kind Check that says no.
	Append(st seq.Step) (status Status, unfit uint32)
	// Digests digests the slots that steps have made or may have changed since it
	// was last asked. The result is the caller's until the next call.
	Digests() []SlotDigest
	// Want says which finding the sequences to come are to show again: contracts
	// of other signatures need not be held. Empty means that all count, Nothing
	// that none is to be held.
	Want(signature string)
	// End ends the sequence. If no step broke, it holds the contracts against
	// the slots in fresh. s is the sequence that ran.
	End(s seq.Sequence, fresh []int32) Outcome
}

// Execute runs all of s and judges every slot. It stops at a step that breaks or is
// refused; ran tells how many steps ran, that one included.
func Execute(x Executor, t *seq.Table, s seq.Sequence) (out Outcome, ran int) {
	out, ran, _ = execute(x, t, s, false)
	return out, ran
}

// execute also tells what the calls cost, in panics.
func execute(x Executor, t *seq.Table, s seq.Sequence, meter bool) (out Outcome, ran int, cost uint64) {
	x.Begin(meter)
	for i := range s {
		ran++
		status, unfit := x.Append(s[i])
		cost += costOf(unfit)
		if status >= Broken {
			break
		}
	}
	s = s[:ran]
	fresh := make([]int32, s.Slots(t))
	for i := range fresh {
		fresh[i] = int32(i)
	}
	return x.End(s, fresh), ran, cost
}

// costOf returns what unfit says that a call cost, in panics: mostly 0.
func costOf(unfit uint32) uint64 {
	if unfit>>CostShift == 0 {
		return 0
	}
	return 1 << (unfit >> CostShift)
}
