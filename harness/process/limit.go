package process

import (
	"runtime"
	"runtime/debug"

	"foray.test/engine/seq"
)

// limitResources sets the limits that the inner loop was tuned under.
func limitResources() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(heapLimit)
	limitStack(0)
	backHeap()
	limitAddressSpace()
}

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
