//go:build darwin || linux

package store

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// Directories, links and devices are set aside too, on a real file system.
func TestLoadNotFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(entry(1)); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, "entries", name) }
	if err := os.MkdirAll(at("sub/dir"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(entryID(1), at("link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	ids, problems := loadTest(t, s)
	if !slices.Equal(ids, []string{entryID(1)}) {
		t.Errorf("loaded %q, want %q", ids, entryID(1))
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	want := []string{
		"entries/link: a symbolic link: moved to quarantine/link",
		"entries/pipe: a device, pipe or socket: moved to quarantine/pipe",
		"entries/sub: a directory: moved to quarantine/sub",
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
	for _, name := range []string{"link", "pipe", "sub/dir"} {
		if _, err := os.Lstat(filepath.Join(dir, "quarantine", name)); err != nil {
			t.Error(err)
		}
	}
}
