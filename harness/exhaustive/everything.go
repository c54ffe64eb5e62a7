package exhaustive

import (
	"reflect"
	"unsafe"
)

// Bounds are the domains of the fields that [Everything] sets.
type Bounds struct {
	Objects int      // of each type to which pointers lead
	Lo, Hi  int      // numbers; a tag `exhaustive:"1..4"` sets them for one field, see [Tag]
	Len     int      // of slices, at most
	Strings []string // the zero value: the empty string only
}

// Everything returns a structure of which every field is chosen, exported or not. A
// pointer is nil, or leads to an object that another one leads to, or to the next one.
// A field with the tag `exhaustive:"-"` keeps its zero value. In a [Tag], n is Objects.
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

// A fieldDomain is what a field may hold.
type fieldDomain struct {
	lo, hi      int // numbers
	least, most int // length
	nonNil      bool
}

// domain returns what a field with a tag may hold.
func (e *everything) domain(t Tag) fieldDomain {
	d := fieldDomain{lo: e.Lo, hi: e.Hi, most: e.Len, nonNil: t.NonNil}
	if t.Lo != nil {
		d.lo, d.hi = t.Lo.Value(e.Objects), t.Hi.Value(e.Objects)
	}
	if t.Least != nil {
		d.least, d.most = t.Least.Value(e.Objects), t.Most.Value(e.Objects)
	}
	return d
}

// newObject returns a pointer to a new object of type t, with its fields.
func (e *everything) newObject(t reflect.Type) reflect.Value {
	p := reflect.New(t)
	e.objects[t] = append(e.objects[t], p)
	e.fill(p.Elem(), t.String(), e.domain(Tag{}))
	return p
}

// fill chooses v. path names it in errors.
func (e *everything) fill(v reflect.Value, path string, d fieldDomain) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(e.c.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(e.c.Int(d.lo, d.hi)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(e.c.Int(max(d.lo, 0), d.hi)))
	case reflect.String:
		if len(e.Strings) > 0 {
			v.SetString(OneOf(e.c, e.Strings...))
		}
	case reflect.Pointer:
		e.point(v, d)
	case reflect.Slice:
		if n := e.c.Int(d.least, d.most); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		e.elements(v, path, d)
	case reflect.Array:
		e.elements(v, path, d)
	case reflect.Struct:
		e.fields(v, d)
	default:
		e.c.failf("%s: no domain for a %s: tag the field exhaustive:\"-\"", path, v.Type())
	}
}

func (e *everything) elements(v reflect.Value, path string, d fieldDomain) {
	for i := range v.Len() {
		e.fill(v.Index(i), path, d)
	}
}

func (e *everything) point(v reflect.Value, d fieldDomain) {
	t := v.Type().Elem()
	known := e.objects[t]
	n := len(known)
	if n < e.Objects {
		n++
	}
	i := -1
	if d.nonNil {
		i = e.c.Choose("", n)
	} else {
		i = e.c.Choose("", n+1) - 1
	}
	switch {
	case i < 0:
	case i < len(known):
		v.Set(known[i])
	default:
		v.Set(e.newObject(t))
	}
}

// fields chooses the fields of a struct. d is for those without a tag.
func (e *everything) fields(v reflect.Value, d fieldDomain) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		path := v.Type().String() + "." + f.Name
		tag, err := ParseTag(f.Tag.Get("exhaustive"))
		if err != nil {
			e.c.failf("%s: %v", path, err)
		}
		if tag.Skip || f.Name == "_" {
			continue
		}
		d := d
		if tag.Set {
			d = e.domain(tag)
		}
		field := v.Field(i)
		if !field.CanSet() { // not exported
			field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
		}
		e.fill(field, path, d)
	}
}
