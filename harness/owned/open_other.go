//go:build !windows

package owned

import (
	"errors"
	"os"
)

// createLocked creates a file that is locked when it gets its name, which Sweep looks for.
func createLocked(name string) (*os.File, error) {
	f, err := os.Create(name + ".new")
	if err != nil {
		return nil, err
	}
	if _, err = lock(f); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeWith removes a directory with a locked file in it, and then closes that.
func removeWith(dir string, f *os.File) error {
	defer f.Close()
	if err := empty(dir); err != nil {
		return err
	}
	return RemoveAll(dir)
}
