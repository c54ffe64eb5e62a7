package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

// TestSiblings: packages of the module come by their distance, each once; those of other
// modules and of the standard library do not.
func TestSiblings(t *testing.T) {
	dir := t.TempDir()
	for name, source := range map[string]string{
		"go.mod":   "module m.test/near\n\ngo 1.26\n",
		"near.go":  "package near\n\nimport (\n\t_ \"m.test/near/b\"\n\t_ \"m.test/near/z\"\n\t_ \"strings\"\n)\n",
		"b/b.go":   "package b\n\nimport _ \"m.test/near/a\"\n",
		"z/z.go":   "package z\n\nimport _ \"m.test/near/a\"\n",
		"a/a.go":   "package a\n",
		"no/no.go": "package no\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	targets, err := load.List(context.Background(), load.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := newSubject(targets[0], new(common))
	pkg, err := loadOne(context.Background(), s.target)
	if err != nil {
		t.Fatal(err)
	}
	paths := func() (list []string) {
		for _, p := range s.siblings(context.Background(), pkg) {
			list = append(list, p.Path)
		}
		return list
	}
	if got, want := paths(), []string{"m.test/near/b", "m.test/near/z", "m.test/near/a"}; !slices.Equal(got, want) {
		t.Errorf("siblings %q, want %q", got, want)
	}
	s.target.Siblings = slices.DeleteFunc(s.target.Siblings, func(d build.Sibling) bool { return d.Path == "m.test/near/z" })
	if got, want := paths(), []string{"m.test/near/b", "m.test/near/a"}; !slices.Equal(got, want) {
		t.Errorf("siblings %q, want %q", got, want)
	}
	s.found.Alone = true
	if got := paths(); len(got) > 0 {
		t.Errorf("siblings %q of a package that is instrumented alone", got)
	}
}
