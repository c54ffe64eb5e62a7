package build

import "syscall"

// ChildAttr returns the attributes of a command that gets a signal should foray be killed. With
// group it leads a process group: Ctrl-C does not reach it.
func ChildAttr(group bool, atDeath syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: group, Pdeathsig: atDeath}
}
