package exhaustive_test

import (
	"fmt"
	"testing"

	"foray.test/harness/exhaustive"
)

// Subjects of Korat, with its bounds: n objects, sizes and keys as given. The order
// in which a predicate reads cells decides which candidates there are.

type bst struct {
	root  exhaustive.Ref[bstNode]
	size  exhaustive.Val[int]
	nodes *exhaustive.Objects[bstNode]
	queue []*bstNode
	seen  uint64
}

type bstNode struct {
	left, right exhaustive.Ref[bstNode]
	key         exhaustive.Val[int]
	bit         uint64
}

func searchTrees(n int) *exhaustive.Cases[*bst] {
	return exhaustive.Search(func(c *exhaustive.C) *bst {
		t := &bst{nodes: exhaustive.NewObjects[bstNode](c, n)}
		t.root.Of(t.nodes)
		t.size.Of(c, n)
		bit := uint64(1)
		t.nodes.Init(func(x *bstNode) {
			x.left.Of(t.nodes)
			x.right.Of(t.nodes)
			x.key.Of(c, exhaustive.Range(1, n)...)
			x.bit, bit = bit, bit<<1
		})
		return t
	}, (*bst).repOK)
}

func (t *bst) repOK() bool {
	root := t.root.Get()
	if root == nil {
		return t.size.Get() == 0
	}
	return t.acyclic(root) && root.count() == t.size.Get() && root.ordered(0, 1<<30)
}

func (t *bst) acyclic(root *bstNode) bool {
	t.queue = append(t.queue[:0], root)
	t.seen = root.bit
	for i := 0; i < len(t.queue); i++ {
		if !t.visit(t.queue[i].left.Get()) || !t.visit(t.queue[i].right.Get()) {
			return false
		}
	}
	return true
}

func (t *bst) visit(x *bstNode) bool {
	if x == nil {
		return true
	}
	if t.seen&x.bit != 0 {
		return false
	}
	t.seen |= x.bit
	t.queue = append(t.queue, x)
	return true
}

func (x *bstNode) count() int {
	if x == nil {
		return 0
	}
	return 1 + x.left.Get().count() + x.right.Get().count()
}

func (x *bstNode) ordered(over, under int) bool {
	if x == nil {
		return true
	}
	k := x.key.Get()
	return k > over && k < under && x.left.Get().ordered(over, k) && x.right.Get().ordered(k, under)
}

// As Korat counts them. The last two take seconds: BenchmarkSearch checks them.
var searchTreeCandidates = []int64{3: 133, 875, 6155, 45233, 340990, 2606968, 20086300, 155455872}

func TestSearchTreesAsKorat(t *testing.T) {
	top := 8
	if testing.Short() {
		top = 7
	}
	for n := 3; n <= top; n++ {
		stats := runs(t, searchTrees(n))
		expect(t, fmt.Sprint("search trees of ", n), stats.Cases, catalan[n])
		expect(t, fmt.Sprint("candidates of ", n), stats.Runs, searchTreeCandidates[n])
	}
}
