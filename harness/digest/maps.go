package digest

import (
	"reflect"
	"sync"
	"unsafe"
)

// maxDepth bounds how many maps may be walked within each other: each takes a
// part of the stack. A document of nested map[string]any rarely has ten levels.
const maxDepth = 128

// A level is the scratch of one map being walked.
type level struct {
	iter    reflect.MapIter
	scratch map[*plan]scratch // by plan of the map; see current
	pair    [2]any            // an entry of a sync.Map

	outer, share Limits // of the scope that the map is in, and of each entry
	base         int    // entries of that scope
	sum          uint64 // over the entries so far
}

// scratch holds a key and a value, to copy the entries of a map into.
type scratch struct {
	key, elem       reflect.Value
	keyPtr, elemPtr unsafe.Pointer
}

// walkMap appends the entries of m, a map that pl is for.
func (d *Digester) walkMap(m unsafe.Pointer, pl *plan, h uint64) uint64 {
	n := len(*(*map[int]int)(unsafe.Pointer(&m))) // the length does not depend on the types
	h = mix(h, uint64(n))
	lv := d.enter(n)
	if lv == nil {
		return h
	}
	e := pl.zero
	(*[2]unsafe.Pointer)(unsafe.Pointer(&e))[1] = m
	lv.iter.Reset(reflect.ValueOf(e))
	for lv.iter.Next() {
		key, elem := lv.current(pl)
		eh := d.walk(pl.key, key, d.begin(lv))
		eh = d.walk(pl.elem, elem, eh)
		d.end(lv, eh)
	}
	lv.iter.Reset(reflect.Value{})
	lv.forget(pl)
	return mix(h, d.leave(lv))
}

// walkSyncMap appends the entries of m.
func (d *Digester) walkSyncMap(m *sync.Map, h uint64) uint64 {
	n := 0
	m.Range(func(_, _ any) bool { n++; return true })
	h = mix(h, uint64(n))
	lv := d.enter(n)
	if lv == nil {
		return h
	}
	m.Range(func(key, elem any) bool {
		lv.pair = [2]any{key, elem}
		eh := d.begin(lv)
		for i := range lv.pair {
			eh = d.iface(unsafe.Pointer(&lv.pair[i]), unsafe.Pointer(&lv.pair[i]), eh)
		}
		d.end(lv, eh)
		return true
	})
	lv.pair = [2]any{}
	return mix(h, d.leave(lv))
}

// enter starts a map of n entries; it returns nil if there is nothing to walk
// or no room. The rest of the limits is shared out evenly among the entries.
// Otherwise their order would decide which of them are truncated.
func (d *Digester) enter(n int) *level {
	if n == 0 {
		return nil
	}
	nodes, bytes := d.maxNodes-d.nodes, d.maxBytes-d.bytes // left
	if n > nodes || d.depth == maxDepth {
		d.truncated = true
		return nil
	}
	if d.depth == len(d.levels) {
		d.levels = append(d.levels, &level{scratch: map[*plan]scratch{}})
	}
	lv := d.levels[d.depth]
	d.depth++
	lv.outer = Limits{MaxNodes: d.maxNodes, MaxBytes: d.maxBytes}
	lv.share = Limits{MaxNodes: nodes / n, MaxBytes: bytes / n}
	lv.base = len(d.entries)
	lv.sum = 0
	return lv
}

// begin starts an entry and returns its hash so far.
func (d *Digester) begin(lv *level) uint64 {
	d.maxNodes, d.maxBytes = d.nodes+lv.share.MaxNodes, d.bytes+lv.share.MaxBytes
	d.nodes++
	return seedEntry
}

// end completes an entry after its key and value.
func (d *Digester) end(lv *level, h uint64) {
	if len(d.entries) > lv.base {
		h = d.drain(lv.base, h)
		d.rollback(lv.base)
	}
	lv.sum += finish(h)
}

// leave ends a map and returns the sum of its entries.
func (d *Digester) leave(lv *level) uint64 {
	d.depth--
	d.maxNodes, d.maxBytes = lv.outer.MaxNodes, lv.outer.MaxBytes
	return lv.sum
}

// Where a reflect.MapIter points to the current key and value, to read them in
// place: 20 ns an entry, 55 by SetIterKey and SetIterValue. If a later Go names
// these fields differently they are copied.
var iterKey, iterElem, iterKnown = iterOffsets(reflect.TypeFor[reflect.MapIter]())

func iterOffsets(t reflect.Type) (key, elem uintptr, ok bool) {
	inner, ok := t.FieldByName("hiter")
	if !ok || inner.Type.Kind() != reflect.Struct {
		return 0, 0, false
	}
	k, okKey := inner.Type.FieldByName("key")
	e, okElem := inner.Type.FieldByName("elem")
	if !okKey || !okElem || k.Type.Kind() != reflect.UnsafePointer || e.Type.Kind() != reflect.UnsafePointer {
		return 0, 0, false
	}
	return inner.Offset + k.Offset, inner.Offset + e.Offset, true
}

// current returns where the current key and value of a map that pl is for can be
// read, until the next call.
func (lv *level) current(pl *plan) (key, elem unsafe.Pointer) {
	if iterKnown {
		it := unsafe.Pointer(&lv.iter)
		return *(*unsafe.Pointer)(unsafe.Add(it, iterKey)), *(*unsafe.Pointer)(unsafe.Add(it, iterElem))
	}
	s, ok := lv.scratch[pl]
	if !ok {
		key, elem := reflect.New(pl.typ.Key()), reflect.New(pl.typ.Elem())
		s = scratch{key.Elem(), elem.Elem(), key.UnsafePointer(), elem.UnsafePointer()}
		lv.scratch[pl] = s
	}
	s.key.SetIterKey(&lv.iter)
	s.elem.SetIterValue(&lv.iter)
	return s.keyPtr, s.elemPtr
}

// forget keeps nothing of the last entry alive.
func (lv *level) forget(pl *plan) {
	if s, ok := lv.scratch[pl]; ok {
		s.key.SetZero()
		s.elem.SetZero()
	}
}
