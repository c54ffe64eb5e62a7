//go:build !linux && !windows

package build

import (
	"os"
	"syscall"
)

// orphaned would let the go command end should foray be killed. Without such a
// signal it ends when it has built.
func orphaned() *syscall.SysProcAttr { return nil }

func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
