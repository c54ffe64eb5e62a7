// Package owned makes temporary directories that belong to a process, and removes those of
// processes that are dead: a process that is killed cannot tidy up.
//
//	dir, release, err := owned.Make(os.TempDir(), "foray-")
//	defer release()
//	owned.Sweep(os.TempDir(), "foray-")
//
// A directory holds a file that its process keeps locked. The system gives up the lock when
// the process ends.
//
// [WriteFile] is for files in places that others own: a process that is killed leaves no half
// of one.
package owned

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
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
	f, err := createLocked(filepath.Join(dir, lockName))
	if err != nil {
		_ = RemoveAll(dir)
		return "", nil, err
	}
	return dir, sync.OnceFunc(func() {
		_ = removeWith(dir, f) // what cannot be removed is left to the system
	}), nil
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
		if free, err := lock(f); !free || err != nil {
			f.Close()
		} else if removeWith(dir, f) == nil {
			removed++
		}
	}
	return removed
}

// empty removes what is in a directory but the locked file: without that, Sweep would not find the
// rest if something cannot be removed now.
func empty(dir string) error {
	_ = os.Chmod(dir, 0o700)
	list, err := os.ReadDir(dir)
	for _, d := range list {
		if d.Name() != lockName {
			err = errors.Join(err, RemoveAll(filepath.Join(dir, d.Name())))
		}
	}
	return err
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

// WriteFile makes data the content of a file in one step, or leaves the file as it is. It makes
// the directory of the file. A file that was there keeps its permissions.
func WriteFile(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(dir, fmt.Sprintf(".foray-%x", rand.Uint64()))
	err := os.WriteFile(temp, data, 0o666)
	if info, statErr := os.Stat(name); err == nil && statErr == nil {
		err = os.Chmod(temp, info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}
