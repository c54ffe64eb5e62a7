//go:build unix

package store

import (
	"os"
	"syscall"
)

const errLocked = syscall.EWOULDBLOCK

// flock locks an open file. It returns errLocked if another has.
func flock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}
