package confirm

import (
	"time"

	"foray.test/engine/replay"
)

// The numbers of this file bound the time that confirming takes from a run, and how much of it one
// finding gets. "Not measured" marks numbers that were chosen without a comparison with others.

// cpuShare bounds the processor time that confirmations take from a run. The first of a family, and
// of deaths the first error of a family and the first panic of a kind, are confirmed whatever the time.
// The others, and deaths that are suspects, wait until all confirmations together have taken less
// than that share of the run's processors. From the fifth to the fifteenth second it was 0 to 24 % on ten
// packages, and over 15 % on the two that had most findings: docs/bench/speed.md.
const cpuShare = 0.15

// lookEvery is how often a line looks whether there is time again for the job it holds.
const lookEvery = 100 * time.Millisecond

// Bounds on the time of one confirmation, some seven seconds in all. Every run that ends
// its process costs one, and every run that hangs lasts until its deadline. Not measured.
const (
	doubtTime    = 600 * time.Millisecond // before a hang is minimized: most slow calls have returned by then
	minimizeTime = 2500 * time.Millisecond
	hurriedTime  = 500 * time.Millisecond // … once the run is over
)

// countedHangs is how many runs may hang while one hang is minimized, in a run that ends by a
// count: as many as take minimizeTime.
const countedHangs = int(minimizeTime / replay.HangTry)

// hangFuel is used up in some 40 ms by a call that hangs. A process that does costs 200, and
// its successor 50.
const hangFuel = 1 << 22

// How many of the earlier sequences are tried, alone and joined. Not measured.
const (
	maxAlone       = 8
	maxJoined      = 8
	maxJoinedSteps = 2000
)

// lingerTime is how long a process waits after the last step for a goroutine that ends it. Not measured.
const lingerTime = 50 * time.Millisecond

// maxDetectorFailures is how often a finding may fail to be confirmed before it is looked for no more.
// maxDetectorRuns is how often a sequence runs that shows something: a run tells one. Not measured.
const (
	maxDetectorFailures = 3
	maxDetectorRuns     = 4
)
