package mutators

import (
	"math"
	"slices"
	"testing"
)

// Whatever a and b, two runs tell the literal for which a·x + b is wanted.
func TestSolve(t *testing.T) {
	signed := func(n int64) uint64 { return uint64(n) }
	for _, tt := range []struct {
		name   string
		f      func(x uint64) uint64
		x0, x1 uint64
		x      uint64 // that f takes to what is wanted
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

// A bisection by Middle finds any float in at most 64 steps.
func TestMiddle(t *testing.T) {
	for _, want := range []float64{0, 1, -1, math.Pi, 1e-300, -1e300, math.SmallestNonzeroFloat64, math.Nextafter(2, 1), -math.SmallestNonzeroFloat64} {
		lo, hi := -math.MaxFloat64, math.MaxFloat64
		steps := 0
		for mid := Middle(lo, hi); mid > lo && steps <= 64; mid = Middle(lo, hi) {
			steps++
			if mid < want {
				lo = mid
			} else {
				hi = mid
			}
		}
		if hi != want || steps > 64 {
			t.Errorf("bisection for %v: got %v after %d steps", want, hi, steps)
		}
	}
}

func TestPut(t *testing.T) {
	s := parse(t, "q.Bits(1, 2, 3, true)")
	for _, tt := range []struct {
		arg  int32
		v    any
		want string
	}{
		{0, int64(300), "q.Bits(44, 2, 3, true)"},
		{1, uint64(300), "q.Bits(1, 44, 3, true)"},
		{2, int64(-1), "q.Bits(1, 2, 18446744073709551615, true)"},
		{2, 7.9, "q.Bits(1, 2, 7, true)"},
		{3, int64(1), ""},
		{-1, int64(1), ""},
	} {
		got, ok := Put(fixture.Table, s, Position{0, tt.arg}, tt.v)
		if ok != (tt.want != "") || ok && fixture.Table.OneLine(got) != tt.want {
			t.Errorf("Put %v at %d: got %s, %v, want %s", tt.v, tt.arg, fixture.Table.OneLine(got), ok, tt.want)
		}
	}
}
