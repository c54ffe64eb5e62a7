package corpus

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// A Feature is a reason to keep an entry: a branch side that its run takes, or
// a value class that its run leaves.
type Feature uint64

// sideBit marks branch sides among features.
const sideBit = 1 << 63

// SideFeature returns the feature of taking a branch side.
func SideFeature(side int32) Feature { return sideBit | Feature(uint32(side)) }

// ValueFeature returns the feature of leaving a value of a type and, of each type,
// of one of a few sizes.
func ValueFeature(typ uint32, size uint8) Feature { return Feature(typ)<<8 | Feature(size) }

// Side returns the branch side of f; ok reports whether f is one.
func (f Feature) Side() (side int32, ok bool) { return int32(uint32(f)), f&sideBit != 0 }

// An Item is an entry as [Distill] sees it.
type Item struct {
	Features []Feature // in any order
	Cost     int       // of keeping it; less than one counts as one
}

// Distill chooses items that together have all features of the list, at a low
// cost: a weighted set cover. None of them can be left out. It returns their
// indexes in increasing order. Equal lists give equal answers; of equal items
// the first is chosen. Features in have count as covered; nil is none.
//
// It is greedy: it repeatedly takes the item with the most new features for its
// cost. Then it leaves out items that later ones made superfluous, the most
// costly first. So the cost is at most H(n) times the least possible, where n
// is the most features of an item and H(n) about ln n + 0.6 [Chvátal79]. On
// small cases of random features it is 1.01 times the least on average
// (TestDistillOptimum).
//
// The number of new features of an item can only fall. So items wait in a heap
// ordered by their last count, and only the first is counted again.
func Distill(list []Item, have []Feature) []int {
	c := newCover(list, have)
	for c.Len() > 0 {
		i := c.order[0]
		gain := c.gain(i)
		if gain == 0 {
			heap.Pop(c)
			continue
		}
		if gain < c.gains[i] {
			c.gains[i] = gain
			heap.Fix(c, 0)
			continue
		}
		heap.Pop(c)
		c.take(i, 1)
	}
	return c.irredundant()
}

// cover is the state of a choice. It is a heap of the items that may yet be chosen.
type cover struct {
	features [][]int32 // by item, numbered densely, each once, without those had before
	costs    []int
	gains    []int // by item: an upper bound of its new features
	order    []int // the heap
	times    []int // by feature: how many of the chosen items have it
	chosen   []int
}

func newCover(list []Item, have []Feature) *cover {
	c := &cover{features: make([][]int32, len(list)), costs: make([]int, len(list)), gains: make([]int, len(list))}
	const had = -1
	number := make(map[Feature]int32, len(have))
	for _, f := range have {
		number[f] = had
	}
	seen := []int{} // by feature: the last item that has it, plus one
	for i, it := range list {
		c.costs[i] = max(it.Cost, 1)
		for _, f := range it.Features {
			n, ok := number[f]
			if !ok {
				n = int32(len(seen))
				number[f] = n
				seen = append(seen, 0)
			}
			if n != had && seen[n] != i+1 {
				seen[n] = i + 1
				c.features[i] = append(c.features[i], n)
			}
		}
		if c.gains[i] = len(c.features[i]); c.gains[i] > 0 {
			c.order = append(c.order, i)
		}
	}
	c.times = make([]int, len(seen))
	heap.Init(c)
	return c
}

func (c *cover) gain(i int) int {
	n := 0
	for _, f := range c.features[i] {
		if c.times[f] == 0 {
			n++
		}
	}
	return n
}

func (c *cover) take(i, by int) {
	if by > 0 {
		c.chosen = append(c.chosen, i)
	}
	for _, f := range c.features[i] {
		c.times[f] += by
	}
}

// irredundant leaves out the chosen items that the others cover, the dearest
// first, and returns the rest in order.
func (c *cover) irredundant() []int {
	byCost := slices.Clone(c.chosen)
	slices.SortFunc(byCost, func(i, j int) int { return cmp.Or(c.costs[j]-c.costs[i], j-i) })
	var kept []int
	for _, i := range byCost {
		rarest := math.MaxInt
		for _, f := range c.features[i] {
			rarest = min(rarest, c.times[f])
		}
		if rarest > 1 {
			c.take(i, -1)
			continue
		}
		kept = append(kept, i)
	}
	slices.Sort(kept)
	return kept
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (c *cover) Len() int { return len(c.order) }

func (c *cover) Less(a, b int) bool {
	i, j := c.order[a], c.order[b]
	// gain/cost, without division
	if x, y := c.gains[i]*c.costs[j], c.gains[j]*c.costs[i]; x != y {
		return x > y
	}
	if c.costs[i] != c.costs[j] {
		return c.costs[i] < c.costs[j]
	}
	return i < j
}

func (c *cover) Swap(a, b int) { c.order[a], c.order[b] = c.order[b], c.order[a] }
func (c *cover) Push(x any)    { c.order = append(c.order, x.(int)) }

func (c *cover) Pop() any {
	last := c.order[len(c.order)-1]
	c.order = c.order[:len(c.order)-1]
	return last
}
