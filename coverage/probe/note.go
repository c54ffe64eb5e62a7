package probe

import "unsafe"

// Some operands are evaluated before a side is known: the tag of a switch, the
// key of a map read, the operand of a type assertion. The functions here note
// such an operand and return it. The mark of the side then records the last
// note, if it was for the same condition.

var noted = struct {
	condition int
	kind      uint8
	x         uint64
	length    int // of text
	text      [MaxText]byte
}{condition: -1}

// NoteInt notes an integer for condition c and returns it.
//
//go:norace
func NoteInt[T integer](c int, x T) T {
	if Mode != ModeNothing {
		kind := uint8(UnsignedOperands)
		if zero := T(0); zero-1 < zero {
			kind = SignedOperands
		}
		note(c, kind, uint64(x))
	}
	return x
}

// NoteFloat notes a float.
//
//go:norace
func NoteFloat[T ~float32 | ~float64](c int, x T) T {
	if Mode != ModeNothing {
		note(c, FloatOperands, floatBits(float64(x)))
	}
	return x
}

// NoteText notes a string.
//
//go:norace
func NoteText[T ~string](c int, x T) T {
	if Mode != ModeNothing {
		noteText(c, string(x))
	}
	return x
}

// NoteType notes the dynamic type of an interface.
//
//go:norace
func NoteType[T any](c int, x T) T {
	if Mode != ModeNothing {
		note(c, TypeOperands, typeWord(x))
	}
	return x
}

// NoteAny notes a number, string or type that is in an interface or of a type
// that is a parameter.
//
//go:norace
func NoteAny[T any](c int, x T) T {
	if Mode != ModeNothing {
		noteAny(c, x)
	}
	return x
}

//go:norace
func noteAny(c int, x any) {
	if s, ok := x.(string); ok {
		noteText(c, s)
	} else if v, kind := basic(x); kind != NoOperands {
		note(c, kind, v)
	} else {
		note(c, TypeOperands, typeWord(x))
	}
}

//go:norace
func note(c int, kind uint8, x uint64) {
	noted.condition, noted.kind, noted.x = c, kind, x
}

//go:norace
func noteText(c int, s string) {
	note(c, StringOperands, uint64(len(s)))
	noted.length = put(noted.text[:], s)
}

// TakeNoted marks side and records the noted operand.
//
//go:norace
func TakeNoted(c, side int) {
	reach(side, false)
	if Mode != ModeNothing {
		recordNoted(c, side, noted.kind)
	}
}

// VisitNoted is Visit for a condition on the noted operand.
//
//go:norace
func VisitNoted(c, side int, r bool) bool {
	if r {
		side++
	}
	TakeNoted(c, side)
	return r
}

// VisitKey is Visit for a condition on the map element of the noted key.
//
//go:norace
func VisitKey(c, side int, r bool) bool {
	side = reach(side, r)
	if Mode != ModeNothing {
		recordNoted(c, side, KeyOperands)
	}
	return r
}

//go:norace
func recordNoted(c, side int, kind uint8) {
	switch {
	case noted.condition != c:
		record(c, side, NoOperands, 0, 0)
	case noted.kind == StringOperands:
		recordTexts(c, side, kind, unsafe.String(&noted.text[0], noted.length), "")
	default:
		record(c, side, kind, noted.x, 0)
	}
	noted.condition = -1
}

// RangeSlice is Slice in the analysis form: it records the length of the
// operand of a range loop.
//
//go:norace
func RangeSlice[S ~[]E, E any](c, side int, s S) S {
	signed(c, side, len(s) > 0, int64(len(s)), 0)
	return s
}

// RangeMap is Map in the analysis form.
//
//go:norace
func RangeMap[M ~map[K]V, K comparable, V any](c, side int, m M) M {
	signed(c, side, len(m) > 0, int64(len(m)), 0)
	return m
}

// RangeString is String in the analysis form.
//
//go:norace
func RangeString[S ~string](c, side int, s S) S {
	signed(c, side, len(s) > 0, int64(len(s)), 0)
	return s
}

// RangeInt is Int in the analysis form.
//
//go:norace
func RangeInt[T integer](c, side int, n T) T {
	if zero := T(0); zero-1 < zero {
		signed(c, side, n > 0, int64(n), 0)
	} else {
		unsigned(c, side, n > 0, uint64(n), 0)
	}
	return n
}
