//go:build unix && !linux

package coordinator

import (
	"syscall"
	"time"
)

func processGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func cpuNow(pid int) (time.Duration, bool) { return 0, false }
