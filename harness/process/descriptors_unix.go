//go:build unix

package process

import (
	"syscall"

	"foray.test/engine/wire"
)

// keepDescriptors keeps the private descriptors from the processes that the code
// under test starts. If one held the write end of the reports after this process has
// ended, the coordinator would wait for more.
func keepDescriptors() {
	for _, fd := range []int{wire.CommandFD, wire.ReportFD, wire.SharedFD} {
		syscall.CloseOnExec(fd)
	}
}
