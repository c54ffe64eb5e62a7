package catalog

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine/seq"
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
func (f *finder) typeName(t types.Type) string { return f.writer().text(t) }

func (f *finder) writer() typeWriter { return typeWriter{qual: f.names.of} }

// typeKey returns t with import paths and without aliases: identical types have equal keys.
func typeKey(t types.Type) string {
	return typeWriter{qual: (*types.Package).Path, key: true}.text(t)
}

// A typeWriter writes types as Go does, but for aliases, names of parameters and, in a key,
// types that are declared in functions.
type typeWriter struct {
	qual func(*types.Package) string
	key  bool
}

func (w typeWriter) text(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return w.basic(t)
	case *types.Named:
		return w.named(t)
	case *types.Pointer:
		return "*" + w.text(t.Elem())
	case *types.Slice:
		return "[]" + w.text(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]", t.Len()) + w.text(t.Elem())
	case *types.Map:
		return "map[" + w.text(t.Key()) + "]" + w.text(t.Elem())
	case *types.Chan:
		return w.channel(t)
	case *types.Signature:
		return "func" + seq.SignatureText(w.signature(t))
	case *types.Struct:
		return w.structure(t)
	case *types.Interface:
		return w.iface(t)
	case *types.TypeParam:
		return t.Obj().Name()
	default:
		return t.String()
	}
}

func (w typeWriter) basic(t *types.Basic) string {
	switch {
	case t.Kind() == types.UnsafePointer:
		return "unsafe.Pointer"
	case w.key:
		return types.Typ[t.Kind()].Name()
	}
	return t.Name()
}

func (w typeWriter) named(t *types.Named) string {
	obj := t.Obj()
	text := obj.Name()
	if obj.Pkg() != nil {
		text = w.qual(obj.Pkg()) + "." + text
		if w.key && obj.Parent() != obj.Pkg().Scope() {
			text += fmt.Sprintf("·%d", obj.Pos())
		}
	}
	if args := t.TypeArgs(); args.Len() > 0 {
		text += "[" + joinTypes(slices.Collect(args.Types()), w.text) + "]"
	}
	return text
}

func (w typeWriter) channel(t *types.Chan) string {
	elem := w.text(t.Elem())
	switch t.Dir() {
	case types.SendOnly:
		return "chan<- " + elem
	case types.RecvOnly:
		return "<-chan " + elem
	}
	if strings.HasPrefix(elem, "<-") {
		elem = "(" + elem + ")"
	}
	return "chan " + elem
}

// signature returns the texts of the parameters and of the results of a function.
func (w typeWriter) signature(t *types.Signature) (params, results []string) {
	params = typeTexts(tupleTypes(t.Params()), w.text)
	if n := len(params); t.Variadic() {
		params[n-1] = "..." + w.text(variadicElem(t.Params().At(n-1).Type()))
	}
	return params, typeTexts(tupleTypes(t.Results()), w.text)
}

func (w typeWriter) structure(t *types.Struct) string {
	fields := make([]string, t.NumFields())
	for i := range fields {
		fld := t.Field(i)
		fields[i] = w.text(fld.Type())
		if !fld.Embedded() {
			fields[i] = fld.Name() + " " + fields[i]
		}
		if tag := t.Tag(i); tag != "" {
			fields[i] += " " + strconv.Quote(tag)
		}
	}
	return "struct{" + strings.Join(fields, "; ") + "}"
}

func (w typeWriter) iface(t *types.Interface) string {
	if t.NumMethods() == 0 && t.IsMethodSet() {
		return "any"
	}
	var methods []string
	for m := range t.Methods() {
		methods = append(methods, m.Name()+seq.SignatureText(w.signature(m.Signature())))
	}
	return "interface{" + strings.Join(methods, "; ") + "}"
}

// Parts returns the types that t is written with.
func Parts(t types.Type) (list []types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		list = slices.Collect(t.TypeArgs().Types())
	case *types.Map:
		list = []types.Type{t.Key(), t.Elem()}
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		list = []types.Type{t.Elem()}
	case *types.Signature:
		list = append(tupleTypes(t.Params()), tupleTypes(t.Results())...)
	case *types.Struct:
		for fld := range t.Fields() {
			list = append(list, fld.Type())
		}
	case *types.Interface:
		for m := range t.Methods() {
			list = append(list, m.Type())
		}
	}
	return list
}

// reach returns from where Go can name t.
func (f *finder) reach(t types.Type) reach {
	r := everywhere
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return nowhere
		}
	case *types.TypeParam:
		return nowhere
	case *types.Named:
		r = f.reachObject(t.Obj())
	case *types.Struct:
		for fld := range t.Fields() {
			r = max(r, f.reachMember(fld))
		}
	case *types.Interface:
		for m := range t.Methods() {
			r = max(r, f.reachMember(m))
		}
	}
	for _, p := range Parts(t) {
		r = max(r, f.reach(p))
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
