package executor

import (
	"syscall"
	"time"
)

// useOfThread returns the resources this thread has used. It takes half a microsecond.
func useOfThread() threadUse {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_THREAD, &u) != nil {
		return threadUse{}
	}
	return threadUse{syscall.Gettid(), time.Duration(u.Utime.Nano() + u.Stime.Nano()), int64(u.Nivcsw), int64(u.Nvcsw)}
}
