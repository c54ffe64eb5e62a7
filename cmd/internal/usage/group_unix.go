//go:build unix

package usage

import (
	"os/exec"
	"syscall"
)

// killer returns a function that kills a process and its children.
func killer(cmd *exec.Cmd) (kill func()) {
	return func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
