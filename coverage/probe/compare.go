package probe

import "unsafe" // needs nothing linked

// Comparing conditions call one of these with the index of the condition, its
// first side, and the operands, converted to the widest type of their kind.
// Each compares and leaves the rest to a function that is not inlined, so a
// condition costs one call where they are inlined.

// Types that operands are converted to. The code under test may redeclare
// int64.
type (
	Int64   = int64
	Uint64  = uint64
	Float32 = float32
	Float64 = float64
	Text    = string
	Pointer = unsafe.Pointer
)

type ordered interface {
	integer | ~float32 | ~float64 | ~string
}

//go:norace
func IntEq(c, side int, x, y int64) bool { return signed(c, side, x == y, x, y) }

//go:norace
func IntNe(c, side int, x, y int64) bool { return signed(c, side, x != y, x, y) }

//go:norace
func IntLt(c, side int, x, y int64) bool { return signed(c, side, x < y, x, y) }

//go:norace
func IntLe(c, side int, x, y int64) bool { return signed(c, side, x <= y, x, y) }

//go:norace
func IntGt(c, side int, x, y int64) bool { return signed(c, side, x > y, x, y) }

//go:norace
func IntGe(c, side int, x, y int64) bool { return signed(c, side, x >= y, x, y) }

//go:norace
func UintEq(c, side int, x, y uint64) bool { return unsigned(c, side, x == y, x, y) }

//go:norace
func UintNe(c, side int, x, y uint64) bool { return unsigned(c, side, x != y, x, y) }

//go:norace
func UintLt(c, side int, x, y uint64) bool { return unsigned(c, side, x < y, x, y) }

//go:norace
func UintLe(c, side int, x, y uint64) bool { return unsigned(c, side, x <= y, x, y) }

//go:norace
func UintGt(c, side int, x, y uint64) bool { return unsigned(c, side, x > y, x, y) }

//go:norace
func UintGe(c, side int, x, y uint64) bool { return unsigned(c, side, x >= y, x, y) }

//go:norace
func FloatEq(c, side int, x, y float64) bool { return floats(c, side, x == y, x, y) }

//go:norace
func FloatNe(c, side int, x, y float64) bool { return floats(c, side, x != y, x, y) }

//go:norace
func FloatLt(c, side int, x, y float64) bool { return floats(c, side, x < y, x, y) }

//go:norace
func FloatLe(c, side int, x, y float64) bool { return floats(c, side, x <= y, x, y) }

//go:norace
func FloatGt(c, side int, x, y float64) bool { return floats(c, side, x > y, x, y) }

//go:norace
func FloatGe(c, side int, x, y float64) bool { return floats(c, side, x >= y, x, y) }

//go:norace
func StringEq(c, side int, x, y string) bool { return texts(c, side, x == y, x, y) }

//go:norace
func StringNe(c, side int, x, y string) bool { return texts(c, side, x != y, x, y) }

//go:norace
func StringLt(c, side int, x, y string) bool { return texts(c, side, x < y, x, y) }

//go:norace
func StringLe(c, side int, x, y string) bool { return texts(c, side, x <= y, x, y) }

//go:norace
func StringGt(c, side int, x, y string) bool { return texts(c, side, x > y, x, y) }

//go:norace
func StringGe(c, side int, x, y string) bool { return texts(c, side, x >= y, x, y) }

//go:norace
func PointerEq(c, side int, x, y Pointer) bool { return pointers(c, side, x == y, x, y) }

//go:norace
func PointerNe(c, side int, x, y Pointer) bool { return pointers(c, side, x != y, x, y) }

//go:norace
func AnyEq(c, side int, x, y any) bool { return values(c, side, x == y, x, y) }

//go:norace
func AnyNe(c, side int, x, y any) bool { return values(c, side, x != y, x, y) }

//go:norace
func OfEq[T comparable](c, side int, x, y T) bool { return values(c, side, x == y, x, y) }

//go:norace
func OfNe[T comparable](c, side int, x, y T) bool { return values(c, side, x != y, x, y) }

//go:norace
func OfLt[T ordered](c, side int, x, y T) bool { return values(c, side, x < y, x, y) }

//go:norace
func OfLe[T ordered](c, side int, x, y T) bool { return values(c, side, x <= y, x, y) }

//go:norace
func OfGt[T ordered](c, side int, x, y T) bool { return values(c, side, x > y, x, y) }

//go:norace
func OfGe[T ordered](c, side int, x, y T) bool { return values(c, side, x >= y, x, y) }
