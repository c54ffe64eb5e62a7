package exhaustive_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"foray.test/harness/exhaustive"
)

// A fake records the failures of a test.
type fake struct {
	testing.TB
	errors, logs []string
}

func (f *fake) Helper()                   {}
func (f *fake) Error(args ...any)         { f.errors = append(f.errors, fmt.Sprint(args...)) }
func (f *fake) Errorf(s string, a ...any) { f.errors = append(f.errors, fmt.Sprintf(s, a...)) }
func (f *fake) Logf(s string, a ...any)   { f.logs = append(f.logs, fmt.Sprintf(s, a...)) }

// complaint returns the error of a walk, without the numbers of lines.
func complaint[T any](s *exhaustive.Cases[T]) string {
	_, err := s.Count()
	return line.ReplaceAllString(fmt.Sprint(err), ".go:N")
}

func TestGeneratorTroubles(t *testing.T) {
	calls := 0
	var endless func(c *exhaustive.C) int
	endless = func(c *exhaustive.C) int { return c.Int(0, 1) + endless(c) }
	for want, gen := range map[string]func(c *exhaustive.C) int{
		"case 2.1: trouble_test.go:N: a choice among 0 values: every domain needs one": func(c *exhaustive.C) int {
			a, b := c.Int(0, 3), c.Int(0, 1)
			return c.Int(a+b, 2)
		},
		"case -: trouble_test.go:N: a choice among 0 values":  func(c *exhaustive.C) int { return exhaustive.OneOf[int](c) },
		"case -: trouble_test.go:N: a choice among -3 values": func(c *exhaustive.C) int { return c.Int(5, 1) },
		"a choice among 0 values: every domain needs one": func(c *exhaustive.C) int {
			var v exhaustive.Val[int]
			v.Of(c)
			return v.Get()
		},
		"trouble_test.go:N: more than 10000 choices in one case: bound the recursion, or set Depth to drop long cases": endless,
		"case 0.1: not deterministic: choice 2 had 2 values at trouble_test.go:N, now 3 at trouble_test.go:N, after the same answers": func(c *exhaustive.C) int {
			a := c.Int(0, 1)
			if calls++; calls%2 == 1 {
				return a + c.Int(0, 1)
			}
			return a + c.Int(0, 2)
		},
		"case 1.0: panic in the generator or the predicate at trouble_test.go:N: boom": func(c *exhaustive.C) int {
			a := c.Int(0, 1)
			b := c.Int(0, 1)
			if a == 1 {
				panic("boom")
			}
			return b
		},
		"a Val without a domain is read: call Of": func(c *exhaustive.C) int {
			var v exhaustive.Val[int]
			return v.Get()
		},
	} {
		if got := complaint(exhaustive.Generate(gen)); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestGeneratorThatEndsEarly(t *testing.T) {
	calls := 0
	got := complaint(exhaustive.Generate(func(c *exhaustive.C) int {
		if calls++; calls == 4 {
			return 0
		}
		return c.Int(0, 1) + c.Int(0, 2)
	}))
	want := "exhaustive: case 1: not deterministic: choice 1 had 2 values at trouble_test.go:N, now is not made, after the same answers (map order, time, random numbers, state that is left?)"
	expect(t, "complaint", got, want)
}

// A generator that recovers from panics does not hide a dropped case or a mistake.
func TestGeneratorThatRecovers(t *testing.T) {
	quiet := func(f func()) {
		defer func() { _ = recover() }()
		f()
	}
	stats := runs(t, exhaustive.Generate(func(c *exhaustive.C) int {
		a := c.Int(0, 9)
		quiet(func() { c.Assume(a > 6) })
		return a
	}))
	expect(t, "cases", stats.Cases, 3)
	got := complaint(exhaustive.Generate(func(c *exhaustive.C) int {
		quiet(func() { c.Int(1, 0) })
		return 0
	}))
	expect(t, "complaint", got, "exhaustive: case -: trouble_test.go:N: a choice among 0 values: every domain needs one")
}

func TestPredicateTroubles(t *testing.T) {
	walk := 0
	for want, repOK := range map[string]func(r *ring) bool{
		"panic in the generator or the predicate at trouble_test.go:N: runtime error: invalid memory address": func(r *ring) bool {
			return r.header.Get().next.Get() != nil
		},
		"16777216 reads of cells in one run: the predicate does not end on this structure": func(r *ring) bool {
			for x := r.header.Get(); x != nil; x = x.next.Get() {
			}
			return true
		},
		"a Ref without objects is read: call Of": func(r *ring) bool {
			return r.header.Get() == nil || r.header.Get().prev.Get() == nil
		},
		"not deterministic: the predicate was asked twice of one structure": func(r *ring) bool {
			walk++
			return r.list(6, func(*link) *link { return nil }) && walk%2 == 0
		},
	} {
		cases := rings(8, func(c *exhaustive.C, _ *ring, x *link) { x.number.Of(c, exhaustive.Range(1, 8)...) }, repOK)
		if got := complaint(cases); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// A walk that would take years ends with a number.
func TestLimit(t *testing.T) {
	long := exhaustive.Generate(func(c *exhaustive.C) int {
		sum := 0
		for range 40 {
			sum += c.Int(0, 2)
		}
		return sum
	})
	got := complaint(long)
	for _, want := range []string{"exhaustive: more than 4294967296 runs: about 1e+19 are to be expected, which take ", "years", "use smaller bounds or raise Limit"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	expect(t, "estimate", fmt.Sprintf("%.4g", long.Estimate()), "1.216e+19") // 3^40
	small := exhaustive.Generate(func(c *exhaustive.C) int { return c.Int(0, 999) })
	small.Limit = 100
	if got := complaint(small); !strings.Contains(got, "more than 100 runs: about 1e+03") {
		t.Errorf("got %s", got)
	}
	small.Limit = 1000
	expect(t, "runs within the limit", runs(t, small).Runs, 1000)
}

// The mean of the estimates is the number of runs, also where most of the tree lies
// under few of the first choices.
func TestEstimate(t *testing.T) {
	got := exhaustive.Generate(func(c *exhaustive.C) *tree { return shapes(c, c.Int(0, 8)) }).Estimate()
	if want := 2056.0; got < 0.9*want || got > 1.1*want {
		t.Errorf("got %v, want about %v", got, want)
	}
}

func TestChoiceOutsideGenerator(t *testing.T) {
	want := "exhaustive: trouble_test.go:N: a choice outside the generator or the predicate"
	expect(t, "panic", panicOf(func() {
		for c := range exhaustive.All(func(c *exhaustive.C) int { return c.Int(0, 1) }) {
			c.Int(0, 1)
		}
	}), want)
	expect(t, "panic", panicOf(func() {
		for c := range exhaustive.All(func(c *exhaustive.C) int { return c.Int(0, 1) }) {
			c.Assume(false)
		}
	}), "exhaustive: an assumption outside the generator")
}

func TestAllPanicsWithALine(t *testing.T) {
	expect(t, "panic", panicOf(func() {
		for range exhaustive.All(func(c *exhaustive.C) int { return c.Int(0, -1) }) {
		}
	}), "exhaustive: case -: trouble_test.go:N: a choice among 0 values: every domain needs one")
}

func TestDecodePanicsWithALine(t *testing.T) {
	expect(t, "panic", panicOf(func() {
		exhaustive.Generate(func(c *exhaustive.C) int { return 7 % c.Int(0, 9) }).Decode(nil)
	}), "exhaustive: case 0: panic in the generator or the predicate at trouble_test.go:N: runtime error: integer divide by zero")
}

func TestTestReport(t *testing.T) {
	lists := exhaustive.Generate(func(c *exhaustive.C) []int {
		list := make([]int, c.Int(0, 3))
		for i := range list {
			list[i] = c.Int(0, 3)
		}
		return list
	})
	for _, workers := range []int{1, 3} {
		lists.Workers = workers
		f := &fake{}
		lists.Test(f, func(list []int) error {
			if len(list) == 3 && list[2] > 1 {
				return errors.New("third too large")
			}
			return nil
		})
		got := strings.Join(f.errors, "\n")
		if want := "exhaustive: case 3.0.0.2 fails: third too large\n    value: [0 0 2]\n    minimized from case 3.0.0.2"; !strings.HasPrefix(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if want := `to run it again: Replay("3.0.0.2")`; !strings.HasSuffix(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	f := &fake{}
	lists.Test(f, func(list []int) error {
		if len(list) == 2 {
			_ = list[len(list)]
		}
		return nil
	})
	got := line.ReplaceAllString(strings.Join(f.errors, "\n"), ".go:N")
	if want := "exhaustive: case 2.0.0 fails: panic at trouble_test.go:N: runtime error: index out of range [2] with length 2"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	f, lists.Workers = &fake{}, 1
	calls := 0
	lists.Test(f, func([]int) error {
		if calls++; calls == 7 {
			return errors.New("the seventh")
		}
		return nil
	})
	expect(t, "errors", strings.Join(f.errors, "\n"), "exhaustive: case 2.0.1 fails: the seventh\n    but not when it is run again: the check is not deterministic")
	f = &fake{}
	lists.Test(f, func([]int) error { return nil })
	expect(t, "errors", len(f.errors), 0)
	expect(t, "log", strings.Join(f.logs, "\n"), "exhaustive: 85 cases of 85 runs, 0 cut at Depth")
	f = &fake{}
	exhaustive.Generate(func(c *exhaustive.C) int { c.Assume(c.Int(0, 4) > 7); return 0 }).Test(f, func(int) error { return nil })
	expect(t, "errors", strings.Join(f.errors, "\n"), "exhaustive: no cases: all 5 runs were dropped")
}

// Search walks in parallel, too: each worker builds a structure of its own.
func TestSearchWorkers(t *testing.T) {
	s := searchTrees(6)
	s.Workers = 3
	stats := runs(t, s)
	expect(t, "cases", stats.Cases, 132)
	expect(t, "candidates", stats.Runs, 45233)
	_, err := s.Each(func(_ *exhaustive.C, b *bst) error {
		if b.root.Get().left.Get() != nil {
			return errors.New("left")
		}
		return nil
	})
	one := searchTrees(6)
	_, want := one.Each(func(_ *exhaustive.C, b *bst) error {
		if b.root.Get().left.Get() != nil {
			return errors.New("left")
		}
		return nil
	})
	expect(t, "first failure", fmt.Sprint(err), fmt.Sprint(want))
}

// A structure of a search replays and decodes as well.
func TestSearchReplay(t *testing.T) {
	s := searchTrees(4)
	for c, b := range s.All() {
		id, shape := c.String(), b.shape()
		if i := b.nodes.Index(b.root.Get()); i != 0 {
			t.Errorf("the root is object %d, want the first", i)
		}
		again, err := s.Replay(id)
		if err != nil || again.shape() != shape {
			t.Fatalf("case %s: %v", id, err)
		}
		if _, v, ok := s.Decode(c.Bytes()); !ok || v.shape() != shape {
			t.Fatalf("case %s does not decode", id)
		}
	}
	other := searchTrees(1)
	for _, b := range other.All() {
		expect(t, "index of nil", b.nodes.Index(nil), -1)
		expect(t, "index of a stranger", b.nodes.Index(new(bstNode)), -1)
	}
	id := s.Minimize("1.2.3.4.4.0.0.0.3.2.1.0", func(b *bst) bool { return true })
	expect(t, "a case that is none", id, "1.2.3.4.4.0.0.0.3.2.1.0")
}

func (b *bst) shape() string { return b.root.Get().shape() }
func (x *bstNode) shape() string {
	if x == nil {
		return "."
	}
	return fmt.Sprint("(", x.left.Get().shape(), x.key.Get(), x.right.Get().shape(), ")")
}
