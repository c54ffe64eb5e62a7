//go:build unix

package owned

import (
	"os"
	"syscall"
)

// lock locks a file for as long as this process has it open. It reports false if another
// process has locked it.
func lock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}
