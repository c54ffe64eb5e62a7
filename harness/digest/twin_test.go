package digest

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// A twin writes a value as text in which everything that counts, and nothing else,
// can be read: the definition of a digest, slowly. It goes depth first where a
// Digester goes breadth first. Types with special treatment it does not know.
type twin struct {
	seen    map[twinKey]int
	pending []twinMap
}

type twinKey struct {
	ptr unsafe.Pointer
	typ reflect.Type
	n   int
}

type twinMap struct {
	number int
	value  reflect.Value
}

func encode(v any) string {
	t := &twin{seen: map[twinKey]int{}}
	return t.scope(reflect.ValueOf(&v).Elem())
}

// scope encodes values, then the maps that they reach other than through maps.
func (t *twin) scope(vs ...reflect.Value) string {
	var b strings.Builder
	for _, v := range vs {
		b.WriteString(t.value(v) + ";")
	}
	for _, m := range t.pending {
		var entries []string
		for it := m.value.MapRange(); it.Next(); {
			inner := &twin{seen: maps.Clone(t.seen)}
			entries = append(entries, inner.scope(it.Key(), it.Value()))
		}
		slices.Sort(entries)
		fmt.Fprintf(&b, "map %d %q;", m.number, entries)
	}
	return b.String()
}

// number returns the number of k's object, and whether it was seen before.
func (t *twin) number(k twinKey) (int, bool) {
	n, ok := t.seen[k]
	if !ok {
		n = len(t.seen)
		t.seen[k] = n
	}
	return n, ok
}

func (t *twin) value(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return fmt.Sprint(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(v.Uint())
	case reflect.Float32, reflect.Float64:
		return float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		return float(real(v.Complex())) + float(imag(v.Complex()))
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Func:
		return fmt.Sprint("func", v.Pointer())
	case reflect.Chan:
		return fmt.Sprint("chan", v.IsNil(), v.Len(), v.Cap())
	case reflect.UnsafePointer:
		return fmt.Sprint(v.IsNil())
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return "any " + v.Elem().Type().String() + " " + t.value(v.Elem())
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().Size() == 0 {
			return fmt.Sprint("pointer ", v.IsNil())
		}
		n, seen := t.number(twinKey{v.UnsafePointer(), v.Type().Elem(), 1})
		if seen {
			return fmt.Sprint("#", n)
		}
		return fmt.Sprint("&", n, " ", t.value(v.Elem()))
	case reflect.Slice:
		if v.IsNil() || v.Len() == 0 || v.Type().Elem().Size() == 0 {
			return fmt.Sprint("slice ", v.IsNil(), v.Len())
		}
		n, seen := t.number(twinKey{v.UnsafePointer(), v.Type().Elem(), v.Len()})
		if seen {
			return fmt.Sprint("len ", v.Len(), " #", n)
		}
		return fmt.Sprint("len ", v.Len(), " &", n, " ", t.elements(v))
	case reflect.Array:
		return t.elements(v)
	case reflect.Map:
		if v.IsNil() {
			return "nil"
		}
		n, seen := t.number(twinKey{v.UnsafePointer(), v.Type(), -1})
		if !seen {
			t.pending = append(t.pending, twinMap{n, v})
		}
		return fmt.Sprint("map #", n)
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				fields = append(fields, t.value(v.Field(i)))
			}
		}
		return fmt.Sprintf("{%s}", strings.Join(fields, ","))
	}
	panic(v.Kind())
}

func (t *twin) elements(v reflect.Value) string {
	var s []string
	for i := range v.Len() {
		s = append(s, t.value(v.Index(i)))
	}
	return fmt.Sprintf("[%s]", strings.Join(s, ","))
}

func float(f float64) string {
	if f != f {
		return "NaN"
	}
	return fmt.Sprintf("%x", math.Float64bits(f))
}
