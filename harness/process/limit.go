package process

import (
	"runtime"
	"runtime/debug"

	"foray.test/engine/seq"
)

// heapLimit is where the collector works harder, so that the memory of a run does not
// grow for hours.
const heapLimit = 256 << 20

// limitResources sets the limits that the inner loop was tuned under: a heap of a few
// megabytes collects all the time at 100 per cent.
func limitResources() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(heapLimit)
	limitStack(0)
	backHeap()
	limitAddressSpace()
}

// A recursion counts as one without end at leastStack bytes of stack, and at more where a text is long
// that it may read, by stackPerByte for each byte. Filling the limit of the runtime, 1 GB, takes so
// long that it looks like a hang, and so does walking 64 MB to print them. To fill 8 MB took 80 ms
// of processor time, and on a slow machine it looked like a hang, too. On a package of nested values
// to confirm 4 such ends took 6.5 s of 10; with 2 MB, 7 took 3.9 s. The values of a sequence are small,
// and ten thousand frames are enough to walk them.
const (
	leastStack   = 2 << 20
	stackPerByte = 1536
	mostText     = 16 << 10
)

// limitStack bounds the stack where texts have up to so many bytes.
func limitStack(text int) { debug.SetMaxStack(leastStack + stackPerByte*min(text, mostText)) }

// longestText returns the length of the longest text that a sequence is given.
func longestText(s seq.Sequence) (n int) {
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil {
				n = max(n, len(a.Lit.Text()))
			}
		}
	}
	return n
}

// A worker asks to be started anew beyond these: leaked goroutines and memory slow
// down everything after them. With more goroutines a call that waits is not given up, and ends
// the process.
const (
	maxGoroutines = mostDumped
	maxHeapBytes  = heapLimit * 3 / 4
)

// A worker asks to be started anew once it has left so many goroutines behind, each
// with the memory and locks it holds. It also does so when so many sequences on end left
// one behind: a lock of the whole package may be held.
const (
	maxAbandoned = 256
	maxOnEnd     = 16
)

// full reports whether so much has piled up that the process ought to be replaced.
func (w *worker) full(heapBytes uint64, goroutines int) bool {
	return goroutines > maxGoroutines || heapBytes > maxHeapBytes || w.abandoned >= maxAbandoned || w.onEnd >= maxOnEnd
}

// slowed reports whether goroutines have piled up so far, or one computes on and on. It costs a
// few nanoseconds.
func (w *worker) slowed() bool { return runtime.NumGoroutine() > maxGoroutines || w.exec.Spins() }

// load returns how many bytes and goroutines live.
func (w *worker) load() (heapBytes uint64, goroutines int) {
	var mem runtime.MemStats
	if runtime.ReadMemStats(&mem); mem.HeapAlloc > maxHeapBytes {
		runtime.GC() // garbage is no reason to be replaced
		runtime.ReadMemStats(&mem)
	}
	return mem.HeapAlloc, runtime.NumGoroutine()
}
