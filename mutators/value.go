package mutators

import (
	"math"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// fit returns v, the value of some literal, as a literal of type ty holds it.
// Integers wrap at the width of the type, as conversions in the code under test
// do; floats lose their fraction; numbers and text turn into each other. It
// reports false where v means nothing in ty.
func fit(ty *seq.Type, v any) (any, bool) {
	switch ty.Literal {
	case seq.Bool:
		b, ok := v.(bool)
		return b, ok
	case seq.Int, seq.Uint:
		n, ok := integer(v)
		if !ok {
			return nil, false
		}
		return sized(ty, n), true
	case seq.Float:
		f, ok := float(v)
		if ok && ty.Bits == 32 {
			f = float64(float32(f))
		}
		return f, ok
	case seq.Complex:
		if c, ok := v.(complex128); ok {
			return c, true
		}
		f, ok := float(v)
		if ok && ty.Bits == 64 {
			f = float64(float32(f))
		}
		return complex(f, 0), ok
	case seq.String:
		return text(v)
	}
	return nil, false
}

// sized returns the low bits of n as the value of a literal of the integer type ty.
func sized(ty *seq.Type, n uint64) any {
	shift := 64 - uint(min(max(ty.Bits, 8), 64))
	if ty.Literal == seq.Int {
		return int64(n<<shift) >> shift
	}
	return n << shift >> shift
}

// integer returns the two's complement of the integer that v is or spells.
func integer(v any) (uint64, bool) {
	switch v := v.(type) {
	case int64:
		return uint64(v), true
	case uint64:
		return v, true
	case float64:
		switch {
		case v != v, v <= -1<<63-1, v >= 1<<64:
			return 0, false
		case v < 0:
			return uint64(int64(v)), true
		}
		return uint64(v), true
	case string:
		if n, err := strconv.ParseInt(v, 0, 64); err == nil {
			return uint64(n), true
		}
		n, err := strconv.ParseUint(v, 0, 64)
		return n, err == nil
	}
	return 0, false
}

// float returns the number that v is or spells.
func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	}
	return 0, false
}

// text returns v, or how strconv writes it.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case string:
		return v, true
	}
	return "", false
}

// suits reports whether a literal of kind k holds v as it is, but for its size. Such a
// literal is the best for an interface that takes several types.
func suits(k seq.LiteralKind, v any) bool {
	switch of := seq.KindOf(v); of {
	case seq.Int, seq.Uint:
		return k == seq.Int || k == seq.Uint
	default:
		return k == of && of != seq.NoLiteral
	}
}

// same reports whether v and w are the same value: numbers by their value in any type,
// text by its bytes.
func same(v, w any) bool {
	switch v := v.(type) {
	case int64:
		switch w := w.(type) {
		case int64:
			return v == w
		case uint64:
			return v >= 0 && uint64(v) == w
		}
	case uint64:
		switch w := w.(type) {
		case int64:
			return w >= 0 && v == uint64(w)
		case uint64:
			return v == w
		}
	}
	return v == w
}

// plus returns v moved by d in its own type, wrapping; a float by d, or by the next
// one in that direction where d vanishes in it. It returns other values as they are.
func plus(v any, d int64) any {
	switch v := v.(type) {
	case int64:
		return v + d
	case uint64:
		return v + uint64(d)
	case float64:
		if moved := v + float64(d); moved != v || d == 0 {
			return moved
		}
		return math.Nextafter(v, math.Copysign(math.Inf(1), float64(d)))
	}
	return v
}

// difference returns y - x, both numbers of one Go type, as a value to add to
// another: an int64 that wraps, or a float64.
func difference(x, y any) (any, bool) {
	switch x := x.(type) {
	case int64:
		if y, ok := y.(int64); ok {
			return y - x, true
		}
	case uint64:
		if y, ok := y.(uint64); ok {
			return int64(y - x), true
		}
	case float64:
		if y, ok := y.(float64); ok {
			return y - x, true
		}
	}
	return nil, false
}

// sum returns v + d, where v is a number of any type and d a result of difference.
func sum(v, d any) (any, bool) {
	if f, ok := v.(float64); ok {
		df, ok := float(d)
		return f + df, ok
	}
	n, ok := integer(v)
	if df, isFloat := d.(float64); isFloat && ok {
		f, _ := float(v)
		return f + df, true
	}
	dn, _ := integer(d)
	return int64(n + dn), ok
}

// negative returns -d for a result of difference.
func negative(d any) any {
	if f, ok := d.(float64); ok {
		return -f
	}
	return -d.(int64)
}

// opposite returns the comparison of y with x where op is that of x with y.
func opposite(op string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '<':
			return '>'
		case '>':
			return '<'
		}
		return r
	}, op)
}

// targets returns values x for which x op y holds, the nearest to y first; y and its
// neighbours if op is not known.
func targets(op string, y any) []any {
	if s, ok := y.(string); ok {
		return textTargets(op, s)
	}
	switch op {
	case "==", "<=", ">=":
		return []any{y}
	case "!=":
		return []any{plus(y, 1), plus(y, -1)}
	case "<":
		return beside(y, -1)
	case ">":
		return beside(y, 1)
	}
	return []any{y, plus(y, 1), plus(y, -1)}
}

// beside returns the neighbour of y on the side of sign; of a float the next one
// and the one at distance one.
func beside(y any, sign int64) []any {
	if f, ok := y.(float64); ok {
		return []any{math.Nextafter(f, math.Copysign(math.Inf(1), float64(sign))), f + float64(sign)}
	}
	return []any{plus(y, sign)}
}

func textTargets(op, y string) []any {
	shorter := y
	if y != "" {
		shorter = y[:len(y)-1]
	}
	switch op {
	case "!=":
		return []any{y + "a", shorter}
	case "<":
		return []any{shorter}
	case ">":
		return []any{y + "a"}
	}
	return []any{y}
}
