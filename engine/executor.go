package engine

import (
	"foray.test/coverage"
	"foray.test/engine/seq"
)

// An Executor runs sequences, one at a time, each from a fresh state.
type Executor interface {
	// Box sets l.Boxed, without which no step may take l.
	Box(l *seq.Literal)
	// Begin forgets the sequence before and returns the run of a new one. The run
	// before, if it did not end, is over.
	Begin(RunOptions) Run
}

// A Run is one sequence that an [Executor] runs step by step.
type Run interface {
	// Append runs one step. It keeps neither st nor its arguments.
	Append(st seq.Step) StepOutcome
	// Digests digests the slots that steps have made or may have changed since the
	// last call. The result is the caller's until the next call.
	Digests() []SlotDigest
	// State digests the values of some slots together, in order, with all that they share.
	// It leaves out slots that hold nil or the very value of an earlier one, and returns
	// the others; they are the caller's until the next call. It reports whether the values
	// were digested as a whole: too large ones are not.
	State(slots []int32, o StateOptions) (live []int32, hash uint64, whole bool)
	// End ends the run. If no step broke, it holds the contracts against the slots
	// in fresh. s is the sequence that ran.
	End(s seq.Sequence, fresh []int32) Outcome
}

// StateOptions say which states are equal.
type StateOptions struct {
	// With Shape, values that differ in basic values alone are equal: see
	// [foray.test/harness/digest.Limits].
	Shape bool
	// Objects is how many slots of each type count, the first; 0 means all. See [Scope].
	Objects int
}

// RunOptions say how a sequence is run. The zero value runs it without bounds, and
// all contracts count.
type RunOptions struct {
	Meter bool // the outcome counts the bytes that the sequence allocated
	// Want is the signature of the finding that the run is to show again: contracts
	// of other signatures need not be held. The zero value means that all count, [Nothing]
	// that none is to be held.
	Want Signature
	// Fuel bounds the run, in conditions, loop heads and function entries passed. A
	// run that has used up its fuel breaks without a verdict. Zero is no bound. Only
	// executors that are Tracers know of fuel.
	Fuel  int64
	Trace TraceMode // for executors that are Tracers
	// Untimed runs it without a look at the clock: its calls have no cost, however long they
	// take, and it does not make the executor time later ones.
	Untimed bool
	// Last says that the calls before the last were judged in other runs. Contracts on
	// calls need to be held against the last alone. Contracts on values need not be held
	// against values that equal those of such runs.
	Last bool
}

// Nothing is the signature to want where no contract matters.
var Nothing = Signature{Kind: KindContract}

// A StepOutcome is how one step went.
type StepOutcome struct {
	Status Status
	// Unfit has bit i set if result i is no argument to try. Such a result is nil, or a
	// number so large that a call could take it for a size. Or it is so long that values
	// made of several grow beyond measure.
	Unfit uint32
	// Cost is the time of the call in panics, mostly zero. A call that
	// costs [slowCost] or more ends its sequence, and its results are no arguments:
	// later calls would be as slow.
	Cost uint32
	// RefusedBy is the operation of kind Check that refused the step, if one did.
	RefusedBy seq.OpID
}

// MaxStepArgs bounds the arguments of a step: no executor is given more.
const MaxStepArgs = 64

// Status says how a step ended.
type Status uint8

// The statuses of a step.
const (
	Normal Status = iota // it returned
	Failed               // it returned a non-nil error
	Broken               // it panicked: the sequence ends here, End has the verdict
	// Refused says that the step did not run, because a requirement that the tests
	// of the package state does not hold. The sequence may go on without the step; if
	// it ends with it, End has the verdict.
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

// An Outcome is the result of a whole run.
type Outcome struct {
	// Hits holds a non-zero byte for each branch side taken. It is the
	// executor's and valid until the next Begin; contracts add nothing to it.
	Hits      []byte
	Allocated uint64 // bytes, if metered
	Left      int    // goroutines that it has left behind
	Spins     bool   // one of them computes on and on
	Spent     int64  // fuel used
	OutOfFuel bool   // the run used up its fuel: it may be endless
	// Rank is the opinion that the code under test has of its input, as a go-fuzz
	// function returns it. Below zero the input is not to be kept, even if it took new
	// sides; above zero it is the better to build on. Zero is no opinion.
	Rank int8
	// Past counts the calls that panicked without ending the sequence: only an
	// executor that executes past panics has them [Pacheco09 §8.2.3].
	Past int
	// Verdict is the objection of an oracle, nil if there is none.
	Verdict *Verdict
	// Shows is the sequence that Verdict is about, if an oracle has changed literals of the
	// one that ran.
	Shows seq.Sequence
}

// shows returns the sequence that the verdict is about, of one that ran.
func (o *Outcome) shows(ran seq.Sequence) seq.Sequence {
	if o.Shows != nil {
		return o.Shows
	}
	return ran
}

// TraceMode selects the events of a run that a Tracer records.
type TraceMode uint8

// The modes, in rising cost.
const (
	TraceNothing TraceMode = iota // sides only
	TraceHashes                   // and the sum of each condition
	TraceVisits                   // and each visit with its operands, up to a bound
)

// A Tracer is the part of an Executor that only an analysis build of the code
// under test has: it records the operands of conditions. Its methods report on the
// last run; their results belong to the tracer and are valid until the next Begin.
type Tracer interface {
	// Sums returns a summary of the visits, by condition.
	Sums() []coverage.Sum
	// Logged returns how many visits are recorded by now, Visit one of them, in
	// order, and Find the first one of a condition from a number on, or -1. Most
	// runs have thousands, of which a few matter.
	Logged() int
	Visit(i int) coverage.Visit
	Find(cond int32, from int) int
}
