package catalog

import (
	"errors"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A pkgImporter knows the packages that operations may refer to: the dependencies of
// the package under test, and standard packages if there is an importer.
type pkgImporter struct {
	in     Input
	byPath map[string]*types.Package
}

func newImporter(in Input) *pkgImporter {
	return &pkgImporter{in: in, byPath: Dependencies(in.Types)}
}

// Dependencies returns a package and those that it depends on, by path.
func Dependencies(p *types.Package) map[string]*types.Package {
	found := map[string]*types.Package{}
	addDependencies(found, p)
	return found
}

func addDependencies(known map[string]*types.Package, p *types.Package) {
	if known[p.Path()] != nil {
		return
	}
	known[p.Path()] = p
	for _, q := range p.Imports() {
		addDependencies(known, q)
	}
}

// find returns the package at path, or nil if it is not known. Export data describes
// only the mentioned parts of indirect dependencies. find completes these if there
// is an importer.
func (w *pkgImporter) find(path string) *types.Package {
	known := w.byPath[path]
	if w.in.Importer == nil || known != nil && known.Complete() {
		return known
	}
	p, err := w.in.Importer.Import(path)
	if err != nil || Dependencies(p)[w.in.Types.Path()] != nil {
		return nil // its types would be those of another copy of the package
	}
	if known != nil {
		return known // now complete, or of another importer
	}
	addDependencies(w.byPath, p)
	return p
}

// importable reports whether an external test of the package under test may import p.
func (w *pkgImporter) importable(p *types.Package) bool {
	if p == w.in.Types {
		return true
	}
	if p.Name() == "main" || p.Path() == "unsafe" || strings.HasPrefix(p.Path(), "vendor/") {
		return false
	}
	parent, ok := internalParent(p.Path())
	switch {
	case !ok:
		return true
	case parent == "": // of the standard library: its importers are part of it
		return slices.Contains(w.in.Types.Imports(), p)
	}
	path := w.in.Types.Path()
	return path == parent || strings.HasPrefix(path, parent+"/")
}

// internalParent returns the path before the last element "internal".
func internalParent(path string) (string, bool) {
	elems := strings.Split(path, "/")
	for i := len(elems) - 1; i >= 0; i-- {
		if elems[i] == "internal" {
			return strings.Join(elems[:i], "/"), true
		}
	}
	return "", false
}

// eval returns the type of a Go expression, or the type that it names, with
// package names as in n. It fails when a package is not known.
func (w *pkgImporter) eval(n *names, expr string) (types.Type, error) {
	scratch := types.NewPackage("foray", "foray")
	for _, m := range qualifier.FindAllStringSubmatch(expr, -1) {
		path, ok := n.Path(m[1])
		if !ok {
			continue
		}
		p := w.find(path)
		if p == nil {
			return nil, errors.New("no package " + path)
		}
		scratch.Scope().Insert(types.NewPkgName(token.NoPos, scratch, m[1], p))
	}
	tv, err := types.Eval(token.NewFileSet(), scratch, token.NoPos, expr)
	if err != nil {
		return nil, err
	}
	return types.Default(tv.Type), nil
}
