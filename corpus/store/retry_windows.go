package store

import (
	"errors"
	"syscall"
	"time"
)

// refusedTime is how long others may keep a file to themselves: as in the go command.
const refusedTime = 2 * time.Second

// retry calls f again while the system refuses a file because another process has it open or
// replaces it.
func retry(f func() error) error {
	const sharingViolation = syscall.Errno(32)
	for began, wait := time.Now(), time.Millisecond; ; wait *= 2 {
		err := f()
		refused := errors.Is(err, syscall.ERROR_ACCESS_DENIED) || errors.Is(err, sharingViolation)
		if !refused || time.Since(began) >= refusedTime {
			return err
		}
		time.Sleep(wait)
	}
}
