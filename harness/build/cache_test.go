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

// TestRemoveWorkers: of the workers those stay that were used last, as far as they fit.
func TestRemoveWorkers(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	for i, name := range []string{"newest", "newer", "older", "oldest"} {
		dir := filepath.Join(cache, "worker", name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, binaryFile), make([]byte, 100), 0o666); err != nil {
			t.Fatal(err)
		}
		at := now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		most, removed int64
		left          []string
	}{
		{400, 0, []string{"newer", "newest", "older", "oldest"}},
		{250, 200, []string{"newer", "newest"}},
		{0, 200, nil},
	} {
		if got := removeWorkers(cache, tt.most); got != tt.removed {
			t.Errorf("%d bytes: removed %d, want %d", tt.most, got, tt.removed)
		}
		var left []string
		list, err := os.ReadDir(filepath.Join(cache, "worker"))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			left = append(left, d.Name())
		}
		if !slices.Equal(left, tt.left) {
			t.Errorf("%d bytes: left %v, want %v", tt.most, left, tt.left)
		}
	}
}
