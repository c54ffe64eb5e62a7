package usage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foray.test/cmd/internal/load"
)

// A typeFinder finds types by the text that package harness/record writes of them.
type typeFinder struct {
	packages map[string]*types.Package // by path
	tests    []load.Tests
	known    map[string]types.Type
}

// newTypeFinder returns a finder of the types of p, of its tests and of the packages that it
// and they depend on.
func newTypeFinder(p *types.Package, tests []load.Tests) *typeFinder {
	packages := dependencies(p)
	for _, unit := range tests {
		for _, im := range unit.Types.Imports() {
			for path, of := range dependencies(im) {
				if packages[path] == nil {
					packages[path] = of
				}
			}
		}
	}
	return &typeFinder{packages: packages, tests: tests, known: map[string]types.Type{}}
}

// find returns the type with a text, nil if there is none.
func (f *typeFinder) find(text string) types.Type {
	if t, ok := f.known[text]; ok {
		return t
	}
	var paths []string
	source := quotedPath.ReplaceAllStringFunc(text, func(s string) string {
		path, _ := strconv.Unquote(strings.TrimSuffix(s, "."))
		paths = append(paths, path)
		return "foray" + strconv.Itoa(len(paths)-1) + "."
	})
	var t types.Type
	if e, err := parser.ParseExpr(source); err == nil {
		t = f.eval(e, paths)
	}
	f.known[text] = t
	return t
}

var quotedPath = regexp.MustCompile(`"(?:[^"\\]|\\.)*"\.`)

// eval returns the type that an expression names. paths are those of the packages foray0,
// foray1 and so on.
func (f *typeFinder) eval(e ast.Expr, paths []string) types.Type {
	switch e := e.(type) {
	case *ast.Ident:
		if obj, ok := types.Universe.Lookup(e.Name).(*types.TypeName); ok {
			return obj.Type()
		}
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		if !ok {
			return nil
		}
		if i, err := strconv.Atoi(strings.TrimPrefix(x.Name, "foray")); err == nil && i < len(paths) {
			return f.named(func(p *types.Package) bool { return p.Path() == paths[i] }, e.Sel.Name)
		}
		return f.named(func(p *types.Package) bool { return p.Name() == x.Name }, e.Sel.Name) // in a struct
	case *ast.StarExpr:
		if elem := f.eval(e.X, paths); elem != nil {
			return types.NewPointer(elem)
		}
	case *ast.ArrayType:
		elem := f.eval(e.Elt, paths)
		if elem == nil {
			return nil
		}
		if e.Len == nil {
			return types.NewSlice(elem)
		}
		if lit, ok := e.Len.(*ast.BasicLit); ok && lit.Kind == token.INT {
			n, _ := strconv.ParseInt(lit.Value, 10, 64)
			return types.NewArray(elem, n)
		}
	case *ast.MapType:
		if key, elem := f.eval(e.Key, paths), f.eval(e.Value, paths); key != nil && elem != nil {
			return types.NewMap(key, elem)
		}
	case *ast.StructType:
		return f.structure(e, paths)
	case *ast.IndexExpr:
		return f.instance(e.X, []ast.Expr{e.Index}, paths)
	case *ast.IndexListExpr:
		return f.instance(e.X, e.Indices, paths)
	}
	return nil
}

// named returns the type of a name in a package: one of its own, of its tests, or one that a
// function of the tests declares, the first of these.
func (f *typeFinder) named(is func(*types.Package) bool, name string) types.Type {
	for _, path := range slices.Sorted(maps.Keys(f.packages)) {
		if p := f.packages[path]; is(p) {
			if obj, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
				return obj.Type()
			}
		}
	}
	var local *types.TypeName
	for _, unit := range f.tests {
		if !is(unit.Types) {
			continue
		}
		if obj, ok := unit.Types.Scope().Lookup(name).(*types.TypeName); ok {
			return obj.Type()
		}
		for _, obj := range unit.Info.Defs {
			if t, ok := obj.(*types.TypeName); ok && t.Name() == name && (local == nil || t.Pos() < local.Pos()) {
				local = t
			}
		}
	}
	if local == nil {
		return nil
	}
	return local.Type()
}

// structure returns a struct type without a name.
func (f *typeFinder) structure(e *ast.StructType, paths []string) types.Type {
	var fields []*types.Var
	var tags []string
	for _, field := range e.Fields.List {
		t := f.eval(field.Type, paths)
		if t == nil {
			return nil
		}
		tag := ""
		if field.Tag != nil {
			tag, _ = strconv.Unquote(field.Tag.Value)
		}
		for _, name := range field.Names {
			fields, tags = append(fields, types.NewField(name.Pos(), nil, name.Name, t, false)), append(tags, tag)
		}
		if named, ok := pointed(t).(*types.Named); ok && len(field.Names) == 0 {
			fields, tags = append(fields, types.NewField(field.Pos(), nil, named.Obj().Name(), t, true)), append(tags, tag)
		}
	}
	return types.NewStruct(fields, tags)
}

// instance returns a generic type with type arguments.
func (f *typeFinder) instance(x ast.Expr, indices []ast.Expr, paths []string) types.Type {
	var args []types.Type
	for _, e := range indices {
		t := f.eval(e, paths)
		if t == nil {
			return nil
		}
		args = append(args, t)
	}
	generic := f.eval(x, paths)
	if generic == nil {
		return nil
	}
	t, err := types.Instantiate(nil, generic, args, true)
	if err != nil {
		return nil
	}
	return t
}
