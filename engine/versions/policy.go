package versions

import "time"

// The numbers of this file bound a comparison. None is measured.

// Bounds of a comparison.
const (
	batchSequences = 512
	minBatch       = 8
	// maxIdle is how many rounds in a row neither version may compose anything.
	maxIdle = 64
	// Requests that are pending in the end get drainTime; interruptedTime if someone
	// waits at the terminal, countedTime if no clock is to decide.
	drainTime       = 7 * time.Second
	interruptedTime = 4 * time.Second
	countedTime     = 10 * time.Minute
)

// Bounds on the queue.
const (
	maxRequests = 256
	maxWaiting  = 2 // of one key
	// maxTries is how many mismatches of a key are examined in a row without news,
	// before workers report no more of that key.
	maxTries = 4
)

// Bounds on the examination of one mismatch.
const (
	requestTime = 4 * time.Second // to minimize
	requestRuns = 2000
	// steadyRuns is how often each version must repeat itself. A call with two random
	// results passes as a difference once in 2¹¹ times.
	steadyRuns = 5
	// freshRuns is how many fresh processes of each version must agree. A random choice
	// that a process makes once passes as a difference once in 2⁷ times.
	freshRuns  = 4
	maxWitness = 32
	// maxSeen is how many differences that look alike are minimized, as their causes may
	// differ.
	maxSeen = 3
	// maxUnsteady is how often an operation may fail to repeat itself before its results
	// are ignored. It may depend on the arguments.
	maxUnsteady = 3
	// runTime bounds one run of a sequence.
	runTime = 1 * time.Second
)
