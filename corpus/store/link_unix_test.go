//go:build unix

package store

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLinks: links in a store lead the store nowhere, and a named pipe does not stop it.
func TestLinks(t *testing.T) {
	for _, name := range []string{entriesDir, findingsDir, quarantineDir, generationsDir} {
		dir, elsewhere := t.TempDir(), t.TempDir()
		file := filepath.Join(elsewhere, "precious")
		if err := os.WriteFile(file, []byte("not an entry"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "symbolic link") {
			t.Errorf("%s: Open = %v, want an error that names the link", name, err)
		}
		if list, err := os.ReadDir(elsewhere); err != nil || len(list) != 1 {
			t.Errorf("%s: the linked directory holds %v (%v), want its one file", name, list, err)
		}
	}

	dir, precious := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(precious, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{lockFile, stateFile, profileFile, entriesDir + "/e", findingsDir + "/f"} {
		if err := os.Symlink(precious, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, entriesDir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TryLock(); err == nil {
		t.Error("a link was locked")
	}
	if err := s.LoadState(new(any)); err == nil {
		t.Error("state was loaded from a link")
	}
	if _, _, err := s.Load(); err != nil {
		t.Error(err)
	}
	if _, _, err := s.Findings(); err != nil {
		t.Error(err)
	}
	if _, err := (osFS{}).ReadFile(filepath.Join(dir, lockFile), 10); err == nil {
		t.Error("a link was read")
	}
	if data, err := os.ReadFile(precious); err != nil || string(data) != "{}" {
		t.Errorf("the linked file holds %q (%v), want {}", data, err)
	}
}

// TestExposed names directories that others may write to.
func TestExposed(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if list := s.Exposed(); len(list) > 0 {
		t.Errorf("exposed: %v, want none", list)
	}
	open := filepath.Join(dir, entriesDir)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if list := s.Exposed(); len(list) != 1 || list[0] != open {
		t.Errorf("exposed: %v, want %s", list, open)
	}
}
