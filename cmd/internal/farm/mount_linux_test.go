package farm

import (
	"fmt"
	"syscall"
	"testing"
)

// mountMemory mounts a file system in memory.
func mountMemory(dir string, bytes int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprint("size=", bytes))
}

func unmount(t *testing.T, dir string) {
	if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
		t.Error(err)
	}
}
