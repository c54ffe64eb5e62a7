package catalog

import (
	"go/types"

	"foray.test/engine/seq"
)

// describe sets the form of t, and the standard interfaces that it implements.
func (f *finder) describe(ty *seq.Type, t types.Type) {
	t = types.Unalias(t)
	ty.Path, ty.Base = "", ""
	ty.Std = implemented(t)
	base := t
	for p, ok := base.(*types.Pointer); ok; p, ok = base.(*types.Pointer) {
		base = types.Unalias(p.Elem())
	}
	switch b := base.(type) {
	case *types.Named:
		ty.Base = b.Obj().Name()
		if b.Obj().Pkg() != nil {
			ty.Path = b.Obj().Pkg().Path()
		}
	case *types.Basic:
		ty.Base = b.Name()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() != types.UnsafePointer {
			ty.Kind = seq.BasicType
		}
	case *types.Pointer:
		ty.Kind, ty.Elem = seq.PointerType, f.typeName(u.Elem())
	case *types.Slice:
		ty.Kind, ty.Elem = seq.SliceType, f.typeName(u.Elem())
	case *types.Array:
		ty.Kind, ty.Elem = seq.ArrayType, f.typeName(u.Elem())
	case *types.Map:
		ty.Kind, ty.Elem, ty.Key = seq.MapType, f.typeName(u.Elem()), f.typeName(u.Key())
	case *types.Chan:
		ty.Kind, ty.Elem = seq.ChanType, f.typeName(u.Elem())
	case *types.Struct:
		ty.Kind = seq.StructType
	case *types.Interface:
		ty.Kind = seq.InterfaceType
	case *types.Signature:
		ty.Kind, ty.Iterator = seq.FuncType, yields(u) != nil
		ty.Params, ty.Results = f.writer().signature(u)
	}
}

// implemented returns the standard interfaces that t implements. Signatures are
// compared as text with import paths. The result is that of types.Implements, but
// does not need the packages that declare the interfaces.
func implemented(t types.Type) seq.Std {
	methods := types.NewMethodSet(t)
	return seq.Implemented(func(name string) string {
		m := methods.Lookup(nil, name)
		if m == nil {
			return ""
		}
		sig := m.Type().(*types.Signature)
		if sig.Variadic() {
			return "variadic"
		}
		return signatureKey(tupleTypes(sig.Params()), tupleTypes(sig.Results()))
	})
}
