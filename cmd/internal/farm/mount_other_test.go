//go:build unix && !linux

package farm

import (
	"errors"
	"testing"
)

// mountMemory mounts a file system in memory.
func mountMemory(string, int) error { return errors.ErrUnsupported }

func unmount(*testing.T, string) {}
