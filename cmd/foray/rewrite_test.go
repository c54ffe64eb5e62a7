package main

import (
	"slices"
	"testing"

	"foray.test/harness/build"
)

// TestNear: packages of the module come by their distance, each once; those of other modules and
// of the standard library do not, nor do those that use cgo, but what these import does.
func TestNear(t *testing.T) {
	packages := []build.Sibling{
		{Path: "m", Imports: []string{"m/b", "m/c", "strings", "other/x"}},
		{Path: "m/a"},
		{Path: "m/b", Imports: []string{"m/far"}},
		{Path: "m/c", Imports: []string{"m/a", "m/far"}, Cgo: true},
		{Path: "m/far", Imports: []string{"m/a"}},
		{Path: "m/unused"},
	}
	if got, want := near(packages, "m"), []string{"m/b", "m/far", "m/a"}; !slices.Equal(got, want) {
		t.Errorf("near %q, want %q", got, want)
	}
	if got := near(packages, "m/a"); len(got) > 0 {
		t.Errorf("near %q, want none", got)
	}
}
