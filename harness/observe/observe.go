// Package observe returns the parts of values that callers of their package can
// see.
//
// These are basic values, the text of errors, elements of slices, arrays and
// maps, exported fields that are not zero, and the targets of pointers. Not
// observed are unexported fields, addresses, the types of structs, capacities,
// functions and channels. So a value looks the same in two versions of a
// package that differ only in its layout. A field that one version has added
// shows once it is set.
//
// Error is the only method of the package under test that it calls. The results
// of String methods show when a sequence calls them. A type of the standard
// library without exported fields, such as time.Time or bytes.Buffer, shows its
// String.
package observe

import (
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"foray.test/engine/difference"
)

// Limits of an observation: beyond them two values look the same.
const (
	maxParts = 256
	maxDepth = 8
	maxBytes = 1 << 10 // of a string
	// maxLooks bounds the parts of all entries of maps, and those of maps in maps. A value with
	// more shows nothing: which of them to leave out is not known.
	maxLooks = 1 << 15
)

// An Observer looks at values. It is not safe for concurrent use.
type Observer struct {
	pkg   string // its String methods are not called
	types map[reflect.Type]*shape
	parts int // of a value so far, of maps those on the way
	looks int // at parts of a value so far
}

// New returns an Observer for values of the package at the import path.
func New(pkg string) *Observer {
	return &Observer{pkg: pkg, types: map[reflect.Type]*shape{}}
}

// shape holds the facts about a type.
type shape struct {
	opaque bool // nothing of a value can be seen, but whether it is nil
	fixed  bool // a value that is held cannot change
	text   bool // shows the result of String
	err    bool // shows the result of Error
	method bool // package fmt shows it by a method
	fields []field
}

type field struct {
	index int
	path  string
}

var (
	errorType     = reflect.TypeFor[error]()
	stringerType  = reflect.TypeFor[fmt.Stringer]()
	formatterType = reflect.TypeFor[fmt.Formatter]()
)

// of returns the shape of a type. Of recursive types the parts that are not known
// yet count as visible.
func (o *Observer) of(t reflect.Type) *shape {
	if s := o.types[t]; s != nil {
		return s
	}
	s := &shape{}
	o.types[t] = s
	if s.err = t.Implements(errorType); s.err {
		return s
	}
	s.method = t.Implements(stringerType) || t.Implements(formatterType)
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		s.opaque, s.fixed = true, true
	case reflect.Pointer:
		s.text = o.showsText(t)
		s.opaque = !s.text && o.of(t.Elem()).opaque
	case reflect.Slice, reflect.Map, reflect.Interface:
	case reflect.Array:
		s.opaque, s.fixed = o.of(t.Elem()).opaque, o.of(t.Elem()).fixed
	case reflect.Struct:
		o.ofStruct(t, s)
	default:
		s.fixed = true
	}
	return s
}

func (o *Observer) ofStruct(t reflect.Type, s *shape) {
	for i := range t.NumField() {
		f := t.Field(i)
		embedded := f.Anonymous && f.Type.Kind() == reflect.Struct
		if (f.IsExported() || embedded) && !o.of(f.Type).opaque {
			s.fields = append(s.fields, field{i, "." + f.Name})
		}
	}
	s.text = len(s.fields) == 0 && o.showsText(t)
	s.opaque = len(s.fields) == 0 && !s.text
}

// showsText reports whether t is a type of the standard library, or a pointer
// to one, that shows only the result of its String method.
func (o *Observer) showsText(t reflect.Type) bool {
	base := t
	if t.Kind() == reflect.Pointer {
		base = t.Elem()
	}
	path := base.PkgPath()
	first, _, _ := strings.Cut(path, "/")
	if base.Kind() != reflect.Struct || path == "" || path == o.pkg || path == "main" || strings.Contains(first, ".") || !t.Implements(stringerType) {
		return false
	}
	for i := range base.NumField() {
		if base.Field(i).IsExported() {
			return false
		}
	}
	return true
}

// Opaque reports whether there is nothing to see in values of type t but nil or not.
func (o *Observer) Opaque(t reflect.Type) bool { return o.of(t).opaque }

// Changes reports whether the observable part of a value of type t may change
// in place.
func (o *Observer) Changes(t reflect.Type) bool { return !o.of(t).opaque && !o.of(t).fixed }

// Of returns the observable part of v.
func (o *Observer) Of(v any) difference.Value {
	o.parts, o.looks = 0, 0
	x := o.value(reflect.ValueOf(v), 0)
	if o.looks > maxLooks {
		return difference.Value{Kind: difference.Cut}
	}
	return x
}

func (o *Observer) value(v reflect.Value, depth int) difference.Value {
	if !v.IsValid() {
		return difference.Value{Kind: difference.Nil}
	}
	o.parts, o.looks = o.parts+1, o.looks+1
	if o.parts > maxParts || o.looks > maxLooks || depth > maxDepth {
		return difference.Value{Kind: difference.Cut}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		if v.IsNil() {
			return difference.Value{Kind: difference.Nil}
		}
	}
	if v.Kind() == reflect.Interface {
		inner := o.value(v.Elem(), depth)
		inner.Dynamic = true
		return inner
	}
	s := o.of(v.Type())
	switch {
	case s.opaque:
		return difference.Value{}
	case s.err && v.CanInterface():
		return difference.Value{Kind: difference.Error, Text: strconv.Quote(text(v.Interface().(error).Error))}
	case s.text && v.CanInterface():
		return difference.Value{Kind: difference.Text, Text: strconv.Quote(text(stringOf(v)))}
	}
	if v.Kind() == reflect.Pointer {
		inner := o.value(v.Elem(), depth+1)
		inner.Pointers++
		return inner
	}
	x := o.parted(v, s, depth)
	x.Method = x.Method || s.method
	return x
}

// parted returns a value without a pointer, of shape s, by its parts if it has some.
func (o *Observer) parted(v reflect.Value, s *shape, depth int) difference.Value {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		return o.list(v, depth)
	case reflect.Map:
		return o.entries(v, depth)
	case reflect.Struct:
		return o.fields(v, s, depth)
	}
	return difference.Value{Kind: difference.Basic, Text: basic(v)}
}

func (o *Observer) list(v reflect.Value, depth int) difference.Value {
	list := difference.Value{Kind: difference.List}
	for i := range v.Len() {
		if o.parts > maxParts {
			break
		}
		list.Parts = append(list.Parts, difference.Part{Path: "[" + strconv.Itoa(i) + "]", Value: o.value(v.Index(i), depth+1)})
	}
	if n := v.Len() - len(list.Parts); n > 0 {
		list.Parts = append(list.Parts, difference.Part{Path: difference.More, Value: difference.Value{Kind: difference.Text, Text: fmt.Sprintf("%d more", n)}})
	}
	return list
}

// entries shows a map. Which entries a limit would cut off is not known, so that
// one too large shows its length.
func (o *Observer) entries(v reflect.Value, depth int) difference.Value {
	m := difference.Value{Kind: difference.Map}
	if v.Len() > maxParts/4 {
		return difference.Value{Kind: difference.Text, Text: fmt.Sprintf("map of %d entries", v.Len())}
	}
	for it := v.MapRange(); it.Next(); {
		before := o.parts
		key := o.value(it.Key(), depth+1)
		m.Method = m.Method || key.Method
		m.Parts = append(m.Parts, difference.Part{
			Path: "[" + key.String() + "]", Value: o.value(it.Value(), depth+1),
			NoKey: key.Kind != difference.Basic || key.Dynamic || key.Pointers > 0,
		})
		o.parts = before // each entry has the same limits, in any order
	}
	o.parts += v.Len()
	sort.Slice(m.Parts, func(i, j int) bool {
		if m.Parts[i].Path != m.Parts[j].Path {
			return m.Parts[i].Path < m.Parts[j].Path
		}
		return m.Parts[i].Value.String() < m.Parts[j].Value.String()
	})
	return m
}

func (o *Observer) fields(v reflect.Value, s *shape, depth int) difference.Value {
	st := difference.Value{Kind: difference.Struct}
	for _, f := range s.fields {
		if part := v.Field(f.index); !part.IsZero() {
			st.Parts = append(st.Parts, difference.Part{Path: f.path, Value: o.value(part, depth+1)})
		}
	}
	sort.Slice(st.Parts, func(i, j int) bool { return st.Parts[i].Path < st.Parts[j].Path })
	return st
}

// basic returns a value of a basic kind as Go writes it.
func basic(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return strconv.Quote(Masked(v.String()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Complex64:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 64)
	case reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	}
	panic("observe: kind " + v.Kind().String())
}

// stringOf returns the String method of a value, without its monotonic clock if it
// is a time.
func stringOf(v reflect.Value) func() string {
	x := v.Interface()
	switch t := x.(type) {
	case time.Time:
		return t.Round(0).String
	case *time.Time:
		return t.Round(0).String
	}
	return x.(fmt.Stringer).String
}

var address = regexp.MustCompile(`\b0x[0-9a-f]{6,16}\b`)

// text returns the result of a method, possibly of the code under test, without
// addresses.
func text(f func() string) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = "(panics)"
		}
	}()
	return Masked(f())
}

// Masked returns a text without addresses, and not too long.
func Masked(s string) string {
	if strings.Contains(s, "0x") {
		s = address.ReplaceAllString(s, "0x…")
	}
	return clip(s)
}

// clip shortens a string to the observed length.
func clip(s string) string {
	if len(s) <= maxBytes {
		return s
	}
	return s[:maxBytes] + fmt.Sprintf("… (%d bytes)", len(s))
}
