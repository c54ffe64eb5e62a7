package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck shows that an error in a file or a test of one system is found there only.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module m.test\n\ngo 1.24\n",
		"a.go":                 "package m\n\nimport \"os\"\n\nvar A = os.Args\n",
		"a_windows.go":         "package m\n\nfunc w() int { return \"w\" }\n",
		"a_darwin_test.go":     "package m\n\nvar d = missing\n",
		"sub/b_freebsd.go":     "package sub\n",
		"sub/b_other.go":       "//go:build !freebsd\n\npackage sub\n\nfunc B() {}\n",
		"user/user.go":         "package user\n\nimport \"m.test/sub\"\n\nfunc init() { sub.B() }\n",
		"user/user_plan9.go":   "package user\n\nvar p int = \"p\"\n",
		"internal/x/x_test.go": "package x\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	for system, want := range map[string]string{
		"linux":   "",
		"windows": "a_windows.go:3:23: cannot use",
		"darwin":  "a_darwin_test.go:3:9: undefined: missing",
		"freebsd": "user.go:5:19: undefined: sub.B",
	} {
		errs, err := check(dir, system, "./...")
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(errs, "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) || strings.Count(got, "\n") > 0 {
			t.Errorf("%s: %q, want one error with %q", system, got, want)
		}
	}
}
