package probe

// Functions that compare two strings or byte slices are called from here, and
// their results compared here, where the operands are at hand.

// CallTexts is Visit for f(x, y).
//
//go:norace
func CallTexts(c, side int, f func(x, y string) bool, x, y string) bool {
	return texts(c, side, f(x, y), x, y)
}

// CallBytes is CallTexts for byte slices.
//
//go:norace
func CallBytes(c, side int, f func(x, y []byte) bool, x, y []byte) bool {
	return slices(c, side, f(x, y), x, y)
}

// CompareTexts is Visit for the comparison of f(x, y) with n.
//
//go:norace
func CompareTexts(c, side, op int, f func(x, y string) int, x, y string, n int) bool {
	return texts(c, side, compare(op, f(x, y), n), x, y)
}

// CompareBytes is CompareTexts for byte slices.
//
//go:norace
func CompareBytes(c, side, op int, f func(x, y []byte) int, x, y []byte, n int) bool {
	return slices(c, side, compare(op, f(x, y), n), x, y)
}

// The comparisons that CompareTexts and CompareBytes make.
const (
	Eq = iota
	Ne
	Lt
	Le
	Gt
	Ge
)

//go:norace
func compare(op, x, y int) bool {
	switch op {
	case Eq:
		return x == y
	case Ne:
		return x != y
	case Lt:
		return x < y
	case Le:
		return x <= y
	case Gt:
		return x > y
	}
	return x >= y
}

//go:norace
func slices(c, side int, r bool, x, y []byte) bool {
	side = reach(side, r)
	if Mode != ModeNothing {
		recordTexts(c, side, StringOperands, textOf(x), textOf(y))
	}
	return r
}
