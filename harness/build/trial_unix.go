//go:build unix

package build

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a command in a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// ender returns a function that ends the processes left of the group of a started command.
func ender(cmd *exec.Cmd) (end func()) {
	return func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
