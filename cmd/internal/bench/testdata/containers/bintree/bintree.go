// Package bintree is a search tree without balancing.
package bintree

// A BinTree holds numbers.
type BinTree struct{ root *node }

type node struct {
	value       int
	left, right *node
}

// New returns an empty tree.
func New() *BinTree { return &BinTree{} }

// Add adds x, unless the tree holds it.
func (t *BinTree) Add(x int) {
	if t.root == nil {
		t.root = &node{value: x}
		return
	}
	for at := t.root; at.value != x; {
		if x < at.value {
			if at.left == nil {
				at.left = &node{value: x}
			} else {
				at = at.left
			}
		} else {
			if at.right == nil {
				at.right = &node{value: x}
			} else {
				at = at.right
			}
		}
	}
}

// Find reports whether the tree holds x.
func (t *BinTree) Find(x int) bool {
	for at := t.root; at != nil; {
		if at.value == x {
			return true
		}
		if x < at.value {
			at = at.left
		} else {
			at = at.right
		}
	}
	return false
}

// Remove removes x, and reports whether the tree held it.
func (t *BinTree) Remove(x int) bool {
	var parent *node
	at := t.root
	for at != nil && at.value != x {
		parent = at
		if x < at.value {
			at = at.left
		} else {
			at = at.right
		}
	}
	if at == nil {
		return false
	}
	rest := merge(at)
	if parent == nil {
		t.root = rest
	} else if x < parent.value {
		parent.left = rest
	} else {
		parent.right = rest
	}
	return true
}

// merge returns the subtrees of a node as one.
func merge(at *node) *node {
	if at.left == nil {
		return at.right
	}
	if at.right == nil {
		return at.left
	}
	if at.left.right == nil {
		at.left.right = at.right
		return at.left
	}
	before := at.left
	for before.right.right != nil {
		before = before.right
	}
	last := before.right
	before.right = last.left
	last.left, last.right = at.left, at.right
	return last
}
