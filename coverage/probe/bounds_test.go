package probe

// constantSides calls every function as instrumented code does. TestInlining
// checks that the compiler leaves no bounds check in this file.
func constantSides(c bool, f flag, list []int, m map[int]int, s string, n uint8) int {
	Hit(Size - 1)
	if Cond(0, c) && bool(Bool(2, f)) {
		return 0
	}
	for range Slice(4, list) {
		return 1
	}
	for range Map(6, m) {
		return 2
	}
	for range String(8, s) {
		return 3
	}
	for range Int(10, n) {
		return 4
	}
	return 5
}
