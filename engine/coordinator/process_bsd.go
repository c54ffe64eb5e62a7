//go:build unix && !linux

package coordinator

import "syscall"

func processGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
