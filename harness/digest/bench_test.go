package digest

import (
	"container/list"
	"fmt"
	"testing"
)

type treeNode struct {
	Key, Value          int
	red                 bool
	Left, Right, Parent *treeNode
}

type tree struct {
	Root    *treeNode
	size    int
	Compare func(a, b int) int
}

// newTree returns a balanced tree of n nodes with links to the parents.
func newTree(n int) *tree {
	var build func(lo, hi int, parent *treeNode) *treeNode
	build = func(lo, hi int, parent *treeNode) *treeNode {
		if lo == hi {
			return nil
		}
		mid := (lo + hi) / 2
		node := &treeNode{Key: mid, Value: mid * mid, red: mid%2 == 0, Parent: parent}
		node.Left, node.Right = build(lo, mid, node), build(mid+1, hi, node)
		return node
	}
	return &tree{build(0, n, nil), n, func(a, b int) int { return a - b }}
}

// newList returns a list of n elements, each of which leads to its neighbours and to the list.
func newList(n int) *list.List {
	l := list.New()
	for i := range n {
		l.PushBack(i)
	}
	return l
}

// BenchmarkSum reports how long a digest takes; ns/node is per node of a tree,
// entry of a map and element of a slice.
func BenchmarkSum(b *testing.B) {
	m := map[string]int{}
	mi := map[int]int{}
	anys := map[any]any{}
	for i := range 16 {
		m[fmt.Sprintf("key%d", i)] = i
		mi[i*7] = i
		anys[i] = fmt.Sprint(i)
	}
	for _, bb := range []struct {
		name string
		v    any
		n    int
	}{
		{"int", 1 << 30, 1},
		{"string", "a string of some length", 1},
		{"tree/nodes=1", newTree(1), 1},
		{"tree/nodes=16", newTree(16), 16},
		{"tree/nodes=100", newTree(100), 100},
		{"list/nodes=32", newList(32), 32},
		{"map-string-int/entries=16", m, 16},
		{"map-int-int/entries=16", mi, 16},
		{"map-any-any/entries=16", anys, 16},
		{"ints/len=64", make([]int, 64), 64},
		{"anys/len=16", []any{0, 1, 2, 3, 4, 5, 6, 7, "8", "9", 10, 11, 12, 13, 14, 15}, 16},
	} {
		b.Run(bb.name, func(b *testing.B) {
			d := New(Limits{})
			b.ReportAllocs()
			for b.Loop() {
				d.Sum(bb.v)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bb.n), "ns/node")
		})
	}
}
