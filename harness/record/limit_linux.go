package record

import "syscall"

// memoryBytes bounds the data of a process that records, fileBytes each file that it writes.
const (
	memoryBytes = 2 << 30
	fileBytes   = 64 << 20
)

// limit bounds what the process may use: tests may allocate and write without end.
func limit() {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: memoryBytes, Max: memoryBytes})
	_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: fileBytes, Max: fileBytes})
}
