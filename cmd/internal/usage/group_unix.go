//go:build unix

package usage

import (
	"os/exec"
	"syscall"
)

// killer returns what kills a process that was started with its children.
func killer(cmd *exec.Cmd) (kill func()) {
	return func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
