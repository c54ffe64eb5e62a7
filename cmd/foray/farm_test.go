//go:build !nofarm

package main

import (
	"path/filepath"
	"testing"
)

// Farms with different stores run jobs in different directories, however a store is named.
func TestWorkDir(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	abs, err := filepath.Abs("a")
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{}
	for _, address := range []string{"a", "b", "./a", abs, "s3://a/b", "s3://a/c"} {
		if dirs[address], err = workDir(address); err != nil {
			t.Fatal(err)
		}
	}
	if dirs["a"] != dirs["./a"] || dirs["a"] != dirs[abs] {
		t.Errorf("one store, several directories: %v", dirs)
	}
	if dirs["a"] == dirs["b"] || dirs["s3://a/b"] == dirs["s3://a/c"] {
		t.Errorf("two stores, one directory: %v", dirs)
	}
}
