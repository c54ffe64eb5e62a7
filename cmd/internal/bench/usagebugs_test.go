package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The engine as it is builds with the patches, and a patch that finds no place is an error.
func TestPatchesApply(t *testing.T) {
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := writePatched(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := goOutput(t.Context(), root, nil, "build", "-overlay="+overlay, "./engine/..."); err != nil {
		t.Error(err)
	}
	other := t.TempDir()
	if err := os.MkdirAll(filepath.Join(other, "engine"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "engine", "composer.go"), []byte("package engine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := writePatched(other, t.TempDir()); err == nil || !strings.Contains(err.Error(), patches[0].file) {
		t.Errorf("a patch without a place: %v, want an error that names the file", err)
	}
}
