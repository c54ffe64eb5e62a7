package concolic

import (
	"encoding/binary"
	"go/types"
	"math"

	"foray.test/cmd/internal/concolic/solver"
)

// A value is a Go value in the interpreter.
//
//	bool, integers     n, extended to 64 bits by the sign of the type; e if symbolic
//	floats             n, the bits of a float64
//	complex            x, a complex128
//	string             x, a *str
//	pointer            x, a *value or, for reading only, a *element; nil
//	slice              x, a *slice; nil
//	struct, array      x, an *aggregate
//	tuple              x, an *aggregate
//	interface          x, an *iface; nil
//	func               x, a *closure; nil
//	map                x, a *mapping; nil
//	unsafe.Pointer     x, an *opaque; nil
type value struct {
	n uint64
	e *solver.Term // nil if the value does not depend on the input
	x any
}

// str is the content of a string.
type str struct {
	s   string
	sym []*solver.Term // of bytes; nil elements, and those that are missing, are concrete. It may be longer than s: bytes that s would have if it were longer
	n   *solver.Term   // the length, if it is symbolic
}

// slice is a slice; a has its length and capacity.
type slice struct {
	a []value
	n *solver.Term // the length, if it is symbolic
}

// aggregate holds fields or elements. In a register it does not change; in memory, its
// fields have addresses.
type aggregate struct{ f []value }

// iface is an interface value that is not nil.
type iface struct {
	t *rtype
	v value
}

// closure is a function with its free variables.
type closure struct {
	fn   *function
	free []value
}

// opaque is an unsafe.Pointer with the type that it was converted from.
type opaque struct {
	p value
	t types.Type
}

// element is a pointer to an element with a symbolic index.
type element struct {
	all   []value
	p     *value
	index value
	typ   types.Type // of the elements
}

// mapping is a map. Iteration is in the order of insertion.
type mapping struct {
	at         map[any]int
	keys, vals []value
	gone       []bool
	live       int
	run        int // in which it was made, or copied before it was changed
}

// class tells how values of a type are represented.
type class uint8

const (
	otherClass class = iota
	boolClass
	intClass
	floatClass
	complexClass
	stringClass
	aggregateClass
	ifaceClass
)

// kind describes the scalars of a type.
type kind struct {
	class  class
	width  uint8
	signed bool
}

func kindOf(t types.Type) kind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicKind(u)
	case *types.Struct, *types.Array, *types.Tuple:
		return kind{class: aggregateClass}
	case *types.Interface:
		return kind{class: ifaceClass}
	}
	return kind{}
}

func basicKind(b *types.Basic) kind {
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return kind{boolClass, 1, false}
	case types.Int8:
		return kind{intClass, 8, true}
	case types.Int16:
		return kind{intClass, 16, true}
	case types.Int32, types.UntypedRune:
		return kind{intClass, 32, true}
	case types.Int, types.Int64, types.UntypedInt:
		return kind{intClass, 64, true}
	case types.Uint8:
		return kind{intClass, 8, false}
	case types.Uint16:
		return kind{intClass, 16, false}
	case types.Uint32:
		return kind{intClass, 32, false}
	case types.Uint, types.Uint64, types.Uintptr:
		return kind{intClass, 64, false}
	case types.Float32:
		return kind{floatClass, 32, true}
	case types.Float64, types.UntypedFloat:
		return kind{floatClass, 64, true}
	case types.Complex64:
		return kind{complexClass, 64, true}
	case types.Complex128, types.UntypedComplex:
		return kind{complexClass, 128, true}
	case types.String, types.UntypedString:
		return kind{class: stringClass}
	}
	return kind{}
}

// extend makes the bits above the width copies of the sign, or zero.
func (k kind) extend(n uint64) uint64 {
	shift := 64 - k.width
	if k.signed {
		return uint64(int64(n<<shift) >> shift)
	}
	return n << shift >> shift
}

func float(f float64) value { return value{n: math.Float64bits(f)} }

// float returns a floating-point number of a kind, which may have less precision.
func (k kind) float(f float64) value {
	if k.width == 32 {
		f = float64(float32(f))
	}
	return float(f)
}

// complex returns a complex number of a kind, likewise.
func (k kind) complex(c complex128) value {
	if k.width == 64 {
		c = complex128(complex64(c))
	}
	return value{x: c}
}
func (v *value) float() float64 { return math.Float64frombits(v.n) }

func integer(n int) value { return value{n: uint64(n)} }

func boolean(b bool) value { return value{n: solver.Truth(b)} }

func text(s string) value { return value{x: &str{s: s}} }

var noText = &str{}

func (v *value) str() *str {
	if s, ok := v.x.(*str); ok {
		return s
	}
	return noText
}

// elems returns the elements of a slice.
func (v *value) elems() []value {
	if s, ok := v.x.(*slice); ok {
		return s.a
	}
	return nil
}

func (v *value) fields() []value { return v.x.(*aggregate).f }

func tuple(vs ...value) value { return value{x: &aggregate{vs}} }

// zero returns the zero value of a type, with fields in memory of its own.
func (m *Machine) zero(t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		f := make([]value, u.NumFields())
		m.allocate(len(f))
		for i := range f {
			f[i] = m.zero(u.Field(i).Type())
		}
		return value{x: &aggregate{f}}
	case *types.Array:
		return value{x: &aggregate{m.zeros(u.Elem(), int(u.Len()))}}
	case *types.Tuple:
		f := make([]value, u.Len())
		for i := range f {
			f[i] = m.zero(u.At(i).Type())
		}
		return value{x: &aggregate{f}}
	case *types.Basic:
		if u.Kind() == types.Complex64 || u.Kind() == types.Complex128 {
			return value{x: complex128(0)}
		}
		if u.Info()&types.IsString != 0 {
			return value{x: noText}
		}
	}
	return value{}
}

// zeros returns n zero values of a type.
func (m *Machine) zeros(t types.Type, n int) []value {
	m.allocate(n)
	list := make([]value, n)
	k := kindOf(t)
	if n == 0 || k.class != aggregateClass && k.class != stringClass && k.class != complexClass {
		return list
	}
	for i := range list {
		list[i] = m.zero(t)
	}
	return list
}

// clone copies a value that is read from memory.
func clone(v value) value {
	a, ok := v.x.(*aggregate)
	if !ok {
		return v
	}
	f := make([]value, len(a.f))
	for i := range f {
		f[i] = clone(a.f[i])
	}
	return value{x: &aggregate{f}}
}

// store writes a value to memory. Fields keep their addresses.
func (m *Machine) store(p *value, v value) {
	if a, ok := v.x.(*aggregate); ok {
		if to, ok := p.x.(*aggregate); ok && len(to.f) == len(a.f) {
			for i := range a.f {
				m.store(&to.f[i], a.f[i])
			}
			return
		}
		v = clone(v)
	}
	if m.journaling {
		m.journal = append(m.journal, undo{p: p, old: *p})
	}
	*p = v
}

// equal compares values of a type. The term is nil if the result is concrete.
func (m *Machine) equal(t types.Type, a, b *value) (bool, *solver.Term) {
	k := kindOf(t)
	switch k.class {
	case boolClass, intClass:
		if a.e != nil || b.e != nil {
			return a.n == b.n, m.terms.Binary(solver.Eq, m.term(a, k.width), m.term(b, k.width))
		}
		return a.n == b.n, nil
	case floatClass:
		return a.float() == b.float(), nil
	case complexClass:
		return a.x.(complex128) == b.x.(complex128), nil
	case stringClass:
		return m.equalText(a.str(), b.str())
	case ifaceClass:
		return m.equalIface(a, b)
	case aggregateClass:
		return m.equalFields(t, a.fields(), b.fields())
	}
	if p, ok := a.x.(*opaque); ok {
		a = &p.p
	}
	if p, ok := b.x.(*opaque); ok {
		b = &p.p
	}
	return a.x == b.x, nil
}

func (m *Machine) equalFields(t types.Type, a, b []value) (same bool, all *solver.Term) {
	same = true
	for i := range a {
		var ft types.Type
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if ft = u.Field(i).Type(); u.Field(i).Name() == "_" {
				continue
			}
		case *types.Array:
			ft = u.Elem()
		}
		eq, term := m.equal(ft, &a[i], &b[i])
		if !eq && term == nil {
			return false, nil
		}
		same = same && eq
		all = m.both(all, term)
	}
	return same, all
}

func (m *Machine) equalIface(a, b *value) (bool, *solver.Term) {
	p, q := a.iface(), b.iface()
	if p == nil || q == nil {
		return p == q, nil
	}
	if p.t != q.t {
		return false, nil
	}
	if !types.Comparable(p.t.typ) {
		m.throw("runtime error: comparing uncomparable type " + p.t.typ.String())
	}
	return m.equal(p.t.typ, &p.v, &q.v)
}

func (v *value) iface() *iface {
	i, _ := v.x.(*iface)
	return i
}

// both returns the conjunction of terms, of which nil ones are true.
func (m *Machine) both(a, b *solver.Term) *solver.Term {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return m.terms.Binary(solver.And, a, b)
}

// composite is the hash key of a struct or an array.
type composite string

// typed is the hash key of an interface value.
type typed struct {
	t *rtype
	k any
}

// hashKey returns a Go value that is equal for equal values of a type.
func (m *Machine) hashKey(t types.Type, v *value) any {
	k := kindOf(t)
	switch k.class {
	case boolClass, intClass:
		return v.n
	case floatClass:
		return v.float()
	case stringClass:
		return v.str().s
	case ifaceClass:
		i := v.iface()
		if i == nil {
			return nil
		}
		if !types.Comparable(i.t.typ) {
			m.throw("runtime error: hash of unhashable type " + i.t.typ.String())
		}
		return typed{i.t, m.hashKey(i.t.typ, &i.v)}
	case aggregateClass:
		var key []byte
		for i, f := range v.fields() {
			ft := elementType(t, i)
			switch kindOf(ft).class {
			case boolClass, intClass:
				key = binary.LittleEndian.AppendUint64(key, f.n)
			case stringClass:
				key = binary.AppendUvarint(key, uint64(len(f.str().s)))
				key = append(key, f.str().s...)
			default:
				m.abort(ReasonUnsupported, "map keys of type "+t.String())
			}
		}
		return composite(key)
	}
	return v.x
}

// elementType returns the type of a field or an element.
func elementType(t types.Type, i int) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return u.Field(i).Type()
	case *types.Array:
		return u.Elem()
	case *types.Tuple:
		return u.At(i).Type()
	}
	panic("no element type: " + t.String())
}
