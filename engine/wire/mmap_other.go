//go:build !unix

package wire

import (
	"errors"
	"os"
)

// Map maps f, which is made SharedBytes long.
func Map(*os.File) (*Shared, error) {
	return nil, errors.New("wire: no shared memory on this system")
}

// Unmap ends a mapping.
func Unmap(*Shared) error { return nil }
