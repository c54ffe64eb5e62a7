// Package treemap is a red-black tree of numbers, after the one of Java.
package treemap

// A TreeMap maps numbers to numbers.
type TreeMap struct {
	root *entry
	size int
}

type entry struct {
	key, value          int
	red                 bool
	left, right, parent *entry
}

// New returns an empty map.
func New() *TreeMap { return &TreeMap{} }

// Size returns the number of keys.
func (t *TreeMap) Size() int { return t.size }

// ContainsKey reports whether the map has a key.
func (t *TreeMap) ContainsKey(key int) bool { return t.find(key) != nil }

func (t *TreeMap) find(key int) *entry {
	p := t.root
	for p != nil && p.key != key {
		if key < p.key {
			p = p.left
		} else {
			p = p.right
		}
	}
	return p
}

// LastKey returns the largest key, or -1.
func (t *TreeMap) LastKey() int {
	if t.root == nil {
		return -1
	}
	p := t.root
	for p.right != nil {
		p = p.right
	}
	return p.key
}

// Put maps a key to itself.
func (t *TreeMap) Put(key int) {
	var parent *entry
	place := &t.root
	for *place != nil {
		if parent = *place; key == parent.key {
			parent.value = key
			return
		}
		if key < parent.key {
			place = &parent.left
		} else {
			place = &parent.right
		}
	}
	*place = &entry{key: key, value: key, parent: parent}
	t.size++
	t.fixInsertion(*place)
}

// Remove removes a key, if the map has it.
func (t *TreeMap) Remove(key int) {
	if p := t.find(key); p != nil {
		t.delete(p)
	}
}

func (p *entry) isRed() bool { return p != nil && p.red }

func (p *entry) up() *entry {
	if p == nil {
		return nil
	}
	return p.parent
}

func (p *entry) l() *entry {
	if p == nil {
		return nil
	}
	return p.left
}

func (p *entry) r() *entry {
	if p == nil {
		return nil
	}
	return p.right
}

func (p *entry) paint(red bool) {
	if p != nil {
		p.red = red
	}
}

func (t *TreeMap) replace(p, by *entry) {
	if p.parent == nil {
		t.root = by
	} else if p.parent.left == p {
		p.parent.left = by
	} else {
		p.parent.right = by
	}
	if by != nil {
		by.parent = p.parent
	}
}

func (t *TreeMap) rotateLeft(p *entry) {
	if p == nil {
		return
	}
	r := p.right
	p.right = r.left
	if r.left != nil {
		r.left.parent = p
	}
	t.replace(p, r)
	r.left, p.parent = p, r
}

func (t *TreeMap) rotateRight(p *entry) {
	if p == nil {
		return
	}
	l := p.left
	p.left = l.right
	if l.right != nil {
		l.right.parent = p
	}
	t.replace(p, l)
	l.right, p.parent = p, l
}

func (t *TreeMap) fixInsertion(x *entry) {
	x.red = true
	for x != nil && x != t.root && x.parent.red {
		if x.up() == x.up().up().l() {
			if y := x.up().up().r(); y.isRed() {
				x.up().paint(false)
				y.paint(false)
				x.up().up().paint(true)
				x = x.up().up()
			} else {
				if x == x.up().r() {
					x = x.up()
					t.rotateLeft(x)
				}
				x.up().paint(false)
				x.up().up().paint(true)
				t.rotateRight(x.up().up())
			}
		} else {
			if y := x.up().up().l(); y.isRed() {
				x.up().paint(false)
				y.paint(false)
				x.up().up().paint(true)
				x = x.up().up()
			} else {
				if x == x.up().l() {
					x = x.up()
					t.rotateRight(x)
				}
				x.up().paint(false)
				x.up().up().paint(true)
				t.rotateLeft(x.up().up())
			}
		}
	}
	t.root.red = false
}

func (t *TreeMap) delete(p *entry) {
	t.size--
	if p.left != nil && p.right != nil {
		s := p.right
		for s.left != nil {
			s = s.left
		}
		p.key, p.value = s.key, s.value
		p = s
	}
	by := p.left
	if by == nil {
		by = p.right
	}
	if by != nil {
		t.replace(p, by)
		if !p.red {
			t.fixDeletion(by)
		}
		return
	}
	if p.parent == nil {
		t.root = nil
		return
	}
	if !p.red {
		t.fixDeletion(p)
	}
	t.replace(p, nil)
}

func (t *TreeMap) fixDeletion(x *entry) {
	for x != t.root && !x.isRed() {
		if x == x.up().l() {
			s := x.up().r()
			if s.isRed() {
				s.paint(false)
				x.up().paint(true)
				t.rotateLeft(x.up())
				s = x.up().r()
			}
			if !s.l().isRed() && !s.r().isRed() {
				s.paint(true)
				x = x.up()
				continue
			}
			if !s.r().isRed() {
				s.l().paint(false)
				s.paint(true)
				t.rotateRight(s)
				s = x.up().r()
			}
			s.paint(x.up().isRed())
			x.up().paint(false)
			s.r().paint(false)
			t.rotateLeft(x.up())
			x = t.root
		} else {
			s := x.up().l()
			if s.isRed() {
				s.paint(false)
				x.up().paint(true)
				t.rotateRight(x.up())
				s = x.up().l()
			}
			if !s.l().isRed() && !s.r().isRed() {
				s.paint(true)
				x = x.up()
				continue
			}
			if !s.l().isRed() {
				s.r().paint(false)
				s.paint(true)
				t.rotateLeft(s)
				s = x.up().l()
			}
			s.paint(x.up().isRed())
			x.up().paint(false)
			s.l().paint(false)
			t.rotateRight(x.up())
			x = t.root
		}
	}
	x.paint(false)
}
