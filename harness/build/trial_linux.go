package build

import (
	"syscall"
	"time"
	"unsafe"
)

// limitProcessor bounds the processor time of a process, and of each that it starts. Both get a
// signal then, which ends a Go program with the stacks of its goroutines.
func limitProcessor(pid int, limit time.Duration) {
	seconds := uint64((limit + time.Second - 1) / time.Second)
	set := syscall.Rlimit{Cur: seconds, Max: seconds + 1}
	// Without the limit a test only takes longer.
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_CPU, uintptr(unsafe.Pointer(&set)), 0, 0, 0)
}
