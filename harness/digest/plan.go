package digest

import (
	"reflect"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// A plan says how to walk the values of one type. Plans are made once for each
// type and then only read.
type plan struct {
	typ  reflect.Type
	hash uint64 // of the type
	size uintptr
	ops  []op // nested structs are part of it; empty when the values do not count

	bytes  bool // every byte counts as it is: ops is one opBytes or opWord
	flat   bool // holds no reference: counts bytes, not nodes
	direct bool // an interface holds the value itself, not a pointer to it
	inline bool // small, and ends here: an interface holding it needs no entry

	key, elem *plan // of a map
	zero      any   // a nil map of typ

	complete bool
}

// An op is one step of a walk: an offset and the way to read the part there.
type op struct {
	kind opKind
	off  uintptr
	n    uintptr // opBytes, opBulk: bytes; opArray: elements
	elem *plan
}

type opKind uint8

const (
	opWord     opKind = iota // eight bytes
	opBytes                  // up to bulkBytes bytes
	opBulk                   // more: they count against MaxBytes
	opFloat32                // one float
	opFloat64                // one float
	opString                 // content
	opPointer                // elem at the other end
	opSlice                  // elements of elem
	opLength                 // slice of elements that do not count
	opMap                    // elem is the map's own plan
	opEface                  // interface without methods
	opIface                  // interface with methods
	opFunc                   // code pointer
	opChan                   // length and capacity
	opNil                    // pointer: nil or not
	opArray                  // n elements of elem, in place
	opTime                   // time.Time
	opLocation               // time.Location
	opLocPtr                 // *time.Location
	opType                   // pointer to a run-time type
	opHandle                 // pointer to an elem that never changes
	opSyncMap                // sync.Map
)

const (
	bulkBytes   = 64
	inlineBytes = 64
)

var (
	plansMu sync.Mutex
	plans   = map[reflect.Type]*plan{}
	shapes  = map[reflect.Type]*plan{}
)

// planOf returns the plan for t, or the one for its shape.
func planOf(t reflect.Type, shape bool) *plan {
	plansMu.Lock()
	defer plansMu.Unlock()
	c := compiler{plans: plans, shape: shape}
	if shape {
		c.plans = shapes
	}
	if pl := c.plans[t]; pl != nil {
		return pl
	}
	pl := c.mention(t)
	for i := 0; i < len(c.made); i++ { // completing one may mention more
		c.complete(c.made[i])
	}
	for _, pl := range c.made {
		pl.settle()
	}
	return pl
}

// A compiler makes the plan of a type and of all types that it mentions.
type compiler struct {
	plans map[reflect.Type]*plan // of this kind
	shape bool                   // see [Limits]
	made  []*plan
}

// mention returns the plan for t, which need not be complete yet.
func (c *compiler) mention(t reflect.Type) *plan {
	pl := c.plans[t]
	if pl == nil {
		pl = &plan{typ: t, hash: typeHash(t), size: t.Size()}
		c.plans[t] = pl
		c.made = append(c.made, pl)
	}
	return pl
}

// complete makes the ops of pl, once. It completes the plans of array elements on
// the way, which ends because no type is a part of itself.
func (c *compiler) complete(pl *plan) {
	if pl.complete {
		return
	}
	pl.complete = true
	t := pl.typ
	c.compile(pl, t, 0)
	pl.direct = isDirect(t)
	if t.Kind() == reflect.Map {
		pl.key, pl.elem, pl.zero = c.mention(t.Key()), c.mention(t.Elem()), reflect.Zero(t).Interface()
	}
	pl.measure()
}

// leafOps are the ops of kinds that mention no other type.
var leafOps = map[reflect.Kind]opKind{
	reflect.String: opString, reflect.Float32: opFloat32, reflect.Float64: opFloat64,
	reflect.Func: opFunc, reflect.Chan: opChan, reflect.UnsafePointer: opNil,
}

// compile appends to pl the ops for a t at offset off.
func (c *compiler) compile(pl *plan, t reflect.Type, off uintptr) {
	if t.Size() == 0 || c.shape && isContent(t) || c.special(pl, t, off) {
		return
	}
	add := func(kind opKind, elem *plan) {
		pl.ops = append(pl.ops, op{kind: kind, off: off, elem: elem})
	}
	if kind, ok := leafOps[t.Kind()]; ok {
		add(kind, nil)
		return
	}
	switch t.Kind() {
	case reflect.Complex64:
		c.compile(pl, reflect.TypeFor[float32](), off)
		c.compile(pl, reflect.TypeFor[float32](), off+4)
	case reflect.Complex128:
		c.compile(pl, reflect.TypeFor[float64](), off)
		c.compile(pl, reflect.TypeFor[float64](), off+8)
	case reflect.Pointer:
		if kind := targetKind(t.Elem()); kind != opPointer {
			add(kind, nil)
		} else {
			add(opPointer, c.mention(t.Elem()))
		}
	case reflect.Slice:
		add(opSlice, c.mention(t.Elem()))
	case reflect.Map:
		add(opMap, c.mention(t))
	case reflect.Interface:
		if t.NumMethod() == 0 {
			add(opEface, nil)
		} else {
			add(opIface, nil)
		}
	case reflect.Array:
		c.array(pl, t, off)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				c.compile(pl, f.Type, off+f.Offset)
			}
		}
	default:
		pl.addBytes(off, t.Size())
	}
}

func (c *compiler) array(pl *plan, t reflect.Type, off uintptr) {
	if t.Len() == 1 {
		c.compile(pl, t.Elem(), off)
		return
	}
	elem := c.mention(t.Elem())
	c.complete(elem)
	switch {
	case elem.bytes:
		pl.addBytes(off, t.Size())
	case len(elem.ops) > 0:
		pl.ops = append(pl.ops, op{kind: opArray, off: off, n: uintptr(t.Len()), elem: elem})
	}
}

// special handles types with a meaning other than their fields.
func (c *compiler) special(pl *plan, t reflect.Type, off uintptr) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	add := func(kind opKind, elem *plan) bool {
		pl.ops = append(pl.ops, op{kind: kind, off: off, elem: elem})
		return true
	}
	switch path := t.PkgPath(); {
	case isTime(t):
		return add(opTime, nil)
	case t == reflect.TypeFor[time.Location]():
		return add(opLocation, nil)
	case t == reflect.TypeFor[sync.Map]():
		return add(opSyncMap, nil)
	case path == "sync":
		return true
	case isHandle(t):
		return add(opHandle, c.mention(t.Field(0).Type.Elem()))
	case path == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer["):
		v, _ := t.FieldByName("v")
		off += v.Offset
		return add(opPointer, c.mention(t.Field(0).Type.Elem().Elem()))
	}
	return false
}

// isContent reports whether values of t have content and no shape.
func isContent(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		return false
	case reflect.Struct:
		return isTime(t) || isHandle(t) || t == reflect.TypeFor[time.Location]()
	}
	return true
}

// targetKind returns how to treat a pointer to a t.
func targetKind(t reflect.Type) opKind {
	switch path, name := t.PkgPath(), t.Name(); {
	case t == reflect.TypeFor[time.Location]():
		return opLocPtr
	case path == "internal/abi" && (name == "Type" || startsWithType(t)), path == "reflect" && name == "rtype":
		return opType
	case path == "internal/abi", path == "runtime" && (name == "" || name[0] >= 'a'):
		return opNil // the run-time's own tables: large, and nothing to do with the value
	}
	return opPointer
}

// startsWithType reports whether a t can be read as an internal/abi.Type.
func startsWithType(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type.PkgPath() == "internal/abi" && t.Field(0).Type.Name() == "Type"
}

func isTime(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 3 && t.ConvertibleTo(reflect.TypeFor[time.Time]())
}

func isHandle(t reflect.Type) bool {
	return t.PkgPath() == "unique" && strings.HasPrefix(t.Name(), "Handle[")
}

// isDirect reports whether an interface holds a t in its data word: asked of the
// zero value, for the rule has changed between Go versions.
func isDirect(t reflect.Type) bool {
	if t.Size() != unsafe.Sizeof(uintptr(0)) || t.Kind() == reflect.Interface {
		return false
	}
	zero := reflect.Zero(t).Interface()
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&zero))[1] == nil
}

// addBytes appends n bytes, to the op before it if that ends where they start.
func (pl *plan) addBytes(off, n uintptr) {
	if last := len(pl.ops) - 1; last >= 0 {
		o := &pl.ops[last]
		if (o.kind == opBytes || o.kind == opWord || o.kind == opBulk) && o.off+o.n == off {
			o.n += n
			o.choose()
			return
		}
	}
	pl.ops = append(pl.ops, op{kind: opBytes, off: off, n: n})
	pl.ops[len(pl.ops)-1].choose()
}

// choose sets the kind of an op over bytes by their number.
func (o *op) choose() {
	switch {
	case o.n == 8:
		o.kind = opWord
	case o.n <= bulkBytes:
		o.kind = opBytes
	default:
		o.kind = opBulk
	}
}

// measure derives the facts of a plan from its ops. The plans that it points to
// may not be complete.
func (pl *plan) measure() {
	pl.bytes = len(pl.ops) == 1 && pl.ops[0].n == pl.size &&
		(pl.ops[0].kind == opBytes || pl.ops[0].kind == opWord || pl.ops[0].kind == opBulk)
	pl.flat = true
	pl.inline = pl.size <= inlineBytes
	for _, o := range pl.ops {
		switch o.kind {
		case opString:
			pl.flat = false
		case opPointer, opSlice, opMap, opEface, opIface, opHandle, opSyncMap:
			pl.flat, pl.inline = false, false
		case opArray:
			pl.flat = pl.flat && o.elem.flat
			pl.inline = false
		}
	}
}

// settle completes a plan once the plans of all types it mentions exist: it
// drops walks of elements that do not count.
func (pl *plan) settle() {
	for i := range pl.ops {
		o := &pl.ops[i]
		switch {
		case o.kind == opPointer && len(o.elem.ops) == 0, o.kind == opHandle && len(o.elem.ops) == 0:
			o.kind = opNil
		case o.kind == opSlice && len(o.elem.ops) == 0:
			o.kind = opLength
		}
	}
}

// typeHash returns a hash by package path, name and layout.
func typeHash(t reflect.Type) uint64 {
	h := mix(uint64(t.Kind()), uint64(t.Size()))
	if t.Name() != "" {
		h = mixString(h, t.PkgPath())
		h = mixString(h, t.Name())
		if t.Kind() == reflect.Struct {
			for i := range t.NumField() {
				f := t.Field(i)
				h = mixString(mixString(h, f.Name), f.Type.String())
			}
			return h
		}
		return mixString(h, t.String())
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		h = mix(h, typeHash(t.Elem()))
	case reflect.Array:
		h = mix(mix(h, uint64(t.Len())), typeHash(t.Elem()))
	case reflect.Chan:
		h = mix(mix(h, uint64(t.ChanDir())), typeHash(t.Elem()))
	case reflect.Map:
		h = mix(mix(h, typeHash(t.Key())), typeHash(t.Elem()))
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			h = mixString(mixString(mixString(h, f.PkgPath), f.Name), string(f.Tag))
			h = mix(h, typeHash(f.Type))
			if f.Anonymous {
				h = mix(h, 1)
			}
		}
	case reflect.Interface:
		// Not by Type.Method: for it the linker keeps the exported methods of all types.
		h = mixString(h, t.String())
	case reflect.Func:
		h = signatureHash(t, h)
	}
	return h
}

// signatureHash adds the parameters and results of a function type to h.
func signatureHash(t reflect.Type, h uint64) uint64 {
	h = mix(h, uint64(t.NumIn()))
	for i := range t.NumIn() {
		h = mix(h, typeHash(t.In(i)))
	}
	for i := range t.NumOut() {
		h = mix(h, typeHash(t.Out(i)))
	}
	if t.IsVariadic() {
		h = mix(h, 1)
	}
	return h
}
