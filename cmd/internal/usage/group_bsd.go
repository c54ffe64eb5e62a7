//go:build unix && !linux

package usage

import "syscall"

// ownGroup puts the tests in a process group of their own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
