package binheap

import (
	"slices"
	"testing"

	"foray.test/harness/exhaustive"
)

type twin struct {
	first exhaustive.Ref[twinNode]
	nodes *exhaustive.Objects[twinNode]
	n     int
	met   []*twinNode
}

type twinNode struct {
	key, degree            exhaustive.Val[int]
	parent, sibling, child exhaustive.Ref[twinNode]
}

func structures(n int) *exhaustive.Cases[*twin] {
	return exhaustive.Search(func(c *exhaustive.C) *twin {
		t := &twin{nodes: exhaustive.NewObjects[twinNode](c, n), n: n}
		t.first.Of(t.nodes)
		t.nodes.Init(func(x *twinNode) {
			x.key.Of(c, exhaustive.Range(1, min(n, 3))...)
			x.degree.Of(c, exhaustive.Range(0, 3)...)
			x.parent.Of(t.nodes)
			x.sibling.Of(t.nodes)
			x.child.Of(t.nodes)
		})
		return t
	}, (*twin).ok)
}

// ok: the degrees of the roots grow.
func (t *twin) ok() bool {
	t.met = t.met[:0]
	last := -1
	for x := t.first.Get(); x != nil; x = x.sibling.Get() {
		d := x.degree.Get()
		if d <= last || !t.tree(x, nil, d) {
			return false
		}
		last = d
	}
	return len(t.met) == t.n
}

// tree: the children of a node of degree d have the degrees d-1, …, 0, and no lower keys.
func (t *twin) tree(x, parent *twinNode, degree int) bool {
	if x == nil || slices.Contains(t.met, x) {
		return false
	}
	t.met = append(t.met, x)
	if x.parent.Get() != parent || x.degree.Get() != degree || parent != nil && x.key.Get() < parent.key.Get() {
		return false
	}
	child := x.child.Get()
	for d := degree - 1; d >= 0; d-- {
		if !t.tree(child, x, d) {
			return false
		}
		child = child.sibling.Get()
	}
	return child == nil
}

func (x *twinNode) build(parent *node) *node {
	if x == nil {
		return nil
	}
	n := &node{key: x.key.Get(), degree: x.degree.Get(), parent: parent}
	n.sibling, n.child = x.sibling.Get().build(parent), x.child.Get().build(n)
	return n
}

func TestSearch(t *testing.T) {
	measure(t, 8, structures, func(t *twin) *BinomialHeap { return &BinomialHeap{t.first.Get().build(nil), t.n} }, func(int) []func(*BinomialHeap) {
		list := slices.Concat(all(0, 4, (*BinomialHeap).Insert), all(0, 4, (*BinomialHeap).Delete),
			all(0, 4, func(h *BinomialHeap, x int) { h.Find(x) }),
			[]func(*BinomialHeap){func(*BinomialHeap) { New() }, func(h *BinomialHeap) { h.Minimum() }, func(h *BinomialHeap) { h.ExtractMin() }})
		for from := 1; from <= 4; from++ {
			list = append(list, all(0, from+1, func(h *BinomialHeap, x int) { h.DecreaseKey(from, x) })...)
		}
		return list
	})
}
