package main

import (
	"os/exec"
	"syscall"
)

// detach keeps signals of the terminal from a command.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

const haveGuard = true
