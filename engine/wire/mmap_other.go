//go:build !unix && !windows

package wire

import (
	"errors"
	"os"
	"runtime"
)

// Map maps f, which is made SharedBytes long.
func Map(*os.File) (*Shared, error) {
	return nil, errors.New("a worker shares memory with foray, which is not implemented for " + runtime.GOOS + ": run foray on Linux or Windows")
}

// Unmap ends a mapping.
func Unmap(*Shared) error { return nil }
