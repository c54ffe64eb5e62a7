package exhaustive_test

import (
	"fmt"
	"slices"
	"testing"
)

// Symbolic plain fields as in [Zaeem12 §3.2.4], for comparison: a comparison of fields
// goes both ways, the conditions of a path are kept, and each path has one input.

// A dpComparison says that to minus from is at most the difference, equal or unequal.
type dpComparison struct {
	from, to, difference int
	kind                 dpKind
}

type dpKind int8

const (
	atMost dpKind = iota
	equalTo
	otherThan
)

func (k dpComparison) not() dpComparison {
	switch k.kind {
	case atMost:
		return dpComparison{k.to, k.from, -k.difference - 1, atMost}
	case equalTo:
		k.kind = otherThan
	default:
		k.kind = equalTo
	}
	return k
}

// A dpCondition is a conjunction of comparisons. All but the inequalities are in
// greatest, by pairs of symbols: how much the second can exceed the first. That is the
// shortest path between them in the graph of differences. The system has a solution
// unless a symbol exceeds itself by less than 0, and then an integer one for each
// difference within its limits. An inequality within the limits splits the system.
// So solve is complete.
//
// The subjects need no other comparisons. They compare a field with a number, with
// another field, or with the sum of sizes, which the paths of the parts fix.
type dpCondition struct {
	n        int // symbols
	greatest []int
	unequal  []dpComparison
}

// newCondition limits the symbol i to 0 … most[i]. Symbol 0 is 0.
func newCondition(most []int) dpCondition {
	c := dpCondition{n: len(most), greatest: slices.Repeat(most, len(most))}
	for i := range most {
		c.greatest[i*c.n+i] = 0
	}
	return c
}

// limits returns the least and the greatest difference of two symbols.
func (c dpCondition) limits(from, to int) (least, most int) {
	return -c.greatest[to*c.n+from], c.greatest[from*c.n+to]
}

// assume adds k to c in place.
func (c *dpCondition) assume(k dpComparison) {
	if k.kind == otherThan {
		c.unequal = append(slices.Clip(c.unequal), k)
		return
	}
	c.tighten(k.from, k.to, k.difference)
	if k.kind == equalTo {
		c.tighten(k.to, k.from, -k.difference)
	}
}

func (c *dpCondition) tighten(from, to, difference int) {
	if c.greatest[from*c.n+to] <= difference {
		return
	}
	for i := range c.n {
		row, by := c.greatest[i*c.n:], c.greatest[i*c.n+from]+difference
		for j, more := range c.greatest[to*c.n : (to+1)*c.n] {
			row[j] = min(row[j], by+more)
		}
	}
}

func (c dpCondition) with(k dpComparison) dpCondition {
	c.greatest = slices.Clone(c.greatest)
	c.assume(k)
	return c
}

// solve returns the least values, or those of the first part of a split that has any.
func (c dpCondition) solve() (values []int, ok bool) {
	for i := range c.n {
		if c.greatest[i*c.n+i] < 0 {
			return nil, false
		}
		least, _ := c.limits(0, i)
		values = append(values, least)
	}
	for _, k := range c.unequal {
		if least, most := c.limits(k.from, k.to); least <= k.difference && k.difference <= most {
			less := dpComparison{k.from, k.to, k.difference - 1, atMost}
			if values, ok := c.with(less).solve(); ok {
				return values, true
			}
			return c.with(dpComparison{k.from, k.to, k.difference, atMost}.not()).solve()
		}
	}
	return values, true
}

// A dpPath is one run of a predicate over symbols.
type dpPath struct {
	condition dpCondition
	added     []dpComparison // to those of the parts
	sides     []bool         // taken where both were possible
	next      int
}

// branch reports whether k holds on this path, which then says so.
func (p *dpPath) branch(k dpComparison) bool {
	yes, no := p.condition.with(k), p.condition.with(k.not())
	if _, ok := no.solve(); !ok {
		return true
	}
	if _, ok := yes.solve(); !ok {
		return false
	}
	if p.next == len(p.sides) {
		p.sides = append(p.sides, true)
	}
	side := p.sides[p.next]
	p.next++
	if p.condition = yes; !side {
		p.condition, k = no, k.not()
	}
	p.added = append(p.added, k)
	return side
}

// value returns a number if the path fixes symbol i.
func (p *dpPath) value(i int) dpValue {
	if least, most := p.condition.limits(0, i); least == most {
		return dpValue{0, most}
	}
	return dpValue{i, 0}
}

// before returns the number of symbols of r before its part i.
func (d *dpRun) before(r *dpRecord, i int) int {
	nodes := 1
	if i == 1 {
		nodes += d.records[r.parts[0]].size
	}
	return nodes * len(d.domains)
}

// condition returns the conjunction of comparisons of the symbols of an input.
func (d *dpRun) condition(size int, all []dpComparison) dpCondition {
	most := []int{0}
	for range size {
		for _, values := range d.domains {
			most = append(most, values-1)
		}
	}
	c := newCondition(most)
	for _, k := range all {
		c.assume(k)
	}
	return c
}

// ofParts returns the conditions saved with the parts of r, by the symbols of r. They
// stand for the recursive runs of the predicate, as validity does in the other forms.
func (d *dpRun) ofParts(r *dpRecord) (all []dpComparison) {
	for i := range d.recursive {
		by := d.before(r, i)
		for _, k := range d.records[r.parts[i]].condition {
			if k.from != 0 {
				k.from += by
			}
			if k.to != 0 {
				k.to += by
			}
			all = append(all, k)
		}
	}
	return all
}

// paths calls add for each path of the predicate over r that ends well.
func (d *dpRun) paths(r dpRecord, add func(dpRecord)) {
	parts := d.ofParts(&r)
	condition := d.condition(r.size, parts)
	for sides := []bool{}; ; {
		d.path = &dpPath{condition: condition, sides: sides}
		if d.keeps(&r) {
			r.condition = slices.Concat(parts, d.path.added)
			add(r)
		}
		sides = d.path.sides
		for len(sides) > 0 && !sides[len(sides)-1] {
			sides = sides[:len(sides)-1]
		}
		if len(sides) == 0 {
			return
		}
		sides[len(sides)-1] = false
	}
}

// solutions calls f for all values that satisfy c, of which the first i are known.
func (c dpCondition) solutions(i int, f func(values []int)) {
	values, ok := c.solve()
	if !ok {
		return
	}
	if i == c.n {
		f(values[1:])
		return
	}
	least, most := c.limits(0, i)
	for v := least; v <= most; v++ {
		c.with(dpComparison{0, i, v, equalTo}).solutions(i+1, f)
	}
}

// symbolic generates inputs by paths, of which it expects a number at most.
func symbolic(t *testing.T, name string, input dpInput, most int64) *dpRun {
	t.Helper()
	d := &dpRun{dpInput: input, lazy: true, symbolic: true}
	d.repOK = func(x *dpNode) bool {
		if d.candidates > most {
			t.Fatalf("%s: more than %d candidates", name, most)
		}
		return input.repOK(x)
	}
	d.generate()
	return d
}

func TestSymbolicDynamicProgramming(t *testing.T) {
	c := catalan
	for _, test := range []struct {
		name                         string
		input                        dpInput
		valid, candidates, solutions int64
	}{
		// Table 1 has all numbers. The solutions are the inputs of DP.
		{"sorted lists of 17", dpLists(17), 18, 34, 131072},
		{"binary trees of 9", dpTrees(9), 6918, 2*6917 + 1, 6918},
		{"binary trees of 12", dpTrees(12), 290512, 581023, 290512},
		// It has other candidates for these: they depend on the predicate. Those of
		// red-black trees were also counted without symbols, pair by pair.
		{"red-black trees of 9", dpRedBlack(9), 271, 3381, 6753},
		{"Fibonacci heaps of 6", dpFibonacci(6), 197, 1 + overPairs(6, func(i, j int) int64 { return c[i+1] * c[j] }), 1125139},
		{"binary heaps of 8", dpHeaps(8), 9, 1 + 28 + 1 + 2 + 6*3, 344571},
		// The spines of all trees of i nodes have c[i+1]-c[i] nodes.
		{"search trees of 8", dpSearchTrees(8), 2056,
			1 + overPairs(8, func(i, j int) int64 { return c[i+1]*c[j] + c[i]*c[j+1] - c[i]*c[j] }), 12235},
		{"distinct lists of 6", dpDistinct(6), 7, 1 + 6*7/2, 1 + 6 + 30 + 120 + 360 + 720 + 720},
	} {
		if testing.Short() && test.candidates > 1e5 {
			continue
		}
		d := symbolic(t, test.name, test.input, test.candidates)
		expect(t, fmt.Sprint("valid ", test.name), int64(len(d.records)), test.valid)
		expect(t, fmt.Sprint("candidates, ", test.name), d.candidates, test.candidates)
		solutions := int64(0)
		for _, r := range d.records {
			d.condition(r.size, r.condition).solutions(1, func([]int) {
				if solutions++; solutions > test.solutions {
					t.Fatalf("%s: more than %d solutions", test.name, test.solutions)
				}
			})
		}
		expect(t, fmt.Sprint("solutions, ", test.name), solutions, test.solutions)
	}
}

// The solution of each path is an input of DP. All solutions of all paths are the
// inputs of DP, each once.
func TestSymbolicSolutions(t *testing.T) {
	for _, test := range []struct {
		name  string
		input dpInput
		valid int // inputs of DP
	}{
		{"sorted lists of 8", dpLists(8), 256},
		{"distinct lists of 5", dpDistinct(5), 1 + 5 + 20 + 60 + 120 + 120},
		{"binary trees of 7", dpTrees(7), 626},
		{"search trees of 5", dpSearchTrees(5), 1 + 5*1 + 10*2 + 10*5 + 5*14 + 42},
		{"red-black trees of 5", dpRedBlack(5), 115},
		{"Fibonacci heaps of 4", dpFibonacci(4), 1776},
		{"binary heaps of 4", dpHeaps(4), 1 + 4 + 10 + 30 + 65},
	} {
		all, some := &dpRun{dpInput: test.input}, symbolic(t, test.name, test.input, 1e4)
		all.generate()
		expect(t, test.name, len(all.records), test.valid)
		missing := map[string]bool{}
		for i := range all.records {
			missing[all.text(int32(i))] = true
		}
		for i, r := range some.records {
			shape, condition := some.shape(int32(i)), some.condition(r.size, r.condition)
			if input, ok := condition.solve(); !ok || !missing[fmt.Sprint(shape, input[1:])] {
				t.Fatalf("%s: %s%v is not valid", test.name, shape, input)
			}
			condition.solutions(1, func(values []int) {
				text := fmt.Sprint(shape, values)
				if !missing[text] {
					t.Fatalf("%s: %s is not valid, or was there before", test.name, text)
				}
				delete(missing, text)
			})
		}
		for text := range missing {
			t.Errorf("%s: no path has %s", test.name, text)
		}
	}
}
