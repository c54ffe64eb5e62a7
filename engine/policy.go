package engine

import "time"

// The numbers of this file steer composing, keeping, minimizing and exploring, and restrict
// operations. Those of the frontier are in frontierpolicy.go; those that a caller may set
// are [Params]. "Not measured" marks a number that was chosen without a comparison with
// others. docs/bench/left-out.md tells what most heuristics are worth at all.

// Operations: how often each is drawn.

// The sampler gives one of samplerParts parts of its bag to all operations equally, so
// that none is forgotten. The others go by yield per try. (The better of two drawn at
// random, tried before, cannot be drawn more often than two times in n.) An operation of average
// yield is in the bag samplerEach times. The numbers are not measured.
const (
	samplerParts = 4
	samplerEach  = 16
	samplerDraws = 1 << 12
)

// Weights of an operation's yield, in new results. A result read from a new value
// is new through no merit of the operation, so a changed value counts more. A new branch
// side is rarer by orders of magnitude. Not measured.
const (
	changeYield = 8
	sideYield   = 64
)

// agingTries is how many runs an operation's yield looks back on. Not measured.
const agingTries = 1 << 14

// The schedule draws a write, in a sequence that may write, and a use of a result once
// in so many times. If an operation is not admitted, it draws another, up to pickTries in
// all. Not measured.
const (
	pickWriteOneIn = 8
	pickUseOneIn   = 12
	pickTries      = 8
)

// composeTries is how many operations are tried for the only call of a sequence: a
// random source may draw one with arguments that cannot be had. Not measured.
const composeTries = 4

// Sequences: properties of a whole sequence.

// magnitudes are the sizes of numbers that sequences draw, by a draw of 64. Huge
// ones, taken as sizes, cost more than a thousand sequences without.
var magnitudes = [64]magnitude{0: huge, 1: large, 2: large, 3: large, 4: large, 5: large, 6: large, 7: large, 8: large}

// Once objects that were put into themselves have overflowed stacks, one sequence of 8 may put objects
// into themselves. At each further step of [Engine.KeepApart] it is an eighth of these. A package
// of nested elements had 37 stack overflows in 12 s with the first step alone.
const (
	loopDoublings = 3
	maxApart      = 4
)

// writesOneIn is how seldom a sequence writes fields and variables. Not measured.
const writesOneIn = 32

// largeAfter is how many sequences run before the first that may be costly: cheap ones
// teach as much. Not measured.
const largeAfter = 1 << 11

// spans are the ranges of small integers; one is drawn per sequence. Small ones
// make calls meet each other's keys, large ones fill a container. See smallRange.
var spans = [...]int{4, 8, 8, 16, 64, 64, smallRange, smallRange}

// repeatMax is how often a call is repeated at most: M of [Pacheco09 §7.5].
const repeatMax = 100

// entryOneIn is how seldom a sequence starts from an entry. Not measured.
const entryOneIn = 8

// maxRefused is how many calls of a sequence may be refused: there may be no other. Not
// measured.
const maxRefused = 256

// maxRetracted bounds the steps that a sequence is composed without: each costs
// another run of the steps before. Not measured.
const maxRetracted = 16

// maxArgs bounds the arguments of all steps of a sequence, so that cutting them
// from one slice never moves it.
const maxArgs = 8192

// digestEvery is how many steps there are to one after which digests are taken.
// On a red-black tree, Put, Get and Remove: 0.15 new values a step and 230 ns if
// it is eight, 0.22 and 250 if it is four. At every step digests would take most
// of the loop.
const digestEvery = 4

// Sizes of the lossy sets: 262,144 values and 65,536 sequences. Exact sets cost
// 32 ns an add and grow without end. Larger ones do not stay in the second-level
// cache beside the data of the code under test; then an add is some 100 ns.
const (
	valueSetBytes    = 1 << 20
	executedSetBytes = 1 << 18
)

// newEntryOneIn is how often an entry to start from is drawn among the newest: the last
// of newestShare equal parts. Not measured.
const (
	newEntryOneIn = 2
	newestShare   = 8
)

// Arguments: where each comes from.

// An argument is a live slot, if one fits, reuseOf8 times in 8, else a component, if there
// is one, componentOf8 times in 8. Else a maker is called anew: longer components made
// nine of ten steps replays. The numbers are not measured.
const (
	reuseOf8     = 6
	componentOf8 = 4
)

// Components have at most componentSteps steps, and there are at most componentsPerType of
// a type. Not measured.
const (
	componentSteps    = 8
	componentsPerType = 512
)

// nilOneIn is how seldom an argument is nil where that is possible. Not measured.
const nilOneIn = 64

// maxDepth bounds the calls that composition nests to make an argument. Not measured.
const maxDepth = 6

// makerTries bounds the makers that are tried for an argument. Not measured.
const makerTries = 6

// variadicRange is the number of lengths of variadic arguments: from none on. Not
// measured.
const variadicRange = 4

// unsafeOneIn is how seldom a value is made that its package may not expect. Not measured.
const unsafeOneIn = 16

// literalForInterfaceOf8 is how many times in 8 an argument of interface type that is no
// live value is a literal, if one implements it. Not measured.
const literalForInterfaceOf8 = 7

// similarOneIn is how seldom an argument is made from another of the same call.
// Functions that compare arguments, or look for one in another, take other branches
// for those that differ little. Not measured.
const similarOneIn = 16

// variantOneIn is how seldom a value is made like a live one, with a change. Not measured.
const variantOneIn = 4

// Accepted types: the types with which calls that take any value return normally.
const (
	// maxAccepted is how many calls are remembered. Not measured.
	maxAccepted = 16
	// contestedRuns is how many runs must have panicked or failed before any is.
	// Not measured.
	contestedRuns = 16
	// guidedBrokenOneIn bounds the panics among guided calls: if there are more, the
	// types are not the reason. Not measured.
	guidedBrokenOneIn = 8
	// guidedOneIn is how often an operation that mostly fails is guided. Not measured.
	guidedOneIn = 2
)

// Literals: which values are drawn.

// smallRange is the size of the shared range of integers; each sequence uses a range up
// to this. The prototype reached all branches of a red-black tree within 0.1 to 2 ms with
// keys 0..7, 0.7 to 1.5 ms with 0..63, and 5 to 18 ms with 0..1023.
const smallRange = 64

// HugeInt is where integers begin to be costly as sizes; already beyond largeInt
// a value of that size costs more than the rest of a sequence.
const (
	largeInt = 1100
	HugeInt  = 1 << 16
)

// durations are drawn as small integers are. The first briefDurations are for operations that wait as long as they are told to, or have
// ended a process. With 0 to 63 ns, tickers of a cache took the processor from its worker.
var durations = [...]time.Duration{
	0, time.Millisecond, time.Second, time.Hour, time.Minute, 10 * time.Millisecond, 24 * time.Hour, 5 * time.Second,
	100 * time.Millisecond, 2 * time.Millisecond, 10 * time.Minute, 30 * time.Second, 2 * time.Hour, 500 * time.Millisecond, 7 * 24 * time.Hour, 15 * time.Minute,
}

const briefDurations = 2

// leastSteady is the least of the durations for operations with goroutines that took the processor: a
// thousand tickers of it take a hundredth. Not measured.
const leastSteady = 100 * time.Millisecond

// restrictedRange is the range of integers for operations that have ended processes. Not
// measured.
const restrictedRange = 16

// literalDraws is the range of the choice that names most literals: a class of 64, and a
// place in the range of small ones. One draw a literal, for a draw is 2 to 3 ns.
const literalDraws = 64 * smallRange

// The class says which kind of literal is drawn. Below minedClass it is a small one. From
// its class on it is a huge, large or special one, if the sequence and the type allow it.
// Else it is a mined one. Not measured.
const (
	minedClass   = 40
	hugeClass    = 48
	largeClass   = 54
	specialClass = 58
)

// seenOneIn is how often a literal is one that the package's tests hand to that parameter, if
// there are any. One in editSeenOneIn of these is edited, unless it is a bool. Not measured.
const (
	seenOneIn     = 3
	editSeenOneIn = 2
)

// seedStart is the head start of sequences of tests over composed ones, in work: some thousand
// short ones. Where most processes die young, those of each would hardly begin otherwise. Not measured.
const seedStart = 1 << 14

// stringEditOneIn is how often a string literal is an edit of strings of the pool. Not
// measured.
const stringEditOneIn = 4

// maxStringEdits bounds the edits that make a string of pool strings. Not measured.
const maxStringEdits = 3

// literalFromResultOneIn is how seldom a literal parameter takes a result. Not measured.
const literalFromResultOneIn = 8

// maxVaried bounds the literals of an entry that are edited in one run; after each, one
// more is edited once in variedAgainOneIn times. Not measured.
const (
	maxVaried        = 4
	variedAgainOneIn = 4
)

// stringShare is how many times more often a string is edited than a number, since a
// string has more parts to edit. Not measured.
const stringShare = 4

// An edited literal is replaced by one of the pool once in poolLiteralOneIn times. Text to
// edit a string with is a part of an entry's string once in entryTextOneIn times, else any
// byte once in anyByteOneIn, else a string of the pool. Not measured.
const (
	poolLiteralOneIn = 8
	entryTextOneIn   = 4
	anyByteOneIn     = 4
)

// Restrictions: which operations are drawn less, and how much is spent on costly ones.

// maxBrokenShare bounds the panics of an operation to one in so many runs: a
// recovered nil dereference costs 2.8 µs, some fifty steps. The first freeBroken are
// free, so that rare legal uses get their chance; their number is not measured.
const (
	maxBrokenShare = 100
	freeBroken     = 16
)

// slowCost is the cost, in usual calls, from which a call ends its sequence. Not measured.
const slowCost = 16

// costlyBytes is how much a sequence may allocate before the operations that it gave
// huge numbers get no more of them. Not measured.
const costlyBytes = 4 << 20

// manyGoroutines is how many a sequence may leave behind before the operations that it gave numbers
// beyond restrictedRange get no more of them. A process has room for some 2,000. Not measured.
const manyGoroutines = 64

// An operation is backed off for backoffSteps steps the first time, and for twice as many
// each time after. To find that a call waits takes milliseconds, as long as 20,000 steps
// and more; but the first suspicion is often wrong. With these numbers a call that always
// stalls does so a dozen times in a minute.
const (
	backoffSteps    = 1 << 13
	maxBackoffShift = 14
)

// rareRuns is how many runs that ended well each function has in advance: one that ran
// only once is not the likeliest cause. Not measured.
const rareRuns = 4

// endlessBackoffs bounds the doublings of a backoff for want of fuel. Not measured.
const endlessBackoffs = 3

// Keeping and minimizing: how many runs are spent.

// entryRuns is the share of Params.MinimizeRuns that the literals of one entry get: there
// are hundreds of entries. Not measured.
const entryRuns = 8

// seedRuns is the share of Params.MinimizeRuns that an untimed reduction gets, whatever its
// runs cost: those of tests are no larger than their authors have patience for. Not measured.
const seedRuns = 4

// cheapBytes is how much a run allocates at no notable cost. MinimizeRuns of a run that
// allocates more come to some 100 MB, a tenth of a second.
const cheapBytes = 1 << 16

// usualSteps is how many steps make a run count for more than one. Not measured.
const usualSteps = 64

// maxDirect bounds the operations that are tried in place of a whole sequence. Not measured.
const maxDirect = 128

// maxReplacements bounds the components that are tried in place of a value. Not measured.
const maxReplacements = 16

// longString is the length from which a string has more parts than simpler tries: maxStringCuts
// without a part of it, then up to maxStringTries in all, with a simpler letter. Not measured.
const (
	longString     = 32
	maxStringCuts  = 64
	maxStringTries = 96
)

// simplestDepth bounds how deep the calls nest that make arguments of races. Not measured.
const simplestDepth = 3

// Findings: how many runs tell when one fails, and how many are told.

// circumstanceShare is how many times more runs may minimize a finding than find out when it
// fails. Not measured.
const circumstanceShare = 4

// Bounds on the runs around a finding. Not measured.
const (
	maxPlaces         = 4  // literals that are varied
	maxAround         = 96 // runs
	circumstanceTexts = 3  // literals that are told of
	fewSamples        = 6  // runs for a condition to mean something; two of them fail
	fewTexts          = 3  // texts in place of one, for all of them to mean any
)

// maxWordings is how many panics of one site with different texts are reported: a text that has a value
// in it differs each time. On expr, 60 panics of few statements took 10.5 s of confirming. With this,
// and one process for a panic, they take 2.1 s: docs/bench/speed.md.
const maxWordings = 3

// Progress: when little new is to be expected.

// sampleOneIn is how often a sequence's branch sides enter the estimate. Not measured.
const sampleOneIn = 8

// A run is on its plateau if it has found nothing new for as long as it took to get there.
// The time without must be at least so many sequences and so long. Not measured.
const (
	plateauSequences = 200_000
	plateauTime      = 5 * time.Second
)

// Exploring: how much of a scope is run.

// maxCalls bounds the calls of one operation that extend one state: with more, it is
// not called there. Not measured.
const maxCalls = 1 << 14

// maxStalls is how many sequences may wait for ever in an operation before it is left
// out: each costs 4 to 100 ms. Not measured.
const maxStalls = 8

// estimateWork bounds the combinations of live values that an estimate looks at. Not measured.
const estimateWork = 1 << 14
