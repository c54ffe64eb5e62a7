package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"unsafe"
)

// EndMarked kills the processes whose mark is to be ended, until there are none: one may
// start others meanwhile.
func EndMarked(ends func(mark string) bool) {
	const rounds = 10
	for range rounds {
		list := marked(ends)
		if len(list) == 0 {
			return
		}
		for _, pid := range list {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// marked returns the processes with a mark for which ends holds, besides this one. A process
// that is dead and not yet waited for counts no more.
func marked(ends func(mark string) bool) []int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var list []int
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, limit := inEnvironment(dir), inLimit(pid)
		if env != "" && ends(env) || limit != "" && ends(limit) && !ended(pid) {
			list = append(list, pid)
		}
	}
	return list
}

// inEnvironment returns the mark in the environment of the process of a directory of
// proc(5), empty if there is none, or if the process has gone or is somebody else's.
func inEnvironment(dir string) string {
	data, _ := os.ReadFile(filepath.Join(dir, "environ"))
	for v := range bytes.SplitSeq(data, []byte{0}) {
		if mark, ok := bytes.CutPrefix(v, []byte(EnvRun+"=")); ok {
			return string(mark)
		}
	}
	return ""
}

// limitRealTime is RLIMIT_RTTIME of getrlimit(2), in microseconds. It bounds processes with a
// real-time policy, which the numbers of marks allow thousands of years.
const limitRealTime = 15

// inLimit returns the mark in the limit of a process, empty if there is none.
func inLimit(pid int) string {
	var has syscall.Rlimit
	if prlimit(pid, nil, &has) != nil {
		return ""
	}
	return markOf(has.Cur)
}

// Limit gives a process, and those that it will start, a mark in a limit, or takes it away if
// mark is empty. pid 0 is this process. A system that does not let us leaves them the mark of
// the environment.
func Limit(pid int, mark string) {
	var now syscall.Rlimit
	if prlimit(pid, nil, &now) != nil {
		return
	}
	if n, ok := limitOf(mark); ok && n < now.Max {
		now.Cur = n
	} else {
		now.Cur = now.Max
	}
	_ = prlimit(pid, &now, nil)
}

// prlimit is prlimit(2) of limitRealTime.
func prlimit(pid int, set, get *syscall.Rlimit) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), limitRealTime, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(get)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
