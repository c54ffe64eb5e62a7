package exhaustive_test

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"testing"

	"foray.test/harness/exhaustive"
)

// binary is the family of binary trees by their number of nodes.
func binary(join func(l, r *tree) *tree) *exhaustive.Family[int, *tree] {
	return exhaustive.NewFamily(func(f *exhaustive.Family[int, *tree], n int) *exhaustive.Enum[*tree] {
		if n == 0 {
			return exhaustive.Values[*tree](nil)
		}
		var by []*exhaustive.Enum[*tree]
		for l := range n {
			by = append(by, exhaustive.Pair(f.Of(l), f.Of(n-1-l), join))
		}
		return exhaustive.Sum(by...)
	})
}

func join(l, r *tree) *tree { return &tree{left: l, right: r} }

// A redBlack tree has n nodes and black nodes on every path, and may have a red root.
type redBlack struct {
	n, black int
	red      bool
}

// redBlacks is the family of red-black trees, whose keys are their in-order numbers.
func redBlacks(join func(l, r *tree, red bool) *tree) *exhaustive.Family[redBlack, *tree] {
	red := func(l, r *tree) *tree { return join(l, r, true) }
	black := func(l, r *tree) *tree { return join(l, r, false) }
	return exhaustive.NewFamily(func(f *exhaustive.Family[redBlack, *tree], k redBlack) *exhaustive.Enum[*tree] {
		if k.n == 0 && k.black == 0 {
			return exhaustive.Values[*tree](nil)
		}
		var by []*exhaustive.Enum[*tree]
		for l := range k.n {
			r := k.n - 1 - l
			if k.red {
				by = append(by, exhaustive.Pair(f.Of(redBlack{l, k.black, false}), f.Of(redBlack{r, k.black, false}), red))
			}
			if k.black > 0 {
				by = append(by, exhaustive.Pair(f.Of(redBlack{l, k.black - 1, true}), f.Of(redBlack{r, k.black - 1, true}), black))
			}
		}
		return exhaustive.Sum(by...)
	})
}

func colored(l, r *tree, red bool) *tree { return &tree{left: l, right: r, red: red} }

// anyRedBlack returns the red-black trees of n nodes.
func anyRedBlack(f *exhaustive.Family[redBlack, *tree], n int, redRoot bool) *exhaustive.Enum[*tree] {
	var by []*exhaustive.Enum[*tree]
	for black := range bits.Len(uint(n)) + 1 { // 2^black-1 nodes at least
		by = append(by, f.Of(redBlack{n, black, redRoot}))
	}
	return exhaustive.Sum(by...)
}

var (
	// A001131, shifted: any root.
	redBlackCounts = []int64{1, 2, 2, 3, 8, 14, 20, 35, 64, 122, 260, 586, 1296, 2708, 5400, 10468, 19888, 37580, 71960, 140612, 279264, 560544}
	// A001137: black root.
	blackRootCounts = []int64{1, 1, 2, 2, 4, 8, 16, 33, 56, 90, 164, 330, 688, 1440, 3008, 6291, 13168, 27604}
)

func TestEnumCounts(t *testing.T) {
	trees, rb := binary(join), redBlacks(colored)
	for n, want := range catalan {
		expect(t, fmt.Sprint("binary trees of ", n), trees.Of(n).Count().Int64(), want)
	}
	for n, want := range redBlackCounts {
		expect(t, fmt.Sprint("red-black trees of ", n), anyRedBlack(rb, n, true).Count().Int64(), want)
	}
	for n, want := range blackRootCounts {
		expect(t, fmt.Sprint("red-black trees with black root of ", n), anyRedBlack(rb, n, false).Count().Int64(), want)
	}
	expect(t, "red-black trees of 24", anyRedBlack(rb, 24, true).Count().Int64(), 4750368)
	expect(t, "red-black trees of 26", anyRedBlack(rb, 26, true).Count().Int64(), 20788880)
}

// All, At and Shared have the same values in the same order, each once; a generator
// is their twin.
func TestEnumValues(t *testing.T) {
	trees, rb := binary(join), redBlacks(colored)
	check := func(what string, e *exhaustive.Enum[*tree], valid func(*tree) bool) {
		t.Helper()
		var shared []string
		for _, v := range e.Shared() {
			shared = append(shared, v.String())
		}
		seen := map[string]bool{}
		for i, v := range e.All() {
			s := v.String()
			if seen[s] || !valid(v) || shared[i] != s || e.At(i).String() != s || e.AtBig(new(big.Int).SetUint64(i)).String() != s {
				t.Fatalf("%s, number %d: %s is invalid, comes twice or differs", what, i, s)
			}
			seen[s] = true
		}
		expect(t, what, len(seen), int(e.Count().Int64()))
		expect(t, what+" shared", len(shared), len(seen))
	}
	for n := range 10 {
		check(fmt.Sprint("binary trees of ", n), trees.Of(n), func(v *tree) bool { return v.size() == n })
	}
	for n := range 15 {
		check(fmt.Sprint("red-black trees of ", n), anyRedBlack(rb, n, true), func(v *tree) bool {
			return v.size() == n && v.blackHeight() >= 0
		})
	}
}

func (t *tree) size() int {
	if t == nil {
		return 0
	}
	return 1 + t.left.size() + t.right.size()
}

// blackHeight returns the number of black nodes on every path, -1 if t is no
// red-black tree.
func (t *tree) blackHeight() int {
	if t == nil {
		return 0
	}
	l, r := t.left.blackHeight(), t.right.blackHeight()
	if l < 0 || l != r || t.red && (t.left != nil && t.left.red || t.right != nil && t.right.red) {
		return -1
	}
	if t.red {
		return l
	}
	return l + 1
}

// The values of All are private: changing one changes no other.
func TestEnumAllIsPrivate(t *testing.T) {
	e := binary(join).Of(6)
	sizes := 0
	for _, v := range e.All() {
		sizes += v.size()
		v.left, v.right = nil, nil
	}
	expect(t, "sum of sizes", sizes, 6*132)
}

// Beyond 64 bits: Cat(40) = 2622127042276492108820.
func TestEnumBig(t *testing.T) {
	e := binary(join).Of(40)
	expect(t, "count", e.Count().String(), "2622127042276492108820")
	last := new(big.Int).Sub(e.Count(), big.NewInt(1))
	leftmost, rightmost := e.At(0), e.AtBig(last)
	for range 39 {
		leftmost, rightmost = leftmost.right, rightmost.left
	}
	expect(t, "first is a chain to the right", leftmost != nil && leftmost.right == nil, true)
	expect(t, "last is a chain to the left", rightmost != nil && rightmost.left == nil, true)
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		expect(t, "size of a sample", e.Sample(r).size(), 40)
	}
	one := exhaustive.Values(1, 2)
	for range 63 {
		one = exhaustive.Pair(one, exhaustive.Values(0, 1), func(a, b int) int { return a ^ b })
	}
	expect(t, "2^64", one.Count().String(), "18446744073709551616")
	none := exhaustive.Pair(one, exhaustive.Values[int](), func(a, b int) int { return a })
	expect(t, "2^64 times nothing", none.Count().String(), "0")
}

// [Zaeem12 table 2]: ten inputs of 90 to 100 nodes. Theirs take 0.2 s and 20 s, and are of
// unknown distribution.
func TestEnumSampleLarge(t *testing.T) {
	trees, rb := binary(join), redBlacks(colored)
	r := rand.New(rand.NewPCG(5, 6))
	for range 10 {
		n := 90 + r.IntN(11)
		expect(t, "nodes of a binary tree", trees.Of(n).Sample(r).size(), n)
		v := anyRedBlack(rb, n, true).Sample(r)
		expect(t, "nodes of a red-black tree", v.size(), n)
		expect(t, "it is one", v.blackHeight() > 0, true)
	}
}

// Uniform: each of the 42 trees within four standard deviations.
func TestEnumSampleIsUniform(t *testing.T) {
	e := binary(join).Of(5)
	r := rand.New(rand.NewPCG(3, 4))
	const each = 2500
	count := map[string]int{}
	for range 42 * each {
		count[e.Sample(r).String()]++
	}
	expect(t, "trees met", len(count), 42)
	for s, n := range count {
		if n < each-200 || n > each+200 {
			t.Errorf("%s: %d samples, want about %d", s, n, each)
		}
	}
}

// Keys in place of shapes: a sub-tree gets a range of keys, so that search trees of
// the same shape and range are shared and no key is searched for.
func TestEnumOfKeyRanges(t *testing.T) {
	type span struct{ lo, hi int }
	f := exhaustive.NewFamily(func(f *exhaustive.Family[span, *tree], k span) *exhaustive.Enum[*tree] {
		by := []*exhaustive.Enum[*tree]{exhaustive.Values[*tree](nil)}
		for key := k.lo; key <= k.hi; key++ {
			by = append(by, exhaustive.Pair(f.Of(span{k.lo, key - 1}), f.Of(span{key + 1, k.hi}), func(l, r *tree) *tree {
				return &tree{left: l, right: r, key: key}
			}))
		}
		return exhaustive.Sum(by...)
	})
	// Search trees over every subset of n keys: the sum of C(n,k)*Cat(k).
	for n, want := range []int64{1, 2, 5, 15, 51, 188, 731, 2950, 12235} {
		expect(t, fmt.Sprint("search trees over subsets of ", n), f.Of(span{1, n}).Count().Int64(), want)
	}
	for _, v := range f.Of(span{1, 5}).All() {
		keys := v.keys(nil)
		for i := 1; i < len(keys); i++ {
			if keys[i-1] >= keys[i] {
				t.Fatalf("keys %v", keys)
			}
		}
	}
}

func (t *tree) keys(list []int) []int {
	if t == nil {
		return list
	}
	return t.right.keys(append(t.left.keys(list), t.key))
}

// An Enum is a domain like any other.
func TestPick(t *testing.T) {
	trees := binary(join)
	stats := runs(t, exhaustive.Generate(func(c *exhaustive.C) int {
		n := c.Int(0, 5)
		v := exhaustive.Pick(c, trees.Of(n))
		return v.size() + c.Int(0, n)
	}))
	want := int64(0)
	for n := range int64(6) {
		want += catalan[n] * (n + 1)
	}
	expect(t, "trees with a place each", stats.Cases, want)
}

func TestEnumBadInput(t *testing.T) {
	for want, f := range map[string]func(){
		"exhaustive: At(5) of an Enum of 5 values":                                                 func() { binary(join).Of(3).At(5) },
		"exhaustive: AtBig(-1) of an Enum of 5 values":                                             func() { binary(join).Of(3).AtBig(big.NewInt(-1)) },
		"exhaustive: Sample of an Enum without values":                                             func() { exhaustive.Values[int]().Sample(rand.New(rand.NewPCG(1, 1))) },
		"exhaustive: the member 3 of a Family needs itself: a part must be smaller than the whole": func() { loop(0).Of(3) },
		"exhaustive: 10000 members of a Family wait for -9997: the recursion has no end":           func() { loop(1).Of(3) },
		"exhaustive: case -: enum_test.go:N: a choice among 0 values: every domain needs one": func() {
			for range exhaustive.All(func(c *exhaustive.C) int { return exhaustive.Pick(c, exhaustive.Values[int]()) }) {
			}
		},
	} {
		expect(t, "panic", panicOf(f), want)
	}
}

// A function of the caller that panics does so again: no part of its values is taken for all.
func TestEnumAfterPanic(t *testing.T) {
	e := exhaustive.Map(exhaustive.Values(1, 2, 3), func(n int) int {
		if n == 3 {
			panic("three")
		}
		return n
	})
	pairs := exhaustive.Pair(exhaustive.Values(0), e, func(_, n int) int { return n })
	for range 2 {
		expect(t, "panic", panicOf(func() {
			for range pairs.Shared() {
			}
		}), "three")
	}
}

func loop(step int) *exhaustive.Family[int, int] {
	return exhaustive.NewFamily(func(f *exhaustive.Family[int, int], n int) *exhaustive.Enum[int] { return f.Of(n - step) })
}

var line = regexp.MustCompile(`\.go:[0-9]+`)

// panicOf returns the text of the panic of f, without the numbers of lines.
func panicOf(f func()) (text string) {
	defer func() { text = line.ReplaceAllString(fmt.Sprint(recover()), ".go:N") }()
	f()
	return "none"
}
