// Package alias breaks when two arguments are the same node.
package alias

// A Node is a cell of a ring.
type Node struct {
	next *Node
	size int
}

// New returns a ring of one.
func New() *Node {
	n := &Node{size: 1}
	n.next = n
	return n
}

// Grow adds a cell behind n and returns it.
func (n *Node) Grow() *Node {
	n.next = &Node{next: n.next, size: n.size + 1}
	return n.next
}

// Join puts b's cells behind a. It forgets that both may be one.
func (a *Node) Join(b *Node) int {
	sizes := []int{a.size, b.size}
	if a == b && a.size > 1 {
		return sizes[a.size]
	}
	a.size += b.size
	return a.size
}
