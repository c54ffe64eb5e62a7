package engine

import (
	"math"
	"slices"
	"testing"
)

// feed takes in extensions with so many transitions, each of which leaves so many new states,
// until there are n or no state is left.
func feed(t *testing.T, x *Exploration, n int, each uint64, fresh func(depth int) int) {
	t.Helper()
	hash := uint64(len(x.hashes) + 1)
	for range n {
		s, _ := x.Deal(1, 0)
		if len(s.States) == 0 {
			return
		}
		e := Extension{Number: s.States[0].Number, Transitions: each}
		for range fresh(s.States[0].Depth) {
			hash++
			e.Found = appendFound(e.Found, hash*0x9e3779b97f4a7c15, true, nil)
		}
		if _, err := x.Take(e); err != nil {
			t.Fatal(err)
		}
	}
}

// A forecast after the first depths: of a tree that grows by a factor it is exact, and where
// states repeat themselves it follows how the factor shrinks.
func TestForecast(t *testing.T) {
	const many = 1 << 40
	for _, tt := range []struct {
		name   string
		scope  Scope
		taken  int
		fresh  func(depth int) int
		depths []float64
		states []float64
		bound  float64
	}{
		{
			"a tree", Scope{Calls: 4, States: many}, 1 + 3 + 9, func(int) int { return 3 },
			[]float64{10, 40, 130, 400}, []float64{4, 13, 40, 121}, 400,
		},
		{
			"a tree, in the middle of a depth", Scope{Calls: 4, States: many}, 1 + 3 + 2, func(int) int { return 3 },
			[]float64{10, 40, 130, 400}, []float64{4, 13, 40, 121}, 400,
		},
		{
			"fewer new states at each depth", Scope{Calls: 5, States: many}, 1 + 4 + 16, func(depth int) int { return 4 >> (depth / 2) },
			[]float64{10, 50, 210, 530, 850}, []float64{5, 21, 53, 85, 101}, 850,
		},
		{
			"the bound of states", Scope{Calls: 4, States: 67}, 1 + 3 + 9, func(int) int { return 3 },
			[]float64{10, 40, 130, 400}, []float64{4, 13, 40, 121}, 220, // 27 of the 81 states of depth 4
		},
		{
			"the first states of a depth find more", Scope{Calls: 3, States: many}, 1 + 3 + 1, func(depth int) int { return []int{3, 3, 8}[depth] },
			[]float64{10, 40, 130}, []float64{4, 13, 40}, 130,
		},
		{
			"its end", Scope{Calls: 3, States: many}, math.MaxInt, func(int) int { return 2 },
			[]float64{10, 30, 70}, []float64{3, 7, 15}, 70,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := NewExploration(tt.scope)
			if _, ok := x.Forecast(); ok {
				t.Error("a forecast of a search that has not begun")
			}
			feed(t, x, tt.taken, 10, tt.fresh)
			f, ok := x.Forecast()
			if !ok || !slices.Equal(f.Depths, tt.depths) || !slices.Equal(f.States, tt.states) || math.Abs(f.Bounded-tt.bound) > 1e-6 {
				t.Errorf("got %v %+v\nwant %v %v, bounded %v", ok, f, tt.depths, tt.states, tt.bound)
			}
		})
	}
}

func TestForecastCalls(t *testing.T) {
	f := Forecast{Depths: []float64{10, 40, 130}, States: []float64{4, 13, 40}}
	for _, tt := range []struct {
		transitions, states float64
		want                int
	}{{9, 100, 0}, {10, 100, 1}, {130, 100, 3}, {130, 40, 2}, {130, 1, 0}, {1000, 1000, 3}} {
		if got := f.Calls(tt.transitions, tt.states); got != tt.want {
			t.Errorf("Calls(%v, %v) = %d, want %d", tt.transitions, tt.states, got, tt.want)
		}
	}
}

// The forecast of a search that ends is what the search has run.
func TestForecastAtEnd(t *testing.T) {
	e, _, _ := newFakeExplorer(t, Scope{Calls: 4, Values: 2, States: 1 << 20})
	x := NewExploration(e.explorer.scope)
	for knows := 0; !x.Over(); {
		var s Share
		s, knows = x.Deal(3, knows)
		e.Extend(s)
		for e.Extends() {
			e.Step(1)
		}
		takeAll(t, x, e.Extended())
	}
	f, ok := x.Forecast()
	if want := float64(x.Transitions); !ok || math.Abs(f.Depths[3]-want) > 1e-6*want || math.Abs(f.States[3]-float64(x.States)) > 1e-6*want {
		t.Errorf("got %+v, want %d transitions and %d states", f, x.Transitions, x.States)
	}
}
