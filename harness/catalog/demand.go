package catalog

import (
	"cmp"
	"go/types"
	"slices"

	"foray.test/engine/seq"
)

// maxForeign bounds the makers taken from another package for one of its types.
const maxForeign = 3

// makeForeign looks for makers of a type of another package in that package. These are functions
// with simple parameters, variables, and literals of a struct.
func (f *finder) makeForeign(t types.Type, named *types.Named, depth int) {
	p := cmp.Or(f.importer.find(named.Obj().Pkg().Path()), named.Obj().Pkg())
	q := f.names.of(p)
	funcs := f.foreignFuncs(p, t, depth)
	funcs = funcs[:min(len(funcs), maxForeign)]
	for _, fn := range funcs {
		f.addForeignFunc(q, fn, depth)
	}
	found := len(funcs)
	for v := range objects[*types.Var](p) {
		if !v.Exported() || found == maxForeign {
			continue
		}
		name := q + "." + v.Name()
		switch {
		case types.Identical(v.Type(), t):
		case types.IsInterface(t) && types.AssignableTo(v.Type(), t): // such as binary.LittleEndian
			name = f.typeName(t) + "(" + name + ")"
		default:
			continue
		}
		found++
		f.add(maker(seq.Standard, name, t, depth))
	}
	if _, ok := named.Underlying().(*types.Struct); ok && (found == 0 || named == t) {
		f.addForeignLiterals(t, named, depth, len(funcs) == 0)
	}
	if ptr, ok := t.(*types.Pointer); ok && !types.IsInterface(named) && found == 0 && !isStruct(named) {
		f.makePointer(ptr, depth)
	}
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// addForeignLiterals adds the zero value of a struct of another package. If filled is set, it adds
// literals that set its fields, some in each: where a function makes values, it knows better.
func (f *finder) addForeignLiterals(t types.Type, named *types.Named, depth int, filled bool) {
	text := f.typeName(named)
	switch {
	case t != types.Type(named):
		text = "&" + text
	case hasLock(named):
		return
	}
	st := named.Underlying().(*types.Struct)
	add := func(fields []*types.Var) {
		op := literal(seq.Standard, text, t, depth, fields)
		op.Incomplete = leavesNil(st, fields)
		f.add(op)
	}
	add(nil)
	var fields []*types.Var
	for fld := range st.Fields() {
		if filled && fld.Exported() && f.fills(fld.Type(), depth) {
			fields = append(fields, fld)
		}
	}
	for some := range slices.Chunk(fields, seq.MaxLiteralFields) {
		add(some)
	}
}

// fills reports whether a literal at depth sets a field of type t. It does if a value of t is easy
// to come by, or if t is a struct, a map by basic keys, or a slice of structs.
func (f *finder) fills(t types.Type, depth int) bool {
	switch {
	case isBasic(t):
		return f.reach(t) == everywhere
	case depth >= maxDepth || f.reach(t) != everywhere || hasLock(t):
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return true
	case *types.Map:
		return isBasic(u.Key())
	case *types.Slice:
		return isStruct(u.Elem()) || f.easy(t)
	}
	return f.easy(t)
}

// foreignFuncs returns the functions of p that return t, or a value of a type of p that implements
// it, alone or with an error, those with fewer parameters first.
func (f *finder) foreignFuncs(p *types.Package, t types.Type, depth int) []callable {
	var list []callable
	for fn := range objects[*types.Func](p) {
		if !fn.Exported() || dangerousFunc(fn) != "" || blockingName(fn.Name()) {
			continue
		}
		lists := f.typeArgs(fn.Signature(), fn.Signature().TypeParams())
		if named, _ := pointee(t); named != nil && named.TypeArgs().Len() == fn.Signature().TypeParams().Len() {
			lists = append(lists, slices.Collect(named.TypeArgs().Types()))
		}
		for _, c := range f.instances(callable{fn: fn, sig: fn.Signature(), call: fn.Name()}, lists) {
			if returns(c.sig, t) && f.simple(c.sig, depth) {
				list = append(list, c)
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b callable) int { return a.sig.Params().Len() - b.sig.Params().Len() })
	return list
}

// returns reports whether a call gives t, or a value that implements it, alone or with an error.
func returns(sig *types.Signature, t types.Type) bool {
	results := tupleTypes(sig.Results())
	switch {
	case len(results) == 0 || len(results) > 2 || len(results) == 2 && !isError(results[1]):
		return false
	case types.Identical(results[0], t):
		return true
	}
	return types.IsInterface(t) && types.AssignableTo(results[0], t)
}

// simple reports whether the parameters of sig are basic, bytes, or types that the
// catalog can make in one step more. A variadic one may be left out.
func (f *finder) simple(sig *types.Signature, depth int) bool {
	for i, t := range tupleTypes(sig.Params()) {
		if f.reach(t) != everywhere {
			return false
		}
		named, _ := pointee(t)
		s, isSlice := t.Underlying().(*types.Slice)
		switch {
		case isBasic(t), isSlice && isBasic(s.Elem()), isAny(t), sig.Variadic() && i == sig.Params().Len()-1:
		case named != nil && depth < maxDepth-1:
		default:
			return false
		}
	}
	return true
}

func (f *finder) addForeignFunc(q string, c callable, depth int) {
	op := callOf(seq.Standard, q+"."+c.call, nil, c.sig)
	op.depth = depth
	op.ReturnsError = returnsError(c.fn.Name(), c.sig)
	f.add(op)
}
