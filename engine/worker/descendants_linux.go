package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
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
// that is dead and not yet waited for has no environment.
func marked(ends func(mark string) bool) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	prefix := []byte(EnvRun + "=")
	var list []int
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has gone, or is somebody else's
		}
		for v := range bytes.SplitSeq(data, []byte{0}) {
			mark, ok := bytes.CutPrefix(v, prefix)
			if !ok || !ends(string(mark)) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
				list = append(list, pid)
			}
		}
	}
	return list
}
