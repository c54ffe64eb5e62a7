package exhaustive

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// Bounds are the domains of the fields that [Everything] sets.
type Bounds struct {
	Objects int      // of each type to which pointers lead
	Lo, Hi  int      // numbers; a tag `exhaustive:"1..4"` sets them for one field
	Len     int      // of slices, at most
	Strings []string // the zero value: the empty string only
}

// Everything returns a structure of which every field is chosen, exported or not. A
// pointer is nil, or leads to an object that another one leads to, or to the next one.
// A field with the tag `exhaustive:"-"` keeps its zero value.
//
// It needs no cells: assume the predicate of the type, as it is. But nothing is left
// unread, so there are many more candidates than [Search] has. [Cases.Estimate]
// tells how many.
func Everything[T any](c *C, b Bounds) *T {
	e := &everything{c: c, Bounds: b, objects: map[reflect.Type][]reflect.Value{}}
	root := e.newObject(reflect.TypeFor[T]())
	return root.Interface().(*T)
}

type everything struct {
	c *C
	Bounds
	objects map[reflect.Type][]reflect.Value
}

// newObject returns a pointer to a new object of type t, with its fields.
func (e *everything) newObject(t reflect.Type) reflect.Value {
	p := reflect.New(t)
	e.objects[t] = append(e.objects[t], p)
	e.fill(p.Elem(), t.String(), e.Lo, e.Hi)
	return p
}

// fill chooses v, a number from lo to hi. path names it in errors.
func (e *everything) fill(v reflect.Value, path string, lo, hi int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(e.c.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(e.c.Int(lo, hi)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(e.c.Int(max(lo, 0), hi)))
	case reflect.String:
		if len(e.Strings) > 0 {
			v.SetString(OneOf(e.c, e.Strings...))
		}
	case reflect.Pointer:
		e.point(v)
	case reflect.Slice:
		if n := e.c.Int(0, e.Len); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		e.elements(v, path, lo, hi)
	case reflect.Array:
		e.elements(v, path, lo, hi)
	case reflect.Struct:
		e.fields(v, lo, hi)
	default:
		e.c.failf("%s: no domain for a %s: tag the field exhaustive:\"-\"", path, v.Type())
	}
}

func (e *everything) elements(v reflect.Value, path string, lo, hi int) {
	for i := range v.Len() {
		e.fill(v.Index(i), path, lo, hi)
	}
}

func (e *everything) point(v reflect.Value) {
	t := v.Type().Elem()
	known := e.objects[t]
	n := 1 + len(known)
	if len(known) < e.Objects {
		n++
	}
	switch i := e.c.Choose("", n); {
	case i == 0:
	case i <= len(known):
		v.Set(known[i-1])
	default:
		v.Set(e.newObject(t))
	}
}

func (e *everything) fields(v reflect.Value, lo, hi int) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		path := v.Type().String() + "." + f.Name
		tag := f.Tag.Get("exhaustive")
		if tag == "-" || f.Name == "_" {
			continue
		}
		lo, hi := lo, hi
		if tag != "" {
			from, to, ok := strings.Cut(tag, "..")
			if _, err := fmt.Sscan(from+" "+to, &lo, &hi); !ok || err != nil {
				e.c.failf("%s: the tag exhaustive:%q: want two numbers as in 0..4, or -", path, tag)
			}
		}
		field := v.Field(i)
		if !field.CanSet() { // not exported
			field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
		}
		e.fill(field, path, lo, hi)
	}
}
