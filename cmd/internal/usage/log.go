package usage

import (
	"bytes"
	varint "encoding/binary"
	"errors"
	"math"

	"foray.test/harness/record"
)

// An event is the entry or the exit of a recorded call: see harness/record.
type event struct {
	kind     byte
	call     uint64
	function int
	site     uint64
	values   []recordedValue
}

// A recordedValue is a value as harness/record writes it.
type recordedValue struct {
	typ    string // as record.TypeText gives it
	tag    byte
	object uint64 // zero if it has no identity
	num    uint64 // the bits of a number, a bool, the line of a function
	imag   uint64
	text   string // of a string, the name of a function
	file   string // of a function
	list   []recordedValue
	names  []string // of fields
	rest   bool     // the fields of a struct that are not exported are zero
}

// decodeLog returns the events of a record. Its end may be missing: the process that wrote it
// may have ended at any time.
func decodeLog(data []byte) []event {
	var list []event
	types := []string{""}
	for len(data) > 0 {
		n, count := varint.Uvarint(data)
		if count <= 0 || n > uint64(len(data)-count) {
			break
		}
		d := &decoder{data: data[count : count+int(n)], types: types}
		data = data[count+int(n):]
		e := event{kind: d.byte(), call: d.uint(), function: int(d.uint()), site: d.uint()}
		for range d.count() {
			e.values = append(e.values, d.value(0))
		}
		if d.err != nil {
			break
		}
		types = d.types
		list = append(list, e)
	}
	return list
}

// A decoder reads one event.
type decoder struct {
	data  []byte
	types []string
	err   error
}

var errShort = errors.New("record ends too early")

func (d *decoder) byte() byte {
	if len(d.data) == 0 {
		d.err = errShort
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *decoder) uint() uint64 {
	n, count := varint.Uvarint(d.data)
	if count <= 0 {
		d.err, d.data = errShort, nil
		return 0
	}
	d.data = d.data[count:]
	return n
}

// int returns the bits of a number with a sign.
func (d *decoder) int() uint64 {
	n := d.uint()
	return n>>1 ^ -(n & 1)
}

func (d *decoder) text() string {
	n := d.uint()
	if n > uint64(len(d.data)) {
		d.err, d.data = errShort, nil
		return ""
	}
	s := string(d.data[:n])
	d.data = d.data[n:]
	return s
}

// count returns a number of values: no more than there are bytes.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.data)) {
		d.err, d.data = errShort, nil
		return 0
	}
	return int(n)
}

// maxNesting is deeper than a record nests values.
const maxNesting = 32

func (d *decoder) value(depth int) (v recordedValue) {
	index := d.uint()
	if index == uint64(len(d.types)) {
		d.types = append(d.types, d.text())
	}
	if index >= uint64(len(d.types)) || depth > maxNesting {
		d.err, d.data = errShort, nil
		return v
	}
	v.typ, v.tag = d.types[index], d.byte()
	switch v.tag {
	case record.TagBool:
		v.num = uint64(d.byte())
	case record.TagInt:
		v.num = d.int()
	case record.TagTime:
		v.object, v.num = d.uint(), d.int()
	case record.TagUint, record.TagFloat:
		v.num = d.uint()
	case record.TagComplex:
		v.num, v.imag = d.uint(), d.uint()
	case record.TagObject:
		v.object = d.uint()
	case record.TagString, record.TagText:
		v.object, v.text = d.uint(), d.text()
	case record.TagWrapped:
		v.text, v.list = d.text(), []recordedValue{d.value(depth + 1)}
	case record.TagFunc:
		v.object, v.text, v.file, v.num = d.uint(), d.text(), d.text(), d.uint()
	case record.TagList, record.TagMap, record.TagStruct, record.TagPointer:
		v.object = d.uint()
		d.parts(&v, depth+1)
	}
	return v
}

// parts reads the parts of a value.
func (d *decoder) parts(v *recordedValue, depth int) {
	n := 1
	if v.tag != record.TagPointer {
		n = d.count()
	}
	if v.tag == record.TagMap {
		n *= 2
	}
	for range n {
		if d.err != nil {
			return
		}
		if v.tag == record.TagStruct {
			v.names = append(v.names, d.text())
		}
		v.list = append(v.list, d.value(depth))
	}
	if v.tag == record.TagStruct {
		v.rest = d.byte() != 0
	}
}

// plain returns a value without the text of a reader that it wraps.
func (v *recordedValue) plain() *recordedValue {
	if v.tag == record.TagWrapped {
		return &v.list[0]
	}
	return v
}

// float returns the number of a float.
func (v *recordedValue) float() float64 { return math.Float64frombits(v.num) }

// key returns a text that is equal for values of equal content.
func (v *recordedValue) key() string {
	var b bytes.Buffer
	v.appendKey(&b)
	return b.String()
}

func (v *recordedValue) appendKey(b *bytes.Buffer) {
	b.WriteString(v.typ)
	b.WriteByte(v.tag)
	b.Write(varint.LittleEndian.AppendUint64(nil, v.num^v.imag<<1))
	b.WriteString(v.text)
	for i := range v.list {
		v.list[i].appendKey(b)
	}
	b.WriteByte(0)
}
