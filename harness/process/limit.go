package process

import (
	"runtime"
	"runtime/debug"
)

// heapLimit is where the collector works harder, so that the memory of a run does not
// grow for hours.
const heapLimit = 256 << 20

// limitResources sets the limits that the inner loop was tuned under: a heap of a few
// megabytes collects all the time at 100 per cent.
func limitResources() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(heapLimit)
	debug.SetMaxStack(maxStackBytes)
	backHeap()
	limitAddressSpace()
}

// maxStackBytes is where a recursion counts as one without end. Filling the limit
// of the runtime, 1 GB, takes so long that it looks like a hang, and so does
// walking 64 MB to print them. Filling 8 MB takes 80 ms of processor time, on a slow machine,
// and 16 MB 150. The values of a sequence are small, and a hundred thousand frames are enough to
// walk them.
const maxStackBytes = 8 << 20

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

// crowded reports whether goroutines have piled up so far. It costs a few nanoseconds.
func crowded() bool { return runtime.NumGoroutine() > maxGoroutines }

// load returns how many bytes and goroutines live.
func (w *worker) load() (heapBytes uint64, goroutines int) {
	var mem runtime.MemStats
	if runtime.ReadMemStats(&mem); mem.HeapAlloc > maxHeapBytes {
		runtime.GC() // garbage is no reason to be replaced
		runtime.ReadMemStats(&mem)
	}
	return mem.HeapAlloc, runtime.NumGoroutine()
}
