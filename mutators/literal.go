package mutators

import (
	"math"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// EditLiteral returns a literal of l's type, ty, that differs from l a little. A string is
// edited once or a few times, takes parts from dict, and gets no longer than maxBytes or
// than it was. Complex numbers and nil stay as they are.
func EditLiteral(src *draw.Source, ty *seq.Type, l *seq.Literal, dict func() string, maxBytes int) *seq.Literal {
	var v any
	switch x := l.Value.(type) {
	case string:
		v = editText(src, x, dict, max(maxBytes, len(x)))
	case bool:
		v = !x
	case int64:
		v = sized(ty, editInteger(src, uint64(x)))
	case uint64:
		v = sized(ty, editInteger(src, x))
	case float64:
		v, _ = fit(ty, editFloat(src, x))
	default:
		return l
	}
	return &seq.Literal{Type: l.Type, Value: v}
}

func editText(src *draw.Source, s string, dict func() string, maxBytes int) string {
	for again := true; again; again = !src.OneIn("last edit", lastEditOneIn) {
		if src.OneIn("edit of bytes", bytesOneIn) {
			s = EditBytes(src, s)
		} else {
			s = EditString(src, s, dict)
		}
		s = cut(s, maxBytes)
	}
	return s
}

// editInteger edits an integer: a step up or down, a bit, twice, half, the negative.
func editInteger(src *draw.Source, x uint64) uint64 {
	switch src.Choose("integer edit", 8) {
	case 0, 1:
		return x + 1 + uint64(src.Choose("step", maxStep))
	case 2, 3:
		return x - 1 - uint64(src.Choose("step", maxStep))
	case 4:
		return x ^ 1<<src.Choose("bit", 64)
	case 5:
		return x * 2
	case 6:
		return x / 2
	}
	return -x
}

func editFloat(src *draw.Source, x float64) float64 {
	switch src.Choose("float edit", 6) {
	case 0:
		return x + 1
	case 1:
		return x - 1
	case 2:
		return x * 2
	case 3:
		return x / 2
	case 4:
		return math.Nextafter(x, math.Inf(1-2*src.Choose("direction", 2)))
	}
	return -x
}
