package process

import (
	"runtime"
	"runtime/debug"
	"syscall"

	"foray.test/harness/executor"
)

// backHeap asks for huge pages where the heap will be, up to heapLimit. A worker touches megabytes
// of new memory in its first milliseconds, and goroutines that recurse grow their stacks by
// copying them. A fault for each 4 KiB of it took 15 µs on a virtual machine. The memory is
// allocated, marked and freed before any of it is touched, in 3 to 10 ms. The race detector would
// touch its own memory for each byte, in a second of the processor.
func backHeap() {
	if executor.RaceEnabled {
		return
	}
	heap := make([]byte, heapLimit)
	_ = syscall.Madvise(heap, syscall.MADV_HUGEPAGE) // without huge pages it is only slower
	runtime.KeepAlive(heap)
	heap = nil
	debug.FreeOSMemory()
}
