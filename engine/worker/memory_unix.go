//go:build unix

package worker

import (
	"errors"
	"os"

	"foray.test/engine/wire"
)

// reservedFile creates a file in dir to map. Its blocks are written, so that a file system
// that is too full says so here. Its name is removed before the code under test runs.
func reservedFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "shared")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(make([]byte, wire.SharedBytes))
	if err = errors.Join(err, os.Remove(f.Name())); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
