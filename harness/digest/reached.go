package digest

import (
	"reflect"
	"unsafe"
)

// An entry is a part of the value that has been reached and waits for its walk:
// n consecutive values of a plan, or a map.
type entry struct {
	ptr  unsafe.Pointer
	plan *plan
	n    int
	slot int // where slots refers to it, or noSlot
}

const (
	isMap     = -1 // entry.n of a map: ptr is the map, plan the plan of its type
	isSyncMap = -2
	noSlot    = -1
)

// A slot refers to an entry; it is free unless its epoch is the digester's.
type slot struct {
	addr  uintptr
	index uint32
	epoch uint32
}

// Addresses below are not followed: some packages keep small numbers in pointers.
const firstAddress = 4096

// number returns one more than the number of an entry, adding it if it is new.
func (d *Digester) number(p unsafe.Pointer, pl *plan, n int) uint64 {
	addr := uintptr(p)
	if addr < firstAddress {
		return ^uint64(addr)
	}
	slots := d.slots
	mask := len(slots) - 1
	i := slotOf(addr, mask)
	for {
		s := &slots[i]
		if s.epoch != d.epoch {
			break
		}
		if s.addr == addr {
			if e := &d.entries[s.index]; e.plan == pl && e.n == n {
				return uint64(s.index) + 1
			}
		}
		i = (i + 1) & mask
	}
	index := len(d.entries)
	d.slots[i] = slot{addr, uint32(index), d.epoch}
	d.entries = append(d.entries, entry{p, pl, n, i})
	if d.used++; d.used*2 > len(d.slots) {
		d.grow()
	}
	return uint64(index) + 1
}

func slotOf(addr uintptr, mask int) int {
	return int(uint64(addr)*mulWord>>32) & mask
}

// grow doubles the slots. Entries are placed again in their order, so that
// removing the latest always restores the state before it.
func (d *Digester) grow() {
	d.slots = make([]slot, 2*len(d.slots))
	d.epoch = 1
	mask := len(d.slots) - 1
	for index := range d.entries {
		e := &d.entries[index]
		if e.slot == noSlot {
			continue
		}
		i := slotOf(uintptr(e.ptr), mask)
		for d.slots[i].epoch == d.epoch {
			i = (i + 1) & mask
		}
		d.slots[i] = slot{uintptr(e.ptr), uint32(index), d.epoch}
		e.slot = i
	}
}

// rollback removes the entries from base on.
func (d *Digester) rollback(base int) {
	for _, e := range d.entries[base:] {
		if e.slot != noSlot {
			d.slots[e.slot].epoch = d.epoch - 1
			d.used--
		}
	}
	clear(d.entries[base:])
	d.entries = d.entries[:base]
}

// forget removes all entries and keeps nothing of the value alive.
func (d *Digester) forget() {
	clear(d.entries)
	d.entries = d.entries[:0]
	d.used = 0
	if d.epoch++; d.epoch == 0 {
		clear(d.slots)
		d.epoch = 1
	}
}

// A typeCache finds plans by the type word of an interface.
type typeCache struct {
	near [64]struct {
		word unsafe.Pointer
		plan *plan
	}
	all   map[unsafe.Pointer]*plan
	shape bool // see [Limits]
}

// of returns the plan for the type with the given type word; e is an interface
// without methods that has it.
func (c *typeCache) of(word, e unsafe.Pointer) *plan {
	near := &c.near[uintptr(word)*0x9e3779b1>>16%uintptr(len(c.near))]
	if near.word == word {
		return near.plan
	}
	pl := c.all[word]
	if pl == nil {
		pl = planOf(reflect.TypeOf(*(*any)(e)), c.shape)
		if c.all == nil {
			c.all = map[unsafe.Pointer]*plan{}
		}
		c.all[word] = pl
	}
	near.word, near.plan = word, pl
	return pl
}
