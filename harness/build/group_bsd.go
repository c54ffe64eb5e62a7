//go:build unix && !linux

package build

import "syscall"

// ChildAttr returns the attributes of a command. With group it leads a process group: Ctrl-C
// does not reach it. No signal tells it that foray was killed.
func ChildAttr(group bool, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: group}
}
