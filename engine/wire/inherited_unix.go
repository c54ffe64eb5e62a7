//go:build unix

package wire

import (
	"os"
	"syscall"
)

// The descriptors of the inherited files.
const (
	commandFD = 3 + iota
	reportFD
	sharedFD
)

// Inherit returns the inherited files. If a child of the worker held the write end of the
// reports after the worker has ended, the coordinator would wait for more.
func Inherit() (Inherited, error) {
	for fd := commandFD; fd <= sharedFD; fd++ {
		syscall.CloseOnExec(fd)
	}
	return Inherited{
		Commands: os.NewFile(commandFD, "commands"), Reports: os.NewFile(reportFD, "reports"), Shared: os.NewFile(sharedFD, "shared"),
	}, nil
}
