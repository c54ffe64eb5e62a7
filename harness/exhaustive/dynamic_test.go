package exhaustive_test

import (
	"fmt"
	"math/rand/v2"
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
}

// A dpNode is an input as an object.
type dpNode struct {
	run    *dpRun
	record *dpRecord
	parts  [2]*dpNode
	known  [2]bool
}

type dpRun struct {
	dpInput
	lazy       bool        // expand records when they are read: LazyDP, §3.2.3
	coin       func() bool // keeps an input of more than small nodes; §3.2.2
	records    []*dpRecord // valid ones
	pool, last [][]int32   // by size
	candidates int64
	expanded   int64 // objects made
}

const dpSmall = 3

func (d *dpRun) expand(i int32) *dpNode {
	if i == 0 {
		return nil
	}
	return d.object(d.records[i])
}

func (d *dpRun) object(r *dpRecord) *dpNode {
	d.expanded++
	x := &dpNode{run: d, record: r}
	for i := range d.recursive {
		if !d.lazy {
			x.part(i)
		}
	}
	return x
}

func (x *dpNode) part(i int) *dpNode {
	if !x.known[i] {
		x.parts[i], x.known[i] = x.run.expand(x.record.parts[i]), true
	}
	return x.parts[i]
}

func (x *dpNode) field(i int) int { return int(x.record.fields[i]) }

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
			d.valuations(0, dpRecord{parts: parts, size: size + 1}, func(r dpRecord) {
				now[r.size] = append(now[r.size], int32(len(d.records)))
				d.records = append(d.records, &r)
			})
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
	d.candidates++
	if d.repOK(d.object(&r)) && (d.coin == nil || r.size <= dpSmall || d.coin()) {
		add(r)
	}
}

// The first field is a key, the only part the next element.
func dpLists(n int) dpInput {
	return dpInput{recursive: 1, domains: []int{n}, bound: n, repOK: func(x *dpNode) bool {
		next := x.part(0)
		return next == nil || x.field(0) < next.field(0)
	}}
}

// The only field is the size.
func dpTrees(n int) dpInput {
	size := func(x *dpNode) int {
		if x == nil {
			return 0
		}
		return x.field(0)
	}
	return dpInput{recursive: 2, domains: []int{n + 1}, bound: n, repOK: func(x *dpNode) bool {
		return x.field(0) == size(x.part(0))+size(x.part(1))+1
	}}
}

// Key, color and size.
func dpRedBlack(n int) dpInput {
	size := func(x *dpNode) int {
		if x == nil {
			return 0
		}
		return x.field(2)
	}
	red := func(x *dpNode) bool { return x != nil && x.field(1) == 1 }
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
		if red(x) && (red(l) || red(r)) || black(l) != black(r) || x.field(2) != size(l)+size(r)+1 {
			return false
		}
		for y := l; y != nil; y = y.part(1) { // the greatest of the left
			if y.field(0) >= x.field(0) {
				return false
			}
		}
		for y := r; y != nil; y = y.part(0) {
			if y.field(0) <= x.field(0) {
				return false
			}
		}
		return true
	}}
}

// A forest: the first part is the first child, the second the next sibling.
func dpFibonacci(n int) dpInput {
	return dpInput{recursive: 2, domains: []int{n}, bound: n, repOK: func(x *dpNode) bool {
		for y := x.part(0); y != nil; y = y.part(1) {
			if y.field(0) < x.field(0) {
				return false
			}
		}
		return true
	}}
}

// pairs returns the number of pairs of parts that n nodes leave room for, of count(k)
// parts of k nodes each.
func pairs(n int, count func(k int) int64) (sum int64) {
	for i := range n {
		for j := range n - i {
			sum += count(i) * count(j)
		}
	}
	return sum
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

func (d *dpRun) text(i int32) string {
	if i == 0 {
		return "."
	}
	r := d.records[i]
	return fmt.Sprint("(", d.text(r.parts[0]), r.fields[0], d.text(r.parts[1]), ")")
}
