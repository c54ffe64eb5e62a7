package executor

import "time"

// The numbers of this file say how large values get, how often digests are taken, contracts and
// laws are held, and from which cost on a call counts as slow. "Not measured" marks numbers that
// were chosen without a comparison with others.

// Values: how large they get, and which are digested.

// maxNodes bounds digests, and so how large values grow: a sequence ends when one outgrows it. Calls
// that double a value, repeated, would never end. With 128, twelve packages had 4,033 sides in place of
// 4,069, and container/ring 4.5 times as many sequences: docs/bench/left-out.md.
const maxNodes = 1024

// pureRuns is how many digests must have found an argument unchanged before
// its operation is taken for an observer of it; one in recheckOneIn calls is
// digested all the same. Without observers twelve packages had 11 % fewer values in equal numbers
// of sequences, as many sides, and took as long: docs/bench/speed.md. The numbers are not measured.
const (
	pureRuns     = 32
	recheckOneIn = 64
)

// handleOneIn is how many handles there are to one that is digested. In a mix of
// all methods of a red-black tree half the digested values were nodes and iterators.
const handleOneIn = 16

// shared is how many digests back one of the very same value is looked for. Not measured.
const shared = 8

// Values made of several slices, maps and strings up to fitLen mostly stay small enough.
// One of costlyLen took as long to make as a hundred calls. A process begins with
// firstFit, and adds one for each growOneIn sequences. An operation that makes all
// combinations of some lists would otherwise fill the process's life with its first call.
// The slices that samber/lo returns grew until a few sequences took a second. The numbers are not measured.
const (
	fitLen    = 64
	firstFit  = 4
	growOneIn = 16
	costlyLen = 4096
	costly    = 8 // panics
)

// Contracts and laws: how often they are held.

// Bounds on the cost of contracts: they run on the newest values only, and one that
// walks a whole value in one sequence of so many. To check whether a contract changes its
// arguments takes two digests a value, more than most contracts. So after harmlessRuns it
// is checked in one run of recheckOneIn, and when a contract fails. Not measured.
const (
	maxJudged   = 6
	maxPartners = 3
	// … in runs that are to show all: far more than minimized sequences have.
	maxJudgedFull   = 64
	maxPartnersFull = 16

	sampleLinear = 8
	harmlessRuns = 32
	// The first values of a type are all looked at: some types have no more.
	eagerRuns = 256
)

// pairsOneIn is how many sequences there are to one in which contracts of several
// values are held against an old value. Two values that were each met before may never
// have met each other. Not measured.
const pairsOneIn = 8

// sampleLaws is how many sequences there are to one in which a law is held: it
// runs the sequence once more. Not measured.
const sampleLaws = 2

// callsPerStep is how many calls contracts and laws may make for each step that is
// composed; with more, laws wait. So they take less than half of a worker's time where
// their calls take as long as a step. On google/uuid, where New asks the system for
// randomness, they took 45 % instead of 51.
const callsPerStep = 1

// heldTurns is how much more it counts to have held a law than to have tried. Not measured.
const heldTurns = 7

// To judge a panic takes some 7 µs, as long as a short sequence. Most panics are of a few
// sites where all are illegal. After illegalRuns of a site with nothing else, one in so many is
// judged. The number is not measured.
const illegalRuns = 16

// Properties by name: from which evidence on a package keeps one.

// A property for which only names speak is a promise of the package's own if the package keeps
// it in 99 % of the contexts tried. If the breach is in a plain context, plain ones count. There
// must be enough of them. With 97 % a documented exception of the state was told as an error. A
// planted fault of Put, for one key with one value, showed in 0.4 to 3 % of the contexts, so
// 99 % hides many.
const (
	enoughContexts = 200
	brokenPercent  = 1
	maxSamples     = 1024 // of either kind
	maxContexts    = 1 << 13
)

// A context is plain if it has maxPlain parts at most, and no number beyond maxPlainNumber. Not measured.
const (
	maxPlain       = 256
	maxPlainNumber = 1_000_000
)

// Plain contexts are rare where literals are drawn to break things: in ten seconds the law of a
// parser met 50 contexts, where 200 are enough. So a law that was held in a plain context is held
// in the same calls with other plain literals, until it is known how often the package keeps it. With
// this the laws that show bugs 105 and 152 break with three of three seeds each, else with one and
// none: docs/bench/left-out.md. The numbers are not measured.
const (
	maxSpreads = 16 // of the breaches of a law
	spreadRuns = 2 * enoughContexts
	// A spread ends if so many runs have made less than a quarter of them contexts: its literals
	// are not the data.
	firstSpreadRuns = 32
	// Contexts in which a law held have it be tried until there are so many, so that a breach
	// shows of one in some hundred. Each kind of data is tried once, whatever there is of others.
	maxTries    = 8
	tryContexts = 5 * enoughContexts
)

// Other plain literals: so many plain texts there are to one that is a number, or that has nothing but
// marks. A lone dash was one plain text in 540. Marks alone are so few that a package that quotes none of
// them still keeps a law in 99 % of plain contexts. The other numbers are not measured.
const (
	decimalOneIn = 16
	marksOneIn   = 64
	// … and plain fractions to one that has all digits, as one that was computed.
	computedOneIn = 16
	maxPlainText  = 8  // letters
	maxMarks      = 2  // … of a text of marks alone
	integerBits   = 10 // at most, of plain integers; few bits are as likely as many
	computedBits  = 20 // … of the whole part of a computed fraction
	maxDecimals   = 6  // digits of other fractions
)

// Slow calls: from which time on they count.

// A sequence counts as often as it takes slowSequence, and maxSlow times at most: one that a busy machine
// has stopped is not enough. From a count of slowSteps on, some 13 ms, steps are timed. Of usual
// sequences one in timeOneIn is timed, as a whole. Not measured.
const (
	slowSequence = 400 * time.Microsecond
	slowSteps    = 32
	maxSlow      = 24
	timeOneIn    = 8
)

// A call of slowCall costs as much as its time divided by usualPanics, ten times a panic: 2.8 µs. It
// costs 1 << maxCostShift at most: 1.8 s. Not measured.
const (
	usualPanics  = 28 * time.Microsecond
	slowCall     = 16 * usualPanics
	maxCostShift = 16
)

// Goroutines: how often one is looked at.

// A goroutine that was left behind and computes keeps the only processor for Go code for 10 ms each
// time that it is yielded. Of that a busy machine leaves it a part. One that does so spinLooks times
// counts: others come to their end, and so does a collection of garbage. On go-cache, replacing such workers
// gave 7 to 13 times the sequences: docs/bench/speed.md. The numbers are not measured.
const (
	spinLooks = 3
	spinTime  = 5 * time.Millisecond // by the clock
	spinCPU   = time.Millisecond
	spinEvery = 64 // sequences
)

// turns is how often all other goroutines run between steps. The scheduler now and then
// prefers the goroutine that yields. Not measured.
const turns = 4

// leakLooks is how often a goroutine that is still there may be on its way to its end,
// or to where it waits. Not measured.
const leakLooks = 4

// rounds is how often two goroutines meet. Whether the race detector sees two
// accesses depends on its history of accesses, and on the order of waits. Not measured.
const rounds = 16
