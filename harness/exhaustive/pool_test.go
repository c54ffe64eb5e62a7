package exhaustive_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"foray.test/harness/exhaustive"
)

// aliases numbers objects by their first occurrence: equal numbers, equal objects.
func aliases(objects []*int) string {
	numbers, text := map[*int]int{nil: -1}, ""
	for _, p := range objects {
		if _, ok := numbers[p]; !ok {
			numbers[p] = len(numbers) - 1
		}
		text += fmt.Sprint(numbers[p], " ")
	}
	return text
}

// Any gives set partitions, Bell of them; AnyOrNil those with a block for nil; a
// smaller pool those of fewer blocks.
func TestPoolIsIsomorphFree(t *testing.T) {
	of := func(calls, size int, null bool) int64 {
		seen := map[string]bool{}
		gen := exhaustive.Generate(func(c *exhaustive.C) string {
			p := exhaustive.NewPool[int](c, size)
			var objects []*int
			for range calls {
				if null {
					objects = append(objects, p.AnyOrNil())
				} else {
					objects = append(objects, p.Any())
				}
			}
			return aliases(objects)
		})
		for c, s := range gen.All() {
			if seen[s] {
				t.Errorf("case %v: %s twice", c, s)
			}
			seen[s] = true
		}
		return int64(len(seen))
	}
	for n := range 8 {
		expect(t, fmt.Sprint(n, " of any pool"), of(n, -1, false), bell[n])
		expect(t, fmt.Sprint(n, " of n objects"), of(n, n, false), bell[n])
		expect(t, fmt.Sprint(n, " of n objects or nil"), of(n, n, true), bell[n+1])
	}
	expect(t, "6 of 2 objects", of(6, 2, false), 32) // 2^5
	expect(t, "6 of 3 objects", of(6, 3, false), 122)
}

func TestPoolNew(t *testing.T) {
	stats := runs(t, exhaustive.Generate(func(c *exhaustive.C) string {
		p := exhaustive.NewPool[int](c, 3)
		for range c.Int(1, 5) {
			p.New()
		}
		return aliases(p.Taken())
	}))
	expect(t, "sizes that fit into three objects", stats.Cases, 3)
}

// A script is a program over a pool: calls of New (true) or Any, in between and at the
// end uses of their results, by number.
type script struct {
	calls []bool
	uses  [][]int // after each call
	size  int     // of the pool
}

// used returns the results that are used, in the order of the calls.
func (s script) used() []int {
	list := slices.Concat(s.uses...)
	slices.Sort(list)
	return list
}

// eager returns the aliases of the used results with a Pool.
func (s script) eager() map[string]bool {
	found := map[string]bool{}
	for _, v := range exhaustive.All(func(c *exhaustive.C) string {
		p := exhaustive.NewPool[int](c, s.size)
		var results, used []*int
		for _, isNew := range s.calls {
			if isNew {
				results = append(results, p.New())
			} else {
				results = append(results, p.Any())
			}
		}
		for _, i := range s.used() {
			used = append(used, results[i])
		}
		return aliases(used)
	}) {
		found[v] = true
	}
	return found
}

// delayed returns the same with a DelayedPool, false for aliases that it has twice.
func (s script) delayed() map[string]bool {
	found := map[string]bool{}
	for _, v := range exhaustive.All(func(c *exhaustive.C) string {
		p := exhaustive.NewDelayedPool[int](c, s.size)
		var results []*exhaustive.Delayed[int]
		for i, isNew := range s.calls {
			if isNew {
				results = append(results, p.New())
			} else {
				results = append(results, p.Any())
			}
			for _, use := range s.uses[i] {
				results[use].Get()
			}
		}
		var used []*int
		for _, i := range s.used() {
			used = append(used, results[i].Get())
		}
		return aliases(used)
	}) {
		_, twice := found[v]
		found[v] = !twice
	}
	return found
}

// Every program of a few calls, order of use and size of the pool has the aliases of
// the eager pool, each once. Some results are not used at all.
func TestDelayedPoolAgreesWithPool(t *testing.T) {
	most := 5
	if testing.Short() {
		most = 4
	}
	scripts := exhaustive.Generate(func(c *exhaustive.C) script {
		n := c.Int(1, most)
		s := script{calls: make([]bool, n), uses: make([][]int, n), size: c.Int(1, n)}
		for i := range s.calls {
			s.calls[i] = c.Bool()
		}
		left := exhaustive.Range(0, n-1)
		interleaved := n < 5 && c.Bool()
		uses := n
		if interleaved {
			uses = c.Int(0, n)
		}
		for range uses { // use one at a time, at the end or after a call
			k := c.Int(0, len(left)-1)
			use := left[k]
			left = slices.Delete(left, k, k+1)
			at := n - 1
			if interleaved {
				at = c.Int(use, n-1)
			}
			s.uses[at] = append(s.uses[at], use)
		}
		return s
	})
	scripts.Test(t, func(s script) error {
		if e, d := s.eager(), s.delayed(); !maps.Equal(e, d) {
			return fmt.Errorf("eager %v, delayed %v", e, d)
		}
		return nil
	})
}

// The two defects of the paper's version.
func TestDelayedPoolRepairs(t *testing.T) {
	first := script{calls: []bool{false, true, false}, uses: [][]int{nil, nil, {0, 2, 1}}, size: 2}
	expect(t, "any, new, any, used as 1st, 3rd, 2nd", fmt.Sprint(first.delayed()), "map[0 1 0 :true 0 1 1 :true]")
	second := script{calls: []bool{false, true, true}, uses: [][]int{nil, {1}, nil}, size: 2}
	expect(t, "three objects of a pool of two", len(second.delayed()), 0)
}

// [Gligoric09 figure 9]: n bits in order. If each is chosen when it is first read,
// runs are quadratic in n and not exponential.
func TestDelayedBits(t *testing.T) {
	bits := func(n int, delayed bool) exhaustive.Stats {
		return runs(t, exhaustive.Generate(func(c *exhaustive.C) int {
			bits := make([]exhaustive.Val[int], n)
			for i := range bits {
				bits[i].Of(c, 0, 1)
				if !delayed {
					bits[i].Get()
				}
			}
			for i := 1; i < n; i++ {
				c.Assume(bits[i-1].Get() <= bits[i].Get())
			}
			return 0
		}))
	}
	for n := 2; n <= 10; n++ {
		eager, delayed := bits(n, false), bits(n, true)
		expect(t, "cases, eager", eager.Cases, int64(n+1))
		expect(t, "cases, delayed", delayed.Cases, int64(n+1))
		expect(t, "runs, eager", eager.Runs, 1<<n)
		expect(t, "runs, delayed", delayed.Runs, int64(n+1+n*(n-1)/2))
	}
}

// Copy propagation [Gligoric09 §1]: to sort pairs reads their keys only, so that the
// number of runs does not depend on the values.
func TestDelayedValuesAreMoved(t *testing.T) {
	type pair struct {
		key   int
		value *exhaustive.Val[int]
	}
	for _, values := range []int{1, 1000} {
		domain := exhaustive.Range(1, values)
		stats := runs(t, exhaustive.Generate(func(c *exhaustive.C) []pair {
			pairs := make([]pair, 4)
			for i := range pairs {
				pairs[i] = pair{c.Int(1, 4), new(exhaustive.Val[int])}
				pairs[i].value.Of(c, domain...)
			}
			slices.SortFunc(pairs, func(a, b pair) int { return a.key - b.key })
			return pairs
		}))
		expect(t, "runs", stats.Runs, 256)
	}
}
