package usage

import "syscall"

// ownGroup puts the tests in a process group of their own, and ends them with this process.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
