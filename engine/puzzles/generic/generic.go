// Package generic breaks in a generic type.
package generic

// A Stack holds values of one type.
type Stack[T any] struct{ items []T }

// NewStack returns an empty stack.
func NewStack[T any]() *Stack[T] { return &Stack[T]{} }

// Push puts v on top.
func (s *Stack[T]) Push(v T) { s.items = append(s.items, v) }

// Swap swaps the two topmost values, if there are any.
func (s *Stack[T]) Swap() {
	if n := len(s.items); n > 0 {
		s.items[n-1], s.items[n-2] = s.items[n-2], s.items[n-1]
	}
}
