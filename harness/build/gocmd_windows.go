package build

import (
	"os"
	"syscall"
)

// orphaned would let the go command end should foray be killed. Without such a
// signal it ends when it has built.
func orphaned(bool) *syscall.SysProcAttr { return nil }

// interrupt kills a process: there are no interrupts for others here.
func interrupt(p *os.Process, _ bool) error { return p.Kill() }
