package exhaustive_test

import (
	"fmt"
	"testing"

	"foray.test/harness/exhaustive"
)

// [Gligoric09 figure 13]: structures, and paths explored when values are chosen at once
// or when they are first used. The backbone is built, the rest is assumed. Their
// numbers are reproduced exactly, but for red-black trees, whose order of reads the
// paper leaves open, and for DAGs.
func TestDelayedChoiceExploresAsUDITA(t *testing.T) {
	most := int64(3e6) // runs that a test may take
	if testing.Short() {
		most = 2e5
	}
	type row struct{ structures, eager, delayed int64 }
	for _, subject := range []struct {
		name string
		gen  func(c *exhaustive.C, n int, delayed bool)
		from int
		want []row
	}{
		{"queens", queens, 6, []row{{4, 46656, 746}, {40, 823543, 3073}, {92, 16777216, 13756}}},
		{"search trees", keyedTrees, 4, []row{{490, 3584, 1484}, {5292, 131250, 21210}, {60984, 6158592, 305052}}},
		{"sorted lists", sortedVals, 6, []row{{924, 55987, 3967}, {3432, 960800, 18026}, {12870, 19173961, 80089}}},
		{"heap arrays", heapVals, 6, []row{{13139, 160132, 27664}, {117562, 2739136, 227494}, {1005075, 54481005, 2325069}}},
	} {
		for i, want := range subject.want {
			n := subject.from + i
			of := func(delayed bool) exhaustive.Stats {
				return runs(t, exhaustive.Generate(func(c *exhaustive.C) int {
					subject.gen(c, n, delayed)
					return 0
				}))
			}
			if want.delayed < most {
				stats := of(true)
				expect(t, fmt.Sprint(subject.name, " of ", n), stats.Cases, want.structures)
				expect(t, fmt.Sprint("explored with delay, ", subject.name, " of ", n), stats.Runs, want.delayed)
			}
			if want.eager < most {
				expect(t, fmt.Sprint("explored, ", subject.name, " of ", n), of(false).Runs, want.eager)
			}
		}
	}
}

// vals returns n values from lo to hi.
func vals(c *exhaustive.C, n, lo, hi int, delayed bool) []exhaustive.Val[int] {
	list, domain := make([]exhaustive.Val[int], n), exhaustive.Range(lo, hi)
	for i := range list {
		list[i].Of(c, domain...)
	}
	if !delayed {
		force(list)
	}
	return list
}

func force(list []exhaustive.Val[int]) {
	for i := range list {
		list[i].Get()
	}
}

func queens(c *exhaustive.C, n int, delayed bool) {
	column := vals(c, n, 0, n-1, delayed)
	for i := range n {
		for j := range i {
			if d := column[j].Get() - column[i].Get(); d == 0 || d == i-j || d == j-i {
				c.Drop()
				return
			}
		}
	}
}

func keyedTrees(c *exhaustive.C, n int, delayed bool) {
	shape := shapes(c, n)
	keys := vals(c, n, 1, n, delayed)
	next := 0
	var ordered func(t *tree, least, most int) bool
	ordered = func(t *tree, least, most int) bool { // reads a root before its sub-trees
		if t == nil {
			return true
		}
		k := keys[next].Get()
		next++
		return k >= least && k <= most && ordered(t.left, least, k) && ordered(t.right, k, most)
	}
	if !ordered(shape, 1, n) {
		c.Drop()
	}
}

// sortedVals generates lists of up to n values.
func sortedVals(c *exhaustive.C, n int, delayed bool) {
	list := vals(c, c.Int(0, n), 1, n, delayed)
	for i := 1; i < len(list); i++ {
		if list[i-1].Get() > list[i].Get() {
			c.Drop()
			return
		}
	}
	force(list)
}

// heapVals generates arrays of up to n elements, some of which a heap uses.
func heapVals(c *exhaustive.C, n int, delayed bool) {
	list := vals(c, c.Int(0, c.Int(0, n)), 0, n, delayed)
	for i := 1; i < len(list); i++ {
		if list[i].Get() > list[(i-1)/2].Get() {
			c.Drop()
			return
		}
	}
	force(list)
}
