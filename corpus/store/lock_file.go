package store

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// lock takes an advisory lock on the file. The file stays when the lock is given
// back: removing it would let two others lock two files.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|openNoFollow, 0o666)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s is not a regular file", name))
	}
	if err := flock(f); err != nil {
		if errors.Is(err, errLocked) {
			err = &LockedError{PID: readPID(f)}
		}
		f.Close()
		return nil, err
	}
	writePID(f)
	return sync.OnceFunc(func() {
		f.Truncate(0)
		f.Close()
	}), nil
}
