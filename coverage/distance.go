package coverage

import (
	"math"
	"math/bits"
	"strconv"
)

// Distance returns how far the operands of v are from taking side want of c.
// Zero means that v took the side; a greater number is farther. Distances of
// visits of one condition can be compared. It reports false if the operands
// have no distance: bools computed elsewhere, and clauses with unknown
// constants.
//
// Integers are compared exactly, floats by the number of floats between them,
// strings by the bytes that differ.
func Distance(c *Condition, want int, v Visit) (d uint64, ok bool) {
	if int32(want) == v.Side {
		return 0, true
	}
	switch c.Kind {
	case Bool, Range:
		return v.distance(Relation(c, want))
	case Switch:
		return distanceToCases(c, want, v)
	}
	return 0, false
}

// Relation returns the comparison ("==", "<" …) that holds of the operands when c takes side want.
func Relation(c *Condition, want int) string {
	if c.Kind == Range { // of a length with zero
		return [...]string{"==", ">"}[want-c.First]
	}
	if want != c.First {
		return c.Op
	}
	switch c.Op {
	case "==":
		return "!="
	case "!=":
		return "=="
	case "<":
		return ">="
	case ">=":
		return "<"
	case ">":
		return "<="
	case "<=":
		return ">"
	}
	return ""
}

func (v *Visit) distance(op string) (uint64, bool) {
	if op == "" {
		return 0, false
	}
	switch v.Kind {
	case SignedOperands:
		return ordered(op, v.X^1<<63, v.Y^1<<63), true
	case UnsignedOperands:
		return ordered(op, v.X, v.Y), true
	case FloatOperands:
		return ordered(op, floatOrder(v.X), floatOrder(v.Y)), true
	case StringOperands:
		if op == "!=" {
			return 1, true
		}
		return stringDistance(v), true
	case PointerOperands, TypeOperands:
		return 1, true
	}
	return 0, false
}

// ordered returns how far x and y are from x op y, at least one.
func ordered(op string, x, y uint64) uint64 {
	switch op {
	case "==":
		return max(x, y) - min(x, y)
	case "<":
		x, y = y, x
		fallthrough
	case ">":
		if x > y {
			return 0
		}
		return saturate(y-x, 1)
	case "<=":
		x, y = y, x
		fallthrough
	case ">=":
		if x >= y {
			return 0
		}
		return y - x
	}
	return 1 // !=
}

// floatOrder maps the bits of floats to integers in their order.
func floatOrder(b uint64) uint64 {
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// missingByte is the weight of a byte too many or too few in a string. It is
// farther than any wrong byte.
const missingByte = 512

// stringDistance adds up the differences between the operands.
func stringDistance(v *Visit) uint64 {
	x, y := v.SX, v.SY
	n := min(len(x), len(y))
	d := uint64(0)
	for i := range n {
		if x[i] != y[i] {
			// Unequal counts by itself: ten near bytes are farther than one far one.
			d += 256 + uint64(bits.OnesCount8(x[i]^y[i]))
		}
	}
	lx, ly := int64(v.X), int64(v.Y)
	if v.X == 0 && v.Y == 0 { // not recorded
		lx, ly = int64(len(x)), int64(len(y))
	}
	return saturate(d, missingByte*uint64(max(lx, ly)-min(lx, ly)))
}

func saturate(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// distanceToCases returns the distance of a tag to the nearest constant of a clause.
func distanceToCases(c *Condition, want int, v Visit) (uint64, bool) {
	at := want - c.First
	if at >= len(c.Cases) || len(c.Cases[at]) == 0 {
		return 0, false
	}
	best, found := uint64(math.MaxUint64), false
	for _, text := range c.Cases[at] {
		if with, ok := v.Against(text); ok {
			if d, ok := with.distance("=="); ok {
				best, found = min(best, d), true
			}
		}
	}
	return best, found
}

// Against returns v with a constant for its second operand. It reports false for a
// literal that is not of the kind of v.
func (v Visit) Against(literal string) (Visit, bool) {
	var err error
	switch v.Kind {
	case SignedOperands:
		var n int64
		n, err = strconv.ParseInt(literal, 0, 64)
		v.Y = uint64(n)
	case UnsignedOperands:
		v.Y, err = strconv.ParseUint(literal, 0, 64)
	case FloatOperands:
		var f float64
		f, err = strconv.ParseFloat(literal, 64)
		v.Y = math.Float64bits(f)
	case StringOperands:
		v.SY, err = strconv.Unquote(literal)
		v.Y = uint64(len(v.SY))
	default:
		return v, false
	}
	return v, err == nil
}
