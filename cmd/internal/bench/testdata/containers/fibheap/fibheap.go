// Package fibheap is a Fibonacci heap.
package fibheap

// A FibHeap holds numbers.
type FibHeap struct {
	min  *Node
	size int
}

// A Node is a number of a heap.
type Node struct {
	key, degree   int
	marked        bool
	parent, child *Node
	left, right   *Node
}

// New returns an empty heap.
func New() *FibHeap { return &FibHeap{} }

// Empty reports whether the heap holds no number.
func (h *FibHeap) Empty() bool { return h.min == nil }

// Insert adds x.
func (h *FibHeap) Insert(x int) *Node {
	n := &Node{key: x}
	n.left, n.right = n, n
	h.addRoot(n)
	h.size++
	return n
}

func (h *FibHeap) addRoot(n *Node) {
	n.parent = nil
	if h.min == nil {
		n.left, n.right = n, n
		h.min = n
		return
	}
	n.link(h.min)
	if n.key < h.min.key {
		h.min = n
	}
}

// link puts n to the right of a node.
func (n *Node) link(of *Node) {
	n.left, n.right = of, of.right
	of.right.left = n
	of.right = n
}

func (n *Node) unlink() {
	n.left.right, n.right.left = n.right, n.left
	n.left, n.right = n, n
}

// Min returns the least number, or -1.
func (h *FibHeap) Min() int {
	if h.min == nil {
		return -1
	}
	return h.min.key
}

// RemoveMin removes the least number, and returns it or -1.
func (h *FibHeap) RemoveMin() int {
	z := h.min
	if z == nil {
		return -1
	}
	for z.child != nil {
		c := z.child
		if c.right == c {
			z.child = nil
		} else {
			z.child = c.right
		}
		c.unlink()
		c.parent = nil
		c.link(z)
	}
	if z.right == z {
		h.min = nil
	} else {
		h.min = z.right
		z.unlink()
		h.consolidate()
	}
	h.size--
	z.degree = 0
	return z.key
}

func (h *FibHeap) consolidate() {
	var roots []*Node
	for n := h.min; ; n = n.right {
		roots = append(roots, n)
		if n.right == h.min {
			break
		}
	}
	var byDegree [45]*Node
	for _, n := range roots {
		for byDegree[n.degree] != nil {
			o := byDegree[n.degree]
			byDegree[n.degree] = nil
			if o.key < n.key {
				n, o = o, n
			}
			o.under(n)
		}
		byDegree[n.degree] = n
	}
	h.min = nil
	for _, n := range byDegree {
		if n != nil {
			n.unlink()
			h.addRoot(n)
		}
	}
}

// under makes n a child of p.
func (n *Node) under(p *Node) {
	n.unlink()
	n.parent, n.marked = p, false
	if p.child == nil {
		p.child = n
	} else {
		n.link(p.child)
	}
	p.degree++
}

// DecreaseKey makes the number of a node of the heap less. It does nothing if x is more.
func (h *FibHeap) DecreaseKey(n *Node, x int) {
	if n == nil || x > n.key || !h.has(n) {
		return
	}
	n.key = x
	h.rise(n, false)
	if n.key < h.min.key {
		h.min = n
	}
}

// Delete removes a node of the heap.
func (h *FibHeap) Delete(n *Node) {
	if n == nil || !h.has(n) {
		return
	}
	h.rise(n, true)
	h.min = n
	h.RemoveMin()
}

// has reports whether n is a node of the heap.
func (h *FibHeap) has(n *Node) bool { return h.min != nil && h.min.reaches(n) }

func (n *Node) reaches(x *Node) bool {
	for at := n; ; at = at.right {
		if at == x || at.child != nil && at.child.reaches(x) {
			return true
		}
		if at.right == n {
			return false
		}
	}
}

// rise makes n a root if it is less than its parent, or always.
func (h *FibHeap) rise(n *Node, always bool) {
	p := n.parent
	if p == nil || !always && n.key >= p.key {
		return
	}
	h.cut(n, p)
	for g := p.parent; g != nil; g = p.parent {
		if !p.marked {
			p.marked = true
			return
		}
		h.cut(p, g)
		p = g
	}
}

func (h *FibHeap) cut(n, p *Node) {
	if n.right == n {
		p.child = nil
	} else if p.child == n {
		p.child = n.right
	}
	n.unlink()
	p.degree--
	n.marked = false
	h.addRoot(n)
}
