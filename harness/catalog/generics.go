package catalog

import (
	"go/token"
	"go/types"
	"slices"
)

// maxInstances bounds how often one generic function or type is instantiated.
const maxInstances = 3

// typeArgs returns the lists of type arguments that params are instantiated
// with: all int, then string and int, then a struct, as far as the constraints
// allow.
func (f *finder) typeArgs(params *types.TypeParamList) [][]types.Type {
	if params.Len() == 0 {
		return nil
	}
	candidates := f.candidates()
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
		targs := f.pick(params, favourites, candidates)
		if targs == nil {
			continue
		}
		if key := joinTypes(targs, typeKey); !seen[key] {
			seen[key] = true
			lists = append(lists, targs)
		}
	}
	return lists[:min(len(lists), maxInstances)]
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
	scope := f.pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() || obj.IsAlias() {
			continue
		}
		named, ok := obj.Type().(*types.Named)
		if !ok || named.TypeParams().Len() > 0 || types.IsInterface(named) {
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
// parameter with a core type in its constraint ([]E, *T) follows from the others. It
// is enough to go through them until nothing changes.
func (f *finder) pick(params *types.TypeParamList, favourites, candidates []types.Type) []types.Type {
	targs := make([]types.Type, params.Len())
	bound := map[*types.TypeParam]types.Type{}
	bind := func(i int, t types.Type) {
		targs[i] = t
		bound[params.At(i)] = t
	}
	for i, free := 0, 0; i < params.Len(); i++ {
		if coreOf(params.At(i)) != nil {
			continue
		}
		tries := append([]types.Type{favourites[min(free, 1)]}, candidates...)
		free++
		j := slices.IndexFunc(tries, func(t types.Type) bool { return satisfies(params, i, t, bound) })
		if j < 0 {
			return nil
		}
		bind(i, tries[j])
	}
	for range params.Len() {
		for i := range targs {
			if targs[i] == nil {
				if t := subst(coreOf(params.At(i)), bound); t != nil {
					bind(i, t)
				}
			}
		}
	}
	for i, t := range targs {
		if t == nil || !satisfies(params, i, t, bound) {
			return nil
		}
	}
	return targs
}

// satisfies reports whether t may be type argument i of params. The constraint
// may mention the parameter itself and ones bound before it.
func satisfies(params *types.TypeParamList, i int, t types.Type, bound map[*types.TypeParam]types.Type) bool {
	p := params.At(i)
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	with := map[*types.TypeParam]types.Type{p: t}
	for q, b := range bound {
		with[q] = b
	}
	if c := substInterface(p.Constraint(), with); c != nil {
		constraint = c
	}
	return types.Satisfies(t, constraint)
}

// substInterface replaces type parameters in the constraint c by their
// arguments; nil means that c mentions none or that a part is beyond subst.
func substInterface(c types.Type, with map[*types.TypeParam]types.Type) *types.Interface {
	if named, ok := types.Unalias(c).(*types.Named); ok {
		if named.TypeArgs().Len() == 0 {
			return nil
		}
		inst := subst(named, with)
		if inst == nil {
			return nil
		}
		iface, _ := inst.Underlying().(*types.Interface)
		return iface
	}
	iface, ok := types.Unalias(c).(*types.Interface)
	if !ok {
		return nil
	}
	var methods []*types.Func
	for i := range iface.NumExplicitMethods() {
		m := iface.ExplicitMethod(i)
		sig := subst(m.Type(), with)
		if sig == nil {
			return nil
		}
		methods = append(methods, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), sig.(*types.Signature)))
	}
	var embedded []types.Type
	for i := range iface.NumEmbeddeds() {
		e := iface.EmbeddedType(i)
		if inst := substInterface(e, with); inst != nil {
			e = inst
		} else if u, ok := types.Unalias(e).(*types.Union); ok {
			if e = substUnion(u, with); e == nil {
				return nil
			}
		} else if inst := subst(e, with); inst != nil {
			e = inst
		}
		embedded = append(embedded, e)
	}
	return types.NewInterfaceType(methods, embedded).Complete()
}

func substUnion(u *types.Union, with map[*types.TypeParam]types.Type) types.Type {
	terms := make([]*types.Term, u.Len())
	for i := range terms {
		t := subst(u.Term(i).Type(), with)
		if t == nil {
			return nil
		}
		terms[i] = types.NewTerm(u.Term(i).Tilde(), t)
	}
	return types.NewUnion(terms)
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
	for i := range t.TypeArgs().Len() {
		a := subst(t.TypeArgs().At(i), with)
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
		for i := range u.NumFields() {
			if hasLock(u.Field(i).Type()) {
				return true
			}
		}
	case *types.Array:
		return hasLock(u.Elem())
	}
	return false
}
