package process

import (
	"syscall"

	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// limitAddressSpace bounds the memory that the process may map, so that make([]byte, n) with
// a wild n ends this process and not the machine. The race detector maps
// terabytes of shadow memory by design and is left alone.
func limitAddressSpace() {
	if executor.RaceEnabled {
		return
	}
	limit := syscall.Rlimit{Cur: 16 << 30, Max: 16 << 30}
	// A stricter limit that is in force already is as good.
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &limit)
	data := syscall.Rlimit{Cur: 2 * wire.MemoryBytes, Max: 2 * wire.MemoryBytes}
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &data)
}
