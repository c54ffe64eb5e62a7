package build

import (
	"os"
	"os/exec"
	"syscall"

	"foray.test/engine/confine"
)

// ChildAttr returns the attributes of a command. With group Ctrl-C does not reach it. No signal
// tells it that foray was killed.
func ChildAttr(group bool, _ syscall.Signal) *syscall.SysProcAttr {
	if !group {
		return nil
	}
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Interrupt kills a process: there are no interrupts for others here.
func Interrupt(p *os.Process, _ bool) error { return p.Kill() }

// Ender returns a function that ends a command, just started, and its children.
func Ender(cmd *exec.Cmd) (end func()) {
	job, err := confine.NewJob(cmd.Process, 0)
	if err != nil {
		return func() {} // the process is killed alone, or ends by its own limit
	}
	return job.Close
}
