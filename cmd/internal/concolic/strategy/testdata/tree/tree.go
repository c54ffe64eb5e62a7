// Package tree is a binary search tree that keys are put into.
package tree

import "strings"

type node struct {
	key         int
	left, right *node
}

func (n *node) insert(key int) *node {
	switch {
	case n == nil:
		return &node{key: key}
	case key < n.key:
		n.left = n.left.insert(key)
	case key > n.key:
		n.right = n.right.insert(key)
	}
	return n
}

// Four puts four keys into a tree.
func Four(a, b, c, d int) int { return put(a, b, c, d) }

// Six puts six keys into a tree.
func Six(a, b, c, d, e, f int) int { return put(a, b, c, d, e, f) }

func put(keys ...int) int {
	var root *node
	for _, k := range keys {
		root = root.insert(k)
	}
	n := 0
	var count func(*node)
	count = func(t *node) {
		if t != nil {
			n++
			count(t.left)
			count(t.right)
		}
	}
	count(root)
	return n
}

// Magic takes its inner branch for one pair of values.
func Magic(x uint32, y uint8, z uint64) int {
	if x*2654435761 == 0xdeadbeef {
		if y^0x5a == 0x33 {
			if z>>40 == 0xbeef && z&0xff == 7 {
				return 3
			}
			return 2
		}
		return 1
	}
	return 0
}

// Keyword finds words, and panics for one.
func Keyword(s string) int {
	switch s {
	case "begin":
		return 1
	case "end":
		return 2
	}
	n, ok := map[string]int{"if": 3, "while": 4}[s]
	if ok {
		return n
	}
	list := []int{1, 2, 3}
	if len(s) > 2 && s[0] == '#' {
		return list[s[1]-'0'] / int(s[2]-'0')
	}
	return 0
}

// Straight has no branch.
func Straight(a, b int) int { return a + b }

func digit(c byte) bool {
	if c >= '0' && c <= '9' {
		return true
	}
	return false
}

// Digits has conditions that do not depend on its arguments, but for the branches of digit.
func Digits(a, b byte) int {
	if digit(a) {
		return 1
	}
	if digit(b) {
		return 2
	}
	return 0
}

// Detour has a branch that no input takes along the path before it.
func Detour(a byte) int {
	n := a
	if a > 10 {
		n = 2 * a
	}
	if n == 40 {
		return 1
	}
	return 0
}

// Nested has a condition behind another one.
func Nested(a byte) int {
	if a > 10 {
		if a*3 == 63 {
			return 1
		}
		return 2
	}
	return 0
}

// Member asks whether a byte is one of some.
func Member(a byte) bool {
	if strings.IndexByte("0123456789_abcdef", a) > 10 {
		return true
	}
	return false
}

// Distant has a condition that is decided long before it.
func Distant(a, b byte) int {
	yes, n := digit(a), 0
	for i := range byte(9) {
		if b == 200+i {
			n++
		}
	}
	if yes {
		return 100
	}
	return n
}
