package build

import (
	"syscall"
	"time"
	"unsafe"
)

// limitProcessor bounds the processor time of a process, and of each that it starts, which is killed
// then. Go programs ignore the signal of a soft limit.
func limitProcessor(pid int, limit time.Duration) {
	seconds := uint64((limit + time.Second - 1) / time.Second)
	set := syscall.Rlimit{Cur: seconds, Max: seconds}
	// Without the limit a test only takes longer.
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_CPU, uintptr(unsafe.Pointer(&set)), 0, 0, 0)
}
