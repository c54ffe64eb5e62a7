package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// newFakeExplorer returns an engine that explores the fake API.
func newFakeExplorer(tb testing.TB, s Scope) (*Engine, *fakeExecutor, *fakeSink) {
	tb.Helper()
	x, sink := newFake(), &fakeSink{}
	pool := NewPool(x.table)
	for _, l := range pool.Literals {
		x.Box(l)
	}
	return New(Config{Table: x.table, Pool: pool, Executor: x, Source: draw.Random(1), Sides: fakeSides, Sink: sink, Explore: &s}), x, sink
}

// exploreAll runs a search to its end in one engine.
func exploreAll(tb testing.TB, e *Engine) Explored { return exploreLethal(tb, e, nil) }

// exploreLethal does so with sequences that ended a process.
func exploreLethal(tb testing.TB, e *Engine, lethal [][]byte) Explored {
	tb.Helper()
	x := NewExploration(e.explorer.scope)
	for knows := 0; !x.Over(); {
		var s Share
		s, knows = x.Deal(3, knows)
		s.Lethal = lethal
		e.Extend(s)
		for e.Extends() {
			e.Step(1)
		}
		takeAll(tb, x, e.Extended())
	}
	return x.Explored
}

func takeAll(tb testing.TB, x *Exploration, list []Extension) {
	tb.Helper()
	for _, extension := range list {
		if _, err := x.Take(extension); err != nil {
			tb.Fatal(err)
		}
	}
}

// naive enumerates all sequences of the fake API of at most a number of calls, extending
// each, and returns the distinct states by the fewest calls that leave them, the
// transitions of a search that extends each state once, and the number of sequences.
func naive(calls, values int) (states map[string]int, transitions, sequences int) {
	type world [][]int64 // the bags
	key := func(w world) string { return fmt.Sprint(len(w), w) }
	clone := func(w world) world {
		c := slices.Clone(w)
		for i := range c {
			c[i] = slices.Clone(c[i])
		}
		return c
	}
	states = map[string]int{key(nil): 0}
	perState := map[string]int{}
	var extend func(w world, depth int)
	extend = func(w world, depth int) {
		if depth == calls {
			return
		}
		n := 0
		to := func(next world) {
			sequences++
			n++
			if next == nil {
				return // it broke
			}
			if had, ok := states[key(next)]; !ok || depth+1 < had {
				states[key(next)] = depth + 1
			}
			extend(next, depth+1)
		}
		to(append(clone(w), []int64{}))
		for i := range w {
			for v := range values {
				next := clone(w)
				next[i] = append(next[i], int64(v))
				to(next)
				to(nil) // Must
			}
			to(clone(w)) // Get
			for j := range w {
				if i == j && len(w[i]) >= 3 {
					to(nil)
					continue
				}
				next := clone(w)
				next[i] = append(next[i], w[j]...)
				to(next)
			}
			to(nil) // Join(nil)
		}
		perState[key(w)] = n
	}
	extend(nil, 0)
	for k, depth := range states {
		if depth < calls {
			transitions += perState[k]
		}
	}
	return states, transitions, sequences
}

// The search reaches the states of an enumeration that extends every sequence, and makes
// each call from each state once.
func TestExploreCounts(t *testing.T) {
	for _, s := range []Scope{{Calls: 1, Values: 1}, {Calls: 2, Values: 3}, {Calls: 3, Values: 2}, {Calls: 4, Values: 1}, {Calls: 4, Values: 2}, {Calls: 5, Values: 1}} {
		t.Run(fmt.Sprintf("calls=%d values=%d", s.Calls, s.Values), func(t *testing.T) {
			s.States = 1 << 20
			e, x, _ := newFakeExplorer(t, s)
			got := exploreAll(t, e)
			states, transitions, sequences := naive(s.Calls, s.Values)
			if int(got.States) != len(states) || int(got.Transitions) != transitions {
				t.Errorf("%d states, %d transitions, want %d, %d", got.States, got.Transitions, len(states), transitions)
			}
			if !got.Done || got.Open != 0 || got.Depth != s.Calls || got.Lost+got.Skipped+got.Unstable+got.Large != 0 {
				t.Errorf("not all explored: %+v", got)
			}
			// The estimate takes the results of Get for no values, so that it is exact here
			// but for sequences that break, which it extends.
			estimate, ok := s.Estimate(x.table, NewPool(x.table))
			if !ok || int(estimate) < sequences || s.Calls == 1 && int(estimate) != sequences {
				t.Errorf("estimate %v (%v), want at least %d", estimate, ok, sequences)
			}
		})
	}
}

// By shape, states are equal that differ in numbers only: here, bags of equal lengths.
func TestExploreShapes(t *testing.T) {
	s := Scope{Calls: 4, Values: 2, States: 1 << 20, Shape: true}
	e, _, _ := newFakeExplorer(t, s)
	got := exploreAll(t, e)
	states, _, _ := naive(s.Calls, s.Values)
	shapes := map[string]bool{}
	for key := range states {
		shapes[regexp.MustCompile(`[0-9]+`).ReplaceAllString(key, "n")] = true
	}
	if int(got.States) != len(shapes) || !got.Done || len(shapes) == len(states) {
		t.Errorf("%d states, done %v; want %d of %d", got.States, got.Done, len(shapes), len(states))
	}
}

// With one object, calls take the first bag alone: New, one Put or Join more each, and no
// state of two bags.
func TestExploreObjects(t *testing.T) {
	e, _, _ := newFakeExplorer(t, Scope{Calls: 3, Values: 1, States: 1 << 20, Objects: 1})
	got := exploreAll(t, e)
	if got.States != 4 || got.Transitions != 1+6+6 || !got.Done {
		t.Errorf("%d states, %d transitions, done %v; want 4, 13", got.States, got.Transitions, got.Done)
	}
}

// An edgeCounter counts, by sequence, the runs of the search itself.
type edgeCounter struct {
	*fakeExecutor
	ran  map[string]int
	base []seq.Sequence // the sequences without their last call
	edge bool
}

func (x *edgeCounter) Begin(o RunOptions) Run {
	x.edge = o.Last
	x.fakeExecutor.Begin(o)
	return x
}

func (x *edgeCounter) End(s seq.Sequence, fresh []int32) Outcome {
	if x.edge {
		x.ran[text(x.table, s)]++
		x.base = append(x.base, s[:len(s)-1].Clone())
	}
	return x.fakeExecutor.End(s, fresh)
}

// Each sequence runs once, a state is extended by one sequence only, and by the shortest.
func TestExploreExtendsOnce(t *testing.T) {
	e, x, _ := newFakeExplorer(t, Scope{Calls: 4, Values: 1, States: 1 << 20})
	c := &edgeCounter{fakeExecutor: x, ran: map[string]int{}}
	e.Use(c)
	got := exploreAll(t, e)
	for s, n := range c.ran {
		if n != 1 {
			t.Errorf("ran %d times: %s", n, s)
		}
	}
	if len(c.ran) != int(got.Transitions) {
		t.Errorf("%d different sequences ran, want %d", len(c.ran), got.Transitions)
	}
	by := map[string]string{} // the sequence that is extended, by its state
	for _, s := range c.base {
		run := newFake()
		run.Begin(RunOptions{})
		for _, st := range s {
			run.Append(st)
		}
		state := ""
		for _, v := range run.vals {
			if b, ok := v.(*bag); ok {
				state += fmt.Sprint(b.items)
			}
		}
		if was, ok := by[state]; ok && was != text(x.table, s) {
			t.Errorf("state %s is extended behind\n%sand behind\n%s", state, was, text(x.table, s))
		}
		by[state] = text(x.table, s)
	}
}

// A failure that needs five calls is found at depth five, by a shortest sequence.
func TestExploreFinds(t *testing.T) {
	for calls, want := range map[int]int{4: 0, 5: 1} {
		e, x, sink := newFakeExplorer(t, Scope{Calls: calls, Values: 1, States: 1 << 20})
		got := exploreAll(t, e)
		if len(sink.findings) != want || want == 0 && got.Failures != 0 {
			t.Fatalf("%d calls: %d findings, want %d", calls, len(sink.findings), want)
		}
		for _, f := range sink.findings {
			if len(f.Original) != 5 {
				t.Errorf("found by %s, want five calls", text(x.table, f.Original))
			}
		}
	}
}

// A search that ends at its bound of states says how far it came.
func TestExploreStops(t *testing.T) {
	e, _, _ := newFakeExplorer(t, Scope{Calls: 5, Values: 2, States: 20})
	got := exploreAll(t, e)
	if !got.Full || got.Done || got.States != 20 || got.Depth >= 5 {
		t.Errorf("got %+v, want 20 states and a depth below 5", got)
	}
	states, _, _ := naive(got.Depth, 2)
	if len(states) > 20 {
		t.Errorf("depth %d is complete with 20 states, want %d", got.Depth, len(states))
	}
}

// Several engines that extend states in any order, and end at any time, come to the same
// end as one: the same counts, and the same states in the same order.
func TestExploreShares(t *testing.T) {
	for _, s := range []Scope{{Calls: 4, Values: 2, States: 1 << 20}, {Calls: 5, Values: 2, States: 60}} {
		alone := NewExploration(s)
		shareOut(t, alone, s, rand.New(rand.NewPCG(1, 1)), 1, 0)
		for seed := range uint64(100) {
			x, rnd := NewExploration(s), rand.New(rand.NewPCG(seed, 2))
			shareOut(t, x, s, rnd, 1+rnd.IntN(3), 0.05)
			if !reflect.DeepEqual(x.Explored, alone.Explored) || !bytes.Equal(x.hashes, alone.hashes) {
				t.Fatalf("%d states, seed %d: %+v, want %+v", s.States, seed, x.Explored, alone.Explored)
			}
		}
	}
}

// shareOut explores with engines that take turns at random. One ends at a step with some
// probability, and another begins in its place.
func shareOut(t *testing.T, x *Exploration, s Scope, rnd *rand.Rand, engines int, ends float64) {
	t.Helper()
	type process struct {
		e     *Engine
		knows int
		dealt []int
	}
	start := func() *process {
		e, _, _ := newFakeExplorer(t, s)
		return &process{e: e}
	}
	var list []*process
	for range engines {
		list = append(list, start())
	}
	for !x.Over() {
		k := rnd.IntN(engines)
		p := list[k]
		if rnd.Float64() < ends {
			x.Again(p.dealt)
			list[k] = start()
			continue
		}
		if !p.e.Extends() {
			var s Share
			s, p.knows = x.Deal(1+rnd.IntN(4), p.knows)
			for _, state := range s.States {
				p.dealt = append(p.dealt, state.Number)
			}
			p.e.Extend(s)
		}
		for range rnd.IntN(20) {
			p.e.Step(1)
		}
		done := p.e.Extended()
		for _, extension := range done {
			p.dealt = slices.DeleteFunc(p.dealt, func(n int) bool { return n == extension.Number })
		}
		if !x.Over() {
			takeAll(t, x, done)
		}
	}
}

// An extension that is cut off, or of a state that was not dealt, is refused.
func TestExploreRefuses(t *testing.T) {
	x := NewExploration(Scope{Calls: 2, Values: 1, States: 9})
	if _, err := x.Take(Extension{}); err == nil {
		t.Error("took an extension of a state that was not dealt")
	}
	x.Deal(1, 0)
	found := appendFound(nil, 7, true, []byte("steps"))
	if _, err := x.Take(Extension{Found: found[:len(found)-1]}); err == nil {
		t.Error("took a state that is cut off")
	}
	if _, err := x.Take(Extension{}); err == nil {
		t.Error("took a state again")
	}
}

// A sequence that ended a process is not run again, and counts as one that did not end.
func TestExploreSkipsLethal(t *testing.T) {
	s := Scope{Calls: 2, Values: 1, States: 1 << 20}
	e, x, _ := newFakeExplorer(t, s)
	whole := exploreAll(t, e)
	pool := NewPool(x.table)
	lethal := seq.Sequence{{Op: opNew}, {Op: opPut, Args: []seq.Arg{seq.Slot(0), seq.Lit(pool.First(typeInt))}}}
	e, _, _ = newFakeExplorer(t, s)
	got := exploreLethal(t, e, [][]byte{seq.AppendBinary(nil, lethal)})
	if got.Lost != 1 || got.Transitions != whole.Transitions || got.States != whole.States-1 {
		t.Errorf("got %+v, want one sequence lost of %+v", got, whole)
	}
}

// An operation that is disabled is named, and no state that takes it is extended.
func TestExploreDisabled(t *testing.T) {
	e, _, _ := newFakeExplorer(t, Scope{Calls: 3, Values: 1, States: 1 << 20})
	x := NewExploration(e.explorer.scope)
	for knows := 0; !x.Over(); {
		var s Share
		if s, knows = x.Deal(1, knows); x.Depth == 2 {
			e.Disable(opPut)
		}
		e.Extend(s)
		for e.Extends() {
			e.Step(1)
		}
		takeAll(t, x, e.Extended())
	}
	got := x.Explored
	if len(got.LeftOut) != 1 || got.LeftOut[0].Op != opPut || got.Skipped == 0 {
		t.Errorf("got %+v, want Put left out", got)
	}
}
