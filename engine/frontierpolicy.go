package engine

// The numbers of this file steer the frontier: when aiming begins, how long it goes on and
// how much an attempt may cost. "Not measured" marks a number that was chosen without a
// comparison.

// resumedShare is how many times sooner composition is quiet if it goes on from
// entries: they already have the sides that are easily found. Not measured.
const resumedShare = 8

// loudAfter is the multiple of QuietAfter after which aiming starts even if new sides
// still trickle in: on packages that work on text they do for minutes.
const loudAfter = 4

// Attempts and composition share the work by what they yield. A side that no run has taken
// is worth valuesPerSide new values. Attempts do at least minShare of the work of composition,
// for a side may become possible with a state that composition reaches, and at most maxShare.
const (
	minShare      = 1.0 / 8
	maxShare      = 1.0
	valuesPerSide = 1 << 12
	// newWork is the work that a yield is averaged with, newGain what attempts are taken
	// to gain by it, and composition one side.
	newWork = 1 << 16
	newGain = 4
	// effortWork is the work that the yields look back on, about.
	effortWork = 1 << 20
	// runWork is the work of a run without steps: between 2 and 5 steps on parsers and trees.
	runWork = 4
	// proposalWork is the work of editing a witness, whether the result runs or not. On a
	// red-black tree it was up to twice that of the runs.
	proposalWork = 8
	// stepFuel is the fuel that takes as long as a step: composeFuel are some 20 ms.
	stepFuel = 128
	// headStart is the head start of composition. A worker has then composed even if the
	// first attempt ends its process.
	headStart = 1 << 10
)

// guessPrice is how many attempts more an attempt counts for, in the order of attempts, if no
// position is known that changes the operands of the condition. Not measured.
const guessPrice = 3

// attemptRuns is how many runs an attempt may take: some milliseconds, so that each side
// of a frontier of a hundred has had a first attempt within a second.
const attemptRuns = 400

// triesPerRun is how often an attempt may draw an edit or run a proposal for each run that it has
// left, as an edit may propose nothing. Not measured.
const triesPerRun = 4

// maxOuts is how many runs of an attempt may use up their fuel: each takes as long as
// hundreds that do not. Not measured.
const maxOuts = 16

// weighEvery is how many attempts the weights hold for: the sides behind a side change
// slowly, and finding them may take as long as an attempt. Not measured.
const weighEvery = 64

// maxWitnesses bounds the witnesses of a condition. Not measured.
const maxWitnesses = 4

// maxLooks is how often an entry is run as a witness, if the runs are abandoned. Not measured.
const maxLooks = 2

// nearbyVisits is how many distinct conditions visited before the one aimed at
// lend their operands to edits. Not measured.
const nearbyVisits = 24

// laterVisits is how many visits after the last one of the condition do so too. Not measured.
const laterVisits = 4

// maxTargetVisits bounds the visits of the condition itself that edits look at. Not measured.
const maxTargetVisits = 8

// aimedStringFactor is how many times longer the strings of aimed sequences may
// get than those of composition: some sides want a text repeated. Not measured.
const aimedStringFactor = 4

// maxAimedSteps is how long a sequence may get: some sides want a call a hundred
// times over. Not measured.
const maxAimedSteps = 256

// muchLonger is how many steps make trimming worth its runs. Not measured.
const muchLonger = 8

// longFuel is the fuel that an operation gets to show that it ends after all: as much as
// there is time for, see harness.
const longFuel = 1 << 25

// A run of an attempt may use nearFuelFactor times as much fuel as its witness, and
// nearFuelBase. Not measured.
const (
	nearFuelFactor = 20
	nearFuelBase   = 1 << 14
)

// distantFuel is the most fuel that a run of an attempt may use, unless its witness takes
// more than half of that. Not measured.
const distantFuel = 1 << 22

// composeFuel bounds a composed sequence, where there is fuel: some 20 ms, a thousand
// times the usual. A loop without end then costs no process.
const composeFuel = 1 << 21
