package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sizes are few, and none is much larger than requested.
func TestRoundedUp(t *testing.T) {
	sizes := map[int]bool{}
	last := 0
	for n := range 1 << 14 {
		got := roundedUp(n)
		if got < n || got > max(n+n/4+1, leastSize) || got < last || roundedUp(got) != got {
			t.Fatalf("roundedUp(%d) = %d after %d", n, got, last)
		}
		last = got
		sizes[got] = true
	}
	if n := len(sizes); n > 36 {
		t.Errorf("%d sizes up to %d, want four for each doubling", n, 1<<14)
	}
}

// Workers of all sizes share the files of the runtime. Those that are there stay, those
// that are damaged or missing are written anew.
func TestKeepRuntime(t *testing.T) {
	cache := t.TempDir()
	keep := func(probe string, size string) string {
		t.Helper()
		b := &builder{Config: Config{Cache: cache}, runtime: map[string][]byte{"coverage/probe/probe.go": []byte(probe), "coverage/probe/hit.go": []byte("hit"), sizeFile: []byte(size)}}
		dir, err := b.keepRuntime()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "coverage", "probe", "probe.go")); err != nil || string(got) != probe {
			t.Fatalf("probe.go holds %q, %v; want %q", got, err, probe)
		}
		if fileExists(filepath.Join(dir, filepath.FromSlash(sizeFile))) {
			t.Fatalf("%s is shared", sizeFile)
		}
		return dir
	}
	stat := func(name string) os.FileInfo {
		t.Helper()
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	dir := keep("probe", "64")
	probe, hit := filepath.Join(dir, "coverage", "probe", "probe.go"), filepath.Join(dir, "coverage", "probe", "hit.go")
	before := stat(hit)
	if err := os.WriteFile(probe, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := keep("probe", "80"); got != dir {
		t.Errorf("another size is in %s, want %s", got, dir)
	}
	if !os.SameFile(before, stat(hit)) {
		t.Error("a whole file was written anew")
	}
	if err := os.Remove(probe); err != nil {
		t.Fatal(err)
	}
	keep("probe", "64")
	if got := keep("another probe", "64"); got == dir {
		t.Error("other sources are in the same directory")
	}
}

// Tests that import the standard library and dependencies of the package alone need no other
// modules, and no copy of the module.
func TestTestsNeed(t *testing.T) {
	for _, tt := range []struct {
		imports           string
		anything, further bool
	}{
		{"testing math/rand m.test/m/a m.test/m/b", false, false},
		{"testing m.test/m/internal/check", true, true},
		{"testing m.test/m", true, true},
		{"testing m.test/more", true, false},
	} {
		tg := Target{Module: &Module{Path: "m.test/m"}, Siblings: []Sibling{{Path: "m.test/m/a"}, {Path: "m.test/m/b"}}, TestImports: strings.Fields(tt.imports)}
		if got := tg.testsNeed(func(string) bool { return true }); got != tt.anything {
			t.Errorf("%s: needs more %t, want %t", tt.imports, got, tt.anything)
		}
		if got := tg.testsNeed(tg.SameModule); got != tt.further {
			t.Errorf("%s: needs more of its module %t, want %t", tt.imports, got, tt.further)
		}
	}
}
