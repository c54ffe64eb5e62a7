package coverage

import (
	"math"
	"testing"
)

func ints(side int32, x, y int64) Visit {
	return Visit{Side: side, Kind: SignedOperands, X: uint64(x), Y: uint64(y)}
}

func TestDistance(t *testing.T) {
	op := func(op string) *Condition {
		return &Condition{Kind: Bool, First: 4, Sides: []string{"false", "true"}, Op: op}
	}
	text := func(x, y string) Visit {
		return Visit{Side: 4, Kind: StringOperands, X: uint64(len(x)), Y: uint64(len(y)), SX: x, SY: y}
	}
	floats := func(x, y float64) Visit {
		return Visit{Side: 4, Kind: FloatOperands, X: math.Float64bits(x), Y: math.Float64bits(y)}
	}
	tag := &Condition{
		Kind: Switch, First: 4, Sides: []string{"case 1, 9", `case "a"`, "no match"},
		Cases: [][]string{{"1", "9"}, {`"ab"`}, nil},
	}
	for _, tt := range []struct {
		name string
		c    *Condition
		want int
		v    Visit
		d    uint64
		ok   bool
	}{
		{"taken", op("=="), 4, ints(4, 1, 2), 0, true},
		{"equal", op("=="), 5, ints(4, -3, 4), 7, true},
		{"equal, far apart", op("=="), 5, ints(4, math.MinInt64, math.MaxInt64), math.MaxUint64, true},
		{"no longer equal", op("=="), 4, ints(5, 3, 3), 1, true},
		{"not equal to false", op("!="), 4, ints(5, 3, 5), 2, true},
		{"less", op("<"), 5, ints(4, 7, 5), 3, true},
		{"less, touching", op("<"), 5, ints(4, 5, 5), 1, true},
		{"less to false", op("<"), 4, ints(5, -2, 3), 5, true},
		{"at most", op("<="), 5, ints(4, 7, 5), 2, true},
		{"greater", op(">"), 5, ints(4, 5, 7), 3, true},
		{"greater, all the way", op(">"), 5, ints(4, math.MinInt64, math.MaxInt64), math.MaxUint64, true},
		{"at least", op(">="), 5, ints(4, 5, 7), 2, true},
		{"unsigned", op("<"), 5, Visit{Side: 4, Kind: UnsignedOperands, X: math.MaxUint64, Y: 1}, math.MaxUint64 - 1 + 1, true},
		{"floats around zero", op("=="), 5, floats(math.Copysign(0, -1), 0), 1, true},
		{"floats next to each other", op("=="), 5, floats(1, math.Nextafter(1, 2)), 1, true},
		{"strings, one byte", op("=="), 5, text("abc", "abb"), 257, true},
		{"strings, one byte missing", op("=="), 5, text("ab", "abb"), 512, true},
		{"strings, from equal", op("=="), 4, Visit{Side: 5, Kind: StringOperands, SX: "a", SY: "a"}, 1, true},
		{"pointers", op("=="), 5, Visit{Side: 4, Kind: PointerOperands, X: 1}, 1, true},
		{"bool from elsewhere", op(""), 5, Visit{Side: 4}, 0, false},
		{"range, to non-empty", &Condition{Kind: Range, First: 4, Sides: []string{"empty", "non-empty"}}, 5, ints(4, 0, 0), 1, true},
		{"range, to empty", &Condition{Kind: Range, First: 4, Sides: []string{"empty", "non-empty"}}, 4, ints(5, 3, 0), 3, true},
		{"nearest case", tag, 4, ints(6, 6, 0), 3, true},
		{"string case", tag, 5, Visit{Side: 6, Kind: StringOperands, X: 2, SX: "aX"}, 256 + 4, true},
		{"case of another kind", tag, 5, ints(6, 6, 0), math.MaxUint64, false},
		{"default", tag, 6, ints(4, 1, 0), 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := Distance(tt.c, tt.want, tt.v)
			if ok != tt.ok || ok && d != tt.d {
				t.Errorf("Distance: got %d, %v, want %d, %v", d, ok, tt.d, tt.ok)
			}
		})
	}
}

// TestDistanceIsZeroWhereTaken: for every comparison, operands that satisfy it
// have distance zero, and others do not.
func TestDistanceIsZeroWhereTaken(t *testing.T) {
	holds := map[string]func(x, y int64) bool{
		"==": func(x, y int64) bool { return x == y }, "!=": func(x, y int64) bool { return x != y },
		"<": func(x, y int64) bool { return x < y }, "<=": func(x, y int64) bool { return x <= y },
		">": func(x, y int64) bool { return x > y }, ">=": func(x, y int64) bool { return x >= y },
	}
	for op, f := range holds {
		c := &Condition{Kind: Bool, Sides: []string{"false", "true"}, Op: op}
		for x := int64(-3); x <= 3; x++ {
			for y := int64(-3); y <= 3; y++ {
				for want := range 2 {
					side := int32(0)
					if f(x, y) {
						side = 1
					}
					d, ok := Distance(c, want, ints(side, x, y))
					if !ok || (d == 0) != (int(side) == want) {
						t.Errorf("%d %s %d, want side %d: distance %d, %v", x, op, y, want, d, ok)
					}
				}
			}
		}
	}
}
