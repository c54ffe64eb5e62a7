// Package kinds has a function on a structure with fields of many kinds.
package kinds

type point struct{ x, y int8 }

type box struct {
	at    point
	sides [2]uint16
	name  string
	open  bool
	pick  uint8
	tag   [2]byte
	in    [2]*box
	rest  map[string]int
	ratio float64
}

// Classify tells boxes apart, and changes them.
func Classify(b, other *box) int {
	if b == nil || other == nil {
		return 0
	}
	if b.sides[b.pick&1] == 999 {
		return 1024
	}
	if string(b.tag[:]) == "ab" {
		return 2048
	}
	before := *b
	b.at, b.name, b.in = point{}, "", [2]*box{}
	sum := 1
	for i, s := range before.sides[:] {
		if s > 300 {
			sum += 2 << i
		}
	}
	switch {
	case before.at.x < before.at.y && before.at.y < 0:
		sum += 8
	case before.at == point{3, 4}:
		sum += 16
	}
	if before.name == "key" {
		sum += 32
	}
	if before.open != (before.in[0] == nil) {
		sum += 64
	}
	switch before.in[1] {
	case nil:
	case b:
		sum += 128
	case other:
		sum += 256
	default:
		sum += 512
	}
	if len(before.rest) > 0 || before.ratio > 0 {
		sum += 4096
	}
	return sum
}
