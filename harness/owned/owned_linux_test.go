package owned

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSweepAgain: a directory of which something cannot be removed, here as too many files are
// open, is removed by a later Sweep.
func TestSweepAgain(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "d-1")
	if err := os.MkdirAll(filepath.Join(dir, "sub", "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, lockName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	free, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	next := free.Fd()
	free.Close()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	few := limit
	few.Cur = uint64(next) + 3 // the locked file, and two directories
	set := func(l *syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, l); err != nil {
			t.Fatal(err)
		}
	}
	set(&few)
	n := Sweep(parent, "d-")
	set(&limit)
	if _, err := os.Stat(filepath.Join(dir, "sub")); n != 0 || err != nil {
		t.Skipf("%d directories were removed, %v; want that it fails half way", n, err)
	}
	if n := Sweep(parent, "d-"); n != 1 {
		t.Errorf("%d directories were removed, want the one that could not be removed before", n)
	}
}
