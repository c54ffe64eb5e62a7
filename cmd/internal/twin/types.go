package twin

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func lower(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(r)) + name[n:]
}

func upper(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// unique returns a name for a declaration that the package does not have.
func (g *generator) unique(name string) string {
	for g.names[name] || g.pkg.Types.Scope().Lookup(name) != nil {
		name += "Twin"
	}
	g.names[name] = true
	return name
}

// imported returns the name under which the file imports a package.
func (g *generator) imported(path, name string) string {
	if as, ok := g.imports[path]; ok {
		return as
	}
	as := name
	for i := 2; slices.Contains(slices.Collect(maps.Values(g.imports)), as) || g.pkg.Types.Scope().Lookup(as) != nil; i++ {
		as = fmt.Sprint(name, i)
	}
	g.imports[path] = as
	return as
}

// original returns the text of a type as the package has it.
func (g *generator) original(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == g.pkg.Types {
			return ""
		}
		return g.imported(p.Path(), p.Name())
	})
}

// text returns the text of a type in rewritten code, where twins stand for structures.
func (g *generator) text(t types.Type) string {
	t = types.Unalias(t)
	if !g.involves(t) {
		return g.original(t)
	}
	switch t := t.(type) {
	case *types.Named:
		if s := g.structs[t.Obj()]; s != nil {
			return "*" + g.twinOf(s, t)
		}
		if g.helper(t.Obj()) {
			return g.helperName(t.Obj()) + g.arguments(t)
		}
		if t.Obj().Pkg() != nil && t.Obj().Pkg() != g.pkg.Types {
			return g.imported(t.Obj().Pkg().Path(), t.Obj().Pkg().Name()) + "." + t.Obj().Name() + g.arguments(t)
		}
		return t.Obj().Name() + g.arguments(t)
	case *types.Pointer:
		if s := g.structOf(t.Elem()); s != nil {
			return g.text(t.Elem())
		}
		return "*" + g.text(t.Elem())
	case *types.Slice:
		return "[]" + g.text(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), g.text(t.Elem()))
	case *types.Map:
		return "map[" + g.text(t.Key()) + "]" + g.text(t.Elem())
	case *types.Signature:
		return "func" + g.tuple(t.Params(), t.Variadic()) + " " + g.tuple(t.Results(), false)
	}
	return "any" // no code reads such a field
}

func (g *generator) tuple(t *types.Tuple, variadic bool) string {
	var list []string
	for v := range t.Variables() {
		list = append(list, g.text(v.Type()))
	}
	if variadic {
		list[len(list)-1] = "..." + strings.TrimPrefix(list[len(list)-1], "[]")
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// twinOf returns the text of the twin of a struct type, without the star.
func (g *generator) twinOf(s *structType, t types.Type) string {
	s.used = true
	return s.twin() + g.arguments(types.Unalias(t).(*types.Named))
}

// arguments returns the text of type arguments. Those of a generic type itself are its
// parameters.
func (g *generator) arguments(t *types.Named) string {
	var list []string
	for a := range t.TypeArgs().Types() {
		list = append(list, g.text(a))
	}
	if len(list) == 0 {
		for p := range t.TypeParams().TypeParams() {
			list = append(list, p.Obj().Name())
		}
	}
	return inBrackets(list)
}

// parameters returns the text of the type parameters of a declaration.
func (g *generator) parameters(t *types.Named) string {
	var list []string
	for p := range t.TypeParams().TypeParams() {
		list = append(list, p.Obj().Name()+" "+g.original(p.Constraint()))
	}
	return inBrackets(list)
}

func inBrackets(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(list, ", ") + "]"
}
