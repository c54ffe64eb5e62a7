package build

import (
	"testing"
	"testing/fstest"
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
