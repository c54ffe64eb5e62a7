package digest

import (
	"math"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// A walk appends the parts at an address to the hash. It follows nothing: the
// target of a pointer becomes an entry, and entries are walked in the order in
// which they were reached. So no structure is too deep for the stack, and a
// truncated digest covers the parts nearest to the root. The list of entries is
// both the queue and the numbering. Maps wait for the rest of their scope: by
// then the numbers of everything outside of them are fixed, for any order of
// fields.

// codeBase is the address that code pointers are taken relative to.
var codeBase = reflect.ValueOf(New).Pointer()

// nowhere is the address of all values of size zero. A pointer of another type
// to it comes from unsafe.SliceData of an empty slice: there is no element.
var nowhere = reflect.New(reflect.TypeFor[struct{}]()).UnsafePointer()

// atNowhere is the number of such a pointer; no entry has it.
const atNowhere = 1<<63 - 1

func (d *Digester) walk(pl *plan, p unsafe.Pointer, h uint64) uint64 {
	for i := range pl.ops {
		o := &pl.ops[i]
		q := unsafe.Add(p, o.off)
		switch o.kind {
		case opWord:
			h = mix(h, *(*uint64)(q))
		case opBytes:
			h = mixBytes(h, q, o.n)
		case opPointer:
			var n uint64
			if t := *(*unsafe.Pointer)(q); t == nowhere {
				n = atNowhere
			} else if t != nil {
				n = d.number(t, o.elem, 1)
			}
			h = mix(h, n)
		case opString:
			h = d.str(*(*string)(q), h)
		case opEface:
			h = d.iface(q, q, h)
		default:
			h = d.rare(o, q, h)
		}
	}
	return h
}

// rare is the part of walk for kinds that need not be fast, kept apart so that
// walk stays small. Kinds that are not digested by their memory have a part of their own.
func (d *Digester) rare(o *op, q unsafe.Pointer, h uint64) uint64 {
	switch o.kind {
	case opBulk:
		return mixBytes(h, q, uintptr(d.takeBytes(int(o.n), 1)))
	case opFloat32:
		f := *(*float32)(q)
		if f != f {
			return mix(h, uint64(math.Float32bits(float32(math.NaN()))))
		}
		return mix(h, uint64(math.Float32bits(f)))
	case opFloat64:
		f := *(*float64)(q)
		if f != f {
			return mix(h, math.Float64bits(math.NaN()))
		}
		return mix(h, math.Float64bits(f))
	case opSlice, opLength:
		s := *(*[]struct{})(q) // only its header is read
		if s == nil {
			return mix(h, 0)
		}
		h = mix(h, uint64(len(s))+1)
		if len(s) == 0 || o.kind == opLength {
			return h
		}
		return mix(h, d.number(unsafe.Pointer(unsafe.SliceData(s)), o.elem, len(s)))
	case opMap:
		if m := *(*unsafe.Pointer)(q); m != nil {
			return mix(h, d.number(m, o.elem, isMap))
		}
		return mix(h, 0)
	case opIface:
		e := any(*(*interface{ method() })(q)) // only its words are read
		return d.iface(unsafe.Pointer(&e), q, h)
	case opArray:
		n := d.take(o.elem, int(o.n))
		for i := range n {
			h = d.walk(o.elem, unsafe.Add(q, uintptr(i)*o.elem.size), h)
		}
		return h
	}
	return d.opaque(o, q, h)
}

// opaque is the part of walk for kinds that are not digested by their memory: functions,
// channels, and some types of the standard library.
func (d *Digester) opaque(o *op, q unsafe.Pointer, h uint64) uint64 {
	switch o.kind {
	case opFunc:
		if f := *(*unsafe.Pointer)(q); f != nil {
			return mix(h, uint64(*(*uintptr)(f)-codeBase)|1<<63)
		}
		return mix(h, 0)
	case opChan:
		c := *(*chan struct{})(q) // only its counts are read
		if c == nil {
			return mix(h, 0)
		}
		return mix(mix(h, uint64(len(c))+1), uint64(cap(c)))
	case opNil:
		if *(*unsafe.Pointer)(q) != nil {
			return mix(h, 1)
		}
		return mix(h, 0)
	case opTime:
		t := *(*time.Time)(q)
		_, offset := t.Zone()
		h = mix(mix(h, uint64(t.Unix())), uint64(t.Nanosecond()))
		return mixString(mix(h, uint64(offset)), t.Location().String())
	case opLocation:
		return mixString(h, (*time.Location)(q).String())
	case opLocPtr:
		if l := *(**time.Location)(q); l != nil {
			return mixString(mix(h, 1), l.String())
		}
		return mix(h, 0)
	case opType:
		if t := *(*unsafe.Pointer)(q); t != nil {
			e := [2]unsafe.Pointer{t} // an interface of that type, never used as a value
			return mix(h, d.types.of(t, unsafe.Pointer(&e)).hash)
		}
		return mix(h, 0)
	case opHandle:
		if t := *(*unsafe.Pointer)(q); t != nil {
			d.entries = append(d.entries, entry{t, o.elem, 1, noSlot})
			return mix(h, 1)
		}
		return mix(h, 0)
	case opSyncMap:
		d.entries = append(d.entries, entry{q, nil, isSyncMap, noSlot})
		return h
	}
	panic("digest: unknown kind of op")
}

// str appends a string as far as MaxBytes allows.
func (d *Digester) str(s string, h uint64) uint64 {
	h = mix(h, uint64(len(s)))
	return mixBytes(h, unsafe.Pointer(unsafe.StringData(s)), uintptr(d.takeBytes(len(s), 1)))
}

// iface appends a type and a value. e is the empty interface with the type
// word; the data word is read at q, where the value may be.
func (d *Digester) iface(e, q unsafe.Pointer, h uint64) uint64 {
	t := *(*unsafe.Pointer)(e)
	if t == nil {
		return mix(h, 0)
	}
	pl := d.types.of(t, e)
	h = mix(h, pl.hash)
	data := unsafe.Add(q, unsafe.Sizeof(uintptr(0)))
	switch {
	case pl.direct:
		return d.walk(pl, data, h)
	case pl.inline:
		return d.walk(pl, *(*unsafe.Pointer)(data), h)
	}
	if len(pl.ops) > 0 {
		// No number: the value in an interface does not change, so its sharing
		// does not show.
		d.entries = append(d.entries, entry{*(*unsafe.Pointer)(data), pl, 1, noSlot})
	}
	return h
}

// take counts n values of elem against the limits and returns how many of them fit.
func (d *Digester) take(elem *plan, n int) int {
	if elem.flat {
		d.nodes++
		return d.takeBytes(n, elem.size)
	}
	if left := d.maxNodes - d.nodes; n > left {
		n = max(left, 0)
		d.truncated = true
	}
	d.nodes += n
	return n
}

// takeBytes counts n units of the given size against MaxBytes and returns how many
// of them fit.
func (d *Digester) takeBytes(n int, size uintptr) int {
	if left := d.maxBytes - d.bytes; n > left/int(size) {
		n = max(left, 0) / int(size)
		d.truncated = true
	}
	d.bytes += n * int(size)
	return n
}

// drain walks the entries from base on, and all that they lead to.
func (d *Digester) drain(base int, h uint64) uint64 {
	maps := false
	for i := base; i < len(d.entries); i++ {
		if d.entries[i].n < 0 {
			maps = true
			continue
		}
		if d.nodes >= d.maxNodes {
			d.truncated = true
			return h
		}
		if e := &d.entries[i]; e.n == 1 {
			d.nodes++
			// From a constant, not from h: the processor works on several entries at once.
			h = mix(h, d.walk(e.plan, e.ptr, seedEntry))
		} else {
			h = d.row(e, h)
		}
	}
	if maps {
		for i, end := base, len(d.entries); i < end; i++ {
			switch e := &d.entries[i]; e.n {
			case isMap:
				h = d.walkMap(e.ptr, e.plan, h)
			case isSyncMap:
				h = d.walkSyncMap((*sync.Map)(e.ptr), h)
			}
		}
	}
	return h
}

// row walks an entry of several values. e is not used after the walk begins:
// entries may move.
func (d *Digester) row(e *entry, h uint64) uint64 {
	pl, p := e.plan, e.ptr
	if pl.bytes {
		d.nodes++
		return mixBytes(h, p, uintptr(d.takeBytes(e.n*int(pl.size), 1)))
	}
	for i := range d.take(pl, e.n) {
		h = d.walk(pl, unsafe.Add(p, uintptr(i)*pl.size), h)
	}
	return h
}
