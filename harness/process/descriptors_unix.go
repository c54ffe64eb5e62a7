//go:build unix

package process

import (
	"syscall"

	"foray.test/engine/wire"
)

// keepDescriptors keeps the private descriptors from the processes that the code
// under test starts: who holds the reports' end after this process has gone keeps
// the coordinator waiting for more.
func keepDescriptors() {
	for _, fd := range []int{wire.CommandFD, wire.ReportFD, wire.SharedFD} {
		syscall.CloseOnExec(fd)
	}
}
