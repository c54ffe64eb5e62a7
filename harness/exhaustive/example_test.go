package exhaustive_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"foray.test/harness/exhaustive"
)

// All binary trees of three nodes, each with the identity of its case.
func ExampleAll() {
	for c, t := range exhaustive.All(func(c *exhaustive.C) *tree { return shapes(c, 3) }) {
		fmt.Println(c, t)
	}
	// Output:
	// 0.0 (.(.(..)))
	// 0.1 (.((..).))
	// 1 ((..)(..))
	// 2.0 ((.(..)).)
	// 2.1 (((..).).)
}

// The easy part is built, the rest assumed: pairs of numbers that have no common
// divisor.
func ExampleC_Assume() {
	gcd := func(a, b int) int {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}
	fractions := exhaustive.Generate(func(c *exhaustive.C) string {
		denominator := c.Int(2, 5)
		numerator := c.Int(1, denominator-1)
		c.Assume(gcd(numerator, denominator) == 1)
		return fmt.Sprintf("%d/%d", numerator, denominator)
	})
	for _, f := range fractions.All() {
		fmt.Println(f)
	}
	stats, err := fractions.Count()
	fmt.Println(stats.Cases, "of", stats.Runs, err)
	// Output:
	// 1/2
	// 1/3
	// 2/3
	// 1/4
	// 3/4
	// 1/5
	// 2/5
	// 3/5
	// 4/5
	// 9 of 10 <nil>
}

// Reverse is the code under test. It forgets one swap of long lists.
func reverse(list []int) {
	for i, j := 0, len(list)-1; i < j && i < 2; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}

// An error names the case that it is about, the first one.
func ExampleCases_Each() {
	lists := exhaustive.Generate(func(c *exhaustive.C) []int {
		list := make([]int, c.Int(0, 6))
		for i := range list {
			list[i] = c.Int(0, 1)
		}
		return list
	})
	stats, err := lists.Each(func(_ *exhaustive.C, list []int) error {
		want := slices.Clone(list)
		slices.Reverse(want)
		if reverse(list); !slices.Equal(list, want) {
			return errors.New("not reversed")
		}
		return nil
	})
	fmt.Println(err)
	fmt.Println(stats.Cases, "cases")
	list, _ := lists.Replay("6.0.0.0.1")
	fmt.Println(list)
	// Output:
	// exhaustive: case 6.0.0.0.1.0.0: not reversed
	// 68 cases
	// [0 0 0 1 0 0]
}

// A list is made of cells, which its predicate reads.
type list struct {
	head  exhaustive.Ref[item]
	items *exhaustive.Objects[item]
}

type item struct {
	next exhaustive.Ref[item]
	key  exhaustive.Val[int]
}

func (l *list) sorted() bool {
	last, seen := 0, 0
	for x := l.head.Get(); x != nil; x = x.next.Get() {
		if seen++; seen > 2 || x.key.Get() <= last { // longer: a cycle
			return false
		}
		last = x.key.Get()
	}
	return true
}

// All sorted lists of at most two of the keys 1, 2 and 3.
func ExampleSearch() {
	lists := exhaustive.Search(func(c *exhaustive.C) *list {
		l := &list{items: exhaustive.NewObjects[item](c, 2)}
		l.head.Of(l.items)
		l.items.Init(func(x *item) {
			x.next.Of(l.items)
			x.key.Of(c, 1, 2, 3)
		})
		return l
	}, (*list).sorted)
	for _, l := range lists.All() {
		var keys []int
		for x := l.head.Get(); x != nil; x = x.next.Get() {
			keys = append(keys, x.key.Get())
		}
		fmt.Print(keys, " ")
	}
	stats, _ := lists.Count()
	fmt.Println(stats.Runs, "candidates")
	// Output:
	// [] [1] [1 2] [1 3] [2] [2 3] [3] 22 candidates
}

// The owners of three things, people being alike: one owns all, two share, or each has
// one.
func ExamplePool() {
	type person struct{ things string }
	for _, owners := range exhaustive.All(func(c *exhaustive.C) []*person {
		people := exhaustive.NewPool[person](c, 3)
		for _, thing := range []string{"a", "b", "c"} {
			people.Any().things += thing
		}
		return people.Taken()
	}) {
		for _, p := range owners {
			fmt.Print(p.things, " ")
		}
		fmt.Print("| ")
	}
	// Output:
	// abc | ab c | ac b | a bc | a b c |
}

// Red-black trees, counted before one is built.
func ExampleFamily() {
	f := redBlacks(colored)
	trees := anyRedBlack(f, 45, true)
	fmt.Println(trees.Count(), "trees of 45 nodes")
	fmt.Println(anyRedBlack(f, 3, true).At(2))
	sample := trees.Sample(rand.New(rand.NewPCG(1, 2)))
	fmt.Println(sample.size(), sample.blackHeight() > 0)
	// Output:
	// 30304720424280 trees of 45 nodes
	// ((..)(..))
	// 45 true
}

// A case that some fuzzer found becomes a small one.
func ExampleCases_Minimize() {
	texts := words("ab<>", 12)
	unclosed := func(s string) bool {
		open := 0
		for _, r := range s {
			switch r {
			case '<':
				open++
			case '>':
				open--
			}
		}
		return open > 0
	}
	c, text, _ := texts.Decode([]byte("\x09brown fox"))
	fmt.Printf("%v %q\n", c, text)
	small := texts.Minimize(c.String(), unclosed)
	text, _ = texts.Replay(small)
	fmt.Printf("%v %q\n", small, text)
	// Output:
	// 9.2.2.3.3.2.0.2.3.0 "<<>><a<>a"
	// 1.2 "<"
}

// The estimate says how many runs a walk will take, before it is begun.
func ExampleCases_Estimate() {
	grid := exhaustive.Generate(func(c *exhaustive.C) [8]int {
		var rows [8]int
		for i := range rows {
			rows[i] = c.Int(0, 255)
		}
		return rows
	})
	fmt.Printf("%.3g\n", grid.Estimate())
	_, err := grid.Count()
	fmt.Println(err != nil)
	// Output:
	// 1.84e+19
	// true
}

// A buffer holds up to three numbers, in a ring.
type buffer struct {
	buf     [3]int
	from, n int
}

func (r *buffer) put(x int) {
	r.buf[(r.from+r.n)%3] = x
	r.n++
}

func (r *buffer) get() int {
	x := r.buf[r.from]
	r.from = (r.from + 1) % 3
	r.n--
	return x
}

// A buffer and a model of it. All that a caller sees of a buffer is the model. So one
// sequence for each model is enough, if the buffer is right.
func ExampleExplore() {
	type pair struct {
		ring  buffer
		model []int
	}
	calls := exhaustive.Explore(func() *pair { return new(pair) }, []exhaustive.Op[*pair]{
		{Name: "Put", Do: func(c *exhaustive.C, p *pair) error {
			c.Assume(len(p.model) < 3)
			x := c.Int(1, 2)
			p.ring.put(x)
			p.model = append(p.model, x)
			return nil
		}},
		{Name: "Get", Do: func(c *exhaustive.C, p *pair) error {
			c.Assume(len(p.model) > 0)
			want := p.model[0]
			p.model = append([]int(nil), p.model[1:]...)
			if got := p.ring.get(); got != want {
				return fmt.Errorf("Get returns %d, want %d", got, want)
			}
			return nil
		}},
	})
	calls.Depth = 12
	size := func(p *pair) error {
		if p.ring.n != len(p.model) {
			return errors.New("wrong size")
		}
		return nil
	}
	explored, err := calls.Check(size)
	fmt.Println(&explored, err)
	calls.Abstract = func(p *pair) any { return p.model }
	explored, err = calls.Check(size)
	fmt.Println(&explored, err)
	p, err := calls.Cases().Replay("2.0.0.0.1")
	fmt.Println(p.model, err)
	// Output:
	// all sequences of at most 12 calls: 113 states, 315 transitions, of which 55 were dropped <nil>
	// all sequences of at most 12 calls: 15 states, 37 transitions, of which 9 were dropped <nil>
	// [1 2] <nil>
}
