//go:build unix

package build

import (
	"os"
	"os/exec"
	"syscall"
)

// Interrupt interrupts a process, with group those of the group that it leads.
func Interrupt(p *os.Process, group bool) error {
	if group {
		return syscall.Kill(-p.Pid, syscall.SIGINT)
	}
	return p.Signal(os.Interrupt)
}

// Ender returns a function that kills the processes of the group of a started command.
func Ender(cmd *exec.Cmd) (end func()) {
	return func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
