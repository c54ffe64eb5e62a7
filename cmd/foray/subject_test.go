package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlaceHint: the hint for a file that a build cannot read or write speaks of its place.
func TestPlaceHint(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		filepath.Join(cache, "foray", "worker"):                            "cache directory",
		filepath.Join(os.TempDir(), "foray-1", "overlay.json"):             "TMPDIR",
		filepath.Join(filepath.VolumeName(cache)+"/", "module", "gone.go"): "sources of the package",
	} {
		if got := placeHint(file); !strings.Contains(got, want) {
			t.Errorf("%s: hint %q, want one of %q", file, got, want)
		}
	}
}
