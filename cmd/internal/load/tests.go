package load

import (
	"context"
	"errors"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"

	"foray.test/harness/build"
)

// Tests are the test files of one package, its own or the external one, with their types.
type Tests struct {
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
}

// CheckTests type-checks the test files of p, as far as that is cheap. Besides the
// dependencies of p it imports packages of the standard library and of p's own module. Names
// of other packages have no types. Nor do the bodies of p itself, which are not read again.
func (p *Package) CheckTests(ctx context.Context) []Tests {
	var own, external []*ast.File
	for _, f := range p.TestFiles {
		if f.Name.Name == p.Name {
			own = append(own, f)
		} else {
			external = append(external, f)
		}
	}
	p.importMore(ctx, p.TestFiles, p.SameModule)
	imp := &testImporter{Importer: p.Importer, path: p.Path}
	var list []Tests
	var files []*ast.File
	for _, f := range p.Files {
		files = append(files, withoutBodies(f))
	}
	checked, info, _ := p.checkFiles(p.Path, append(files, own...), imp)
	if len(own) > 0 {
		list = append(list, Tests{own, checked, info})
	}
	if len(external) > 0 {
		imp.pkg = checked
		checked, info, _ = p.checkFiles(p.Path+"_test", external, imp)
		list = append(list, Tests{external, checked, info})
	}
	return list
}

// checkFiles type-checks files as far as errors allow, which it returns.
func (p *Package) checkFiles(path string, files []*ast.File, imp types.Importer) (*types.Package, *types.Info, []types.Error) {
	info := NewInfo()
	conf := types.Config{
		Importer: imp, Sizes: types.SizesFor("gc", p.Go.Settings["GOARCH"]), GoVersion: goVersion(&p.Target),
		FakeImportC: true,
	}
	var errs []types.Error
	conf.Error = func(err error) {
		var te types.Error
		if errors.As(err, &te) && !te.Soft {
			errs = append(errs, te)
		}
	}
	checked, _ := conf.Check(path, p.Fset, files, info) // an error is about parts only
	return checked, info, errs
}

// withoutBodies returns a copy of a file in which no function has a body.
func withoutBodies(f *ast.File) *ast.File {
	c := *f
	c.Decls = make([]ast.Decl, len(f.Decls))
	for i, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			bare := *fd
			bare.Body = nil
			d = &bare
		}
		c.Decls[i] = d
	}
	return &c
}

// importMore finds the export data of the packages that files import and p does not: those
// of the standard library and the ones that also selects. Without an answer of the go command
// there is none.
func (p *Package) importMore(ctx context.Context, files []*ast.File, also func(path string) bool) {
	var paths []string
	seen := map[string]bool{}
	for _, f := range files {
		for _, im := range f.Imports {
			path, err := strconv.Unquote(im.Path.Value)
			if err != nil || seen[path] || path == "C" || path == "unsafe" || path == p.Path || p.exports[path] != "" {
				continue
			}
			seen[path] = true
			if also(path) || build.LooksStandard(path) {
				paths = append(paths, path)
			}
		}
	}
	known := maps.Clone(p.exports)
	maps.Copy(p.exports, p.listing.Exports(paths...))
	paths = slices.DeleteFunc(paths, func(path string) bool { return p.exports[path] != "" })
	if len(paths) > 0 {
		if l, err := build.List(ctx, build.Query{Like: &p.Target, Patterns: paths, Export: true}); err == nil {
			maps.Copy(p.exports, l.Exports(paths...))
		}
	}
	maps.Copy(p.exports, known)
}

// A testImporter imports for test files. The package under test is the one that is
// checked together with its own test files.
type testImporter struct {
	types.Importer
	path string
	pkg  *types.Package
}

// Import implements [types.Importer].
func (t *testImporter) Import(path string) (*types.Package, error) {
	if path == t.path && t.pkg != nil {
		return t.pkg, nil
	}
	return t.Importer.Import(path)
}

// WithTests returns p checked together with the test files of its own package, bodies
// included, but for those that leaveOut reports. Errors in test files leave parts without
// types: see TypeErrors.
func (p *Package) WithTests(ctx context.Context, leaveOut func(*ast.File) bool) (*Package, error) {
	all := *p
	all.Files, all.Sources = slices.Clip(p.Files), slices.Clip(p.Sources)
	for _, f := range p.TestFiles {
		if f.Name.Name != p.Name || leaveOut(f) {
			continue
		}
		source, err := p.ReadFile(p.Fset.File(f.Pos()).Name()) // even if a //line directive names another
		if err != nil {
			return nil, err
		}
		all.Files, all.Sources = append(all.Files, f), append(all.Sources, source)
	}
	p.importMore(ctx, all.Files[len(p.Files):], func(string) bool { return true })
	all.Types, all.Info, all.TypeErrors = p.checkFiles(p.Path, all.Files, p.Importer)
	return &all, nil
}
