package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrLocked is the error of [Store.TryLock] when another process holds the
// lock.
var ErrLocked = errors.New("locked by another process")

// A LockedError is an ErrLocked with the process that holds the lock.
type LockedError struct {
	PID int // on an unknown machine; zero if unknown
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return ErrLocked.Error()
	}
	return fmt.Sprintf("locked by process %d", e.PID)
}

// Is reports whether target is [ErrLocked].
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// TryLock takes the lock of the store. It stands for state.json, profile.json and distilling;
// entries and findings need none. It excludes other stores in the same process too, and ends
// with the process. If another process holds the lock, the error is [ErrLocked], and a
// [LockedError].
func (s *Store) TryLock() (unlock func(), err error) {
	unlock, err = lock(filepath.Join(s.dir, lockFile))
	return unlock, failed(err, "lock %q", s.dir)
}

// writePID writes the process ID into a lock file, for people and LockedError
// only.
func writePID(f *os.File) {
	if f.Truncate(0) == nil {
		f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
}

// readPID returns the process that a lock file names, or zero.
func readPID(f *os.File) int {
	data, _ := io.ReadAll(io.NewSectionReader(f, 0, 32))
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
