package fuzzrun

import (
	"os"
	"syscall"
)

// ownGroup puts foray fuzz in a group of its own, so that Ctrl-C reaches the farm only,
// which interrupts it once. If the farm is killed, it is interrupted, too.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}

func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
