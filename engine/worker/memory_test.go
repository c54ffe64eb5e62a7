package worker

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestTooMuch: files count below the directory, however deep, and bytes as files have them.
func TestTooMuch(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	if tooMuch(dir) || tooMuch(filepath.Join(dir, "missing")) {
		t.Error("two directories are too much")
	}
	big := filepath.Join(deep, "big")
	if err := os.WriteFile(big, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	if !tooMuch(dir) {
		t.Error("a file beyond the bound is not too much")
	}
	empty(dir)
	for i := range maxFiles + 1 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !tooMuch(dir) {
		t.Errorf("%d files are not too much", maxFiles+1)
	}
}

// TestEmpty: directories go that may not be written, as archives hold them.
func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(filepath.Join(closed, "c"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o555, 0} {
		if err := os.Chmod(closed, mode); err != nil {
			t.Fatal(err)
		}
		closed = filepath.Dir(closed)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o777) })
	empty(dir)
	if list, err := os.ReadDir(dir); len(list) > 0 || err != nil {
		t.Errorf("%v is left, error %v", list, err)
	}
}
