// Package binheap is a binomial heap.
package binheap

// A BinomialHeap holds numbers. Its trees are in the order of their degrees.
type BinomialHeap struct {
	first *node
	size  int
}

type node struct {
	key, degree            int
	parent, sibling, child *node
}

// New returns an empty heap.
func New() *BinomialHeap { return &BinomialHeap{} }

// Minimum returns the least number, or -1.
func (h *BinomialHeap) Minimum() int {
	if h.first == nil {
		return -1
	}
	least := h.first
	for n := h.first.sibling; n != nil; n = n.sibling {
		if n.key < least.key {
			least = n
		}
	}
	return least.key
}

// Insert adds x.
func (h *BinomialHeap) Insert(x int) {
	h.union(&node{key: x})
	h.size++
}

// ExtractMin removes the least number, and returns it or -1.
func (h *BinomialHeap) ExtractMin() int {
	if h.first == nil {
		return -1
	}
	least := h.first
	for n := h.first; n != nil; n = n.sibling {
		if n.key < least.key {
			least = n
		}
	}
	h.removeRoot(least)
	return least.key
}

func (h *BinomialHeap) removeRoot(root *node) {
	if h.first == root {
		h.first = root.sibling
	} else {
		before := h.first
		for before.sibling != root {
			before = before.sibling
		}
		before.sibling = root.sibling
	}
	var children *node
	for c := root.child; c != nil; {
		next := c.sibling
		c.sibling, c.parent = children, nil
		children, c = c, next
	}
	h.size--
	h.union(children)
}

// Find reports whether the heap holds x.
func (h *BinomialHeap) Find(x int) bool { return h.first.find(x) != nil }

func (n *node) find(x int) *node {
	for ; n != nil; n = n.sibling {
		if n.key == x {
			return n
		}
		if n.key < x {
			if found := n.child.find(x); found != nil {
				return found
			}
		}
	}
	return nil
}

// DecreaseKey makes a number less. It does nothing if the heap does not hold it.
func (h *BinomialHeap) DecreaseKey(from, to int) {
	n := h.first.find(from)
	if n == nil || to > from {
		return
	}
	n.key = to
	n.rise(func(p *node) bool { return n.key < p.key })
}

// rise moves the key of n up while the parent is to be below, and returns its node.
func (n *node) rise(above func(parent *node) bool) *node {
	for n.parent != nil && above(n.parent) {
		n.key, n.parent.key = n.parent.key, n.key
		n = n.parent
	}
	return n
}

// Delete removes x, if the heap holds it.
func (h *BinomialHeap) Delete(x int) {
	n := h.first.find(x)
	if n == nil {
		return
	}
	for n.parent != nil {
		n.key, n.parent.key = n.parent.key, n.key
		n = n.parent
	}
	h.removeRoot(n)
}

// union adds a list of trees.
func (h *BinomialHeap) union(list *node) {
	h.merge(list)
	if h.first == nil {
		return
	}
	var before *node
	at := h.first
	for next := at.sibling; next != nil; next = at.sibling {
		switch {
		case at.degree != next.degree || next.sibling != nil && next.sibling.degree == at.degree:
			before, at = at, next
		case at.key <= next.key:
			at.sibling = next.sibling
			next.under(at)
		default:
			if before == nil {
				h.first = next
			} else {
				before.sibling = next
			}
			at.under(next)
			at = next
		}
	}
}

// under makes n the first child of p.
func (n *node) under(p *node) {
	n.parent, n.sibling, p.child = p, p.child, n
	p.degree++
}

// merge merges a list of trees by their degrees.
func (h *BinomialHeap) merge(list *node) {
	place := &h.first
	for list != nil {
		if *place == nil {
			*place = list
			return
		}
		if (*place).degree > list.degree {
			*place, list = list, *place
		}
		place = &(*place).sibling
	}
}
