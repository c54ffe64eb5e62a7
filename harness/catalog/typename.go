package catalog

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// reach is the set of places from which Go can name a type.
type reach uint8

const (
	everywhere reach = iota
	inside           // only in the package under test: seq.Type.Hidden
	nowhere          // not by foray
)

// typeName returns t as templates write it. A type with an unexported name is
// written as if it were exported.
func (f *finder) typeName(t types.Type) string {
	w := typeWriter{qual: f.names.of}
	w.write(t)
	return w.String()
}

// typeKey returns t with import paths and without aliases: identical types have equal keys.
func typeKey(t types.Type) string {
	w := typeWriter{qual: (*types.Package).Path, key: true}
	w.write(t)
	return w.String()
}

type typeWriter struct {
	strings.Builder
	qual func(*types.Package) string
	key  bool
}

func (w *typeWriter) write(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		w.basic(t)
	case *types.Named:
		w.named(t)
	case *types.Pointer:
		w.WriteString("*")
		w.write(t.Elem())
	case *types.Slice:
		w.WriteString("[]")
		w.write(t.Elem())
	case *types.Array:
		fmt.Fprintf(w, "[%d]", t.Len())
		w.write(t.Elem())
	case *types.Map:
		w.WriteString("map[")
		w.write(t.Key())
		w.WriteString("]")
		w.write(t.Elem())
	case *types.Chan:
		w.channel(t)
	case *types.Signature:
		w.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.iface(t)
	case *types.TypeParam:
		w.WriteString(t.Obj().Name())
	default:
		w.WriteString(t.String())
	}
}

func (w *typeWriter) basic(t *types.Basic) {
	switch {
	case t.Kind() == types.UnsafePointer:
		w.WriteString("unsafe.Pointer")
	case w.key:
		w.WriteString(types.Typ[t.Kind()].Name())
	default:
		w.WriteString(t.Name())
	}
}

func (w *typeWriter) named(t *types.Named) {
	obj := t.Obj()
	if obj.Pkg() != nil {
		w.WriteString(w.qual(obj.Pkg()) + ".")
	}
	w.WriteString(obj.Name())
	if w.key && obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope() {
		fmt.Fprintf(w, "·%d", obj.Pos())
	}
	if args := t.TypeArgs(); args.Len() > 0 {
		w.WriteString("[")
		for i := range args.Len() {
			if i > 0 {
				w.WriteString(", ")
			}
			w.write(args.At(i))
		}
		w.WriteString("]")
	}
}

func (w *typeWriter) channel(t *types.Chan) {
	switch t.Dir() {
	case types.SendOnly:
		w.WriteString("chan<- ")
	case types.RecvOnly:
		w.WriteString("<-chan ")
	default:
		w.WriteString("chan ")
		if e, ok := types.Unalias(t.Elem()).(*types.Chan); ok && e.Dir() == types.RecvOnly {
			w.WriteString("(")
			w.write(e)
			w.WriteString(")")
			return
		}
	}
	w.write(t.Elem())
}

func (w *typeWriter) signature(t *types.Signature) {
	w.WriteString("(")
	for i := range t.Params().Len() {
		if i > 0 {
			w.WriteString(", ")
		}
		p := t.Params().At(i).Type()
		if s, ok := p.(*types.Slice); ok && t.Variadic() && i == t.Params().Len()-1 {
			w.WriteString("...")
			p = s.Elem()
		}
		w.write(p)
	}
	w.WriteString(")")
	switch r := t.Results(); r.Len() {
	case 0:
	case 1:
		w.WriteString(" ")
		w.write(r.At(0).Type())
	default:
		w.WriteString(" (")
		for i := range r.Len() {
			if i > 0 {
				w.WriteString(", ")
			}
			w.write(r.At(i).Type())
		}
		w.WriteString(")")
	}
}

func (w *typeWriter) structure(t *types.Struct) {
	w.WriteString("struct{")
	for i := range t.NumFields() {
		if i > 0 {
			w.WriteString("; ")
		}
		fld := t.Field(i)
		if !fld.Embedded() {
			w.WriteString(fld.Name() + " ")
		}
		w.write(fld.Type())
		if tag := t.Tag(i); tag != "" {
			w.WriteString(" " + strconv.Quote(tag))
		}
	}
	w.WriteString("}")
}

func (w *typeWriter) iface(t *types.Interface) {
	if t.NumMethods() == 0 && t.IsMethodSet() {
		w.WriteString("any")
		return
	}
	w.WriteString("interface{")
	for i := range t.NumMethods() {
		if i > 0 {
			w.WriteString("; ")
		}
		w.WriteString(t.Method(i).Name())
		w.signature(t.Method(i).Type().(*types.Signature))
	}
	w.WriteString("}")
}

// reach returns from where Go can name t.
func (f *finder) reach(t types.Type) reach {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return nowhere
		}
	case *types.Named:
		r := f.reachObject(t.Obj())
		for i := range t.TypeArgs().Len() {
			r = max(r, f.reach(t.TypeArgs().At(i)))
		}
		return r
	case *types.Map:
		return max(f.reach(t.Key()), f.reach(t.Elem()))
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		return f.reach(t.Elem())
	case *types.Signature:
		return max(f.reachTuple(t.Params()), f.reachTuple(t.Results()))
	case *types.Struct:
		r := everywhere
		for i := range t.NumFields() {
			r = max(r, f.reach(t.Field(i).Type()), f.reachMember(t.Field(i)))
		}
		return r
	case *types.Interface:
		r := everywhere
		for i := range t.NumMethods() {
			m := t.Method(i)
			r = max(r, f.reach(m.Type()), f.reachMember(m))
		}
		return r
	case *types.TypeParam:
		return nowhere
	}
	return everywhere
}

func (f *finder) reachTuple(t *types.Tuple) reach {
	r := everywhere
	for i := range t.Len() {
		r = max(r, f.reach(t.At(i).Type()))
	}
	return r
}

// reachMember is about fields and methods of types without a name.
func (f *finder) reachMember(obj types.Object) reach {
	switch {
	case obj.Exported():
		return everywhere
	case obj.Pkg() == f.pkg:
		return inside
	}
	return nowhere
}

func (f *finder) reachObject(obj *types.TypeName) reach {
	switch {
	case obj.Pkg() == nil:
		return everywhere
	case obj.Parent() != obj.Pkg().Scope() && obj.Parent() != nil:
		return nowhere // declared in a function
	case obj.Pkg() == f.pkg && obj.Exported():
		return everywhere
	case obj.Pkg() == f.pkg:
		return inside
	case obj.Exported() && f.importer.importable(obj.Pkg()):
		return everywhere
	}
	return nowhere
}
