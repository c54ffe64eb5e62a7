// Package consumer reads inputs of fuzz targets that use go-fuzz-headers: bytes
// from which its ConsumeFuzzer makes a value of a struct type.
//
//	type Server struct {
//		Host string
//		Port uint16
//	}
//
//	"\x00\x00\x00\x01a" "\x00\x50\x01"    Server{Host: "a", Port: 80}
//
// A string is a length in four bytes, most significant first, and its bytes. A
// number of 16 bits is two bytes and a third, which gives their order by its
// lowest bit. Most other integers are one byte.
//
// [Decode] works on types of package go/types, since the types of the package
// under test are not linked into the command. It does the same as
// GenerateStruct, which uses reflection, and leaves single values to the
// ConsumeFuzzer itself.
package consumer

import (
	"encoding/binary"
	"go/types"

	fuzz "github.com/AdaLogics/go-fuzz-headers"
)

// Path is the import path of go-fuzz-headers.
const Path = "github.com/AdaLogics/go-fuzz-headers"

// A Value is a decoded value. Values of types that are not decoded, such as
// interfaces and arrays, are zero: they have only a type.
type Value struct {
	Type types.Type
	// Basic is the value of a basic type: a bool, int64, uint64, float64 or string; nil
	// if there was no more to read it from.
	Basic any
	// Fields are the exported ones of a struct, in order, as far as it was read.
	Fields []Field
	// Elems are the elements of a slice, the values of a map, with their Keys,
	// in the order in which they were read, or the target of a pointer.
	Keys, Elems []Value
}

// A Field is one of a struct.
type Field struct {
	Name string
	Value
}

// Decode reads a value of type t from data, as NewConsumer(data).GenerateStruct does
// given a pointer to one. An error says that the data is at its end, as a target
// would learn.
func Decode(data []byte, t types.Type) (Value, error) {
	d := &decoder{c: fuzz.NewConsumer(data), left: len(data)}
	return d.value(t)
}

// String returns the bytes that GetString reads as s.
func String(s string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(s))), s...)
}

// maxDepth is how deep go-fuzz-headers reads; below, all is zero.
const maxDepth = 100

// Bounds of go-fuzz-headers on slices and maps. A slice counts as whole if
// there were bytes for fullAt elements.
const (
	maxElems = 50
	maxBytes = 10_000_000
	fullAt   = 10
)

type decoder struct {
	c     *fuzz.ConsumeFuzzer
	left  int // bytes that c has not read, which it does not tell
	depth int
}

func (d *decoder) value(t types.Type) (Value, error) {
	v := Value{Type: t}
	if d.depth >= maxDepth {
		return v, nil
	}
	d.depth++
	defer func() { d.depth-- }()
	var err error
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if v.Basic, err = d.basic(u); err != nil {
			v.Basic = nil
		}
	case *types.Struct:
		for field := range u.Fields() {
			if !field.Exported() {
				continue
			}
			f, err := d.value(field.Type())
			v.Fields = append(v.Fields, Field{field.Name(), f})
			if err != nil {
				return v, err
			}
		}
	case *types.Slice:
		v.Elems, err = d.slice(t, u)
	case *types.Map:
		err = d.entries(&v, u)
	case *types.Pointer:
		v.Elems = make([]Value, 1)
		v.Elems[0], err = d.value(u.Elem())
	}
	return v, err
}

// basic reads a value of a basic type. Of those that are not read it returns nil.
func (d *decoder) basic(b *types.Basic) (any, error) {
	switch b.Kind() {
	case types.String:
		return d.string()
	case types.Bool:
		v, err := d.c.GetBool()
		d.read(1, err)
		return v, err
	case types.Int, types.Int8, types.Int16, types.Int32, types.Int64:
		v, err := d.c.GetInt()
		d.read(1, err)
		if b.Kind() == types.Int8 {
			v = int(int8(v))
		}
		return int64(v), err
	case types.Uint64:
		v, err := d.c.GetInt()
		d.read(1, err)
		return uint64(v), err
	case types.Uint8:
		v, err := d.c.GetByte()
		d.read(1, err)
		return uint64(v), err
	case types.Uint16:
		v, err := d.c.GetUint16()
		d.read(2+order, err)
		return uint64(v), err
	case types.Uint32:
		v, err := d.c.GetUint32()
		d.read(4, err)
		return uint64(v), err
	case types.Uint:
		v, err := d.c.GetUint()
		d.read(8+order, err)
		return uint64(v), err
	case types.Float32:
		v, err := d.c.GetFloat32()
		d.read(4+order, err)
		return float64(v), err
	case types.Float64:
		v, err := d.c.GetFloat64()
		d.read(8+order, err)
		return v, err
	}
	return nil, nil
}

// order is the size of the byte that gives the order of a number's bytes.
const order = 1

// read takes in that a number was read, or as much of it as there was.
func (d *decoder) read(size int, err error) {
	if err != nil {
		size = d.left
	}
	d.left -= size
}

// string reads a string. If it is not all there its length is gone.
func (d *decoder) string() (string, error) {
	s, err := d.c.GetString()
	if err != nil {
		d.left -= min(d.left, 4)
		return "", err
	}
	d.left -= 4 + len(s)
	return s, nil
}

func (d *decoder) slice(t types.Type, s *types.Slice) ([]Value, error) {
	n, err := d.c.GetUint32()
	if d.read(4, err); err != nil {
		return nil, err
	}
	most := uint32(maxElems)
	if types.Identical(t, types.NewSlice(types.Typ[types.Byte])) {
		most = maxBytes
	}
	elems := make([]Value, min(int(n%most), d.left))
	for i := range elems {
		if elems[i], err = d.value(s.Elem()); err != nil {
			if i < fullAt {
				return nil, err
			}
			for j := i + 1; j < len(elems); j++ {
				elems[j] = Value{Type: s.Elem()}
			}
			break
		}
	}
	return elems, nil
}

func (d *decoder) entries(v *Value, m *types.Map) error {
	n, err := d.c.GetInt()
	if d.read(1, err); err != nil {
		return err
	}
	for range n % maxElems {
		key, err := d.value(m.Key())
		if err != nil {
			return err
		}
		elem, err := d.value(m.Elem())
		if err != nil {
			return err
		}
		v.Keys, v.Elems = append(v.Keys, key), append(v.Elems, elem)
	}
	return nil
}
