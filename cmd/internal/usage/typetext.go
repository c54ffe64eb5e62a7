package usage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// A typeFinder finds types by the text that package harness/record writes of them.
type typeFinder struct {
	packages map[string]*types.Package // by path
	known    map[string]types.Type
}

// newTypeFinder returns a finder of the types of p and of the packages that it depends on.
func newTypeFinder(p *types.Package) *typeFinder {
	f := &typeFinder{packages: map[string]*types.Package{}, known: map[string]types.Type{}}
	var add func(p *types.Package)
	add = func(p *types.Package) {
		if f.packages[p.Path()] == nil {
			f.packages[p.Path()] = p
			for _, im := range p.Imports() {
				add(im)
			}
		}
	}
	add(p)
	return f
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
		i, err := strconv.Atoi(strings.TrimPrefix(x.Name, "foray"))
		if err != nil || i >= len(paths) || f.packages[paths[i]] == nil {
			return nil
		}
		if obj, ok := f.packages[paths[i]].Scope().Lookup(e.Sel.Name).(*types.TypeName); ok {
			return obj.Type()
		}
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
	case *ast.IndexExpr:
		return f.instance(e.X, []ast.Expr{e.Index}, paths)
	case *ast.IndexListExpr:
		return f.instance(e.X, e.Indices, paths)
	}
	return nil
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
