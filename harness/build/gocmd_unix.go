//go:build !windows

package build

import (
	"os"
	"syscall"
)

// interrupt interrupts a process, with group those of the group that it leads.
func interrupt(p *os.Process, group bool) error {
	if group {
		return syscall.Kill(-p.Pid, syscall.SIGINT)
	}
	return p.Signal(os.Interrupt)
}
