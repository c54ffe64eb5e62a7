package main

import (
	"os"
	"sync"
	"syscall"
	"testing"
)

// haveTmpfs reports whether file systems can be mounted.
var haveTmpfs = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "foray-test-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		return false
	}
	return syscall.Unmount(dir, 0) == nil
})

// mountTmpfs mounts a file system of a size at dir until the test has ended.
func mountTmpfs(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}
