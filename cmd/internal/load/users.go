package load

import (
	"context"
	"go/ast"
	"go/parser"
	"slices"
	"strconv"

	"foray.test/harness/build"
)

// CheckUsers type-checks packages that import p, with their tests, as far as that is cheap.
// Those of a main module that p belongs to are among them; patterns, as the go command takes
// them, name more. Besides p they import packages of the standard library; names of other
// packages have no types. A problem is a pattern that names no package.
func (p *Package) CheckUsers(ctx context.Context, patterns []string) (list []Tests, problems []build.Problem) {
	if p.ReadsOwnModule() {
		patterns = append([]string{p.Module.Path + "/..."}, patterns...)
	}
	if len(patterns) == 0 {
		return nil, nil
	}
	l, err := build.List(ctx, build.Query{Like: &p.Target, Patterns: patterns, Find: true})
	if err != nil {
		return nil, []build.Problem{{Path: patterns[0], Msg: err.Error()}}
	}
	var paths []string
	var all []*ast.File
	for _, t := range l.Targets {
		if t.Path == p.Path {
			continue
		}
		for _, names := range [][]string{slices.Concat(t.GoFiles, t.TestGoFiles), t.XTestGoFiles} {
			if files := p.users(t, names); len(files) > 0 {
				list, paths, all = append(list, Tests{Files: files}), append(paths, t.Path), append(all, files...)
			}
		}
	}
	p.importMore(ctx, all, func(string) bool { return false })
	imp := &testImporter{Importer: p.Importer, path: p.Path, pkg: p.Types}
	for i := range list {
		list[i].Types, list[i].Info, _ = p.checkFiles(paths[i], list[i].Files, imp)
	}
	return list, l.Problems
}

// ReadsOwnModule reports whether the other packages of p's module are among its users.
func (p *Package) ReadsOwnModule() bool {
	return p.Own() && p.Module != nil
}

// users parses the files of a package, and returns none if no file imports p.
func (p *Package) users(t *build.Target, names []string) (files []*ast.File) {
	imports := false
	for _, name := range names {
		src, _ := t.ReadFile(name)
		f, err := parser.ParseFile(p.Fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		files = append(files, f)
		imports = imports || slices.ContainsFunc(f.Imports, func(im *ast.ImportSpec) bool {
			path, _ := strconv.Unquote(im.Path.Value)
			return path == p.Path
		})
	}
	if !imports {
		return nil
	}
	return files
}
