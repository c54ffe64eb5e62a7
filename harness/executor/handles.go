package executor

import (
	"reflect"
	"slices"

	"foray.test/engine/seq"
)

// Handles are values such as list elements, tree nodes and iterators, through
// which all of a larger value can be reached. The digest of one costs as much as that of
// the larger value and says little more. So only a sample of one in handleOneIn is
// digested, which keeps some among the components and in view of the contracts. Type T
// is taken for a handle of type U if
//
//   - T reaches U; or T is a part of U and reaches itself, as nodes do;
//   - T holds no parts that can grow except those that U holds as well: a cache made
//     from its options refers to them, and is no handle of theirs;
//   - every operation that makes a T takes a U or another handle of U. Composite
//     literals do not count: an element made by hand belongs to no list.

// findHandles reports, by type, which of t's types are handles.
func findHandles(t *seq.Table, types []reflect.Type) []bool {
	f := handleFinder{table: t, types: types, made: make([]bool, len(types)), reach: map[reflect.Type]typeSet{}}
	for i := range t.Ops {
		if makes(&t.Ops[i]) {
			for _, r := range t.Ops[i].Results {
				f.made[r] = true
			}
		}
	}
	handle := make([]bool, len(types))
	for u := range types {
		if !f.grows(seq.TypeID(u)) {
			continue
		}
		for id, is := range f.handlesOf(seq.TypeID(u)) {
			handle[id] = handle[id] || is
		}
	}
	return handle
}

type typeSet map[reflect.Type]bool

type handleFinder struct {
	table *seq.Table
	types []reflect.Type // by seq.TypeID, nil where unknown
	made  []bool         // by seq.TypeID: some operation makes values of it out of others
	reach map[reflect.Type]typeSet
}

// base returns the type behind the pointers of type id, nil if unknown.
func (f *handleFinder) base(id seq.TypeID) reflect.Type {
	if rt := f.types[id]; rt != nil {
		return behind(rt)
	}
	return nil
}

func behind(rt reflect.Type) reflect.Type {
	for rt.Kind() == reflect.Pointer {
		rt = rt.Elem()
	}
	return rt
}

// grows reports whether values of type id can have handles.
func (f *handleFinder) grows(id seq.TypeID) bool {
	rt := f.base(id)
	return rt != nil && rt.Kind() == reflect.Struct && f.types[id].Kind() == reflect.Pointer
}

// reached returns the types, behind pointers, of the parts of rt. rt is among
// them if it is recursive.
func (f *handleFinder) reached(rt reflect.Type) typeSet {
	if set := f.reach[rt]; set != nil {
		return set
	}
	set := typeSet{}
	f.reach[rt] = set
	var walk func(reflect.Type)
	walk = func(rt reflect.Type) {
		eachPart(rt, func(part reflect.Type) {
			if part = behind(part); !set[part] {
				set[part] = true
				walk(part)
			}
		})
	}
	walk(rt)
	return set
}

// eachPart calls do with the types of the direct parts of a value of type rt.
// The parts of interfaces, functions and channels are unknown.
func eachPart(rt reflect.Type, do func(reflect.Type)) {
	switch rt.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		do(rt.Elem())
	case reflect.Map:
		do(rt.Key())
		do(rt.Elem())
	case reflect.Struct:
		for i := range rt.NumField() {
			do(rt.Field(i).Type)
		}
	}
}

// handlesOf reports which types are handles of u. They are the types that refer to u by
// their structure, without those that can be made without a u.
func (f *handleFinder) handlesOf(u seq.TypeID) []bool {
	handle := make([]bool, len(f.types))
	changed := false
	for id := range handle {
		handle[id] = f.made[id] && f.hangs(seq.TypeID(id), u)
		changed = changed || handle[id]
	}
	for changed {
		changed = false
		for i := range f.table.Ops {
			op := &f.table.Ops[i]
			if !makes(op) || f.takes(op, u, handle) {
				continue
			}
			for _, r := range op.Results {
				changed = changed || handle[r]
				handle[r] = false
			}
		}
	}
	return handle
}

// hangs reports whether values of type id can lead to all of one of type u, and
// add nothing to it that grows.
func (f *handleFinder) hangs(id, u seq.TypeID) bool {
	t, whole := f.base(id), f.base(u)
	if t == nil || t == whole || t.Kind() != reflect.Struct {
		return false
	}
	of := f.reached(whole)
	if !f.reached(t)[whole] && !(of[t] && f.reached(t)[t]) {
		return false
	}
	return of[t] || bounded(t, whole, of, typeSet{})
}

// bounded reports whether a t grows only where it refers to parts of whole. seen has the
// types above t, which a type that holds a slice of itself comes back to.
func bounded(t, whole reflect.Type, parts, seen typeSet) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return false
	case reflect.Slice:
		return refers(t.Elem(), whole, parts, typeSet{}) && bounded(t.Elem(), whole, parts, seen) // the way down to a node
	}
	ok := true
	eachPart(t, func(part reflect.Type) {
		b := behind(part)
		ok = ok && (b == whole || b.Kind() == reflect.Struct && parts[b] || part.Kind() != reflect.Pointer && bounded(part, whole, parts, seen))
	})
	return ok
}

// refers reports whether a t has a part that whole consists of. seen has the types that
// were looked at.
func refers(t, whole reflect.Type, parts, seen typeSet) bool {
	b := behind(t)
	if b == whole || b.Kind() == reflect.Struct && parts[b] {
		return true
	}
	found := false
	if t.Kind() != reflect.Pointer && !seen[t] {
		seen[t] = true
		eachPart(t, func(part reflect.Type) { found = found || refers(part, whole, parts, seen) })
	}
	return found
}

// makes reports whether op counts as a maker of its results.
func makes(op *seq.Operation) bool {
	return op.Kind != seq.Composite && op.Kind != seq.Convert && op.Kind != seq.Assert
}

// takes reports whether op has a parameter of type u or of one of its handles.
func (f *handleFinder) takes(op *seq.Operation, u seq.TypeID, handle []bool) bool {
	return slices.ContainsFunc(op.Params, func(p seq.TypeID) bool {
		return handle[p] || f.base(p) != nil && f.base(p) == f.base(u)
	})
}
