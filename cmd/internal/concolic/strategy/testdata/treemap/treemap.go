// Package treemap is a red-black tree after TreeMap of Java 1.3, with numbers for keys and
// an invariant.
package treemap

// TreeMap is a set of numbers.
type TreeMap struct {
	root *entry
	size int
}

type entry struct {
	left, right, parent *entry
	key                 int
	black               bool
}

// A checker holds what is counted in a tree.
type checker struct {
	entries int
	blacks  int // above each leaf; -1 before the first
}

// RepOK reports whether the tree is a red-black tree with a black root.
func (t *TreeMap) RepOK() bool {
	if t.root != nil && !t.root.black {
		return false
	}
	return t.anyRoot()
}

// Subtree is a red-black tree whose root may be red.
type Subtree TreeMap

// RepOK reports whether the tree is a red-black tree with any root.
func (t *Subtree) RepOK() bool { return (*TreeMap)(t).anyRoot() }

func (t *TreeMap) anyRoot() bool {
	c := checker{blacks: -1}
	return c.check(t.root, nil, nil, nil, 0) && c.entries == t.size
}

// check checks a subtree with keys between those of two entries. It fails as early as it can.
func (c *checker) check(e, parent, lo, hi *entry, blacks int) bool {
	if e == nil {
		if c.blacks < 0 {
			c.blacks = blacks
		}
		return c.blacks == blacks
	}
	if e.parent != parent || lo != nil && e.key <= lo.key || hi != nil && e.key >= hi.key {
		return false
	}
	if e.black {
		blacks++
		if c.blacks >= 0 && blacks > c.blacks {
			return false
		}
	} else if parent != nil && !parent.black {
		return false
	}
	c.entries++
	return c.check(e.left, e, lo, e, blacks) && c.check(e.right, e, e, hi, blacks)
}

// Put adds a key.
func (t *TreeMap) Put(key int) {
	e := t.root
	if e == nil {
		t.size++
		t.root = &entry{key: key, black: true}
		return
	}
	for {
		switch {
		case key == e.key:
			return
		case key < e.key:
			if e.left == nil {
				t.size++
				e.left = &entry{key: key, parent: e, black: true}
				t.fixAfterInsertion(e.left)
				return
			}
			e = e.left
		default:
			if e.right == nil {
				t.size++
				e.right = &entry{key: key, parent: e, black: true}
				t.fixAfterInsertion(e.right)
				return
			}
			e = e.right
		}
	}
}

// Remove removes a key.
func (t *TreeMap) Remove(key int) {
	e := t.root
	for e != nil && e.key != key {
		if key < e.key {
			e = e.left
		} else {
			e = e.right
		}
	}
	if e != nil {
		t.deleteEntry(e)
	}
}

func (t *TreeMap) deleteEntry(p *entry) {
	t.size--
	if p.left != nil && p.right != nil {
		s := p.right
		for s.left != nil {
			s = s.left
		}
		p.key, p = s.key, s
	}
	replacement := p.right
	if p.left != nil {
		replacement = p.left
	}
	if replacement != nil {
		replacement.parent = p.parent
		if p.parent == nil {
			t.root = replacement
		} else if p == p.parent.left {
			p.parent.left = replacement
		} else {
			p.parent.right = replacement
		}
		p.left, p.right, p.parent = nil, nil, nil
		if p.black {
			t.fixAfterDeletion(replacement)
		}
	} else if p.parent == nil {
		t.root = nil
	} else {
		if p.black {
			t.fixAfterDeletion(p)
		}
		if p.parent != nil {
			if p == p.parent.left {
				p.parent.left = nil
			} else if p == p.parent.right {
				p.parent.right = nil
			}
			p.parent = nil
		}
	}
}

func (t *TreeMap) fixAfterInsertion(x *entry) {
	x.black = false
	for x != nil && x != t.root && !x.parent.black {
		if parentOf(x) == leftOf(parentOf(parentOf(x))) {
			y := rightOf(parentOf(parentOf(x)))
			if !isBlack(y) {
				setColor(parentOf(x), true)
				setColor(y, true)
				setColor(parentOf(parentOf(x)), false)
				x = parentOf(parentOf(x))
			} else {
				if x == rightOf(parentOf(x)) {
					x = parentOf(x)
					t.rotateLeft(x)
				}
				setColor(parentOf(x), true)
				setColor(parentOf(parentOf(x)), false)
				if parentOf(parentOf(x)) != nil {
					t.rotateRight(parentOf(parentOf(x)))
				}
			}
		} else {
			y := leftOf(parentOf(parentOf(x)))
			if !isBlack(y) {
				setColor(parentOf(x), true)
				setColor(y, true)
				setColor(parentOf(parentOf(x)), false)
				x = parentOf(parentOf(x))
			} else {
				if x == leftOf(parentOf(x)) {
					x = parentOf(x)
					t.rotateRight(x)
				}
				setColor(parentOf(x), true)
				setColor(parentOf(parentOf(x)), false)
				if parentOf(parentOf(x)) != nil {
					t.rotateLeft(parentOf(parentOf(x)))
				}
			}
		}
	}
	t.root.black = true
}

func (t *TreeMap) fixAfterDeletion(x *entry) {
	for x != t.root && isBlack(x) {
		if x == leftOf(parentOf(x)) {
			sib := rightOf(parentOf(x))
			if !isBlack(sib) {
				setColor(sib, true)
				setColor(parentOf(x), false)
				t.rotateLeft(parentOf(x))
				sib = rightOf(parentOf(x))
			}
			if isBlack(leftOf(sib)) && isBlack(rightOf(sib)) {
				setColor(sib, false)
				x = parentOf(x)
			} else {
				if isBlack(rightOf(sib)) {
					setColor(leftOf(sib), true)
					setColor(sib, false)
					t.rotateRight(sib)
					sib = rightOf(parentOf(x))
				}
				setColor(sib, isBlack(parentOf(x)))
				setColor(parentOf(x), true)
				setColor(rightOf(sib), true)
				t.rotateLeft(parentOf(x))
				x = t.root
			}
		} else {
			sib := leftOf(parentOf(x))
			if !isBlack(sib) {
				setColor(sib, true)
				setColor(parentOf(x), false)
				t.rotateRight(parentOf(x))
				sib = leftOf(parentOf(x))
			}
			if isBlack(rightOf(sib)) && isBlack(leftOf(sib)) {
				setColor(sib, false)
				x = parentOf(x)
			} else {
				if isBlack(leftOf(sib)) {
					setColor(rightOf(sib), true)
					setColor(sib, false)
					t.rotateLeft(sib)
					sib = leftOf(parentOf(x))
				}
				setColor(sib, isBlack(parentOf(x)))
				setColor(parentOf(x), true)
				setColor(leftOf(sib), true)
				t.rotateRight(parentOf(x))
				x = t.root
			}
		}
	}
	setColor(x, true)
}

func isBlack(e *entry) bool { return e == nil || e.black }

func parentOf(e *entry) *entry {
	if e == nil {
		return nil
	}
	return e.parent
}

func leftOf(e *entry) *entry {
	if e == nil {
		return nil
	}
	return e.left
}

func rightOf(e *entry) *entry {
	if e == nil {
		return nil
	}
	return e.right
}

func setColor(e *entry, black bool) {
	if e != nil {
		e.black = black
	}
}

func (t *TreeMap) rotateLeft(p *entry) {
	r := p.right
	p.right = r.left
	if r.left != nil {
		r.left.parent = p
	}
	r.parent = p.parent
	if p.parent == nil {
		t.root = r
	} else if p.parent.left == p {
		p.parent.left = r
	} else {
		p.parent.right = r
	}
	r.left = p
	p.parent = r
}

func (t *TreeMap) rotateRight(p *entry) {
	l := p.left
	p.left = l.right
	if l.right != nil {
		l.right.parent = p
	}
	l.parent = p.parent
	if p.parent == nil {
		t.root = l
	} else if p.parent.right == p {
		p.parent.right = l
	} else {
		p.parent.left = l
	}
	l.right = p
	p.parent = l
}
