package bintree

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
	left, right exhaustive.Ref[twinNode]
	value       exhaustive.Val[int]
}

// Keys are even, so that there is a number between any two.
func structures(n int) *exhaustive.Cases[*twin] {
	return exhaustive.Search(func(c *exhaustive.C) *twin {
		t := &twin{nodes: exhaustive.NewObjects[twinNode](c, n), n: n}
		t.root.Of(t.nodes)
		t.nodes.Init(func(x *twinNode) {
			x.left.Of(t.nodes)
			x.right.Of(t.nodes)
			x.value.Of(c, evens(n)...)
		})
		return t
	}, (*twin).ok)
}

func evens(n int) (list []int) {
	for i := range n {
		list = append(list, 2*i+2)
	}
	return list
}

func (t *twin) ok() bool {
	t.met = t.met[:0]
	return t.tree(t.root.Get(), 0, 2*t.n+1) && len(t.met) == t.n
}

func (t *twin) tree(x *twinNode, over, under int) bool {
	if x == nil {
		return true
	}
	if slices.Contains(t.met, x) {
		return false
	}
	t.met = append(t.met, x)
	v := x.value.Get()
	return v > over && v < under && t.tree(x.left.Get(), over, v) && t.tree(x.right.Get(), v, under)
}

func (x *twinNode) build() *node {
	if x == nil {
		return nil
	}
	return &node{x.value.Get(), x.left.Get().build(), x.right.Get().build()}
}

func TestSearch(t *testing.T) {
	measure(t, 6, structures, func(t *twin) *BinTree { return &BinTree{t.root.Get().build()} }, func(n int) []func(*BinTree) {
		return slices.Concat(all(1, 2*n+1, (*BinTree).Add), all(1, 2*n+1, func(t *BinTree, x int) { t.Find(x) }),
			all(1, 2*n+1, func(t *BinTree, x int) { t.Remove(x) }), []func(*BinTree){func(*BinTree) { New() }})
	})
}
