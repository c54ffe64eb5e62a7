//go:build !linux

package build

import "syscall"

// orphaned would let the go command end should foray be killed. Without such a
// signal it ends when it has built.
func orphaned() *syscall.SysProcAttr { return nil }
