//go:build !unix

package fuzzrun

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// interrupt ends a process: there are no interrupts for others here. What it has stored
// is kept.
func interrupt(p *os.Process) error { return p.Kill() }
