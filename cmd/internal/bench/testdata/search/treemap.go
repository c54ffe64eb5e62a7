package treemap

import (
	"slices"
	"testing"

	"foray.test/harness/exhaustive"
)

type twin struct {
	root  exhaustive.Ref[twinNode]
	nodes *exhaustive.Objects[twinNode]
	n     int
	met   []*twinNode
}

type twinNode struct {
	left, right, parent exhaustive.Ref[twinNode]
	red                 exhaustive.Val[bool]
	key                 exhaustive.Val[int]
}

// Keys are even, so that there is a number between any two.
func structures(n int) *exhaustive.Cases[*twin] {
	return exhaustive.Search(func(c *exhaustive.C) *twin {
		t := &twin{nodes: exhaustive.NewObjects[twinNode](c, n), n: n}
		t.root.Of(t.nodes)
		keys := make([]int, n)
		for i := range keys {
			keys[i] = 2*i + 2
		}
		t.nodes.Init(func(x *twinNode) {
			x.left.Of(t.nodes)
			x.right.Of(t.nodes)
			x.parent.Of(t.nodes)
			x.red.Of(c, false, true)
			x.key.Of(c, keys...)
		})
		return t
	}, (*twin).ok)
}

func (t *twin) ok() bool {
	t.met = t.met[:0]
	root := t.root.Get()
	_, ok := t.tree(root, nil)
	return ok && len(t.met) == t.n && (root == nil || !root.red.Get()) && root.ordered(0, 2*t.n+1)
}

// tree: no red node has a red child, and all paths have as many black nodes.
func (t *twin) tree(x, parent *twinNode) (blacks int, ok bool) {
	if x == nil {
		return 0, true
	}
	if slices.Contains(t.met, x) {
		return 0, false
	}
	t.met = append(t.met, x)
	if x.parent.Get() != parent || x.red.Get() && parent != nil && parent.red.Get() {
		return 0, false
	}
	left, ok := t.tree(x.left.Get(), x)
	if !ok {
		return 0, false
	}
	right, ok := t.tree(x.right.Get(), x)
	if !x.red.Get() {
		left++
		right++
	}
	return left, ok && left == right
}

func (x *twinNode) ordered(over, under int) bool {
	if x == nil {
		return true
	}
	k := x.key.Get()
	return k > over && k < under && x.left.Get().ordered(over, k) && x.right.Get().ordered(k, under)
}

func (x *twinNode) build(parent *entry) *entry {
	if x == nil {
		return nil
	}
	e := &entry{key: x.key.Get(), value: x.key.Get(), red: x.red.Get(), parent: parent}
	e.left, e.right = x.left.Get().build(e), x.right.Get().build(e)
	return e
}

func TestSearch(t *testing.T) {
	measure(t, 8, structures, func(t *twin) *TreeMap { return &TreeMap{t.root.Get().build(nil), t.n} }, func(n int) []func(*TreeMap) {
		return slices.Concat(all(1, 2*n+1, (*TreeMap).Put), all(1, 2*n+1, (*TreeMap).Remove),
			all(1, 2*n+1, func(t *TreeMap, x int) { t.ContainsKey(x) }),
			[]func(*TreeMap){func(*TreeMap) { New() }, func(t *TreeMap) { t.LastKey() }, func(t *TreeMap) { t.Size() }})
	})
}
