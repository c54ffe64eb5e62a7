//go:build unix && !linux

package worker

import (
	"syscall"
	"time"
)

func processGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// The system does not tell any of these: a process that waits gets as long as one that
// computes.
func cpuNow(pid int) (time.Duration, bool) { return 0, false }

func runnable(pid int) (ready, known bool) { return true, false }

func stopped(pid int) bool { return false }

func ended(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func resident(pid int) int64 { return 0 }
