package catalog

import (
	"go/types"

	"foray.test/engine/seq"
)

// maxDepth bounds how far from the API the catalog looks for values: an argument has
// depth 1, the values that it is made of have depth 2 …
const maxDepth = 4

// A worklist holds the types that operations return and those that they want.
type worklist struct {
	todo   []task
	made   map[string]bool // key → also made by an API operation
	wanted map[string]int  // key → least depth
	consts map[string]int
	handed map[string]bool // keys of Input.Handed, and of what their values are made of
	basics []types.Type    // of these those with literals
	// foreign are the wanted types of other packages that have no standard values, by key.
	foreign map[string]task
}

type task struct {
	t     types.Type
	depth int // of the want; 0 for a type that something returns
	api   bool
}

func newWorklist() worklist {
	return worklist{made: map[string]bool{}, wanted: map[string]int{}, consts: map[string]int{}, handed: map[string]bool{}, foreign: map[string]task{}}
}

// produce notes that an operation returns t.
func (f *finder) produce(t types.Type, api bool) {
	key := typeKey(t)
	was, ok := f.worklist.made[key]
	if ok && (was || !api) {
		return
	}
	f.worklist.made[key] = api
	f.worklist.todo = append(f.worklist.todo, task{t: t, api: api})
}

// want notes that an operation at depth-1 takes t.
func (f *finder) want(t types.Type, depth int) {
	key := typeKey(t)
	was, ok := f.worklist.wanted[key]
	if ok && was <= depth {
		return
	}
	f.worklist.wanted[key] = depth
	f.worklist.todo = append(f.worklist.todo, task{t: t, depth: depth})
}

// runWorklist takes types from the worklist until there is no new one.
func (f *finder) runWorklist() {
	for len(f.worklist.todo) > 0 {
		next := f.worklist.todo[0]
		f.worklist.todo = f.worklist.todo[1:]
		switch {
		case next.depth == 0:
			f.use(next.t, next.api)
		case next.depth <= maxDepth:
			f.make(next.t, next.depth)
		}
	}
}

// addHanded wants the types that the tests hand to parameters of type any, if something has
// such a parameter. It adds the functions of the tests, and their calls of other packages,
// that something has a use for.
func (f *finder) addHanded() {
	_, anything := f.worklist.wanted[typeKey(types.NewInterfaceType(nil, nil))]
	if f.in.Handed == nil || !anything && len(f.funcShapes) == 0 && len(f.worklist.foreign) == 0 {
		return
	}
	handed := f.in.Handed()
	if anything {
		f.wantHanded(handed.Types)
	}
	for _, s := range f.funcShapes {
		s.tested(handed.Funcs)
	}
	f.addOutside(handed.Calls)
}

func (f *finder) wantHanded(list []types.Type) {
	for _, t := range list {
		if f.reach(t) == everywhere && nesting(t) <= maxDepth {
			f.worklist.handed[typeKey(t)] = true
			f.markParts(t)
			f.want(t, 1)
			if isBasic(t) {
				f.worklist.basics = append(f.worklist.basics, t)
			}
		}
	}
	f.runWorklist()
}

// markParts notes the types without a name that values of a handed type are made of.
func (f *finder) markParts(t types.Type) {
	switch u := types.Unalias(t).(type) {
	case *types.Struct:
		f.worklist.handed[typeKey(t)] = true
		for fld := range u.Fields() {
			f.markParts(fld.Type())
		}
	case interface{ Elem() types.Type }: // pointer, slice, array, map
		f.worklist.handed[typeKey(t)] = true
		f.markParts(u.Elem())
	}
}

// use adds the operations on a value of type t that some operation returns.
func (f *finder) use(t types.Type, api bool) {
	if f.reach(t) == nowhere || nesting(t) > maxDepth {
		return
	}
	named, ptr := pointee(t)
	if named != nil && named.Obj().Pkg() == f.pkg {
		f.addType(named)
		if f.in.Encodings {
			f.addEncoding(named)
		}
		if !ptr && api && f.worklist.wanted[typeKey(types.NewPointer(named))] == 1 {
			f.addAddress(named)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if api {
			f.useInterface(t, u)
		}
	case *types.Slice:
		f.addIndex(t, types.Typ[types.Int], u.Elem(), api)
	case *types.Array:
		f.addIndex(t, types.Typ[types.Int], u.Elem(), api)
	case *types.Map:
		f.addIndex(t, u.Key(), u.Elem(), api)
		f.addMapKeys(t, u, api)
	case *types.Pointer:
		f.addDeref(t, u, api)
	case *types.Chan:
		f.useChan(t, u)
	case *types.Signature:
		if api {
			f.useFunc(t, u)
		}
	}
}

// makeUnnamed adds makers of the underlying type of t, as only the package can write the name
// of t. A caller writes func(int) int, []int, or a type with the methods of an interface in its place.
func (f *finder) makeUnnamed(t types.Type, named *types.Named, ptr bool, depth int) {
	if named == nil || ptr {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Signature, *types.Slice, *types.Map, *types.Chan, *types.Interface:
		if f.reach(u) == everywhere {
			f.want(u, depth)
		}
	}
}

// make adds the operations that make values of type t, for an operation at depth-1.
func (f *finder) make(t types.Type, depth int) {
	r := f.reach(t)
	if nesting(t) > maxDepth {
		return
	}
	named, ptr := pointee(t)
	if named != nil && named.Obj().Pkg() == f.pkg {
		f.addType(named)
		f.makeForm(named, ptr, depth)
	}
	if r != everywhere {
		f.makeUnnamed(t, named, ptr, depth)
		return
	}
	f.makeKind(t, named, depth)
}

// makeKind adds the operations that make values of type t by its kind. named is t, or what t
// points to, if that has a name.
func (f *finder) makeKind(t types.Type, named *types.Named, depth int) {
	foreign := named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg() != f.pkg
	found := f.makeStandard(t, depth)
	switch u := t.Underlying().(type) {
	case *types.Interface:
		if u.NumMethods() == 0 {
			f.makeAny(depth)
			return
		}
		if !found && !foreign {
			f.makeElement(t, u, depth)
		}
	case *types.Slice:
		f.makeSlice(t, u, depth)
	case *types.Array:
		f.makeArray(t, u, depth)
	case *types.Map:
		f.makeMap(t, u, depth)
	case *types.Chan:
		f.makeChan(t, u, depth)
	case *types.Signature:
		f.makeFunc(u, depth)
	case *types.Struct:
		if named == nil {
			f.makeStruct(u, u, depth)
		}
	case *types.Pointer:
		if named == nil || !foreign && (isBasic(named.Underlying()) || types.IsInterface(named)) || isBasic(u.Elem()) {
			f.makePointer(u, depth)
		}
	case *types.Basic:
		if foreign {
			f.makeConstants(named)
		}
		return
	}
	if foreign && !found {
		f.worklist.foreign[typeKey(t)] = task{t: t, depth: depth}
		f.makeForeign(t, named, depth)
	}
}

// makeConstants adds the constants of a type of another package of which one ends the process:
// literals stand for no value of it.
func (f *finder) makeConstants(named *types.Named) {
	if f.exitType(named) {
		for _, c := range constantsOf(named) {
			f.addConst(c)
		}
	}
}

// nesting returns how deep types are nested in t by type arguments, pointers, slices …
func nesting(t types.Type) int {
	switch types.Unalias(t).(type) {
	case *types.Struct, *types.Interface:
		return 0
	}
	n := 0
	for _, p := range Parts(t) {
		n = max(n, 1+nesting(p))
	}
	return n
}

func isBasic(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsConstType != 0
}

// makeForm adds the makers of T or *T, as ptr says: its literals, and for an
// argument of a call the step from the other form.
func (f *finder) makeForm(named *types.Named, ptr bool, depth int) {
	st, ok := named.Underlying().(*types.Struct)
	if ok {
		f.addLiterals(named, st, ptr)
	}
	switch {
	case depth > 1:
	case ptr && (!ok || f.worklist.made[typeKey(named)]):
		f.addAddress(named)
	case !ptr && (!ok || copyable(st)):
		f.addStep("*$0", types.NewPointer(named), named)
	}
}

// copyable reports whether a copy of a struct is independent of its original. A
// struct that hides references shares them with its copy, and the caller answers for
// calls on the one that affect the other.
func copyable(st *types.Struct) bool {
	return !anyField(st, func(fld *types.Var) bool { return !fld.Exported() && refers(fld.Type()) })
}

// refers reports whether values of type t can share state.
func refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return refers(u.Elem())
	case *types.Struct:
		return anyField(u, func(fld *types.Var) bool { return refers(fld.Type()) })
	}
	return true
}

// addAddress adds the address of a copy, for a T that the package returns and a
// *T that its methods want.
func (f *finder) addAddress(named *types.Named) {
	if f.reach(named) == everywhere {
		name := f.typeName(named)
		f.addStep("func(x "+name+") *"+name+" { return &x }($0)", named, types.NewPointer(named))
	}
}

// addStep adds the step from one form of a type to another.
func (f *finder) addStep(template string, from, to types.Type) {
	if named, _ := pointee(to); hasLock(named) || types.IsInterface(named) {
		return
	}
	// No values are looked for just to take a part of them: hence the depth.
	f.add(maker(seq.Index, template, to, maxDepth, from))
}
