package process

import "time"

// The numbers of this file say when a worker looks and reports, gives up a call that waits or
// computes, and asks to be replaced. "Not measured" marks numbers that were chosen without a
// comparison with others.

// The loop of a worker: how much runs between looks.

// batch is how many sequences run between looks at the commands and the clock. A worker that
// explores also reports then. Not measured.
const (
	batch        = 16
	batchExplore = 512
)

// seedBatch bounds the sequences of tests that run between looks at the commands. Not measured.
const seedBatch = 256

// How often a worker reports: by the clock, or by sequences if no clock may decide. Facts not
// yet reported when it dies are lost, and the next process does not know them. Not measured.
const (
	reportEvery     = 250 * time.Millisecond
	reportSequences = 256
)

// Bounds on the entries that a worker leaves for the values they make. Not measured.
const (
	valuesPerType = 4
	valuesInAll   = 64
)

// Resources: the memory, stacks and goroutines of a worker.

// heapLimit is where the collector works harder, so that the memory of a run does not grow for
// hours. With half of it tidwall/btree ran 0.8 times the sequences a second of a processor:
// docs/bench/speed.md. A heap of a few megabytes collects all the time at 100 per cent, not at
// gcPercent; that is not measured.
const (
	heapLimit = 256 << 20
	gcPercent = 400
)

// A recursion counts as one without end at leastStack bytes of stack, and at more where a text is long
// that it may read, by stackPerByte for each byte. Filling the limit of the runtime, 1 GB, takes so
// long that it looks like a hang, and so does walking 64 MB to print them. To fill 8 MB took 80 ms
// of processor time, and on a slow machine it looked like a hang, too. On a package of nested values
// to confirm 4 such ends took 6.5 s of 10; with 2 MB, 7 took 3.9 s. Four packages with such ends
// ran 1.4 to 2.5 times the sequences with 2 MB: docs/bench/speed.md. The values of a sequence are small,
// and ten thousand frames are enough to walk them.
const (
	leastStack   = 2 << 20
	stackPerByte = 1536
	mostText     = 16 << 10
)

// A worker asks to be started anew beyond these: leaked goroutines and memory slow
// down everything after them. With more goroutines a call that waits is not given up, and ends
// the process. The bytes are not measured.
const (
	maxGoroutines = mostDumped
	maxHeapBytes  = heapLimit * 3 / 4
)

// A worker asks to be started anew once it has left so many goroutines behind, each
// with the memory and locks it holds. It also does so when so many sequences on end left
// one behind: a lock of the whole package may be held. Not measured.
const (
	maxAbandoned = 256
	maxOnEnd     = 16
)

// Calls that do not return: when one is given up.

// How long a call must have waited before its goroutine is abandoned. Locks: at once,
// since a lock that all goroutines wait for is never released. Channels: 20 ms, since a
// timer may send. Sleepers, and any wait while other goroutines run or sleep: 100 ms. On
// tidwall/btree, to abandon calls gave 1,474 sequences a second of a processor in place of 236. The times
// are not measured; giving up sooner was, with other changes, and left out: docs/bench/left-out.md.
const (
	lookEvery     = 4 * time.Millisecond
	lockPatience  = lookEvery
	talkPatience  = 20 * time.Millisecond
	otherPatience = 100 * time.Millisecond
)

// dumpBytes bounds a dump of all goroutines. With more than mostDumped goroutines none
// is abandoned: a dump of 30,000 stops the world for 50 ms.
const (
	dumpBytes  = 1 << 20
	mostDumped = dumpBytes / 512
)

// longSequence is how long a sequence under way must have run to be late. Not measured.
const longSequence = 3 * lookEvery

// timeLimit is the processor time that a run with fuel may take, however little fuel it
// uses. Code between conditions may take long, such as arithmetic on numbers of a million
// digits, or a call of another package. Twice as much, and the coordinator calls it a hang. Not measured.
const timeLimit = 60 * time.Millisecond

// A worker that waits for goroutines behind the last step does so in lingerNaps naps, and lingerMore
// times as long while a new one is active. Not measured.
const (
	lingerNaps = 10
	lingerMore = 9
)

// Comparing two versions: how much one side shows the other.

// Bounds on a batch: its size, and how long it may take to compose. Not measured.
const (
	maxMismatches = 16
	maxOfKey      = 2
	batchTime     = 100 * time.Millisecond
	// sideRuns is how many runs a side spends on pruning a sequence that takes new
	// branches: fewer than fuzzing, since here an entry only serves to build on.
	sideRuns = 256
	// differOneIn is how seldom a sequence is looked at after a call with a known
	// difference.
	differOneIn = 8
	// maxShaky is how often an operation may fail to repeat itself before no result
	// of it is looked at.
	maxShaky = 2
)
