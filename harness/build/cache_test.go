package build

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"
)

// TestBuilderDigest: workers that an older builder made are found by none that makes
// them differently, without a number that somebody has to raise.
func TestBuilderDigest(t *testing.T) {
	base := map[string]string{"adapter.go": "package build", "build.go": "package build"}
	digest := func(name, src string) string {
		dir := fstest.MapFS{}
		for n, s := range base {
			dir[n] = &fstest.MapFile{Data: []byte(s)}
		}
		if name != "" {
			dir[name] = &fstest.MapFile{Data: []byte(src)}
		}
		return digestOf(dir)
	}
	before := digest("", "")
	for _, tt := range []struct {
		name, file, src string
		changes         bool
	}{
		{"a changed file", "adapter.go", "package build // now", true},
		{"a new file", "more.go", "package build", true},
		{"a test", "adapter_test.go", "package build", false},
	} {
		if changed := digest(tt.file, tt.src) != before; changed != tt.changes {
			t.Errorf("%s: digest changes %v, want %v", tt.name, changed, tt.changes)
		}
	}
	if builderDigest() == digestOf(fstest.MapFS{}) {
		t.Error("the sources of this package are not hashed")
	}
}

// TestRemoveUnused: of the workers and copied modules those stay that were used last, as far as
// they fit.
func TestRemoveUnused(t *testing.T) {
	cache := t.TempDir()
	names := []string{"worker/newest", "copy/m.test/!a/b@v1.0.0", "worker/older", "copy/m.test/.copy-12", "worker/oldest", "copy/std@v1"}
	for i, name := range names {
		dir := filepath.Join(cache, name)
		if err := os.MkdirAll(filepath.Join(dir, "below"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "below", "file"), make([]byte, 100), 0o666); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	// A module that is used again is not among the oldest.
	if err := copyModule(cache, filepath.Join(cache, names[5])); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		most, removed int64
		left          []string
	}{
		{600, 0, names},
		{350, 300, []string{names[0], names[1], names[5]}},
		{0, 300, nil},
	} {
		if got := removeUnused(cache, tt.most); got != tt.removed {
			t.Errorf("%d bytes: removed %d, want %d", tt.most, got, tt.removed)
		}
		var left []string
		for _, name := range names {
			if fileExists(filepath.Join(cache, name)) {
				left = append(left, name)
			}
		}
		if !slices.Equal(left, tt.left) {
			t.Errorf("%d bytes: left %v, want %v", tt.most, left, tt.left)
		}
	}
}

// TestTrim: entries that have not been used for long are removed, whatever their size.
func TestTrim(t *testing.T) {
	cache := t.TempDir()
	for name, old := range map[string]bool{"worker/a": true, "worker/b": false, "copy/m.test/a@v1.0.0": true, "copy/m.test/b@v1.0.0": false, "start/a": true, "at/m.test@v1.0.0": true} {
		dir := filepath.Join(cache, name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if at := time.Now().Add(-2 * keepFor); old {
			if err := os.Chtimes(dir, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	trim(cache)
	for name, stays := range map[string]bool{"worker/a": false, "worker/b": true, "copy/m.test/a@v1.0.0": false, "copy/m.test/b@v1.0.0": true, "start/a": false, "at/m.test@v1.0.0": true} {
		if fileExists(filepath.Join(cache, name)) != stays {
			t.Errorf("%s: want it there: %t", name, stays)
		}
	}
}
