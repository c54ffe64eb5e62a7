package mutators

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"foray.test/coverage"
	"foray.test/engine/seq"
)

// solutions probes each number of the witness with another one, and proposes the numbers
// that take the condition to the wanted side if its operands are linear in the number.
// If they are not, a proposal that comes nearer is the next witness.
func solutions(a *Aim, try func(seq.Sequence) bool) {
	if a.Probe == nil || !slices.ContainsFunc(a.Visits, numeric) {
		return
	}
	o, list := a.emitter(try), a.unknowns()
	for i := range list {
		u := &list[i]
		for _, x := range probes(u.value) {
			told, more := o.chase(u, x)
			if !more {
				return
			}
			if told {
				break
			}
		}
	}
}

// chase offers the roots that the witness and the number x1 for u tell of, and goes
// on from the first of them. It reports whether x1 told anything, and whether to go
// on at all.
func (o *emitter) chase(u *unknown, x1 any) (told, more bool) {
	a := o.a
	x0, before := u.value, a.Visits
	for range maxSecants {
		l, ok := a.solved(u, x1)
		if !ok || l.Equal(u.arg.Lit) {
			break
		}
		after, _ := a.Probe(u.put(a.Witness, seq.Lit(l)))
		list := a.roots(x0, x1, before, after)
		for _, x := range list {
			if l, ok := a.solved(u, x); ok && !o.literal(u.place, l) {
				return true, false
			}
		}
		if len(list) == 0 {
			break
		}
		told = true
		x0, x1, before = x1, list[0], after
	}
	return told, !o.done
}

func numeric(v coverage.Visit) bool {
	return v.Kind == coverage.SignedOperands || v.Kind == coverage.UnsignedOperands || v.Kind == coverage.FloatOperands
}

// An unknown is a number that a condition may depend on: a literal, or part of a
// string.
type unknown struct {
	place
	value any
	at    span // in the string
}

func (a *Aim) unknowns() []unknown {
	var list []unknown
	for _, p := range a.literals() {
		switch v := p.value().(type) {
		case int64, uint64, float64:
			list = append(list, unknown{place: p, value: v})
		case string:
			for _, at := range numbers(v) {
				if n, err := strconv.ParseInt(v[at.from:at.to], 10, 64); err == nil {
					list = append(list, unknown{p, n, at})
				}
			}
		}
	}
	return list[:min(len(list), maxUnknowns)]
}

// solved returns the literal of u with v for its number.
func (a *Aim) solved(u *unknown, v any) (*seq.Literal, bool) {
	id := u.arg.Lit.Type
	if s, ok := u.arg.Lit.Value.(string); ok {
		t, ok := text(v)
		return &seq.Literal{Type: id, Value: s[:u.at.from] + t + s[u.at.to:]}, ok
	}
	v, ok := fit(&a.Index.Table.Types[id], v)
	return &seq.Literal{Type: id, Value: v}, ok
}

// probes returns numbers to put in the place of v, until one has an effect: a small step
// and, for numbers that are divided or shifted, a large one.
func probes(v any) []any {
	if f, ok := v.(float64); ok {
		return []any{f + math.Max(math.Abs(f), 1)/(1<<20), 2*f + 1}
	}
	return []any{plus(v, 1), plus(v, 1<<20)}
}

// roots returns values of a number for which the condition takes the side wanted,
// if x0 and x1 for it gave these visits.
func (a *Aim) roots(x0, x1 any, before, after []coverage.Visit) []any {
	var list []any
	for i := range min(len(before), len(after)) {
		v, w := &before[i], &after[i]
		if v.Kind != w.Kind || !numeric(*v) {
			continue
		}
		ps, qs := a.appendOwn(nil, v), a.appendOwn(nil, w)
		for j := range min(len(ps), len(qs)) {
			if v.Kind == coverage.FloatOperands {
				list = append(list, ps[j].floatRoots(&qs[j], x0, x1)...)
			} else {
				list = append(list, ps[j].roots(&qs[j], x0, x1)...)
			}
		}
	}
	return list
}

// roots solves for the difference of the operands, which is zero at the border of
// every comparison.
func (p *pair) roots(q *pair, x0, x1 any) []any {
	var y [4]uint64
	for i, v := range [4]any{p.x, p.y, q.x, q.y} {
		y[i], _ = integer(v)
	}
	from, to := y[0]-y[1], y[2]-y[3]
	if from == to {
		return nil
	}
	wanted := uint64(0)
	switch p.op {
	case "<":
		wanted--
	case ">", "!=":
		wanted++
	}
	n0, _ := integer(x0)
	n1, _ := integer(x1)
	var list []any
	for _, n := range Solve(Point{n0, from}, Point{n1, to}, wanted) {
		switch x0.(type) {
		case int64:
			list = append(list, int64(n))
		case uint64:
			list = append(list, n)
		case float64:
			list = append(list, float64(int64(n)))
		}
	}
	return list
}

func (p *pair) floatRoots(q *pair, x0, x1 any) []any {
	y0, y1 := p.x.(float64)-p.y.(float64), q.x.(float64)-q.y.(float64)
	wanted := 0.0
	switch p.op {
	case "<":
		wanted = math.Nextafter(p.y.(float64), math.Inf(-1)) - p.y.(float64)
	case ">", "!=":
		wanted = math.Nextafter(p.y.(float64), math.Inf(1)) - p.y.(float64)
	}
	f0, _ := float(x0)
	f1, _ := float(x1)
	var list []any
	for _, f := range SolveFloat(f0, y0, f1, y1, wanted) {
		list = append(list, f)
	}
	return list
}

// A Point is an observation of a number that depends on one literal: the literal was X,
// the operand Y. Integers are in two's complement.
type Point struct{ X, Y uint64 }

// Solve returns literals x for which the operand is want, if the operand is a·x + b for
// the a and b that two runs with different literals give. It solves in the integers by
// the secant, rounded to both sides. It solves in machine words of 64 and 32 bits as
// well, where a multiplication by an odd number may have wrapped and can be undone. Each
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

// SolveFloat is [Solve] for floats: it returns the root of the secant and the floats
// beside it, or nothing if the secant has no root.
func SolveFloat(x0, y0, x1, y1, want float64) []float64 {
	x := x0 + (want-y0)*((x1-x0)/(y1-y0))
	if x != x || math.IsInf(x, 0) {
		return nil
	}
	return []float64{x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1))}
}
