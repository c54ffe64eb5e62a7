package mutators

import (
	"math"
	"math/bits"
	"slices"

	"foray.test/engine/seq"
)

// A Point is what a run showed of a number that depends on one literal: the
// literal was X, the operand Y. Integers are in two's complement.
type Point struct{ X, Y uint64 }

// Solve returns values of the literal for which the operand is want if it is
// a·x + b, as two runs with different literals tell: in the integers, as the secant
// has it, rounded to both sides; and in machine words of 64 and 32 bits, where a
// multiplication by an odd number can be undone and may have wrapped. The same
// value occurs once; there are at most seven.
func Solve(p, q Point, want uint64) []uint64 {
	var list []uint64
	add := func(x uint64) {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	if d, ok := secant(int64(q.X-p.X), int64(q.Y-p.Y), int64(want-p.Y)); ok {
		for _, round := range []int64{0, 1, -1} {
			add(p.X + uint64(d+round))
		}
	}
	for _, width := range []uint{64, 32} {
		a, ok := divide(q.X-p.X, q.Y-p.Y, width)
		if !ok {
			continue
		}
		if d, ok := divide(a, want-p.Y, width); ok {
			add(p.X + d)
			add(uint64(int64((p.X+d)<<(64-width)) >> (64 - width)))
		}
	}
	return list
}

// secant returns dx·want/dy, rounded toward zero. It reports false where dy is
// zero or the result too large.
func secant(dx, dy, want int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(dx), magnitude(want))
	if d := magnitude(dy); hi >= d {
		return 0, false
	}
	quo, _ := bits.Div64(hi, lo, magnitude(dy))
	if quo > math.MaxInt64 {
		return 0, false
	}
	if (dx < 0) != (want < 0) != (dy < 0) {
		return -int64(quo), true
	}
	return int64(quo), true
}

// magnitude returns |n|.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// divide returns the smallest x in magnitude, as two's complement of 64 bits, with
// a·x = c in words of so many bits. It reports false if there is none: if c is not
// a multiple of the greatest power of two in a.
func divide(a, c uint64, width uint) (uint64, bool) {
	a, c = a<<(64-width)>>(64-width), c<<(64-width)>>(64-width)
	if a == 0 {
		return 0, c == 0
	}
	even := uint(bits.TrailingZeros64(a))
	if c<<(64-even) != 0 {
		return 0, false
	}
	x := (c >> even) * inverse(a>>even)
	free := 64 - (width - even) // bits of x that do not matter
	return uint64(int64(x<<free) >> free), true
}

// inverse returns the multiplicative inverse of an odd number modulo 2⁶⁴, by
// Newton's iteration: each round doubles the bits that are right, three at first.
func inverse(a uint64) uint64 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// SolveFloat returns values of the literal for which the operand is want if it is
// a·x + b, as two runs tell: what the secant has and the floats beside it. None if
// the runs do not tell.
func SolveFloat(x0, y0, x1, y1, want float64) []float64 {
	x := x0 + (want-y0)*((x1-x0)/(y1-y0))
	if x != x || math.IsInf(x, 0) {
		return nil
	}
	return []float64{x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1))}
}

// Middle returns the float halfway between x and y in the order of floats, so that
// halving an interval takes at most 64 steps whatever its bounds. NaN is no bound.
func Middle(x, y float64) float64 {
	a, b := rank(x), rank(y)
	mid := a&b + (a^b)>>1 // (a+b)/2 that does not overflow
	if mid < 0 {
		return math.Float64frombits(uint64(math.MinInt64 - mid))
	}
	return math.Float64frombits(uint64(mid))
}

// rank maps floats to integers in their order, both zeros to zero.
func rank(f float64) int64 {
	n := int64(math.Float64bits(f))
	if n < 0 {
		return math.MinInt64 - n
	}
	return n
}

// Put returns s with the literal at p changed to v, which is turned into what its
// type holds. It reports false if no literal is there, or none of v can be.
func Put(t *seq.Table, s seq.Sequence, p Position, v any) (seq.Sequence, bool) {
	if p.Arg < 0 || s[p.Step].Args[p.Arg].Lit == nil {
		return nil, false
	}
	id := s[p.Step].Args[p.Arg].Lit.Type
	v, ok := fit(&t.Types[id], v)
	if !ok {
		return nil, false
	}
	return with(s, p, seq.Lit(&seq.Literal{Type: id, Value: v})), true
}
