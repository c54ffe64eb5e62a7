package coordinator

import "syscall"

// processGroup puts a worker in a group of its own: Ctrl-C is the coordinator's.
// Should the coordinator be killed, its workers are too.
func processGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
