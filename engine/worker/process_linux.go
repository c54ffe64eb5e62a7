package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// processGroup puts a worker in a group of its own, so that Ctrl-C reaches the coordinator
// only. If the coordinator is killed, its workers are, too.
func processGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// cpuNow returns the processor time that a process has taken so far. The id of its clock
// is made of its own id: see clock_getcpuclockid(3).
func cpuNow(pid int) (time.Duration, bool) {
	const sched = 2
	var ts syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(^pid<<3|sched), uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano()), errno == 0
}

// runnable reports whether a thread of a process runs or is ready to: on a busy machine it
// may have to wait for a processor, but is not idle.
func runnable(pid int) (ready, known bool) { return hasState(pid, 'R'), true }

// stopped reports whether a process was stopped by a signal: it does nothing until it is
// continued.
func stopped(pid int) bool { return hasState(pid, 'T') }

// ended reports whether a process has ended, though it may not be reaped yet.
func ended(pid int) bool {
	return syscall.Kill(pid, 0) == syscall.ESRCH || stateIs("/proc/"+strconv.Itoa(pid)+"/stat", 'Z')
}

// hasState reports whether a thread of a process is in a state of proc_pid_stat(5).
func hasState(pid int, state byte) bool {
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	return slices.ContainsFunc(threads, func(file string) bool { return stateIs(file, state) })
}

// stateIs reports whether a file of proc_pid_stat(5) has a state. The file may have gone.
func stateIs(file string, state byte) bool {
	data, err := os.ReadFile(file)
	// The state follows the name, which may have any characters.
	i := bytes.LastIndexByte(data, ')')
	return err == nil && i >= 0 && bytes.HasPrefix(data[i+1:], []byte{' ', state})
}

// resident returns how many bytes of memory a process has, 0 if that is not known.
func resident(pid int) int64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := bytes.Fields(data)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
