//go:build unix

package farm

import (
	"errors"
	"syscall"
)

// alive reports whether there is a process on this machine.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
