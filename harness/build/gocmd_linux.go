package build

import (
	"os"
	"syscall"
)

// orphaned lets the go command end should foray be killed: interrupted, for then it
// takes its temporary directory along.
func orphaned() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT} }

func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
