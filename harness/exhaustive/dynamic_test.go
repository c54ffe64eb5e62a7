package exhaustive_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Dynamic programming over a recursive predicate as in [Zaeem12 §3.2], for comparison:
// all valid inputs are kept as records and combined to larger ones, with every value
// of the plain fields. An Enum shares parts in the same way, but needs no search.

// A dpInput describes inputs by their recursive fields, the domains of the plain ones,
// and a predicate that takes the validity of the parts for granted.
type dpInput struct {
	recursive int
	domains   []int // sizes; the values are 0, 1, ...
	bound     int   // nodes
	repOK     func(x *dpNode) bool
}

// A dpRecord is an input in concise form.
type dpRecord struct {
	parts  [2]int32 // numbers of records; record 0 is nil
	fields [3]int8
	size   int

	condition []dpComparison // in place of fields, when they are symbolic
}

// A dpNode is an input as an object.
type dpNode struct {
	run     *dpRun
	record  *dpRecord
	symbols int // of the nodes before this one, in preorder
	parts   [2]*dpNode
	known   [2]bool
}

type dpRun struct {
	dpInput
	lazy       bool        // expand records when they are read: LazyDP, §3.2.3
	symbolic   bool        // plain fields are symbols: SymboLazyDP, §3.2.4
	path       *dpPath     // of this run of the predicate, if they are
	coin       func() bool // keeps an input of more than small nodes; §3.2.2
	records    []*dpRecord // valid ones
	pool, last [][]int32   // by size
	candidates int64
	expanded   int64 // objects made
}

const dpSmall = 3

func (d *dpRun) expand(i int32, symbols int) *dpNode {
	if i == 0 {
		return nil
	}
	return d.object(d.records[i], symbols)
}

func (d *dpRun) object(r *dpRecord, symbols int) *dpNode {
	d.expanded++
	x := &dpNode{run: d, record: r, symbols: symbols}
	for i := range d.recursive {
		if !d.lazy {
			x.part(i)
		}
	}
	return x
}

func (x *dpNode) part(i int) *dpNode {
	if !x.known[i] {
		before := x.symbols + x.run.before(x.record, i)
		x.parts[i], x.known[i] = x.run.expand(x.record.parts[i], before), true
	}
	return x.parts[i]
}

// A dpValue is a symbol plus a number. Symbol 0 is 0: all values of DP have it.
type dpValue struct{ symbol, number int }

func (x *dpNode) field(i int) dpValue {
	if p := x.run.path; p != nil {
		return p.value(1 + x.symbols + i)
	}
	return dpValue{0, int(x.record.fields[i])}
}

func (x *dpNode) less(a, b dpValue) bool {
	if a.symbol == b.symbol {
		return a.number < b.number
	}
	return x.run.path.branch(dpComparison{b.symbol, a.symbol, b.number - a.number - 1, atMost})
}

func (x *dpNode) equal(a, b dpValue) bool {
	if a.symbol == b.symbol {
		return a.number == b.number
	}
	return x.run.path.branch(dpComparison{b.symbol, a.symbol, b.number - a.number, equalTo})
}

// plus panics if neither is a number: no subject adds symbols that its path leaves open.
func (v dpValue) plus(w dpValue) dpValue {
	if v.symbol != 0 && w.symbol != 0 {
		panic("sum of two symbols")
	}
	return dpValue{v.symbol + w.symbol, v.number + w.number}
}

// generate is the algorithm of listing 3. A round combines tuples of which at least
// one part is of the last round, so that no candidate comes twice.
func (d *dpRun) generate() {
	d.records = []*dpRecord{{}}
	d.candidates = 1 // nil
	d.pool, d.last = make([][]int32, d.bound+1), make([][]int32, d.bound+1)
	d.last[0] = []int32{0}
	for grew := true; grew; {
		now := make([][]int32, d.bound+1)
		first := len(d.records)
		d.tuples(0, 0, false, [2]int32{}, func(parts [2]int32, size int) {
			r, add := dpRecord{parts: parts, size: size + 1}, func(r dpRecord) {
				now[r.size] = append(now[r.size], int32(len(d.records)))
				d.records = append(d.records, &r)
			}
			if d.symbolic {
				d.paths(r, add)
			} else {
				d.valuations(0, r, add)
			}
		})
		for size, list := range d.last {
			d.pool[size] = append(d.pool[size], list...)
		}
		d.last = now
		grew = len(d.records) > first
	}
}

// tuples calls f for the tuples of parts whose sizes leave room for one more node.
func (d *dpRun) tuples(i, size int, recent bool, parts [2]int32, f func(parts [2]int32, size int)) {
	if i == d.recursive {
		if recent {
			f(parts, size)
		}
		return
	}
	for s := 0; size+s < d.bound; s++ {
		for _, p := range d.pool[s] {
			parts[i] = p
			d.tuples(i+1, size+s, recent, parts, f)
		}
		for _, p := range d.last[s] {
			parts[i] = p
			d.tuples(i+1, size+s, true, parts, f)
		}
	}
}

func (d *dpRun) valuations(i int, r dpRecord, add func(dpRecord)) {
	if i < len(d.domains) {
		for v := range d.domains[i] {
			r.fields[i] = int8(v)
			d.valuations(i+1, r, add)
		}
		return
	}
	if d.keeps(&r) {
		add(r)
	}
}

func (d *dpRun) keeps(r *dpRecord) bool {
	d.candidates++
	return d.repOK(d.object(r, 0)) && (d.coin == nil || r.size <= dpSmall || d.coin())
}

// The first field is a key, the only part the next element.
func dpLists(n int) dpInput {
	return dpInput{recursive: 1, domains: []int{n}, bound: n, repOK: func(x *dpNode) bool {
		next := x.part(0)
		return next == nil || x.less(x.field(0), next.field(0))
	}}
}

// Likewise, but in any order.
func dpDistinct(n int) dpInput {
	return dpInput{recursive: 1, domains: []int{n}, bound: n, repOK: func(x *dpNode) bool {
		for y := x.part(0); y != nil; y = y.part(0) {
			if x.equal(x.field(0), y.field(0)) {
				return false
			}
		}
		return true
	}}
}

// sized reports whether field i is the size.
func (x *dpNode) sized(i int) bool {
	sum := dpValue{0, 1}
	for j := range 2 {
		if y := x.part(j); y != nil {
			sum = sum.plus(y.field(i))
		}
	}
	return x.equal(x.field(i), sum)
}

// The only field is the size.
func dpTrees(n int) dpInput {
	return dpInput{recursive: 2, domains: []int{n + 1}, bound: n, repOK: func(x *dpNode) bool { return x.sized(0) }}
}

// ordered reports whether the first field is greater than those of the left part and
// less than those of the right one, both ordered.
func (x *dpNode) ordered() bool {
	for y := x.part(0); y != nil; y = y.part(1) { // the greatest of the left
		if !x.less(y.field(0), x.field(0)) {
			return false
		}
	}
	for y := x.part(1); y != nil; y = y.part(0) {
		if !x.less(x.field(0), y.field(0)) {
			return false
		}
	}
	return true
}

func dpSearchTrees(n int) dpInput {
	return dpInput{recursive: 2, domains: []int{n}, bound: n, repOK: (*dpNode).ordered}
}

// Key, color and size.
func dpRedBlack(n int) dpInput {
	red := func(x *dpNode) bool { return x != nil && x.equal(x.field(1), dpValue{0, 1}) }
	black := func(x *dpNode) (height int) {
		for ; x != nil; x = x.part(0) {
			if !red(x) {
				height++
			}
		}
		return height
	}
	return dpInput{recursive: 2, domains: []int{n, 2, n + 1}, bound: n, repOK: func(x *dpNode) bool {
		l, r := x.part(0), x.part(1)
		return !(red(x) && (red(l) || red(r))) && black(l) == black(r) && x.sized(2) && x.ordered()
	}}
}

// A forest: the first part is the first child, the second the next sibling.
func dpFibonacci(n int) dpInput {
	return dpInput{recursive: 2, domains: []int{n}, bound: n, repOK: func(x *dpNode) bool {
		for y := x.part(0); y != nil; y = y.part(1) {
			if x.less(y.field(0), x.field(0)) {
				return false
			}
		}
		return true
	}}
}

// A complete binary tree.
func dpHeaps(n int) dpInput {
	var count func(x *dpNode) int
	count = func(x *dpNode) int {
		if x == nil {
			return 0
		}
		return 1 + count(x.part(0)) + count(x.part(1))
	}
	return dpInput{recursive: 2, domains: []int{n}, bound: n, repOK: func(x *dpNode) bool {
		l, r := count(x.part(0)), count(x.part(1))
		full := func(n int) bool { return n&(n+1) == 0 }
		if !(full(l) && l/2 <= r && r <= l || full(r) && r <= l && l <= 2*r+1) {
			return false
		}
		for i := range 2 {
			if y := x.part(i); y != nil && x.less(y.field(0), x.field(0)) {
				return false
			}
		}
		return true
	}}
}

// overPairs returns a sum over the sizes of all pairs of parts for which n nodes have room.
func overPairs(n int, count func(i, j int) int64) (sum int64) {
	for i := range n {
		for j := range n - i {
			sum += count(i, j)
		}
	}
	return sum
}

// pairs returns the number of such pairs, of count(k) parts of k nodes each.
func pairs(n int, count func(k int) int64) int64 {
	return overPairs(n, func(i, j int) int64 { return count(i) * count(j) })
}

func TestDynamicProgramming(t *testing.T) {
	keyed := func(n int) func(k int) int64 {
		return func(k int) int64 { return number(choose([2]int{n, k})) * redBlackCounts[k] }
	}
	forest := func(n int) func(k int) int64 {
		return func(k int) int64 { return number(forests(forestKey{k, 1, n})) }
	}
	// Table 1, by formula where it is long.
	expect(t, "candidates, red-black trees of 9", 180*pairs(9, keyed(9))+1, 610217461)
	for _, test := range []struct {
		name              string
		input             dpInput
		valid, candidates int64
	}{
		{"sorted lists of 11", dpLists(11), 2048, 11*2047 + 1},
		{"binary trees of 9", dpTrees(9), 6918, 10*6917 + 1},
		{"red-black trees of 5", dpRedBlack(5), 115, 60*pairs(5, keyed(5)) + 1},
		{"Fibonacci heaps of 5", dpFibonacci(5), 40011, 5*pairs(5, forest(5)) + 1},
	} {
		var eager int64
		for _, lazy := range []bool{false, true} {
			d := &dpRun{dpInput: test.input, lazy: lazy}
			d.generate()
			expect(t, fmt.Sprint("valid ", test.name), int64(len(d.records)), test.valid)
			expect(t, fmt.Sprint("candidates, ", test.name), d.candidates, test.candidates)
			if lazy && d.expanded >= eager {
				t.Errorf("%s: %d objects when lazy, %d otherwise", test.name, d.expanded, eager)
			}
			eager = d.expanded
		}
	}
	d := &dpRun{dpInput: dpLists(17), lazy: true}
	d.generate()
	expect(t, "valid sorted lists of 17", len(d.records), 131072)
	expect(t, "candidates, sorted lists of 17", d.candidates, 2228208)
}

// Its random mode keeps what is small and a part of the rest. It is not uniform, and
// what it drops is part of nothing.
func TestDynamicProgrammingAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all, some := &dpRun{dpInput: dpTrees(7)}, &dpRun{dpInput: dpTrees(7), coin: func() bool { return r.IntN(4) == 0 }}
	all.generate()
	some.generate()
	valid := map[string]bool{}
	for i := range all.records {
		valid[all.text(int32(i))] = true
	}
	small := 0
	for i, rec := range some.records {
		if !valid[some.text(int32(i))] {
			t.Errorf("%s is not valid", some.text(int32(i)))
		}
		if rec.size <= dpSmall {
			small++
		}
	}
	expect(t, "small trees", small, 1+1+2+5)
	if len(some.records) < 20 || len(some.records) > len(all.records)/2 {
		t.Errorf("%d of %d trees", len(some.records), len(all.records))
	}
}

func (d *dpRun) text(i int32) string { return fmt.Sprint(d.shape(i), d.values(i)) }

func (d *dpRun) shape(i int32) string {
	if i == 0 {
		return "."
	}
	parts := d.records[i].parts
	return fmt.Sprint("(", d.shape(parts[0]), d.shape(parts[1]), ")")
}

// values returns the plain fields in preorder.
func (d *dpRun) values(i int32) (all []int) {
	if i == 0 {
		return nil
	}
	r := d.records[i]
	for j := range d.domains {
		all = append(all, int(r.fields[j]))
	}
	return slices.Concat(all, d.values(r.parts[0]), d.values(r.parts[1]))
}
