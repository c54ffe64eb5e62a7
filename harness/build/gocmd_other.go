//go:build !linux && !windows

package build

import "syscall"

// orphaned would let the go command end should foray be killed. Without such a
// signal it ends when it has built. With group it leads a process group.
func orphaned(group bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: group} }
