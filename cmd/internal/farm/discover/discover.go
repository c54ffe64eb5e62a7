// Package discover finds what a farm can fuzz: the API of packages, and the fuzz targets
// that they have.
package discover

import (
	"context"
	"errors"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
)

// A Problem is a package that cannot be fuzzed, in one line.
type Problem struct {
	Place string `json:"place"`
	Msg   string `json:"message"`
	Hint  string `json:"hint,omitempty"` // what to do about it
}

// Targets finds the targets of the packages that patterns name, in the module at dir: the
// API of each, and its fuzz targets. version is foray's.
func Targets(ctx context.Context, dir string, flags, patterns []string, version string) ([]record.Target, []Problem) {
	var list []record.Target
	var problems []Problem
	for _, pattern := range patterns {
		found, err := load.List(ctx, load.Config{Dir: dir, Flags: flags, Patterns: []string{pattern}})
		problems = append(problems, problemsOf(err)...)
		for _, pkg := range found {
			list = append(list, targetsOf(pkg, dir, strings.Contains(pattern, "@"), version)...)
		}
	}
	slices.SortFunc(list, func(a, b record.Target) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(list, func(a, b record.Target) bool { return a.ID() == b.ID() }), problems
}

func problemsOf(err error) []Problem {
	if err == nil {
		return nil
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		var list []Problem
		for _, err := range j.Unwrap() {
			list = append(list, problemsOf(err)...)
		}
		return list
	}
	if e, ok := errors.AsType[*load.Error](err); ok {
		return []Problem{{e.Place, e.Msg, e.Hint}}
	}
	return []Problem{{Msg: err.Error()}}
}

// targetsOf returns the targets of one package, in the module at root. versioned says that
// it was named with a version.
func targetsOf(pkg *build.Target, root string, versioned bool, version string) []record.Target {
	t := record.Target{Package: pkg.Path, Pattern: pkg.Path, Build: pkg.Stamp(version)}
	if pkg.Module != nil {
		t.Module = pkg.Module.Path
	}
	if rel, err := filepath.Rel(root, pkg.Dir); err == nil && filepath.IsLocal(rel) {
		t.Dir = filepath.ToSlash(rel)
	}
	if pkg.Where == build.ModuleCache {
		t.Version = pkg.Version()
	}
	if versioned {
		t.Pattern += "@" + pkg.Version()
	}
	var list []record.Target
	if pkg.Name != "main" {
		list = append(list, t)
	}
	tests := slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles)
	names := catalog.Targets(load.ParseFiles(pkg, tests, "func Fuzz"))
	for _, name := range names {
		list = append(list, fuzzTarget(pkg, t, name, tests))
	}
	for _, name := range catalog.GoFuzz(goFuzzFiles(pkg)) {
		if strings.HasPrefix(name, "Fuzz") && !slices.Contains(names, name) {
			list = append(list, fuzzTarget(pkg, t, name, nil))
		}
	}
	return list
}

// fuzzTarget returns the target of a name. Its build changes with the tests, too.
func fuzzTarget(pkg *build.Target, t record.Target, name string, tests []string) record.Target {
	t.Fuzz = name
	texts := []string{t.Build}
	for _, file := range tests {
		src, _ := pkg.ReadFile(file)
		texts = append(texts, string(src))
	}
	t.Build = record.ID(texts...)
	return t
}

// goFuzzFiles parses the files of a package that may have a function of go-fuzz, with those
// that its build tag guards.
func goFuzzFiles(pkg *build.Target) []*ast.File {
	files, _ := filepath.Glob(filepath.Join(pkg.Dir, "*.go"))
	files = slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
	return load.ParseFiles(pkg, files, "func Fuzz")
}
