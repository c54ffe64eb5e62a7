package blame

import (
	"reflect"
	"slices"

	"foray.test/engine/seq"
)

// insideElems bounds how many elements of an array or a slice are looked at.
const insideElems = 64

// anyNumber reports whether ok holds for an integer in v. v is an integer, or a
// struct, array or slice of such at any depth. Pointers are not followed.
func anyNumber(v reflect.Value, ok func(int64) bool) bool {
	switch {
	case v.CanInt():
		return ok(v.Int())
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if anyNumber(v.Field(i), ok) {
				return true
			}
		}
	case v.Kind() == reflect.Array, v.Kind() == reflect.Slice:
		for i := range min(v.Len(), insideElems) {
			if anyNumber(v.Index(i), ok) {
				return true
			}
		}
	}
	return false
}

// given reports whether f holds for the value of an argument of the last step that
// is a known object.
func (s *scene) given(f func(reflect.Value) bool) bool {
	return slices.ContainsFunc(s.lastArgs(), func(a seq.Arg) bool {
		if a.Lit != nil {
			return false
		}
		v, known := s.hist.value(int(a.Slot))
		return known && v != nil && f(reflect.ValueOf(v))
	})
}

// givesNilElem reports whether an argument is a slice of interfaces with a nil
// element.
func (s *scene) givesNilElem() bool {
	return s.given(func(v reflect.Value) bool {
		if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Interface {
			return false
		}
		for i := range min(v.Len(), insideElems) {
			if v.Index(i).IsNil() {
				return true
			}
		}
		return false
	})
}
