package main

import (
	"testing"

	"foray.test/harness/build"
)

// A package has another path at another major version, unless its path has that
// version already or the argument is not about the package.
func TestAtMajor(t *testing.T) {
	const none = ""
	for _, tt := range []struct{ module, path, arg, want string }{
		{"x.org/m", "x.org/m/sub", "x.org/m/sub@v2.0.0-alpha", "x.org/m/v2/sub@v2.0.0-alpha"},
		{"x.org/m", "x.org/m", "x.org/m@v3.1.0", "x.org/m/v3@v3.1.0"},
		{"x.org/m/v2", "x.org/m/v2/sub", "x.org/m/v2/sub@v3.0.0", "x.org/m/v3/sub@v3.0.0"},
		{"x.org/m/v2", "x.org/m/v2", "x.org/m/v2@v1.0.0", "x.org/m@v1.0.0"},
		{"gopkg.in/m.v2", "gopkg.in/m.v2/sub", "gopkg.in/m.v2/sub@v3.0.0", "gopkg.in/m.v3/sub@v3.0.0"},
		{"x.org/m", "x.org/m", "x.org/m@v1.2.0", none},
		{"x.org/m/v2", "x.org/m/v2", "x.org/m/v2@v2.1.0", none},
		{"x.org/m", "x.org/m", "x.org/other@v2.0.0", none},
		{"x.org/m", "x.org/m", "x.org/m@latest", none},
		{"x.org/m", "x.org/m", "HEAD", none},
	} {
		old := &build.Target{Path: tt.path, Module: &build.Module{Path: tt.module}}
		if got := atMajor(old, tt.arg); got != tt.want {
			t.Errorf("%s of %s, %s: %q, want %q", tt.path, tt.module, tt.arg, got, tt.want)
		}
	}
}

func TestMajorless(t *testing.T) {
	for _, tt := range []struct{ module, path, want string }{
		{"x.org/m", "x.org/m/sub", "x.org/m/sub"},
		{"x.org/m/v2", "x.org/m/v2/sub", "x.org/m/sub"},
		{"gopkg.in/m.v3", "gopkg.in/m.v3", "gopkg.in/m"},
		{"x.org/m", "x.org/m/v2", "x.org/m/v2"}, // a package that is called so
	} {
		if got := majorless(&build.Target{Path: tt.path, Module: &build.Module{Path: tt.module}}); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.path, tt.module, got, tt.want)
		}
	}
	if got := majorless(&build.Target{Path: "strings"}); got != "strings" {
		t.Errorf("strings: %q", got)
	}
}
