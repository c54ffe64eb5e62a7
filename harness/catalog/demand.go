package catalog

import (
	"go/types"
	"slices"

	"foray.test/engine/seq"
)

// maxForeign bounds the makers taken from another package for one of its types.
const maxForeign = 3

// makeForeign looks for makers of a type of another package in that package:
// functions with simple parameters, variables, and the zero value of a struct.
func (f *finder) makeForeign(t types.Type, named *types.Named, depth int) {
	p := f.importer.find(named.Obj().Pkg().Path())
	if p == nil {
		p = named.Obj().Pkg()
	}
	q := f.names.of(p)
	found := 0
	for _, fn := range f.foreignFuncs(p, t, depth) {
		if found < maxForeign {
			found++
			f.addForeignFunc(q, fn, depth)
		}
	}
	for _, name := range p.Scope().Names() {
		v, ok := p.Scope().Lookup(name).(*types.Var)
		if ok && v.Exported() && found < maxForeign && types.Identical(v.Type(), t) {
			found++
			f.add(maker(seq.Standard, q+"."+name, t, depth))
		}
	}
	if _, ok := named.Underlying().(*types.Struct); ok && (found == 0 || named == t) {
		f.addForeignZero(t, named, depth)
	}
	if ptr, ok := t.(*types.Pointer); ok && !types.IsInterface(named) && found == 0 && !isStruct(named) {
		f.makePointer(ptr, depth)
	}
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

func (f *finder) addForeignZero(t types.Type, named *types.Named, depth int) {
	text := f.typeName(named) + "{}"
	switch {
	case t != types.Type(named):
		text = "&" + text
	case hasLock(named):
		return
	}
	op := maker(seq.Standard, text, t, depth)
	op.Incomplete = leavesNil(named.Underlying().(*types.Struct), "{}")
	f.add(op)
}

// foreignFuncs returns the functions of p that return t, or a value of a type of p that implements
// it, alone or with an error, those with fewer parameters first.
func (f *finder) foreignFuncs(p *types.Package, t types.Type, depth int) []*types.Func {
	var list []*types.Func
	for _, name := range p.Scope().Names() {
		fn, ok := p.Scope().Lookup(name).(*types.Func)
		if !ok || !fn.Exported() || dangerousFunc(fn) != "" || blockingName(name) {
			continue
		}
		sig := fn.Type().(*types.Signature)
		results := tupleTypes(sig.Results())
		if sig.TypeParams().Len() > 0 || sig.Variadic() || len(results) == 0 || !types.Identical(results[0], t) && !(types.IsInterface(t) && types.AssignableTo(results[0], t)) {
			continue
		}
		if len(results) > 2 || len(results) == 2 && !isError(results[1]) || !f.simple(sig, depth) {
			continue
		}
		list = append(list, fn)
	}
	slices.SortStableFunc(list, func(a, b *types.Func) int {
		return a.Type().(*types.Signature).Params().Len() - b.Type().(*types.Signature).Params().Len()
	})
	return list
}

// simple reports whether the parameters of sig are basic, bytes, or types that the
// catalog can make in one step more.
func (f *finder) simple(sig *types.Signature, depth int) bool {
	for _, t := range tupleTypes(sig.Params()) {
		if f.reach(t) != everywhere {
			return false
		}
		named, _ := pointee(t)
		s, isSlice := t.Underlying().(*types.Slice)
		switch {
		case isBasic(t), isSlice && isBasic(s.Elem()), isAny(t):
		case named != nil && depth < maxDepth-1:
		default:
			return false
		}
	}
	return true
}

func (f *finder) addForeignFunc(q string, fn *types.Func, depth int) {
	sig := fn.Type().(*types.Signature)
	op := &operation{params: tupleTypes(sig.Params()), results: tupleTypes(sig.Results()), depth: depth}
	op.Kind = seq.Standard
	op.Template = q + "." + fn.Name() + "(" + seq.Holes(0, len(op.params), false) + ")"
	op.ReturnsError = returnsError(fn.Name(), sig)
	f.add(op)
}
