package coordinator

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// processGroup puts a worker in a group of its own: Ctrl-C is the coordinator's.
// Should the coordinator be killed, its workers are too.
func processGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// cpuTicks returns the processor time that a process has used, in clock ticks, or
// -1 if it cannot be told.
func cpuTicks(pid int) int64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return -1
	}
	// Fields are counted from behind the name, which may hold anything.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return -1
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil {
		return -1
	}
	return user + system
}
