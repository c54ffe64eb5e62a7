package store

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestDir(t *testing.T) {
	for _, test := range []struct {
		name                          string
		importPath, version, out, dir string
	}{
		{"main module", "example.com/Queue", "", "", "/c/fuzz/example.com/Queue/foray"},
		{"other module", "example.com/q/v2", "v2.1.0+incompatible", "", "/c/fuzz/example.com/q/v2@v2.1.0+incompatible/foray"},
		{"standard library", "strings", "go1.26.8", "", "/c/fuzz/strings@go1.26.8/foray"},
		{"outdir", "example.com/q", "v1.0.0", "/d", "/d/example.com/q"},
		{"climbing", "../../etc/./x", "", "", "/c/fuzz/%2E./%2E./etc/%2E/x/foray"},
		{"climbing version", "a", "../../../b", "", "/c/fuzz/a@..%2F..%2F..%2Fb/foray"},
		{"rooted", "/etc//x", "", "", "/c/fuzz/%/etc/%/x/foray"},
		{"like a version", "a@v1", "", "", "/c/fuzz/a%40v1/foray"},
		{"in the way", "blog/entries", "", "/d", "/d/blog/%65ntries"},
		{"Windows", `a\b:c`, "", "/d", "/d/a%5Cb%3Ac"},
		{"escaped", "%2E.", "", "/d", "/d/%252E."},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := filepath.ToSlash(Dir("/c", test.importPath, test.version, test.out))
			if got != test.dir {
				t.Errorf("Dir(/c, %q, %q, %q) = %q, want %q", test.importPath, test.version, test.out, got, test.dir)
			}
		})
	}
}

// No two paths get one directory, and none gets out of the cache.
func FuzzDir(f *testing.F) {
	f.Add("a/b", "", "a", "b")
	f.Add("a@v1", "", "a", "v1")
	f.Add("../x", "", "%2E./x", "")
	f.Fuzz(func(t *testing.T, path1, version1, path2, version2 string) {
		one, two := Dir("/c", path1, version1, ""), Dir("/c", path2, version2, "")
		if !strings.HasPrefix(filepath.ToSlash(one), "/c/fuzz/") {
			t.Errorf("Dir(%q, %q) = %q", path1, version1, one)
		}
		if one == two && (path1 != path2 || version1 != version2) {
			t.Errorf("Dir(%q, %q) = Dir(%q, %q) = %q", path1, version1, path2, version2, one)
		}
		if out := Dir("", path1, "", "/d"); filepath.Base(out) == entriesDir || filepath.Base(out) == lockFile {
			t.Errorf("Dir(%q, outdir /d) = %q", path1, out)
		}
	})
}
