package catalog

import (
	"errors"
	"go/token"
	"go/types"
	"slices"
)

// maxInstances bounds how often one generic function or type is instantiated, maxAsked how often it is
// in addition, with types that code asks for. maxAskedAlone is for functions that need no instance of
// a type, which would have all of its methods: one more of these is one operation more.
const (
	maxInstances  = 3
	maxAsked      = 2
	maxAskedAlone = 12
)

// typeArgs returns the lists of type arguments for a type or function with params: all
// int, then string and int, then a struct, as far as the constraints allow. Types that code
// asks for take the place of repeated ones, and further lists have more of them.
func (f *finder) typeArgs(generic types.Type, params *types.TypeParamList) [][]types.Type {
	if params.Len() == 0 {
		return nil
	}
	candidates := f.candidates()
	for p := range params.TypeParams() {
		candidates = append(candidates, f.askedTypes(p, candidates, nil)...)
	}
	var lists [][]types.Type
	seen := map[string]bool{}
	tries := f.favourites()
	for _, t := range candidates {
		tries = append(tries, []types.Type{t, types.Typ[types.Int]})
	}
	for i, favourites := range tries {
		if i >= maxInstances && len(lists) > 0 {
			break // the others serve only parameters that the favourites do not satisfy
		}
		targs := f.pick(generic, params, favourites, candidates)
		if targs == nil {
			continue
		}
		if key := joinTypes(targs, typeKey); !seen[key] {
			seen[key] = true
			lists = append(lists, targs)
		}
	}
	return f.withAsked(generic, params, lists[:min(len(lists), maxInstances)], candidates)
}

// withAsked replaces type arguments that an earlier list has in the same place by types that code
// asks for, and adds lists with more of them.
func (f *finder) withAsked(generic types.Type, params *types.TypeParamList, lists [][]types.Type, candidates []types.Type) [][]types.Type {
	asked := make([][]types.Type, params.Len())
	for i := range asked {
		if coreOf(params.At(i)) == nil {
			asked[i] = f.askedTypes(params.At(i), column(lists, i), candidates)
		}
	}
	bound, more := len(lists), maxAsked
	if _, isFunc := generic.(*types.Signature); isFunc && !f.namesInstance(generic) {
		more = maxAskedAlone
	}
	for row := 1; bound > 0 && row < bound+more; row++ {
		from := lists[0]
		if row < bound {
			from = lists[row]
		}
		changed := false
		var favourites []types.Type
		for i, t := range from {
			if coreOf(params.At(i)) != nil {
				continue
			}
			if len(asked[i]) > 0 && (row >= bound || contains(column(lists[:row], i), t)) {
				t, asked[i], changed = asked[i][0], asked[i][1:], true
			}
			favourites = append(favourites, t)
		}
		if !changed {
			continue
		}
		if targs := f.pick(generic, params, favourites, candidates); targs == nil {
			continue
		} else if row < bound {
			lists[row] = targs
		} else {
			lists = append(lists, targs)
		}
	}
	return lists
}

// namesInstance reports whether an instance of a generic type of the package is in t.
func (f *finder) namesInstance(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() == f.pkg && named.TypeArgs().Len() > 0 || slices.ContainsFunc(Parts(t), f.namesInstance)
}

func contains(list []types.Type, t types.Type) bool {
	return slices.ContainsFunc(list, func(u types.Type) bool { return types.Identical(t, u) })
}

// column returns the type arguments at i.
func column(lists [][]types.Type, i int) (list []types.Type) {
	for _, l := range lists {
		list = append(list, l[i])
	}
	return list
}

// favourites are the types tried first, for the first type parameter and for
// the ones after it.
func (f *finder) favourites() [][]types.Type {
	i, s := types.Typ[types.Int], types.Typ[types.String]
	list := [][]types.Type{{i, i}, {s, i}}
	if own := f.ownTypes(true); len(own) > 0 {
		return append(list, []types.Type{own[0], i})
	}
	if f.reflects() {
		return append(list, []types.Type{f.openStruct(), i})
	}
	return list
}

// reflects reports whether the package itself looks into values: which type they have matters.
func (f *finder) reflects() bool {
	return slices.ContainsFunc(f.pkg.Imports(), func(p *types.Package) bool { return p.Path() == "reflect" })
}

// openStruct returns a struct of values that refer to others. All its fields can be made.
func (f *finder) openStruct() types.Type {
	i, s := types.Typ[types.Int], types.Typ[types.String]
	var fields []*types.Var
	for j, t := range []types.Type{types.NewPointer(i), types.NewSlice(s), types.NewMap(s, types.NewInterfaceType(nil, nil))} {
		fields = append(fields, types.NewField(token.NoPos, nil, string(rune('A'+j)), t, false))
	}
	st := types.NewStruct(fields, nil)
	f.markParts(st)
	return st
}

// candidates are all types tried as a type argument, the simplest first.
func (f *finder) candidates() []types.Type {
	var list []types.Type
	for _, k := range []types.BasicKind{types.Int, types.String, types.Float64, types.Byte, types.Uint64, types.Complex128} {
		list = append(list, types.Typ[k])
	}
	list = append(list, f.ownTypes(false)...)
	for _, name := range []struct{ path, name string }{
		{"time", "Time"}, {"time", "Duration"}, {"net/netip", "Addr"}, {"math/big", "Int"}, {"bytes", "Buffer"}, {"io/fs", "PathError"},
	} {
		p := f.importer.byPath[name.path]
		if p == nil || p == f.pkg || !f.importer.importable(p) {
			continue
		}
		if obj := p.Scope().Lookup(name.name); obj != nil {
			list = append(list, obj.Type(), types.NewPointer(obj.Type()))
		}
	}
	return list
}

// ownTypes returns exported types of the package that are not generic: values,
// and unless only structs are wanted pointers to them.
func (f *finder) ownTypes(structs bool) []types.Type {
	var list []types.Type
	for obj := range objects[*types.TypeName](f.pkg) {
		named, ok := obj.Type().(*types.Named)
		if !ok || !obj.Exported() || obj.IsAlias() || named.TypeParams().Len() > 0 || types.IsInterface(named) {
			continue
		}
		st, isStruct := named.Underlying().(*types.Struct)
		switch {
		case !structs:
			list = append(list, named, types.NewPointer(named))
		case isStruct && types.Comparable(named) && copyable(st) && !hasLock(named):
			list = append(list, named)
		}
	}
	return list
}

// pick returns type arguments that satisfy the constraints of params, or nil. A
// parameter with a core type in its constraint ([]E, *T) follows from the others, which
// take the first type that satisfies theirs.
func (f *finder) pick(generic types.Type, params *types.TypeParamList, favourites, candidates []types.Type) []types.Type {
	tries := make([][]types.Type, params.Len()) // empty for a parameter that follows
	free := 0
	for i := range tries {
		if coreOf(params.At(i)) == nil {
			tries[i] = append([]types.Type{favourites[min(free, len(favourites)-1)]}, candidates...)
			free++
		}
	}
	for {
		targs := complete(params, tries)
		if targs == nil {
			return nil
		}
		var refused *types.ArgumentError
		if _, err := types.Instantiate(f.ctx, generic, targs, true); !errors.As(err, &refused) {
			return targs
		}
		if len(tries[refused.Index]) < 2 {
			return nil
		}
		tries[refused.Index] = tries[refused.Index][1:]
	}
}

// complete returns the first of the tries for each parameter, and the types that follow from these;
// nil if one does not. It is enough to go through the parameters until nothing changes.
func complete(params *types.TypeParamList, tries [][]types.Type) []types.Type {
	targs := make([]types.Type, params.Len())
	bound := map[*types.TypeParam]types.Type{}
	for range params.Len() + 1 {
		for i := range targs {
			p := params.At(i)
			switch {
			case targs[i] != nil:
				continue
			case len(tries[i]) > 0:
				targs[i] = tries[i][0]
			default:
				targs[i] = subst(coreOf(p), bound)
			}
			if targs[i] != nil {
				bound[p] = targs[i]
			}
		}
	}
	if slices.Contains(targs, nil) {
		return nil
	}
	return targs
}

// coreOf returns the type that the constraint of p demands up to naming, if it
// mentions other type parameters: []E for S ~[]E.
func coreOf(p *types.TypeParam) types.Type {
	iface, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for i := range iface.NumEmbeddeds() {
		e := types.Unalias(iface.EmbeddedType(i))
		if u, ok := e.(*types.Union); ok && u.Len() == 1 {
			e = types.Unalias(u.Term(0).Type())
		}
		switch e.(type) {
		case *types.Pointer, *types.Slice, *types.Array, *types.Map, *types.Chan, *types.Signature:
			return e
		}
	}
	return nil
}

// subst replaces type parameters in t; nil when one is unbound or t is of a
// kind that constraints hardly use.
func subst(t types.Type, with map[*types.TypeParam]types.Type) types.Type {
	one := func(t types.Type) types.Type { return subst(t, with) }
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return with[t]
	case *types.Basic:
		return t
	case *types.Pointer:
		if e := one(t.Elem()); e != nil {
			return types.NewPointer(e)
		}
	case *types.Slice:
		if e := one(t.Elem()); e != nil {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := one(t.Elem()); e != nil {
			return types.NewArray(e, t.Len())
		}
	case *types.Chan:
		if e := one(t.Elem()); e != nil {
			return types.NewChan(t.Dir(), e)
		}
	case *types.Map:
		if k, e := one(t.Key()), one(t.Elem()); k != nil && e != nil {
			return types.NewMap(k, e)
		}
	case *types.Signature:
		return substSignature(t, with)
	case *types.Named:
		return substNamed(t, with)
	case *types.Interface:
		if t.NumMethods() == 0 {
			return t
		}
	}
	return nil
}

func substSignature(t *types.Signature, with map[*types.TypeParam]types.Type) types.Type {
	tuple := func(t *types.Tuple) (*types.Tuple, bool) {
		vars := make([]*types.Var, t.Len())
		for i := range vars {
			v := t.At(i)
			s := subst(v.Type(), with)
			if s == nil {
				return nil, false
			}
			vars[i] = types.NewVar(v.Pos(), v.Pkg(), v.Name(), s)
		}
		return types.NewTuple(vars...), true
	}
	params, ok1 := tuple(t.Params())
	results, ok2 := tuple(t.Results())
	if !ok1 || !ok2 {
		return nil
	}
	return types.NewSignatureType(nil, nil, nil, params, results, t.Variadic())
}

func substNamed(t *types.Named, with map[*types.TypeParam]types.Type) types.Type {
	if t.TypeArgs().Len() == 0 {
		return t
	}
	var targs []types.Type
	for arg := range t.TypeArgs().Types() {
		a := subst(arg, with)
		if a == nil {
			return nil
		}
		targs = append(targs, a)
	}
	inst, err := types.Instantiate(nil, t.Origin(), targs, false)
	if err != nil {
		return nil
	}
	return inst
}

// hasLock reports whether values of t must not be copied.
func hasLock(t types.Type) bool {
	if t.Underlying() == nil || isBasic(t) {
		return false
	}
	set := types.NewMethodSet(types.NewPointer(t))
	if set.Lookup(nil, "Lock") != nil && !types.IsInterface(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return anyField(u, func(fld *types.Var) bool { return hasLock(fld.Type()) })
	case *types.Array:
		return hasLock(u.Elem())
	}
	return false
}
