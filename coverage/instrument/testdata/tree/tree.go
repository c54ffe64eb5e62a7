package main

// A tree is a red-black tree with an order of its own, as containers have it.
type tree[K, V any] struct {
	root    *node[K, V]
	size    int
	compare func(a, b K) int
}

type node[K, V any] struct {
	key                 K
	value               V
	red                 bool
	left, right, parent *node[K, V]
}

func (t *tree[K, V]) Get(key K) (value V, found bool) {
	n := t.lookup(key)
	if n != nil {
		return n.value, true
	}
	return value, false
}

func (t *tree[K, V]) lookup(key K) *node[K, V] {
	n := t.root
	for n != nil {
		c := t.compare(key, n.key)
		switch {
		case c == 0:
			return n
		case c < 0:
			n = n.left
		case c > 0:
			n = n.right
		}
	}
	return nil
}

func (t *tree[K, V]) Put(key K, value V) {
	var parent *node[K, V]
	place := &t.root
	for *place != nil {
		parent = *place
		c := t.compare(key, parent.key)
		if c == 0 {
			parent.value = value
			return
		}
		if c < 0 {
			place = &parent.left
		} else {
			place = &parent.right
		}
	}
	n := &node[K, V]{key: key, value: value, red: true, parent: parent}
	*place = n
	t.size++
	t.fixInsert(n)
}

func (t *tree[K, V]) fixInsert(n *node[K, V]) {
	for n.parent != nil && n.parent.red {
		parent, grand := n.parent, n.parent.parent
		isLeft := parent == grand.left
		uncle := grand.left
		if isLeft {
			uncle = grand.right
		}
		if isRed(uncle) {
			parent.red, uncle.red, grand.red = false, false, true
			n = grand
			continue
		}
		if isLeft && n == parent.right {
			t.rotateLeft(parent)
			n, parent = parent, n
		} else if !isLeft && n == parent.left {
			t.rotateRight(parent)
			n, parent = parent, n
		}
		parent.red, grand.red = false, true
		if isLeft {
			t.rotateRight(grand)
		} else {
			t.rotateLeft(grand)
		}
	}
	t.root.red = false
}

func (t *tree[K, V]) Remove(key K) {
	n := t.lookup(key)
	if n == nil {
		return
	}
	if n.left != nil && n.right != nil {
		pred := n.left
		for pred.right != nil {
			pred = pred.right
		}
		n.key, n.value = pred.key, pred.value
		n = pred
	}
	child := n.left
	if child == nil {
		child = n.right
	}
	if !n.red && !isRed(child) {
		t.fixRemove(n)
	}
	t.replace(n, child)
	if child != nil {
		child.red = false
	}
	t.size--
}

func (t *tree[K, V]) fixRemove(n *node[K, V]) {
	for n.parent != nil && !isRed(n) {
		isLeft := n == n.parent.left
		s := t.sibling(n, isLeft)
		if isRed(s) {
			s.red, n.parent.red = false, true
			t.rotate(n.parent, isLeft)
			s = t.sibling(n, isLeft)
		}
		if !isRed(s.left) && !isRed(s.right) {
			s.red = true
			n = n.parent
			continue
		}
		if isLeft && !isRed(s.right) {
			s.left.red, s.red = false, true
			t.rotateRight(s)
			s = n.parent.right
		} else if !isLeft && !isRed(s.left) {
			s.right.red, s.red = false, true
			t.rotateLeft(s)
			s = n.parent.left
		}
		s.red, n.parent.red = n.parent.red, false
		if isLeft {
			s.right.red = false
		} else {
			s.left.red = false
		}
		t.rotate(n.parent, isLeft)
		return
	}
	n.red = false
}

func (t *tree[K, V]) sibling(n *node[K, V], isLeft bool) *node[K, V] {
	if isLeft {
		return n.parent.right
	}
	return n.parent.left
}

func (t *tree[K, V]) rotate(n *node[K, V], left bool) {
	if left {
		t.rotateLeft(n)
	} else {
		t.rotateRight(n)
	}
}

func (t *tree[K, V]) rotateLeft(n *node[K, V]) {
	right := n.right
	t.replace(n, right)
	n.right = right.left
	if right.left != nil {
		right.left.parent = n
	}
	right.left = n
	n.parent = right
}

func (t *tree[K, V]) rotateRight(n *node[K, V]) {
	left := n.left
	t.replace(n, left)
	n.left = left.right
	if left.right != nil {
		left.right.parent = n
	}
	left.right = n
	n.parent = left
}

func (t *tree[K, V]) replace(old, new *node[K, V]) {
	if old.parent == nil {
		t.root = new
	} else if old == old.parent.left {
		old.parent.left = new
	} else {
		old.parent.right = new
	}
	if new != nil {
		new.parent = old.parent
	}
}

func isRed[K, V any](n *node[K, V]) bool { return n != nil && n.red }
