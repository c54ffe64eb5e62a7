package worker

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// processGroup keeps Ctrl-C from a worker: the coordinator ends it.
func processGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup kills the process. The system has no groups that a signal reaches.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// signalOf returns "": the system ends processes by status only.
func signalOf(*os.ProcessState) string { return "" }

// cpuNow returns the processor time that a process has taken so far.
func cpuNow(pid int) (time.Duration, bool) {
	const query = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
	h, err := syscall.OpenProcess(query, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer syscall.CloseHandle(h)
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	const tick = 100 * time.Nanosecond
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * tick, true
}

// The system does not tell these cheaply: a process that waits gets as long as one that
// computes.
func runnable(pid int) bool { return true }

func resident(pid int) int64 { return 0 }

// ended returns false: the system tells it with the exit status only.
func ended(int) bool { return false }

// stopped returns false: no signal stops a process of the system.
func stopped(int) bool { return false }
