//go:build unix && !linux

package fuzzrun

import (
	"os"
	"syscall"
)

// ownGroup puts foray fuzz in a group of its own, so that Ctrl-C reaches the farm only,
// which interrupts it once.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
