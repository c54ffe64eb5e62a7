//go:build unix

package usage

import "syscall"

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
