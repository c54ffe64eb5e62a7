// Package probe records the sides of conditions that instrumented code takes.
// Package coverage/instrument writes the calls: of
//
//	if n > len(s) && !quiet {
//
// it makes
//
//	if foray_probe.Cond(6, n > len(s)) && !foray_probe.Cond(8, quiet) {
//
// where 6 and 7 are the sides "false" and "true" of the first condition, 8 and 9
// of the second.
//
// The package imports nothing, so every package can import it, the standard
// library included. Each function is small enough to be inlined (a cost of at
// most 20), even into large functions, where the compiler inlines little. With
// a constant side there is no bounds check and no branch: a mark is one store.
// Cond with side++ in place of i would be cheaper to inline and slower to run
// (1.4 times in a loop of conditions). The functions are hidden from the race
// detector, which so sees only the accesses of the instrumented code. Hits is
// written without synchronization: all goroutines store the same 1.
//
// It does not count visits, keep order, or reset anything.
package probe

// Hits[i] is 1 if side i has been taken since Hits was last cleared, else 0.
var Hits [Size]byte

// Cond marks side if c is false, side+1 if it is true, and returns c.
//
//go:norace
func Cond(side int, c bool) bool {
	i := 0
	if c {
		i = 1
	}
	Hits[side+i] = 1
	return c
}

// Bool is Cond for any boolean type. It needs Go 1.18 where it is called, which
// is why Cond exists.
//
//go:norace
func Bool[T ~bool](side int, c T) T {
	i := 0
	if c {
		i = 1
	}
	Hits[side+i] = 1
	return c
}

// Hit marks side.
//
//go:norace
func Hit(side int) { Hits[side] = 1 }

// Slice marks side if s is empty, side+1 if it is not, and returns s.
//
//go:norace
func Slice[S ~[]E, E any](side int, s S) S {
	if len(s) != 0 {
		side++
	}
	Hits[side] = 1
	return s
}

// Map is Slice for maps.
//
//go:norace
func Map[M ~map[K]V, K comparable, V any](side int, m M) M {
	if len(m) != 0 {
		side++
	}
	Hits[side] = 1
	return m
}

// String is Slice for strings.
//
//go:norace
func String[S ~string](side int, s S) S {
	if len(s) != 0 {
		side++
	}
	Hits[side] = 1
	return s
}

// Int is Slice for the integer n of "range n", which is empty unless n > 0.
//
//go:norace
func Int[T integer](side int, n T) T {
	if n > 0 {
		side++
	}
	Hits[side] = 1
	return n
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}
