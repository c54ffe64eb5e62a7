package engine

import "foray.test/coverage"

// TraceMode says what a Tracer records of the runs to come.
type TraceMode uint8

// The modes, in rising cost.
const (
	TraceNothing TraceMode = iota // sides only
	TraceHashes                   // and the sum of each condition
	TraceVisits                   // and each visit with its operands, up to a bound
)

// A Tracer is the part of an Executor that only an analysis build of the code
// under test has: it tells what the conditions compared. What its methods return
// is of the last run, the tracer's own and valid until the next Begin.
type Tracer interface {
	Trace(TraceMode)
	// Fuel bounds the runs to come, in conditions, loop heads and function entries
	// passed: a run that has used up its fuel breaks without a verdict. Zero takes
	// the bound away.
	Fuel(units int64)
	// Spent is the fuel that the last run used. Out reports that it used it up.
	Spent() int64
	Out() bool
	// Sums returns what is known of the visits, by condition.
	Sums() []coverage.Sum
	// Visits returns the visits in order, as far as they were recorded.
	Visits() []coverage.Visit
	// Logged returns how many there are by now.
	Logged() int
}
