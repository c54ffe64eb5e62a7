package usage

import (
	"os/exec"
	"syscall"

	"foray.test/engine/confine"
)

// ownGroup keeps Ctrl-C from the tests: foray ends them.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killer returns a function that kills a process, just started, and its children.
func killer(cmd *exec.Cmd) (kill func()) {
	job, err := confine.NewJob(cmd.Process, 0)
	if err != nil {
		return func() {} // the process is killed alone
	}
	return job.Close
}
