package exhaustive_test

import (
	"fmt"
	"slices"
	"testing"

	"foray.test/harness/exhaustive"
)

// Known numbers of structures: sequences of the OEIS, closed formulas, and tables of
// papers.

type enum = exhaustive.Enum[int] // of structures that are counted only

func unit() *enum            { return exhaustive.Values(0) }
func zero() *enum            { return exhaustive.Values[int]() }
func times(a, b *enum) *enum { return exhaustive.Pair(a, b, func(int, int) int { return 0 }) }
func plus(a, b *enum) *enum  { return exhaustive.Sum(a, b) }
func number(e *enum) int64   { return e.Count().Int64() }
func family[K comparable](build func(f *exhaustive.Family[K, int], key K) *enum) func(K) *enum {
	return exhaustive.NewFamily(build).Of
}

func expectRow(t *testing.T, what string, count func(n int) int64, from int, want ...int64) {
	t.Helper()
	for i, w := range want {
		expect(t, fmt.Sprintf("%s of %d", what, from+i), count(from+i), w)
	}
}

// choose is the enumeration of k of n things.
var choose = family(func(f *exhaustive.Family[[2]int, int], nk [2]int) *enum {
	n, k := nk[0], nk[1]
	switch {
	case k == 0:
		return unit()
	case n == 0:
		return zero()
	}
	return plus(f.Of([2]int{n - 1, k}), f.Of([2]int{n - 1, k - 1}))
})

// sorted is the enumeration of weakly sorted lists of n of k values.
func sortedLists(n, k int) *enum { return choose([2]int{n + k - 1, n}) }

func TestListCounts(t *testing.T) {
	expectRow(t, "sorted lists, n values", func(n int) int64 { return number(sortedLists(n, n)) }, 1,
		1, 3, 10, 35, 126, 462, 1716, 6435, 24310, 92378, 352716, 1352078, 5200300)
	expectRow(t, "sorted lists, n+1 values", func(n int) int64 { return number(sortedLists(n, n+1)) }, 1,
		2, 6, 20, 70, 252, 924, 3432, 12870)
	subsets := func(n int) (sum int64) {
		for k := range n + 1 {
			sum += number(choose([2]int{n, k}))
		}
		return sum
	}
	expectRow(t, "strictly sorted lists up to", subsets, 16, 65536, 131072)
}

func TestTreeCounts(t *testing.T) {
	trees, rb := binary(join), redBlacks(colored)
	expectRow(t, "search trees with equal keys", func(n int) int64 {
		return number(exhaustive.Pair(trees.Of(n), sortedLists(n, n), func(*tree, int) int { return 0 }))
	}, 1, 1, 6, 50, 490, 5292, 60984, 736164)
	sum := int64(0)
	expectRow(t, "binary trees up to", func(n int) int64 { sum += trees.Of(n).Count().Int64(); return sum }, 0,
		1, 2, 4, 9, 23, 65, 197, 626, 2056, 6918, 23714, 82500, 290512)
	keyed := func(n int) (sum int64) {
		for k := range n + 1 {
			sum += number(choose([2]int{n, k})) * anyRedBlack(rb, k, true).Count().Int64()
		}
		return sum
	}
	expectRow(t, "red-black trees with keys", keyed, 1, 3, 7, 16, 41, 115, 327, 911, 2489, 6753)
	avl := family(func(f *exhaustive.Family[[2]int, int], nh [2]int) *enum {
		n, h := nh[0], nh[1]
		if n == 0 || h <= 0 {
			if n == 0 && h == 0 {
				return unit()
			}
			return zero()
		}
		all := zero()
		for l := range n {
			of := func(dl, dr int) *enum { return times(f.Of([2]int{l, h - dl}), f.Of([2]int{n - 1 - l, h - dr})) }
			all = exhaustive.Sum(all, of(1, 1), of(1, 2), of(2, 1))
		}
		return all
	})
	expectRow(t, "AVL trees", func(n int) (sum int64) {
		for h := range n + 1 {
			sum += number(avl([2]int{n, h}))
		}
		return sum
	}, 1, 1, 2, 1, 4, 6, 4, 17, 32, 44, 60, 70, 184, 476, 872, 1553, 2720)
}

// A heapKey says: the heap at index i of an array of size elements, with values from
// 1 to most.
type heapKey struct{ i, size, most int }

var heaps = family(func(f *exhaustive.Family[heapKey, int], k heapKey) *enum {
	if k.i >= k.size {
		return unit()
	}
	all := zero()
	for top := 1; top <= k.most; top++ {
		all = plus(all, times(f.Of(heapKey{2*k.i + 1, k.size, top}), f.Of(heapKey{2*k.i + 2, k.size, top})))
	}
	return all
})

func TestHeapCounts(t *testing.T) {
	of := func(n, values int) int64 { return number(heaps(heapKey{0, n, values})) }
	expectRow(t, "heaps, n values", func(n int) int64 { return of(n, n) }, 1, 1, 3, 14, 65, 448, 3136, 32028, 251922)
	korat := func(n int) (sum int64) {
		for length := range n + 1 {
			for size := range length + 1 {
				sum += of(size, n+1)
			}
		}
		return sum
	}
	expectRow(t, "heap arrays of Korat", korat, 1, 4, 15, 66, 320, 1919, 13139, 117562, 1005075, 10391382, 111511015)
	sum := int64(0)
	for n := range 9 {
		sum += of(n, 8)
	}
	expect(t, "heaps of 0 to 8 elements and 8 values [Zaeem12 table 1]", sum, 344571)
}

// A forestKey says: an ordered forest of n nodes with keys from least to most, heap
// ordered.
type forestKey struct{ n, least, most int }

var forests = family(func(f *exhaustive.Family[forestKey, int], k forestKey) *enum {
	if k.n == 0 {
		return unit()
	}
	all := zero()
	for first := 1; first <= k.n; first++ { // the nodes of the first tree
		for root := k.least; root <= k.most; root++ {
			all = plus(all, times(f.Of(forestKey{first - 1, root, k.most}), f.Of(forestKey{k.n - first, k.least, k.most})))
		}
	}
	return all
})

// A minKey counts the roots that equal the least one.
type minKey struct{ n, min, most, minima int }

var forestsWithMin = family(func(f *exhaustive.Family[minKey, int], k minKey) *enum {
	if k.n == 0 {
		if k.minima == 0 {
			return unit()
		}
		return zero()
	}
	all := zero()
	for first := 1; first <= k.n; first++ {
		for root := k.min; root <= k.most; root++ {
			rest := minKey{k.n - first, k.min, k.most, k.minima}
			if root == k.min {
				rest.minima--
			}
			if rest.minima >= 0 {
				all = plus(all, times(forests(forestKey{first - 1, root, k.most}), f.Of(rest)))
			}
		}
	}
	return all
})

func TestFibonacciHeapCounts(t *testing.T) {
	expectRow(t, "Fibonacci heaps without minimum", func(n int) (sum int64) {
		for k := range n + 1 {
			sum += number(forests(forestKey{k, 1, n}))
		}
		return sum
	}, 1, 2, 10, 106, 1776, 40011, 1125139, 37857282)
	expectRow(t, "Fibonacci heaps of Korat", func(n int) int64 {
		sum := int64(1)
		for k := 1; k <= n; k++ {
			for min := 1; min <= n; min++ {
				for minima := 1; minima <= k; minima++ {
					sum += int64(minima) * number(forestsWithMin(minKey{k, min, n, minima}))
				}
			}
		}
		return sum
	}, 1, 2, 12, 136, 2310, 52281, 1474186, 49698272)
}

// binomials is the enumeration of binomial trees by their rank, with keys from least
// to most.
var binomials = family(func(f *exhaustive.Family[[3]int, int], k [3]int) *enum {
	rank, least, most := k[0], k[1], k[2]
	all := zero()
	for root := least; root <= most; root++ {
		children := unit()
		for r := range rank {
			children = times(children, f.Of([3]int{r, root, most}))
		}
		all = plus(all, children)
	}
	return all
})

func TestBinomialHeapCounts(t *testing.T) {
	expectRow(t, "binomial heaps", func(n int) (sum int64) {
		for size := range n + 1 {
			heap := unit()
			for rank := range 8 {
				if size>>rank&1 == 1 {
					heap = times(heap, binomials([3]int{rank, 1, n}))
				}
			}
			sum += number(heap)
		}
		return sum
	}, 1, 2, 6, 28, 120, 936, 7602, 107416, 603744, 8746120)
}

// cases counts the cases of a generator for each n.
func cases(t *testing.T, gen func(c *exhaustive.C, n int)) func(n int) int64 {
	return func(n int) int64 {
		return runs(t, exhaustive.Generate(func(c *exhaustive.C) int { gen(c, n); return n })).Cases
	}
}

func TestGraphCounts(t *testing.T) {
	acyclic := func(edges []uint) bool {
		left, before := uint(1)<<len(edges)-1, uint(0)
		for left != before {
			before = left
			for i, to := range edges {
				if to&left == 0 {
					left &^= 1 << i
				}
			}
		}
		return left == 0
	}
	expectRow(t, "labelled DAGs", cases(t, func(c *exhaustive.C, n int) {
		edges := make([]uint, n)
		for i := range n {
			for j := range n {
				if i != j {
					edges[i] |= uint(c.Int(0, 1)) << j
				}
			}
			if !acyclic(edges) {
				c.Drop()
				return
			}
		}
	}), 0, 1, 1, 3, 25, 543)
	expectRow(t, "labelled DAGs with ordered successors", cases(t, func(c *exhaustive.C, n int) {
		edges := make([]uint, n)
		for i := range n {
			for k := c.Int(0, n-1); k > 0; k-- {
				j := c.Int(0, n-1)
				if edges[i]>>j&1 == 1 {
					c.Drop()
					return
				}
				edges[i] |= 1 << j
			}
			if !acyclic(edges) {
				c.Drop()
				return
			}
		}
	}), 1, 1, 3, 34, 1757)
	expectRow(t, "union-find forests", cases(t, func(c *exhaustive.C, n int) {
		edges := make([]uint, n)
		for i := range n {
			if parent := c.Int(0, n-1); parent != i {
				edges[i] = 1 << parent
			}
			if !acyclic(edges) {
				c.Drop()
				return
			}
		}
	}), 1, 1, 3, 16, 125, 1296, 16807)
}

// Objects that a generator numbers itself are not alike to a pool. To have each graph
// once up to the names of its nodes, assume that no renaming comes before it.
func TestGraphsUpToNames(t *testing.T) {
	renamings := map[int][][]int{}
	for n := range 5 {
		for _, p := range exhaustive.All(func(c *exhaustive.C) []int {
			p := exhaustive.Range(0, n-1)
			for i := range p {
				j := c.Int(i, n-1)
				p[i], p[j] = p[j], p[i]
			}
			return p
		}) {
			renamings[n] = append(renamings[n], p)
		}
	}
	graphs := func(sets bool) func(n int) int64 {
		return cases(t, func(c *exhaustive.C, n int) {
			next := make([][]int, n)
			for i := 1; i < n; i++ { // edges lead to lower numbers, so there is no cycle
				next[i] = chosenOf(c, i, sets)
			}
			if !first(next, renamings[n], sets) {
				c.Drop()
			}
		})
	}
	expectRow(t, "DAGs", graphs(true), 1, 1, 2, 6, 31)
	expectRow(t, "DAGs with ordered successors", graphs(false), 1, 1, 2, 7, 79)
}

// chosenOf returns a subset of 0 to n-1, in any order unless it is a set.
func chosenOf(c *exhaustive.C, n int, set bool) (list []int) {
	left := exhaustive.Range(0, n-1)
	for k := c.Int(0, n); k > 0; k-- {
		most := len(left) - 1
		if set {
			most = len(left) - k // the others must fit in behind
		}
		i := c.Int(0, most)
		list = append(list, left[i])
		if set {
			left = left[i+1:]
		} else {
			left = slices.Delete(left, i, i+1)
		}
	}
	return list
}

// first reports whether no renaming, to a graph whose edges lead to lower numbers as
// well, gives a smaller text.
func first(next [][]int, renamings [][]int, sets bool) bool {
	text := fmt.Sprint(next)
	for _, p := range renamings {
		renamed := make([][]int, len(next))
		lower := true
		for i, list := range next {
			for _, j := range list {
				renamed[p[i]] = append(renamed[p[i]], p[j])
				lower = lower && p[j] < p[i]
			}
			if sets {
				slices.Sort(renamed[p[i]])
			}
		}
		if lower && fmt.Sprint(renamed) < text {
			return false
		}
	}
	return true
}

// Ordered Bell numbers: rankings with ties, each rank up to the highest being used.
func TestRankingCounts(t *testing.T) {
	expectRow(t, "rankings", cases(t, func(c *exhaustive.C, n int) {
		rank := make([]int, n)
		for i := range rank {
			rank[i] = c.Int(0, n-1)
		}
		slices.Sort(rank)
		rank = slices.Compact(rank)
		c.Assume(n == 0 || rank[len(rank)-1] == len(rank)-1)
	}), 0, 1, 1, 3, 13, 75, 541, 4683)
}

// Inputs of the black-box tests of [Visser04 §4.2, §5.4]: trees of up to five nodes with a
// black root, a key to remove or one to add.
func TestBlackBoxTests(t *testing.T) {
	rb, tests := redBlacks(colored), int64(0)
	for n := 1; n <= 5; n++ {
		tests += anyRedBlack(rb, n, false).Count().Int64() * int64(n+1)
	}
	expect(t, "tests", tests, 84)
}
