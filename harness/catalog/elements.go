package catalog

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// makeElement adds a value of an interface of elements, which containers leave to their callers: no
// type of the package implements it, and one of its methods compares two elements. The value is a
// number of a type that foray declares. For the elements of package heap, that is
//
//	type forayElementItem int
//
//	func (x forayElementItem) Less(a0 heap.Item) bool {
//		y, _ := a0.(forayElementItem)
//		return x < y
//	}
func (f *finder) makeElement(t types.Type, iface *types.Interface, depth int) {
	named, _ := types.Unalias(t).(*types.Named)
	if named == nil || named.Obj().Pkg() != f.pkg || named.TypeArgs().Len() > 0 || f.hasImplementation(iface) {
		return
	}
	e := element{f: f, of: named, name: seq.DeclPrefix + "Element" + named.Obj().Name()}
	if text, ok := e.declaration(iface); ok {
		f.decls[e.name] = seq.Decl{Name: e.name, Text: text}
		f.add(maker(seq.Standard, f.typeName(named)+"("+e.name+"($0))", t, depth, types.Typ[types.Int]))
	}
}

// hasImplementation reports whether a type of the package, exported or not, implements iface.
func (f *finder) hasImplementation(iface *types.Interface) bool {
	return slices.ContainsFunc(f.pkg.Scope().Names(), func(name string) bool {
		obj, is := f.pkg.Scope().Lookup(name).(*types.TypeName)
		if !is {
			return false
		}
		named, _ := obj.Type().(*types.Named)
		return named != nil && named.TypeParams().Len() == 0 && !types.IsInterface(named) && types.Implements(types.NewPointer(named), iface)
	})
}

// An element is a type of numbers that implements an interface.
type element struct {
	f    *finder
	of   *types.Named
	name string
}

// declaration returns the declaration of e, with its methods. It reports false if no method
// compares two elements, or if only the package can make some result.
func (e *element) declaration(iface *types.Interface) (text string, ok bool) {
	text = fmt.Sprintf("// %s is a number as %s.\ntype %s int\n", e.name, e.f.typeName(e.of), e.name)
	for m := range iface.Methods() {
		sig := m.Signature()
		spoken := func(t types.Type) bool { return e.f.reach(t) == everywhere }
		if !m.Exported() || !every(spoken, tupleTypes(sig.Params()), tupleTypes(sig.Results())) {
			return "", false
		}
		body, compares := e.compares(m.Name(), sig)
		if !compares {
			values, ok := e.values(tupleTypes(sig.Results()))
			if !ok {
				return "", false
			}
			body = "return " + values
		}
		ok = ok || compares
		text += fmt.Sprintf("\nfunc (x %s) %s%s {\n\t%s\n}\n", e.name, m.Name(), e.signature(sig), body)
	}
	return strings.TrimSuffix(text, "\n"), ok
}

// every reports whether ok holds for all types of lists.
func every(ok func(types.Type) bool, lists ...[]types.Type) bool {
	return !slices.ContainsFunc(slices.Concat(lists...), func(t types.Type) bool { return !ok(t) })
}

// signature returns the text of sig, with names that a body needs.
func (e *element) signature(sig *types.Signature) string {
	params, results := e.f.writer().signature(sig)
	for i := range params {
		params[i] = fmt.Sprintf("a%d %s", i, params[i])
	}
	return "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
}

// compares returns the body of a method that compares an element with another: one that returns a
// signed number, such as Compare, or one named for less or equal. Of others that return a bool
// nothing is known: elements that are in no order would have a container break.
func (e *element) compares(name string, sig *types.Signature) (body string, ok bool) {
	params, results := tupleTypes(sig.Params()), tupleTypes(sig.Results())
	if len(params) != 1 || len(results) != 1 || sig.Variadic() || !types.Identical(params[0], e.of) && !isAny(params[0]) {
		return "", false
	}
	b, _ := results[0].Underlying().(*types.Basic)
	var order string
	switch {
	case b == nil:
		return "", false
	case b.Info()&types.IsInteger != 0 && b.Info()&types.IsUnsigned == 0:
		order = e.f.names.Use("cmp", "cmp") + ".Compare(x, y)"
	case b.Info()&types.IsBoolean == 0:
		return "", false
	case slices.Contains(naming.Words(name), "less"):
		order = "x < y"
	case strings.HasPrefix(name, "Equal"):
		order = "x == y"
	default:
		return "", false
	}
	return fmt.Sprintf("y, _ := a0.(%s)\n\treturn %s(%s)", e.name, e.f.typeName(results[0]), order), true
}

// values returns expressions of some types, which are equal for equal elements. Numbers are
// small ones.
func (e *element) values(list []types.Type) (text string, ok bool) {
	var values []string
	for _, t := range list {
		b, _ := t.Underlying().(*types.Basic)
		name := e.f.typeName(t)
		switch {
		case types.Identical(t, e.of):
			values = append(values, "x")
		case isError(t):
			values = append(values, "nil")
		case isAny(t):
			values = append(values, "int(x)")
		case b == nil:
			return "", false
		case b.Info()&(types.IsInteger|types.IsFloat) != 0:
			values = append(values, name+"(uint8(x))")
		case b.Info()&types.IsString != 0:
			values = append(values, name+"("+e.f.names.Use("strconv", "strconv")+".Itoa(int(x)))")
		case b.Info()&types.IsBoolean != 0:
			values = append(values, name+"(x%2 != 0)")
		default:
			return "", false
		}
	}
	return strings.Join(values, ", "), true
}
