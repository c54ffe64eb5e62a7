package exhaustive_test

import (
	"fmt"
	"testing"

	"foray.test/harness/exhaustive"
)

// A plainTree is a type of a user with its predicate, neither made for this package.
type plainTree struct {
	root *plainNode
	size int
}

type plainNode struct {
	left, right *plainNode
	key         int    `exhaustive:"1..3"`
	note        string `exhaustive:"-"`
}

func (t *plainTree) repOK() bool {
	seen := map[*plainNode]bool{}
	var tree func(x *plainNode, over, under int) bool
	tree = func(x *plainNode, over, under int) bool {
		if x == nil {
			return true
		}
		if seen[x] || x.key <= over || x.key >= under || x.note != "" {
			return false
		}
		seen[x] = true
		return tree(x.left, over, x.key) && tree(x.right, x.key, under)
	}
	return tree(t.root, 0, 4) && len(seen) == t.size
}

func (x *plainNode) shape() string {
	if x == nil {
		return "."
	}
	return fmt.Sprint("(", x.left.shape(), x.key, x.right.shape(), ")")
}

func plainTrees(bounds exhaustive.Bounds) *exhaustive.Cases[*plainTree] {
	return exhaustive.Generate(func(c *exhaustive.C) *plainTree {
		t := exhaustive.Everything[plainTree](c, bounds)
		c.Assume(t.repOK())
		return t
	})
}

// The trees are those of a search, of all sizes; the candidates are many more, as the
// estimate says beforehand.
func TestEverything(t *testing.T) {
	trees := plainTrees(exhaustive.Bounds{Objects: 3, Hi: 3})
	seen := map[string]bool{}
	for _, v := range trees.All() {
		seen[v.root.shape()] = true
	}
	stats := runs(t, trees)
	expect(t, "search trees over subsets of 3 keys", stats.Cases, 15)
	expect(t, "distinct", len(seen), 15)
	// One node of 3 keys: both pointers nil or back to it. Two and three likewise, counted
	// with a formula for graphs whose nodes are numbered in the order of a walk.
	expect(t, "candidates", stats.Runs, 4*(1+numberedGraphs(3)))
	if e := trees.Estimate(); e < 0.8*float64(stats.Runs) || e > 1.2*float64(stats.Runs) {
		t.Errorf("estimate %v, want about %d", e, stats.Runs)
	}
}

// numberedGraphs counts graphs of 1 to n nodes, each with two pointers and one of three
// keys, in which every node is met on a walk from the first.
func numberedGraphs(n int) int64 {
	var walk func(open, known int) int64
	walk = func(open, known int) int64 { // open pointers, known nodes
		if open == 0 {
			return 1
		}
		sum := int64(1+known) * walk(open-1, known)
		if known < n {
			sum += 3 * walk(open-1+2, known+1)
		}
		return sum
	}
	return 3 * walk(2, 1)
}

type mixed struct {
	flag  bool
	bytes []uint8 `exhaustive:"7..8"`
	pair  [2]struct{ b bool }
	name  string
	self  *mixed
}

func TestEverythingOfAllKinds(t *testing.T) {
	s := exhaustive.Generate(func(c *exhaustive.C) *mixed {
		return exhaustive.Everything[mixed](c, exhaustive.Bounds{Objects: 1, Len: 2, Strings: []string{"x", "y", "z"}})
	})
	expect(t, "cases", runs(t, s).Cases, 2*(1+2+4)*4*3*2)
	seen := map[string]bool{}
	for _, v := range s.All() {
		seen[fmt.Sprint(v.flag, v.bytes, v.pair, v.name, v.self != nil)] = true
		for _, b := range v.bytes {
			if b < 7 || b > 8 {
				t.Fatalf("%+v", v)
			}
		}
		if v.self != nil && v.self != v {
			t.Fatal("self leads to another object than the only one")
		}
	}
	expect(t, "distinct", len(seen), 2*(1+2+4)*4*3*2)
}

func TestEverythingTroubles(t *testing.T) {
	type bad struct{ M map[string]int }
	type tagged struct {
		N int `exhaustive:"many"`
	}
	type within struct {
		N    int     `exhaustive:"n-1..n"`
		List []int   `exhaustive:"len=1..2,n"`
		Self *within `exhaustive:"nonnil"`
	}
	expect(t, "tags", runs(t, exhaustive.Generate(func(c *exhaustive.C) *within {
		return exhaustive.Everything[within](c, exhaustive.Bounds{Objects: 1, Hi: 9, Len: 9})
	})).Cases, 2*2)
	expect(t, "a map", complaint(exhaustive.Generate(func(c *exhaustive.C) *bad { return exhaustive.Everything[bad](c, exhaustive.Bounds{}) })),
		`exhaustive: case -: exhaustive_test.bad.M: no domain for a map[string]int: tag the field exhaustive:"-"`)
	expect(t, "a tag", complaint(exhaustive.Generate(func(c *exhaustive.C) *tagged { return exhaustive.Everything[tagged](c, exhaustive.Bounds{}) })),
		`exhaustive: case -: exhaustive_test.tagged.N: the tag exhaustive:"many": "many" is none of -, like, any, nonnil, len=0..2, and numbers as in 1..n`)
}
