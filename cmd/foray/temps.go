package main

import (
	"os"
	"sync"
)

// temps are the temporary directories of this process. They are removed when it
// ends, also by a second interrupt.
type temps struct {
	mu   sync.Mutex
	dirs []string
}

func (t *temps) make() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	dir, err := os.MkdirTemp("", "foray-")
	if err == nil {
		t.dirs = append(t.dirs, dir)
	}
	return dir, err
}

// remove removes one of them. It leaves a directory that cannot be removed to the
// system.
func (t *temps) remove(dir string) { _ = os.RemoveAll(dir) }

func (t *temps) removeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, dir := range t.dirs {
		t.remove(dir)
	}
}
