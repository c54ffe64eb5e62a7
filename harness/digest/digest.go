// Package digest compares the structure of values without calling their
// methods.
//
// A digest is 64 bits over a whole value: unexported fields, the values that
// pointers reach, and the sharing among them. It calls no method of the value,
// so a broken Equal or Hash of the code under test cannot mislead it:
//
//	d := digest.New(digest.Limits{})
//	a, b := list.New(), list.New()
//	a.PushBack(1)
//	d.Sum(a).Hash == d.Sum(b).Hash // false
//	b.PushBack(1)
//	d.Sum(a).Hash == d.Sum(b).Hash // true, though no pointer in them is equal
//
// These parts count, by kind:
//
//   - booleans, integers, uintptr: the value. Floats: the bits, so that 0 and -0
//     differ; every NaN is the same.
//   - strings: the content. Slices: the elements up to the length, not the
//     capacity. A nil slice, and a nil map, differ from an empty one.
//   - pointers: nil or the value that they point to. A value reached before counts
//     as its number, given when it was first reached. So cycles end, and a node
//     reached twice differs from two equal nodes. The same holds for maps and for
//     slices of equal start, length and element type; a slice of length one is
//     reached as a pointer to its element.
//   - maps: the entries, in no order. An entry knows the numbers of values outside
//     of the map, but not those of other entries.
//   - interfaces: the dynamic type and the value. Functions: the code, not the
//     captured variables. Channels: length and capacity.
//   - time.Time: the instant, the location's name and offset; no monotonic clock.
//     *time.Location: the name. reflect.Type and run-time types: their identity.
//     unique.Handle: the value it stands for. sync.Map: as a map.
//   - sync/atomic: the value. unsafe.Pointer, and so weak.Pointer and the pointer
//     in a reflect.Value: only whether it is nil.
//   - nothing: other types of package sync, blank fields, padding.
//
// Types are distinguished by package path, name and layout; two local types of
// different functions that agree in all three are the same.
//
// Equal values have equal digests in every process of one binary: there is no
// seed, and code addresses are taken relative to this package's.
//
// A digest does not show sharing between slices that overlap but do not start
// and end together, nor between a value and a pointer to one of its fields.
// Each is walked as its own type. A pointer to a zero-size value is only nil or
// not.
package digest

import (
	"reflect"
	"unsafe"
)

// Limits bound the work of one digest.
type Limits struct {
	MaxNodes int // see [Digest]; zero means 4096
	MaxBytes int // of strings and of arrays and slices without references; zero means 64 KiB

	// Shape leaves out booleans, numbers, strings, times and handles. What remains are
	// types, lengths of slices and sizes of maps, nil or not, and which parts are shared:
	// the abstraction by heap shape of [Pacheco09 §8.1].
	Shape bool
}

// A Digest identifies a value.
type Digest struct {
	Hash uint64

	// Nodes is the number of parts walked: the value itself, values that
	// pointers reach, map entries, and elements of slices and arrays that hold
	// references. Other elements count their bytes.
	Nodes int

	// Truncated reports that the walk met a limit; parts beyond it are not in
	// Hash. Values that agree up to there, nearest parts first, have equal
	// digests.
	Truncated bool
}

// A Digester computes digests. The limits bound its scratch memory, so it
// allocates nothing once it has seen the types; a sync.Map costs one small
// object. Only one goroutine at a time may use it.
type Digester struct {
	root  any
	types typeCache

	entries []entry // the parts reached, by number
	slots   []slot  // finds the number by address
	epoch   uint32  // slots of other epochs are free
	used    int     // slots of this epoch

	nodes, maxNodes int
	bytes, maxBytes int
	truncated       bool

	levels []*level // one for each map being walked, reused
	depth  int

	limits Limits
}

// New returns a Digester that keeps to l.
func New(l Limits) *Digester {
	if l.MaxNodes <= 0 {
		l.MaxNodes = 4096
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = 64 << 10
	}
	return &Digester{limits: l, slots: make([]slot, 64), epoch: 1, types: typeCache{shape: l.Shape}}
}

// Sum returns the digest of v and does not change v. The caller ensures that
// nothing changes the parts of v while Sum runs, which would be a data race.
func (d *Digester) Sum(v any) Digest {
	d.root = v // on the heap, so that no stack that grows moves it
	d.nodes, d.maxNodes = 1, d.limits.MaxNodes
	d.bytes, d.maxBytes = 0, d.limits.MaxBytes
	d.truncated = false

	h := d.iface(unsafe.Pointer(&d.root), unsafe.Pointer(&d.root), seedRoot)
	if len(d.entries) > 0 {
		h = d.drain(0, h)
		d.forget()
	}
	d.root = nil
	return Digest{finish(h), d.nodes, d.truncated}
}

// Mutable reports whether a copied value of type t can change: whether it holds
// a pointer, map, slice, channel, function or interface. A time.Time, a
// reflect.Type and a unique.Handle do not count, since they point to immutable
// data.
func Mutable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Interface:
		return t != reflect.TypeFor[reflect.Type]()
	case reflect.Array:
		return t.Len() > 0 && Mutable(t.Elem())
	case reflect.Struct:
		if isTime(t) || isHandle(t) {
			return false
		}
		for i := range t.NumField() {
			if Mutable(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
