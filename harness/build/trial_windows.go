package build

import (
	"os/exec"

	"foray.test/engine/confine"
)

// ownGroup does nothing: a command that was started gets a job.
func ownGroup(*exec.Cmd) {}

// ender returns a function that ends a command, just started, and its children.
func ender(cmd *exec.Cmd) (end func()) {
	job, err := confine.NewJob(cmd.Process, 0)
	if err != nil {
		return func() {} // it ends by its own limit
	}
	return job.Close
}
