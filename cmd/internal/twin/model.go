package twin

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"foray.test/harness/catalog"
	"foray.test/harness/exhaustive"
)

// A kind is how a twin holds a field.
type kind int

const (
	plain kind = iota // as the original does: nothing is chosen
	val               // exhaustive.Val
	ref               // exhaustive.Ref
	part              // a pointer to the twin of a struct that the field holds
	list              // exhaustive.Slice, for slices and arrays
)

// A shape is the type of a field or an element, and how a twin holds it.
type shape struct {
	kind kind
	t    types.Type  // of the instance
	to   *structType // of ref and part
	elem *shape      // of list
	n    int64       // the length of an array, negative for a slice
	some bool        // the predicate reads elements of the list, or a tag has them chosen
}

// A field is a field of a structType.
type field struct {
	*shape
	owner  *structType
	name   string
	origin *types.Var // of the generic type
	tag    exhaustive.Tag
	read   bool // the predicate reads it
}

// chosen reports whether the twin has a cell for f.
func (f *field) chosen() bool { return f.kind != plain && (f.read || f.tag.Set) }

// A structType is a struct type of the package that structures consist of.
type structType struct {
	obj    *types.TypeName
	inst   *types.Named
	base   string // the name that its twin and what belongs to it are named after
	fields []*field
	pooled bool // fields of twins refer to objects of it
	used   bool // the file needs its twin
}

func (s *structType) twin() string { return s.base + "Twin" }

// structOf returns the structType of t, nil if it is none.
func (g *generator) structOf(t types.Type) *structType {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	return g.structs[named.Obj()]
}

// add returns the structType of an instance, and finds those that it leads to.
func (g *generator) add(inst *types.Named) *structType {
	if s := g.structs[inst.Obj()]; s != nil {
		if !types.Identical(s.inst, inst) {
			g.problem(inst.Obj().Pos(), fmt.Sprintf("structures have %s and %s, instances of one type", s.inst, inst), "")
		}
		return s
	}
	s := &structType{obj: inst.Obj(), inst: inst}
	s.base = strings.TrimSuffix(g.unique(lower(s.obj.Name())+"Twin"), "Twin")
	g.structs[s.obj] = s
	g.order = append(g.order, s)
	st, origin := inst.Underlying().(*types.Struct), inst.Origin().Underlying().(*types.Struct)
	for i := range st.NumFields() {
		v := origin.Field(i)
		f := &field{owner: s, name: v.Name(), origin: v}
		var err error
		if f.tag, err = exhaustive.ParseTag(reflect.StructTag(st.Tag(i)).Get("exhaustive")); err != nil {
			g.problem(v.Pos(), err.Error(), "")
		}
		if f.shape = (&shape{t: st.Field(i).Type()}); v.Name() != "_" && !f.tag.Skip {
			f.shape = g.shapeOf(st.Field(i).Type())
		}
		if f.tag.Like && s != g.order[0] {
			g.problem(v.Pos(), fmt.Sprintf("the tag of %s takes it from a value, but only the type itself has one", f), "")
		}
		if f.tag.Lo != nil && !isNumber(f.leaf()) {
			g.problem(v.Pos(), fmt.Sprintf("the tag of %s has numbers, but it is of type %s", f, g.original(f.t)), "")
		}
		if named := g.ownStruct(pointee(f.t)); named != nil && f.tag.Skip {
			g.kept[named.Obj()] = true
		}
		for l := f.shape; l != nil && f.tag.Set; l = l.elem {
			l.some = true
		}
		s.fields = append(s.fields, f)
		g.fields[v] = f
	}
	return s
}

// String returns the name of the field with that of its type.
func (f *field) String() string { return f.owner.obj.Name() + "." + f.name }

// leaf returns the shape of f, of its elements if it is a list.
func (f *field) leaf() *shape {
	s := f.shape
	for s.kind == list {
		s = s.elem
	}
	return s
}

func isNumber(s *shape) bool {
	b, ok := s.t.Underlying().(*types.Basic)
	return ok && s.kind == val && b.Info()&(types.IsInteger|types.IsFloat) != 0
}

// shapeOf returns how a twin holds a field of type t.
func (g *generator) shapeOf(t types.Type) *shape {
	s := &shape{t: t, n: -1}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0 {
			s.kind = val
		}
	case *types.Pointer:
		if named := g.ownStruct(u.Elem()); named != nil {
			s.kind, s.to = ref, g.add(named)
		}
	case *types.Struct:
		if named := g.ownStruct(t); named != nil {
			s.kind, s.to = part, g.add(named)
		}
	case *types.Slice:
		s.elem = g.shapeOf(u.Elem())
	case *types.Array:
		s.elem, s.n = g.shapeOf(u.Elem()), u.Len()
	}
	if s.elem != nil && s.elem.kind != plain {
		s.kind = list
	}
	return s
}

// pointee returns the type that t points to, t if it is no pointer.
func pointee(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// ownStruct returns t if it is a struct type that the package declares.
func (g *generator) ownStruct(t types.Type) *types.Named {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != g.pkg.Types || named.Obj().Parent() != g.pkg.Types.Scope() || !isStruct(named) {
		return nil
	}
	return named
}

// involves reports whether a type has a structType in it, so that rewritten code has
// another type in its place.
func (g *generator) involves(t types.Type) bool {
	return g.search(t, map[types.Type]bool{})
}

func (g *generator) search(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	if t, ok := t.(*types.Named); ok {
		own := !g.kept[t.Obj()] && t.Obj().Pkg() == g.pkg.Types
		if g.structs[t.Obj()] != nil || own && g.search(t.Origin().Underlying(), seen) {
			return true
		}
	}
	return slices.ContainsFunc(catalog.Parts(t), func(part types.Type) bool { return g.search(part, seen) })
}

// helper reports whether a type of the package is none of the structures', but has
// such types in it: rewritten code needs a copy of it.
func (g *generator) helper(obj *types.TypeName) bool {
	return obj.Pkg() == g.pkg.Types && !obj.IsAlias() && g.structs[obj] == nil && g.specs[obj] != nil &&
		g.involves(obj.Type().Underlying())
}

// needsTwin reports whether a function of the package handles structures.
func (g *generator) needsTwin(fn *types.Func) bool {
	if fn.Pkg() != g.pkg.Types {
		return false
	}
	sig := fn.Origin().Signature()
	if r := sig.Recv(); r != nil && !types.IsInterface(r.Type()) && g.involves(r.Type()) {
		return true
	}
	return g.involves(sig)
}
