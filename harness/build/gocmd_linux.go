package build

import "syscall"

// orphaned lets the go command end should foray be killed: interrupted, for then it
// takes its temporary directory along. With group it leads a process group.
func orphaned(group bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT, Setpgid: group}
}
