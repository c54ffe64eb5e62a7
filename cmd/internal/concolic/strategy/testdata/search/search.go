// Package search has a search tree with an invariant.
package search

// Tree is a search tree.
type Tree struct {
	root *node
	size int
}

type node struct {
	left, right *node
	key         int
}

// RepOK reports whether keys are in order, and counted.
func (t *Tree) RepOK() bool {
	n, ok := count(t.root, nil, nil)
	return ok && n == t.size
}

// count counts the nodes whose keys are between two others.
func count(x, lo, hi *node) (int, bool) {
	if x == nil {
		return 0, true
	}
	if lo != nil && x.key <= lo.key || hi != nil && x.key >= hi.key {
		return 0, false
	}
	l, ok := count(x.left, lo, x)
	if !ok {
		return 0, false
	}
	r, ok := count(x.right, x, hi)
	return l + r + 1, ok
}

// Contains reports whether a key is in the tree.
func (t *Tree) Contains(key int) bool {
	for x := t.root; x != nil; {
		switch {
		case key < x.key:
			x = x.left
		case key > x.key:
			x = x.right
		default:
			return true
		}
	}
	return false
}

// Remove removes a key.
func (t *Tree) Remove(key int) bool {
	at := &t.root
	for *at != nil && (*at).key != key {
		if key < (*at).key {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	x := *at
	if x == nil {
		return false
	}
	t.size--
	if x.left == nil {
		*at = x.right
		return true
	}
	most := &x.left
	for (*most).right != nil {
		most = &(*most).right
	}
	m := *most
	*most = m.left
	m.left, m.right = x.left, x.right
	*at = m
	return true
}
