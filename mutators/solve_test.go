package mutators

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/engine/seq"
)

// For any a and b, two runs determine the literal x from the wanted value of a·x + b.
func TestSolve(t *testing.T) {
	signed := func(n int64) uint64 { return uint64(n) }
	for _, tt := range []struct {
		name   string
		f      func(x uint64) uint64
		x0, x1 uint64
		x      uint64 // that f maps to the wanted value
	}{
		{"the literal itself", func(x uint64) uint64 { return x }, 3, 4, 1 << 40},
		{"an offset", func(x uint64) uint64 { return x + 17 }, 3, 4, 0},
		{"its negative", func(x uint64) uint64 { return 5 - x }, 3, 4, 100},
		{"a negative answer", func(x uint64) uint64 { return 3*x + 1 }, 3, 4, signed(-12345)},
		{"a factor", func(x uint64) uint64 { return 1000 * x }, 3, 5, 77},
		{"a quotient", func(x uint64) uint64 { return x / 8 }, 0, 64, 80},
		{"an odd factor that wraps", func(x uint64) uint64 { return 0x9e3779b97f4a7c15*x + 12345 }, 3, 4, 0x123456789abcdef},
		{"an even factor that wraps", func(x uint64) uint64 { return 0x9e3779b97f4a7c14 * x }, 3, 4, 42},
		{"wraps in 32 bits", func(x uint64) uint64 { return uint64(uint32(x)*0x9e3779b1 + 7) }, 3, 4, 0xdeadbeef},
		{"wraps in 32 bits with a sign", func(x uint64) uint64 { return uint64(int64(int32(x) * 0x1e3779b1)) }, 3, 4, signed(-99)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Solve(Point{tt.x0, tt.f(tt.x0)}, Point{tt.x1, tt.f(tt.x1)}, tt.f(tt.x))
			if !slices.ContainsFunc(got, func(x uint64) bool { return tt.f(x) == tt.f(tt.x) }) {
				t.Errorf("Solve: got %x, want %x or what gives the same", got, tt.x)
			}
			if len(got) > 7 {
				t.Errorf("%d values, want at most 7", len(got))
			}
		})
	}
	if got := Solve(Point{1, 5}, Point{2, 5}, 9); len(got) != 0 {
		t.Errorf("Solve of what does not depend on the literal: got %v", got)
	}
}

// In words of 64 bits any line with an odd slope can be undone, and one with an
// even slope to some literal, if there is one.
func FuzzSolve(f *testing.F) {
	f.Add(uint64(0x9e3779b97f4a7c15), uint64(1), uint64(2), uint64(3))
	f.Add(uint64(1<<63), uint64(0), uint64(0), uint64(1))
	f.Add(uint64(math.MaxUint64), uint64(math.MaxUint64), uint64(1<<63), uint64(1<<63-1))
	f.Fuzz(func(t *testing.T, a, b, x0, x uint64) {
		at := func(x uint64) uint64 { return a*x + b }
		got := Solve(Point{x0, at(x0)}, Point{x0 + 1, at(x0 + 1)}, at(x))
		if !slices.ContainsFunc(got, func(y uint64) bool { return at(y) == at(x) }) && a != 0 {
			t.Errorf("a = %#x, b = %#x, x0 = %#x: got %#x, want %#x or what gives the same", a, b, x0, got, x)
		}
	})
}

func TestSecantRounds(t *testing.T) {
	for _, tt := range []struct {
		dx, dy, want, x int64
		ok              bool
	}{
		{1, 2, 7, 3, true},
		{-1, 2, 7, -3, true},
		{1, -2, -7, 3, true},
		{math.MaxInt64, math.MaxInt64, 5, 5, true},
		{math.MinInt64, 1, 1, 0, false},
		{1, 1, math.MinInt64, 0, false},
		{1 << 40, 1, 1 << 40, 0, false},
		{1, 0, 1, 0, false},
	} {
		if x, ok := secant(tt.dx, tt.dy, tt.want); x != tt.x || ok != tt.ok {
			t.Errorf("secant(%d, %d, %d): got %d, %v, want %d, %v", tt.dx, tt.dy, tt.want, x, ok, tt.x, tt.ok)
		}
	}
}

func TestSolveFloat(t *testing.T) {
	f := func(x float64) float64 { return 3*x - 0.1 }
	got := SolveFloat(1, f(1), 2, f(2), f(0.7))
	if !slices.ContainsFunc(got, func(x float64) bool { return f(x) == f(0.7) }) {
		t.Errorf("SolveFloat: got %v, want about 0.7", got)
	}
	if got := SolveFloat(1, 5, 2, 5, 9); got != nil {
		t.Errorf("SolveFloat of what does not depend on the literal: got %v", got)
	}
}

// The operands of the condition are computed from the witness, as a run would.
func TestSolutions(t *testing.T) {
	number := func(s seq.Sequence, arg int) int64 { return s[0].Args[arg].Lit.Value.(int64) }
	bits := func(f float64) uint64 { return math.Float64bits(f) }
	for _, tt := range []struct {
		name, in string
		c        *coverage.Condition
		visit    func(seq.Sequence) coverage.Visit
		want     func(seq.Sequence) bool
		within   int // runs, probes included
	}{
		{"a line", "v0 := q.Sum(1, 2)", toEqual,
			func(s seq.Sequence) coverage.Visit { return ints(7*number(s, 1)+3, 7003) },
			func(s seq.Sequence) bool { return number(s, 1) == 1000 }, 10},
		{"a line that wraps", "v0 := q.Sum(1, 2)", toEqual,
			func(s seq.Sequence) coverage.Visit { return ints(number(s, 0)*0x1e3779b97f4a7c15, 42) },
			func(s seq.Sequence) bool { return number(s, 0)*0x1e3779b97f4a7c15 == 42 }, 10},
		{"both operands", "v0 := q.Sum(10, 2)", toLess,
			func(s seq.Sequence) coverage.Visit { return ints(3*number(s, 0), number(s, 0)-100) },
			func(s seq.Sequence) bool { return 3*number(s, 0) < number(s, 0)-100 }, 10},
		{"what is shifted", "v0 := q.Sum(1, 2)", toEqual,
			func(s seq.Sequence) coverage.Visit { return ints(number(s, 1)>>12, 1<<22) },
			func(s seq.Sequence) bool { return number(s, 1)>>12 == 1<<22 }, 16},
		{"a float", "v0 := q.Scale(0.5, 1i)", toLess,
			func(s seq.Sequence) coverage.Visit {
				return coverage.Visit{Kind: coverage.FloatOperands, X: bits(1.8*s[0].Args[0].Lit.Value.(float64) + 32), Y: bits(-459.67)}
			},
			func(s seq.Sequence) bool {
				y := 1.8*s[0].Args[0].Lit.Value.(float64) + 32
				return y < -459.67 && y > -459.68
			}, 10},
		{"a number in text", `v0 := q.Check("n=30;")`, toEqual,
			func(s seq.Sequence) coverage.Visit {
				n, _ := strconv.ParseInt(strings.Trim(s[0].Args[0].Lit.Value.(string), "n=;"), 10, 64)
				return ints(3*n, 300)
			},
			func(s seq.Sequence) bool { return s[0].Args[0].Lit.Value == "n=100;" }, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := parse(t, tt.in)
			runs, found := 0, false
			a := &Aim{
				Index: fixture, Literals: testPool, Witness: w, Positions: AllPositions(w), Condition: tt.c, Want: 1,
				Visits: []coverage.Visit{tt.visit(w)},
				Probe: func(s seq.Sequence) (visits, nearby []coverage.Visit) {
					runs++
					return []coverage.Visit{tt.visit(s)}, nil
				},
			}
			solutions(a, func(s seq.Sequence) bool {
				runs++
				found = tt.want(s)
				return !found
			})
			if !found || runs > tt.within {
				t.Errorf("found %v after %d runs, want at most %d", found, runs, tt.within)
			}
		})
	}
}
