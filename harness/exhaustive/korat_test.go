package exhaustive_test

import (
	"fmt"
	"testing"

	"foray.test/harness/exhaustive"
)

// The other subjects of Korat. Cases are exact for each; candidates are given where
// the predicate reads cells in the order of Korat's own.

// A binaryTree has no keys.
func binaryTrees(n int) *exhaustive.Cases[*bst] {
	return exhaustive.Search(func(c *exhaustive.C) *bst {
		t := &bst{nodes: exhaustive.NewObjects[bstNode](c, n)}
		t.root.Of(t.nodes)
		t.size.Of(c, n)
		bit := uint64(1)
		t.nodes.Init(func(x *bstNode) {
			x.left.Of(t.nodes)
			x.right.Of(t.nodes)
			x.bit, bit = bit, bit<<1
		})
		return t
	}, func(t *bst) bool {
		root := t.root.Get()
		if root == nil {
			return t.size.Get() == 0
		}
		return t.acyclic(root) && len(t.queue) == t.size.Get()
	})
}

func TestBinaryTreesAsKorat(t *testing.T) {
	for n, want := range map[int]int64{4: 245, 5: 947, 6: 3653, 7: 14092, 8: 54418, 9: 210444} {
		stats := runs(t, binaryTrees(n))
		expect(t, fmt.Sprint("binary trees of ", n), stats.Cases, catalan[n])
		expect(t, fmt.Sprint("candidates of ", n), stats.Runs, want)
	}
}

// rbt is a red-black tree with parents, keys and a size.
type rbt struct {
	root  exhaustive.Ref[rbtNode]
	size  exhaustive.Val[int]
	nodes *exhaustive.Objects[rbtNode]
	queue []*rbtNode
	paths []blackPath
}

type rbtNode struct {
	left, right, parent exhaustive.Ref[rbtNode]
	black               exhaustive.Val[bool]
	key                 exhaustive.Val[int]
}

type blackPath struct {
	end   *rbtNode
	black int
}

func redBlackSearch(n int) *exhaustive.Cases[*rbt] {
	return exhaustive.Search(func(c *exhaustive.C) *rbt {
		t := &rbt{nodes: exhaustive.NewObjects[rbtNode](c, n)}
		t.root.Of(t.nodes)
		t.size.Of(c, n)
		t.nodes.Init(func(x *rbtNode) {
			x.left.Of(t.nodes)
			x.right.Of(t.nodes)
			x.parent.Of(t.nodes)
			x.black.Of(c, false, true)
			x.key.Of(c, exhaustive.Range(0, n)...)
		})
		return t
	}, (*rbt).repOK)
}

func (t *rbt) repOK() bool {
	root := t.root.Get()
	if root == nil {
		return t.size.Get() == 0
	}
	return root.parent.Get() == nil && t.linked(root) && len(t.queue) == t.size.Get() &&
		t.redHasBlackChildren() && t.equalBlackPaths(root) && root.ordered(0, 1<<30)
}

func (t *rbt) linked(root *rbtNode) bool {
	t.queue = append(t.queue[:0], root)
	for i := 0; i < len(t.queue); i++ {
		x := t.queue[i]
		if !t.child(x, x.left.Get()) || !t.child(x, x.right.Get()) {
			return false
		}
	}
	return true
}

func (t *rbt) child(parent, x *rbtNode) bool {
	if x == nil {
		return true
	}
	for _, y := range t.queue {
		if x == y {
			return false
		}
	}
	t.queue = append(t.queue, x)
	return x.parent.Get() == parent
}

func (t *rbt) redHasBlackChildren() bool {
	for _, x := range t.queue {
		if x.black.Get() {
			continue
		}
		if l := x.left.Get(); l != nil && !l.black.Get() {
			return false
		}
		if r := x.right.Get(); r != nil && !r.black.Get() {
			return false
		}
	}
	return true
}

func (t *rbt) equalBlackPaths(root *rbtNode) bool {
	number := -1
	t.paths = append(t.paths[:0], blackPath{root, 0})
	for i := 0; i < len(t.paths); i++ {
		p := t.paths[i]
		if p.end == nil {
			if number >= 0 && number != p.black {
				return false
			}
			number = p.black
			continue
		}
		if p.end.black.Get() {
			p.black++
		}
		t.paths = append(t.paths, blackPath{p.end.left.Get(), p.black}, blackPath{p.end.right.Get(), p.black})
	}
	return true
}

func (x *rbtNode) ordered(over, under int) bool {
	if x == nil {
		return true
	}
	k := x.key.Get()
	return k > over && k < under && x.left.Get().ordered(over, k) && x.right.Get().ordered(k, under)
}

var redBlackCandidates = []int64{3: 179, 961, 4209, 16487, 71704, 322806, 1510006, 7530712, 39089158}

func TestRedBlackTreesAsKorat(t *testing.T) {
	for n := 3; n <= 9; n++ {
		stats := runs(t, redBlackSearch(n))
		expect(t, fmt.Sprint("red-black trees of ", n), stats.Cases, redBlackCounts[n])
		expect(t, fmt.Sprint("candidates of ", n), stats.Runs, redBlackCandidates[n])
	}
}

// heap is a heap in an array of 0 to n elements, of which size are used.
type heap struct {
	length, size exhaustive.Val[int]
	array        []exhaustive.Val[int]
}

func heapArrays(n int) *exhaustive.Cases[*heap] {
	return exhaustive.Search(func(c *exhaustive.C) *heap {
		h := &heap{array: make([]exhaustive.Val[int], n)}
		h.size.Of(c, exhaustive.Range(0, n)...)
		h.length.Of(c, exhaustive.Range(0, n)...)
		for i := range h.array {
			c.When(func() bool { return i < h.length.Get() }, func() { h.array[i].Of(c, exhaustive.Range(-1, n)...) })
		}
		return h
	}, (*heap).repOK)
}

func (h *heap) repOK() bool {
	size, length := h.size.Get(), h.length.Get()
	if size > length {
		return false
	}
	for i := range length {
		switch e := h.array[i].Get(); {
		case i >= size && e != -1, i < size && e == -1:
			return false
		case i > 0 && i < size && e > h.array[(i-1)/2].Get():
			return false
		}
	}
	return true
}

func TestHeapArraysAsKorat(t *testing.T) {
	runsOf := []int64{6: 64533, 519968}
	for n, want := range []int64{1: 4, 15, 66, 320, 1919, 13139, 117562} {
		stats := runs(t, heapArrays(n))
		if n > 0 {
			expect(t, fmt.Sprint("heap arrays of ", n), stats.Cases, want)
		}
		if n >= 6 {
			expect(t, fmt.Sprint("candidates of ", n), stats.Runs, runsOf[n])
		}
	}
}

// A ring is a circular doubly linked list, or a list that ends in nil, of elements or of
// numbers.
type ring struct {
	header   exhaustive.Ref[link]
	elements *exhaustive.Objects[element]
	links    *exhaustive.Objects[link]
	seen     []*link
}

type link struct {
	next, prev exhaustive.Ref[link]
	element    exhaustive.Ref[element]
	number     exhaustive.Val[int]
}

type element struct{ _ int }

func rings(n int, init func(*exhaustive.C, *ring, *link), repOK func(*ring) bool) *exhaustive.Cases[*ring] {
	return exhaustive.Search(func(c *exhaustive.C) *ring {
		r := &ring{links: exhaustive.NewObjects[link](c, n), elements: exhaustive.NewObjects[element](c, n)}
		r.header.Of(r.links)
		r.links.Init(func(x *link) {
			x.next.Of(r.links)
			init(c, r, x)
		})
		return r
	}, repOK)
}

// list reads n links, the last of which leads to end.
func (r *ring) list(n int, end func(*link) *link) bool {
	x := r.header.Get()
	r.seen = r.seen[:0]
	for range n {
		if x == nil {
			return false
		}
		for _, y := range r.seen {
			if x == y {
				return false
			}
		}
		r.seen = append(r.seen, x)
		x = x.next.Get()
	}
	return x == end(r.header.Get())
}

// A000110: lists of n elements up to the identity of the elements.
var bell = []int64{1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147}

func TestListsAsKorat(t *testing.T) {
	toNil := func(*link) *link { return nil }
	toHeader := func(header *link) *link { return header }
	single := func(n int) *exhaustive.Cases[*ring] {
		return rings(n, func(_ *exhaustive.C, r *ring, x *link) {
			x.element.NonNil(r.elements)
		}, func(r *ring) bool { return r.list(n, toNil) })
	}
	double := func(n int) *exhaustive.Cases[*ring] {
		return rings(n, func(_ *exhaustive.C, r *ring, x *link) {
			x.prev.Of(r.links)
			x.element.Of(r.elements)
		}, func(r *ring) bool {
			if !r.list(n, toHeader) || r.header.Get().element.Get() == nil {
				return false
			}
			for i, x := range r.seen {
				if r.seen[(i+1)%n].prev.Get() != x {
					return false
				}
			}
			return true
		})
	}
	sorted := func(n int) *exhaustive.Cases[*ring] {
		return rings(n, func(c *exhaustive.C, _ *ring, x *link) { x.number.Of(c, exhaustive.Range(1, n)...) }, func(r *ring) bool {
			if !r.list(n, toNil) {
				return false
			}
			for i := 1; i < n; i++ {
				if r.seen[i-1].number.Get() > r.seen[i].number.Get() {
					return false
				}
			}
			return true
		})
	}
	binomial := int64(1) // C(2n-1, n)
	for n := 1; n <= 8; n++ {
		expect(t, fmt.Sprint("singly linked lists of ", n), runs(t, single(n)).Cases, bell[n])
		expect(t, fmt.Sprint("doubly linked rings of ", n), runs(t, double(n)).Cases, bell[n+1]-bell[n])
		expect(t, fmt.Sprint("sorted lists of ", n), runs(t, sorted(n)).Cases, binomial)
		binomial = binomial * int64(2*n+1) * int64(2*n) / int64(n) / int64(n+1)
	}
}
