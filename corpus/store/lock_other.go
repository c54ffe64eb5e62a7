//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package store

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

// lock makes a file that only its owner removes. It removes the file of a dead
// process where the system can tell that the process is dead.
func lock(name string) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			writePID(f)
			f.Close()
			return sync.OnceFunc(func() { os.Remove(name) }), nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		pid := holder(name)
		if pid == 0 || pid == os.Getpid() {
			return nil, &LockedError{PID: pid}
		}
		if _, err := os.FindProcess(pid); err == nil {
			return nil, &LockedError{PID: pid}
		}
		os.Remove(name)
	}
}

func holder(name string) int {
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	return readPID(f)
}
