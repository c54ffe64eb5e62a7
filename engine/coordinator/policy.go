package coordinator

import "time"

// The numbers of this file say when the outer loop aims at the frontier, solves, gives up a
// process or a finding, and ends. "Not measured" marks numbers that were chosen without a
// comparison with others. Those that bound what is printed stand with the text.

// Aiming and solving: when they begin, and their share.

// buildAfter is how long a run without entries lasts before the analysis build begins,
// beside the workers: many packages are covered by then. Not measured.
const buildAfter = 250 * time.Millisecond

// The successor of a process that died aims at the frontier after that many sequences or
// deaths of the slot. Where processes die often, none composes until it is quiet; and one
// that aims has fuel, so that endless loops do not end it. In a resumed run the first
// death is enough, as the run that left the entries composed before. Not measured.
const (
	aimAfterSequences = 200
	aimAfterDeaths    = 2
)

// A run asks for the first time after solveAfter, or on its plateau. All of solving takes a
// sixteenth of the time, and a quarter while it takes sides: fuzzing slows down by that on a
// busy machine. A single round may take a quarter of the time of the run so far, but also some
// seconds. solvedTime bounds the wait for the sequences that were proposed. The numbers are not
// measured; docs/solve.md tells how much solving adds.
const (
	solveAfter   = 10 * time.Second
	solveShare   = 16
	fruitfulness = 4
	solveTime    = 10 * time.Second
	solvedTime   = 5 * time.Second
)

// Processes: how they begin, and when they are given up.

// warmEntries is how many of the entries that it need not run a worker runs nevertheless:
// they make components. Each process runs others. Costly ones are left out: a few that leave hundreds
// of goroutines each end a process before it composes. Not measured.
const warmEntries = 64

// sparesAfter is how many processes must have ended before there are spares: in most runs
// none does. Not measured.
const sparesAfter = 2

// slowCPU is the processor time of one call, instead of [worker.CallCPU], once a call
// that was taken for hanging turned out to be slow. Not measured.
const slowCPU = 300 * time.Millisecond

// heedTime is how long workers may take to heed a restriction. Not measured.
const heedTime = 300 * time.Millisecond

// maxStartFailures is how many processes of a slot may end in a row before they have
// composed a sequence. Each drops an entry that ends it, so a few such ends are normal. Not measured.
const maxStartFailures = 64

// maxStalls is how many processes may stall between sequences before the package is said to
// be the cause. On a busy machine one gets no processor for so long now and then. Not measured.
const maxStalls = 2

// Exploring: how states are dealt.

// maxShare bounds the states that are dealt at a time. A process with fewer gets the next
// share, so that it does not wait. Not measured.
const maxShare = 32

// forecastAfter is the time after which there are enough transitions for a rate. Not measured.
const forecastAfter = 10 * time.Second

// Findings: how many are tried, and for how long.

// maxUnshown is how many sequences of a key are tried before it is dropped. Not measured.
const maxUnshown = 3

// proveTime bounds how long a run that is over waits for tests, if no time was promised.
// Not measured.
const proveTime = 30 * time.Second

// proveShare bounds the time of a run in which tests are tried beside the search: building
// them uses as much of the processors as searching. The first trial is free and gives way to
// nothing: someone waits for the first finding. So are those shortly before the end. Not measured.
const proveShare = 0.2

// The ends of a run.

// Times of the outer loop. Not measured: the times at the end are as long as someone is taken
// to wait.
const (
	tickEvery       = 50 * time.Millisecond
	stopTime        = 3 * time.Second     // for the last reports of workers
	promisedStop    = 1 * time.Second     // … if the run is to end at its Duration
	confirmTime     = 7 * time.Second     // for pending confirmations at the end
	endTime         = 2 * time.Second     // of Duration, in which confirmations hurry; at least
	lateTime        = 3 * time.Second / 2 // after Duration, for pending confirmations
	interruptedTime = 4 * time.Second     // … if someone waits at the terminal
	countedTime     = 10 * time.Minute    // … if sequences end the run, so that no clock decides
)

// A run with a Duration gives up if its sequences, sideSequences at least, have taken no side in
// sideTime. Not measured.
const (
	sideTime      = 2 * time.Second
	sideSequences = 100
)

// coverTime bounds the composing of Cover, should calls be slow. Not measured.
const coverTime = 5 * time.Second
