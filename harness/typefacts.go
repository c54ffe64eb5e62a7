package harness

import (
	"reflect"
	"strings"

	"foray.test/engine/seq"
)

// kindOf returns the kind of a type in a table.
func kindOf(t reflect.Type) seq.TypeKind {
	switch t.Kind() {
	case reflect.Pointer:
		return seq.PointerType
	case reflect.Slice:
		return seq.SliceType
	case reflect.Array:
		return seq.ArrayType
	case reflect.Map:
		return seq.MapType
	case reflect.Chan:
		return seq.ChanType
	case reflect.Func:
		return seq.FuncType
	case reflect.Struct:
		return seq.StructType
	case reflect.Interface:
		return seq.InterfaceType
	case reflect.UnsafePointer, reflect.Invalid:
		return 0
	}
	return seq.BasicType
}

// describe sets the form of t, and the standard interfaces that it implements.
func (s *surface) describe(ty *seq.Type, t reflect.Type) {
	ty.Kind, ty.Std = kindOf(t), implemented(t)
	base := t
	for base.Kind() == reflect.Pointer && base.Name() == "" {
		base = base.Elem()
	}
	ty.Path = base.PkgPath()
	ty.Base, _, _ = strings.Cut(base.Name(), "[")
	switch ty.Kind {
	case seq.PointerType, seq.SliceType, seq.ArrayType, seq.MapType, seq.ChanType:
		ty.Elem = byteText(t.Elem(), s.packages.text)
		if ty.Kind == seq.MapType {
			ty.Key = s.packages.text(t.Key())
		}
	case seq.FuncType:
		ty.Iterator = rangeable(t)
		ty.Params, ty.Results = signatureTexts(t, 0, s.packages.text)
	}
}

// rangeable reports whether range takes functions of type t.
func rangeable(t reflect.Type) bool {
	if t.NumIn() != 1 || t.NumOut() != 0 || t.IsVariadic() || t.In(0).Kind() != reflect.Func {
		return false
	}
	yield := t.In(0)
	return yield.NumOut() == 1 && yield.Out(0) == reflect.TypeFor[bool]() && (yield.NumIn() == 1 || yield.NumIn() == 2)
}

// implemented returns the standard interfaces that t implements.
func implemented(t reflect.Type) seq.Std {
	return seq.Implemented(func(name string) string {
		m, ok := t.MethodByName(name)
		if !ok {
			return ""
		}
		first := 1 // behind the receiver
		if t.Kind() == reflect.Interface {
			first = 0
		}
		return signatureKey(m.Type, first)
	})
}
