package contract

import "reflect"

// insideDepth and insideElems bound how far values given as arguments are looked into.
const (
	insideDepth = 4
	insideElems = 64
)

// inside reports whether ok holds for v or for what it is made of: fields, elements,
// what pointers and interfaces in it lead to. Only a part of what is large is looked at.
func inside(v reflect.Value, ok func(reflect.Value) bool) bool {
	return insideTo(insideDepth, v, ok)
}

func insideTo(depth int, v reflect.Value, ok func(reflect.Value) bool) bool {
	if !v.IsValid() {
		return false
	}
	if ok(v) {
		return true
	}
	if depth == 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return insideTo(depth-1, v.Elem(), ok)
	case reflect.Struct:
		for i := range v.NumField() {
			if insideTo(depth-1, v.Field(i), ok) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), insideElems) {
			if insideTo(depth-1, v.Index(i), ok) {
				return true
			}
		}
	}
	return false
}

// given calls f with the value of each argument of the last step that is an object and
// known, until f says true, and reports whether it did.
func (s *scene) given(f func(reflect.Value) bool) bool {
	if !s.slots {
		return false
	}
	for _, a := range s.Steps[len(s.Steps)-1].Args {
		if a.Lit != nil {
			continue
		}
		if v, known := s.hist.value(int(a.Slot)); known && v != nil && f(reflect.ValueOf(v)) {
			return true
		}
	}
	return false
}
