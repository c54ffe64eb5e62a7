package main

import (
	"fmt"
	"maps"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/coverage/instrument"
	"foray.test/harness/build"
)

// probePath is the import path of the probes in instrumented sources.
const probePath = build.ProbePath

// Bounds on the packages that are instrumented beside the one under test: all are loaded, and
// each sequence scans all of their branch sides.
const (
	siblingPackages = 64
	siblingSides    = 1 << 14
)

// rewrite instruments a package, and the packages of its module that it uses: what a façade does
// is decided in them. The sides of the package come first. Packages that are nearer by imports come
// before others, and those that would exceed [siblingSides] are left out, as are packages
// that use cgo or cannot be loaded.
func (s *subject) rewrite(pkg *load.Package, analysis bool) (*instrument.Result, error) {
	all, err := rewriteOne(pkg, analysis, &instrument.Result{})
	if err != nil {
		return nil, &load.Error{Place: pkg.Path, Msg: err.Error()}
	}
	files := s.fileSums(pkg)
	own := all.Sides
	for _, p := range s.siblings(pkg) {
		res, err := rewriteOne(p, analysis, all)
		if err != nil || all.Sides+res.Sides-own > siblingSides {
			continue
		}
		maps.Copy(all.Sources, res.Sources)
		all.Conditions = append(all.Conditions, res.Conditions...)
		all.Sides += res.Sides
		files = append(files, s.fileSums(p)...)
	}
	if !analysis {
		s.found.Files = files
	}
	return all, nil
}

// rewriteOne instruments one package, with sides and conditions numbered behind those of before.
func rewriteOne(p *load.Package, analysis bool, before *instrument.Result) (*instrument.Result, error) {
	return instrument.Rewrite(instrument.Package{
		Path: p.Path, Fset: p.Fset, Files: p.Files, Names: p.GoFiles, Sources: p.Sources, Types: p.Types, Info: p.Info,
		Analysis: analysis, FirstCondition: len(before.Conditions),
	}, probePath, before.Sides)
}

// siblings loads the packages of its module that a package uses, at most [siblingPackages], breadth
// first by imports. There are none if the package alone is to be instrumented.
func (s *subject) siblings(pkg *load.Package) []*load.Package {
	paths := near(s.target.Siblings, pkg.Path)
	if paths = paths[:min(len(paths), siblingPackages)]; len(paths) == 0 || s.found.Alone {
		return nil
	}
	list, err := pkg.Dependencies(paths)
	if err != nil {
		s.out.Note(pkg.Path + ": no counters in some packages of its module: " + err.Error())
	}
	return list
}

// near returns the paths of packages that one imports, directly or not, breadth first, without
// those that use cgo.
func near(packages []build.Sibling, path string) []string {
	byPath := map[string]*build.Sibling{}
	for i := range packages {
		byPath[packages[i].Path] = &packages[i]
	}
	var paths []string
	seen := map[string]bool{path: true}
	for next := []string{path}; len(next) > 0; next = next[1:] {
		p := byPath[next[0]]
		if p == nil {
			continue
		}
		if p.Path != path && !p.Cgo {
			paths = append(paths, p.Path)
		}
		for _, to := range p.Imports {
			if !seen[to] {
				seen[to] = true
				next = append(next, to)
			}
		}
	}
	return paths
}

// counted tells how many conditions are instrumented, and in how many packages if others than the
// one under test have some.
func (s *subject) counted() string {
	packages := map[string]bool{s.target.Path: true}
	for i := range s.found.Conditions {
		packages[s.found.Conditions[i].Package] = true
	}
	conditions := text.Plural(len(s.found.Conditions), "condition")
	if len(packages) > 1 {
		conditions += fmt.Sprintf(" in %d packages", len(packages))
	}
	return conditions
}
