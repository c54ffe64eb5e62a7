package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"foray.test/cmd/internal/load"
	"foray.test/harness/owned"
)

// temps are the temporary directories of this process, all below one. They are removed when
// it ends, also by a second interrupt. If it is killed, the next foray removes them.
type temps struct {
	mu      sync.Mutex
	root    string
	release func()
	made    int
	goToo   bool // the go command has its temporary files there, too
}

// tempPrefix begins the names of the directories of processes.
const tempPrefix = "foray-"

// open removes what dead processes left, and makes the directory of this one.
func (t *temps) open() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.root != "" {
		return nil
	}
	owned.Sweep(os.TempDir(), tempPrefix)
	root, release, err := owned.Make(os.TempDir(), tempPrefix)
	if err != nil {
		return &load.Error{Place: "temporary directory", Msg: err.Error(), Hint: tempHint}
	}
	t.root, t.release = root, release
	if !t.goToo || os.Getenv("GOTMPDIR") != "" {
		return nil
	}
	dir, err := filepath.Abs(filepath.Join(root, "go"))
	if err == nil {
		err = os.Mkdir(dir, 0o777)
	}
	if err != nil {
		return err
	}
	return os.Setenv("GOTMPDIR", dir)
}

// tempHint is the hint for a temporary directory that cannot be used.
const tempHint = "TMPDIR, or TMP on Windows, names one that can be written"

func (t *temps) make() (string, error) {
	if err := t.open(); err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made++
	dir := filepath.Join(t.root, fmt.Sprint(t.made))
	return dir, os.Mkdir(dir, 0o777)
}

// remove removes one of them. It leaves a directory that cannot be removed to the
// system.
func (t *temps) remove(dir string) { _ = owned.RemoveAll(dir) }

func (t *temps) removeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.release != nil {
		t.release()
	}
}
