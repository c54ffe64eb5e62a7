package exhaustive_test

import (
	"errors"
	"fmt"
	"testing"

	"foray.test/harness/exhaustive"
)

// A treeMap is the code under test: a red-black tree with parents as those of Java's
// TreeMap and [Gligoric09 appendix A]. An omission leaves out one statement of the
// rebalancing after a removal, as the seeded faults of figure 14 do.
type treeMap struct {
	root     *entry
	size     int
	omission int
}

type entry struct {
	left, right, parent *entry
	key                 int
	black               bool
}

func (m *treeMap) find(key int) *entry {
	x := m.root
	for x != nil && x.key != key {
		if key < x.key {
			x = x.left
		} else {
			x = x.right
		}
	}
	return x
}

func (m *treeMap) remove(key int) {
	x := m.find(key)
	if x == nil {
		return
	}
	m.size--
	if x.left != nil && x.right != nil {
		next := x.right
		for next.left != nil {
			next = next.left
		}
		x.key, x = next.key, next
	}
	child := x.left
	if child == nil {
		child = x.right
	}
	if child == nil { // a leaf stays while the tree around it is balanced
		if x.black {
			m.rebalance(x)
		}
		m.replace(x, nil)
		return
	}
	m.replace(x, child)
	if x.black {
		m.rebalance(child)
	}
}

// replace puts y in the place of x.
func (m *treeMap) replace(x, y *entry) {
	if y != nil {
		y.parent = x.parent
	}
	switch p := x.parent; {
	case p == nil:
		m.root = y
	case p.left == x:
		p.left = y
	default:
		p.right = y
	}
}

// child returns the child on one side, paint sets a color unless x is nil.
func (x *entry) child(left bool) *entry {
	switch {
	case x == nil:
		return nil
	case left:
		return x.left
	}
	return x.right
}

func (x *entry) isBlack() bool { return x == nil || x.black }

func (x *entry) paint(black bool) {
	if x != nil {
		x.black = black
	}
}

// rotate moves x down to the given side.
func (m *treeMap) rotate(x *entry, left bool) {
	y := x.child(!left)
	if y == nil {
		return
	}
	inner := y.child(left)
	m.replace(x, y)
	if left {
		x.right, y.left = inner, x
	} else {
		x.left, y.right = inner, x
	}
	if inner != nil {
		inner.parent = x
	}
	x.parent = y
}

// rebalance adds a black node to the paths through x.
func (m *treeMap) rebalance(x *entry) {
	for x != m.root && x.isBlack() {
		left := x == x.parent.left
		sibling := x.parent.child(!left)
		if !sibling.isBlack() && m.omission != 2 {
			sibling.paint(true)
			x.parent.paint(false)
			m.rotate(x.parent, left)
			sibling = x.parent.child(!left)
		}
		if sibling.child(left).isBlack() && sibling.child(!left).isBlack() {
			if m.omission != 4 {
				sibling.paint(false)
			}
			x = x.parent
			continue
		}
		if sibling.child(!left).isBlack() {
			sibling.child(left).paint(true)
			sibling.paint(false)
			m.rotate(sibling, !left)
			sibling = x.parent.child(!left)
		}
		sibling.paint(x.parent.isBlack())
		x.parent.paint(true)
		if m.omission != 1 {
			sibling.child(!left).paint(true)
		}
		if m.omission != 3 {
			m.rotate(x.parent, left)
		}
		x = m.root
	}
	x.paint(true)
}

// check returns an error unless m is a red-black tree of the given keys.
func (m *treeMap) check(keys []int) error {
	var got []int
	var walk func(x, parent *entry) (int, error)
	walk = func(x, parent *entry) (black int, err error) {
		if x == nil {
			return 0, nil
		}
		if x.parent != parent {
			return 0, fmt.Errorf("the parent of %d is wrong", x.key)
		}
		l, err := walk(x.left, x)
		if err != nil {
			return 0, err
		}
		got = append(got, x.key)
		r, err := walk(x.right, x)
		switch {
		case err != nil:
			return 0, err
		case l != r:
			return 0, fmt.Errorf("%d black nodes to the left of %d, %d to the right", l, x.key, r)
		case x.black:
			return l + 1, nil
		case !x.left.isBlack() || !x.right.isBlack():
			return 0, fmt.Errorf("%d and a child are red", x.key)
		}
		return l, nil
	}
	if _, err := walk(m.root, nil); err != nil {
		return err
	}
	if fmt.Sprint(got) != fmt.Sprint(keys) || m.size != len(keys) {
		return fmt.Errorf("keys %v, size %d, want %v", got, m.size, keys)
	}
	return nil
}

// build makes a treeMap of a structure of a search.
func (t *rbt) build() *treeMap {
	var link func(x *rbtNode, parent *entry) *entry
	link = func(x *rbtNode, parent *entry) *entry {
		if x == nil {
			return nil
		}
		e := &entry{key: x.key.Get(), black: x.black.Get(), parent: parent}
		e.left, e.right = link(x.left.Get(), e), link(x.right.Get(), e)
		return e
	}
	return &treeMap{root: link(t.root.Get(), nil), size: t.size.Get()}
}

// removals is the test: each key is removed from a tree of its own.
func removals(n, omission int) func(t *rbt) error {
	return func(t *rbt) error {
		for key := 1; key <= n; key++ {
			m := t.build()
			m.omission = omission
			var rest []int
			for k := 1; k <= n; k++ {
				if k != key {
					rest = append(rest, k)
				}
			}
			m.remove(key)
			if err := m.check(rest); err != nil {
				return fmt.Errorf("remove(%d): %w", key, err)
			}
		}
		return nil
	}
}

func TestRemoveFromAllRedBlackTrees(t *testing.T) {
	for n := range 8 {
		redBlackSearch(n).Test(t, removals(n, 0))
	}
}

// [Gligoric09 figure 14]: four omissions, each found by a purely declarative search for
// the trees of 1, 2, ... nodes.
func TestSeededFaults(t *testing.T) {
	for omission, want := range map[int]string{
		1: "4 nodes, 594 candidates: remove(1): 1 black nodes to the left of 3, 0 to the right",
		2: "5 nodes, 2937 candidates: remove(1): 0 black nodes to the left of 2, 1 to the right",
		3: "4 nodes, 594 candidates: remove(1): 0 black nodes to the left of 3, 1 to the right",
		4: "3 nodes, 151 candidates: remove(1): 0 black nodes to the left of 2, 1 to the right",
	} {
		candidates := int64(0)
		got := "none"
		for n := 1; n <= 7 && got == "none"; n++ {
			stats, err := redBlackSearch(n).Each(func(_ *exhaustive.C, t *rbt) error { return removals(n, omission)(t) })
			candidates += stats.Runs
			if err != nil {
				got = fmt.Sprintf("%d nodes, %d candidates: %v", n, candidates, errors.Unwrap(err))
			}
		}
		expect(t, fmt.Sprint("omission ", omission), got, want)
	}
}
