// Package owned makes temporary directories that belong to a process, and removes those of
// processes that are dead: a process that is killed cannot tidy up.
//
//	dir, release, err := owned.Make(os.TempDir(), "foray-")
//	defer release()
//	owned.Sweep(os.TempDir(), "foray-")
//
// A directory holds a file that its process keeps locked. The system gives up the lock when
// the process ends. Where there are no such locks, Sweep removes nothing.
package owned

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// lockName is the name of the locked file in a directory.
const lockName = ".owner"

// Make makes a directory below parent with a name that begins with prefix. release removes
// it, with all that is in it.
func Make(parent, prefix string) (dir string, release func(), err error) {
	if dir, err = os.MkdirTemp(parent, prefix); err != nil {
		return "", nil, err
	}
	f, err := os.Create(filepath.Join(dir, lockName+".new"))
	if err == nil {
		// Only a locked file gets the name that Sweep looks for.
		if _, err = lock(f); err == nil {
			err = os.Rename(f.Name(), filepath.Join(dir, lockName))
		}
	}
	if err != nil {
		_ = RemoveAll(dir)
		return "", nil, errors.Join(err, closeFile(f))
	}
	return dir, sync.OnceFunc(func() {
		_ = RemoveAll(dir) // what cannot be removed is left to the system
		f.Close()
	}), nil
}

func closeFile(f *os.File) error {
	if f == nil {
		return nil
	}
	return f.Close()
}

// Sweep removes the directories below parent that Make has made with prefix, and whose
// processes are dead. It returns how many.
func Sweep(parent, prefix string) (removed int) {
	list, _ := os.ReadDir(parent)
	for _, d := range list {
		if !d.IsDir() || len(d.Name()) <= len(prefix) || d.Name()[:len(prefix)] != prefix {
			continue
		}
		dir := filepath.Join(parent, d.Name())
		info, err := os.Lstat(filepath.Join(dir, lockName))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if free, err := lock(f); free && err == nil && RemoveAll(dir) == nil {
			removed++
		}
		f.Close()
	}
	return removed
}

// RemoveAll is [os.RemoveAll], also for directories without permissions.
func RemoveAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
