package fibheap

import (
	"slices"
	"testing"

	"foray.test/harness/exhaustive"
)

type twin struct {
	min   exhaustive.Ref[twinNode]
	nodes *exhaustive.Objects[twinNode]
	n     int
	met   []*twinNode
}

type twinNode struct {
	key, degree                exhaustive.Val[int]
	marked                     exhaustive.Val[bool]
	parent, child, left, right exhaustive.Ref[twinNode]
}

func structures(n int) *exhaustive.Cases[*twin] {
	return exhaustive.Search(func(c *exhaustive.C) *twin {
		t := &twin{nodes: exhaustive.NewObjects[twinNode](c, n), n: n}
		t.min.Of(t.nodes)
		t.nodes.Init(func(x *twinNode) {
			x.key.Of(c, exhaustive.Range(1, min(n, 3))...)
			x.degree.Of(c, exhaustive.Range(0, n)...)
			x.marked.Of(c, false, true)
			for _, r := range []*exhaustive.Ref[twinNode]{&x.parent, &x.child, &x.left, &x.right} {
				r.Of(t.nodes)
			}
		})
		return t
	}, (*twin).ok)
}

func (t *twin) ok() bool {
	t.met = t.met[:0]
	if t.min.Get() == nil {
		return t.n == 0
	}
	_, ok := t.ring(t.min.Get(), nil, t.min.Get())
	return ok && len(t.met) == t.n
}

// ring: the nodes from first on are linked both ways, have a parent, and no lower key than
// one.
func (t *twin) ring(first, parent, least *twinNode) (count int, ok bool) {
	for x := first; ; {
		if slices.Contains(t.met, x) {
			return 0, false
		}
		t.met = append(t.met, x)
		if count++; x.parent.Get() != parent {
			return 0, false
		}
		next := x.right.Get()
		if next == nil || next.left.Get() != x || x.key.Get() < least.key.Get() {
			return 0, false
		}
		children := 0
		if child := x.child.Get(); child != nil {
			if children, ok = t.ring(child, x, x); !ok {
				return 0, false
			}
		}
		if x.degree.Get() != children {
			return 0, false
		}
		if next == first {
			return count, true
		}
		x = next
	}
}

// A built heap has its nodes, too.
type built struct {
	h     *FibHeap
	nodes []*Node
}

func (t *twin) build() *built {
	b := &built{h: &FibHeap{size: t.n}}
	of := map[*twinNode]*Node{nil: nil}
	for _, x := range t.met {
		of[x] = &Node{key: x.key.Get(), degree: x.degree.Get(), marked: x.marked.Get()}
		b.nodes = append(b.nodes, of[x])
	}
	for _, x := range t.met {
		n := of[x]
		n.parent, n.child, n.left, n.right = of[x.parent.Get()], of[x.child.Get()], of[x.left.Get()], of[x.right.Get()]
	}
	b.h.min = of[t.min.Get()]
	return b
}

func TestSearch(t *testing.T) {
	measure(t, 5, structures, (*twin).build, func(n int) []func(*built) {
		list := append(all(0, 4, func(b *built, x int) { b.h.Insert(x) }), func(*built) { New() }, func(b *built) { b.h.Min() },
			func(b *built) { b.h.Empty() }, func(b *built) { b.h.RemoveMin() },
			func(b *built) { b.h.Delete(nil) }, func(b *built) { b.h.Delete(New().Insert(1)) },
			func(b *built) { b.h.DecreaseKey(nil, 0) }, func(b *built) { b.h.DecreaseKey(New().Insert(1), 0) })
		for i := range n {
			list = append(list, func(b *built) { b.h.Delete(b.nodes[i]) })
			list = append(list, all(0, 4, func(b *built, x int) { b.h.DecreaseKey(b.nodes[i], x) })...)
		}
		return list
	})
}
