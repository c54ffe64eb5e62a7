package exhaustive

import (
	"fmt"
	"iter"
	"strings"
)

// A cell is a field whose value is chosen when it is first read.
type cell interface {
	set(i int)        // takes the i-th value of the domain
	unset()           // takes back the last set
	read() *anyObject // chooses if need be; the object that a reference leads to
}

// cells are the cells of a case. In a search they keep their values from one run to
// the next, as far as the tape does. In a generator each run makes its own.
type cells struct {
	keep   bool
	reads  int // that are left to this run
	chosen []chosenCell
	roots  []cell  // cells outside objects
	into   *[]cell // the cells of the object that is being initialized
	found  []*anyObject
	round  int // marks objects that complete has met
}

type chosenCell struct {
	cell
	at int // the length of the tape when it was chosen
}

// anyObject is an object of a search without its type.
type anyObject struct {
	cells []cell
	round int
}

// register adds x to the object that is being initialized, or to the roots.
func (c *C) register(x cell) {
	if !c.keep {
		return
	}
	if c.into != nil {
		*c.into = append(*c.into, x)
	} else {
		c.roots = append(c.roots, x)
	}
}

// When gives domains to cells that are part of the structure only if holds: the
// elements of an array below its length, the fields of one kind of node. holds reads
// cells. It decides whether cells that the predicate has not read are enumerated.
func (c *C) When(holds func() bool, init func()) {
	g := &guard{holds: holds}
	c.register(g)
	outer := c.into
	c.into = &g.cells
	init()
	c.into = outer
}

// A guard leads to some cells under a condition.
type guard struct {
	anyObject
	holds func() bool
}

func (g *guard) set(int) {}
func (g *guard) unset()  {}
func (g *guard) read() *anyObject {
	if g.holds() {
		return &g.anyObject
	}
	return nil
}

// choose gives x one of n values.
func (c *C) choose(x cell, n int) {
	if c.reads < 0 {
		c.failf("%d reads of cells in one run: the predicate does not end on this structure (a cycle that it follows?)", maxReads)
	}
	at := len(c.made)
	i := c.Choose("", n)
	if c.keep {
		c.chosen = append(c.chosen, chosenCell{x, at})
	}
	x.set(i)
}

// undo takes back the choices of cells after position last of the tape, and gives
// the cell at that position its new value.
func (c *C) undo(last int) {
	for i := len(c.chosen) - 1; i >= 0; i-- {
		x := c.chosen[i]
		if x.at < last {
			break
		}
		x.unset()
		if x.at == last {
			x.set(c.made[last].value)
			break
		}
		c.chosen = c.chosen[:i]
	}
}

// complete reads the cells that can be reached and that the predicate has not read,
// so that their values are enumerated, too.
func (c *C) complete() {
	c.round++
	c.found = c.found[:0]
	c.meet(c.roots)
	for i := 0; i < len(c.found); i++ {
		c.meet(c.found[i].cells)
	}
}

func (c *C) meet(list []cell) {
	for _, x := range list {
		if o := x.read(); o != nil && o.round != c.round {
			o.round = c.round
			c.found = append(c.found, o)
		}
	}
}

// A Val is a field of a structure that holds one of a few values. It is chosen
// when it is first read: a delayed choice [Gligoric09 §4.1]. The zero Val must be
// given a domain by [Val.Of]. Share a Val by its address: a copy would be chosen for
// itself.
type Val[T any] struct {
	c      *C
	value  T
	chosen bool
	domain []T
}

// Of sets the values that v may have. It does not copy the slice.
func (v *Val[T]) Of(c *C, values ...T) {
	*v = Val[T]{c: c, domain: values}
	c.register(v)
}

// Get returns the value.
func (v *Val[T]) Get() T {
	if !v.chosen || v.c.tired() {
		v.choose()
	}
	return v.value
}

// tired counts a read and reports whether there have been too many.
func (c *C) tired() bool {
	c.reads--
	return c.reads < 0
}

func (v *Val[T]) choose() {
	if v.c == nil {
		panic("a Val without a domain is read: call Of in the function that builds the structure")
	}
	v.c.choose(v, len(v.domain))
}

func (v *Val[T]) set(i int) { v.value, v.chosen = v.domain[i], true }
func (v *Val[T]) unset()    { v.chosen = false }
func (v *Val[T]) read() *anyObject {
	v.Get()
	return nil
}

// Range returns the numbers from lo to hi, both included, as a domain.
func Range[T number](lo, hi T) []T {
	var list []T
	for i := lo; i <= hi; i++ {
		list = append(list, i)
		if i+1 <= i { // the greatest number of its type
			break
		}
	}
	return list
}

type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

// Words returns n+1 strings in increasing order, the empty one first, as a domain.
func Words[T ~string](n int) []T {
	list := []T{""}
	for i := range n {
		list = append(list, T(strings.Repeat("z", i/26))+T(rune('a'+i%26)))
	}
	return list
}

// A Slice is a field that holds a slice or an array. Its length is chosen when it is
// first read, and an element when that is. The zero Slice must be given domains by
// [Slice.Of].
type Slice[T any] struct {
	length   Val[int]
	elements []func() T
}

// Of sets the lengths that s may have. It calls element for each element of the longest,
// to give its cells their domains. element returns the function that reads the element.
func (s *Slice[T]) Of(c *C, lengths []int, element func() func() T) {
	s.length.Of(c, lengths...)
	s.elements = nil
	longest := 0
	for _, n := range lengths {
		longest = max(longest, n)
	}
	for i := range longest {
		c.When(func() bool { return i < s.length.Get() }, func() { s.elements = append(s.elements, element()) })
	}
}

// Len returns the length.
func (s *Slice[T]) Len() int { return s.length.Get() }

// At returns element i. It panics unless i is below the length.
func (s *Slice[T]) At(i int) T {
	if n := s.length.Get(); uint(i) >= uint(n) {
		panic(fmt.Sprintf("index out of range [%d] with length %d", i, n))
	}
	return s.elements[i]()
}

// All ranges over the elements.
func (s *Slice[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range s.length.Get() {
			if !yield(i, s.elements[i]()) {
				return
			}
		}
	}
}

// Values returns the elements, nil if there are none. It reads them all.
func (s *Slice[T]) Values() []T {
	var list []T
	for _, v := range s.All() {
		list = append(list, v)
	}
	return list
}

// A Ref is a field that refers to an object: nil, one that another Ref refers to
// already, or the next one that none does. So no two structures differ in the
// identity of objects only. The zero Ref must be given its objects by [Ref.Of].
type Ref[T any] struct {
	c      *C
	p      *T
	chosen bool
	never  bool // nil
	of     *Objects[T]
	index  int // of p among the objects, -1 if it is nil
	before int // the objects in use when it was chosen
}

// Of sets the objects that r may refer to. It may be nil, too.
func (r *Ref[T]) Of(objects *Objects[T]) {
	*r = Ref[T]{c: objects.c, of: objects}
	r.c.register(r)
}

// NonNil sets the objects that r may refer to. It is never nil.
func (r *Ref[T]) NonNil(objects *Objects[T]) {
	*r = Ref[T]{c: objects.c, of: objects, never: true}
	r.c.register(r)
}

// Get returns the object, or nil.
func (r *Ref[T]) Get() *T {
	if !r.chosen || r.c.tired() {
		r.choose()
	}
	return r.p
}

func (r *Ref[T]) choose() {
	if r.c == nil {
		panic("a Ref without objects is read: call Of in the function that builds the structure")
	}
	n := min(r.of.used+1, len(r.of.list))
	if !r.never {
		n++
	}
	r.c.choose(r, n)
}

func (r *Ref[T]) set(i int) {
	if !r.never {
		i--
	}
	r.before, r.index, r.chosen = r.of.used, i, true
	if r.p = nil; i >= 0 {
		r.p = &r.of.list[i].value
		r.of.used = max(r.of.used, i+1)
	}
}

func (r *Ref[T]) unset() {
	r.of.used = r.before
	r.chosen = false
}

func (r *Ref[T]) read() *anyObject {
	if r.Get() == nil {
		return nil
	}
	return &r.of.list[r.index].anyObject
}

// Objects are the objects of one type that a structure may consist of.
type Objects[T any] struct {
	c    *C
	list []object[T]
	used int // the objects that some Ref refers to are the first ones
}

type object[T any] struct {
	anyObject
	value T
}

// NewObjects returns n objects.
func NewObjects[T any](c *C, n int) *Objects[T] {
	return &Objects[T]{c: c, list: make([]object[T], max(n, 0))}
}

// Init calls f for each object, to give its cells their domains.
func (o *Objects[T]) Init(f func(*T)) {
	outer := o.c.into
	for i := range o.list {
		o.c.into = &o.list[i].cells
		f(&o.list[i].value)
	}
	o.c.into = outer
}

// Take returns the next object. It is part of the structure whether or not a Ref leads
// to it, like a node that is a field of the root. Take objects before Init.
func (o *Objects[T]) Take() *T {
	x := &o.list[o.used]
	o.used++
	o.c.register(part{&x.anyObject})
	return &x.value
}

// A part leads to an object that was taken.
type part struct{ o *anyObject }

func (p part) set(int)          {}
func (p part) unset()           {}
func (p part) read() *anyObject { return p.o }

// Index returns the number of an object in the order in which objects are first
// referred to, and -1 for nil and for what is no object of o.
func (o *Objects[T]) Index(p *T) int {
	for i := range o.list {
		if p == &o.list[i].value {
			return i
		}
	}
	return -1
}

// Search enumerates the structures for which repOK holds. build makes the root of
// a structure and gives cells their domains. repOK reads cells by Get and must be a
// function of their values. It is called with the same root again and again, so
// a structure is only valid until the next one.
//
// The value of a cell is chosen when repOK first reads it. The last one read changes
// first, and a cell that is not read does not matter. Cells that a valid structure
// reaches are enumerated in any case. These are the candidates of Korat, in its
// order; Stats.Runs counts them.
func Search[T any](build func(*C) T, repOK func(T) bool) *Cases[T] {
	return &Cases[T]{start: func(c *C) func() T {
		c.keep = true
		c.into, c.roots, c.chosen = nil, nil, nil
		root := build(c)
		runs := 0
		return func() T {
			ok := repOK(root)
			if runs++; runs%256 == 0 {
				if read := len(c.chosen); repOK(root) != ok || len(c.chosen) != read {
					c.failf("not deterministic: the predicate was asked twice of one structure and answered or read differently (map order?)")
				}
			}
			if c.dropped = !ok; ok {
				c.complete()
			}
			return root
		}
	}}
}
