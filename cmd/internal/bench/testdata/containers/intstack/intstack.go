// Package intstack is a stack of numbers that grows by itself.
package intstack

// An IntStack holds numbers.
type IntStack struct {
	store []int
	size  int
}

// New returns an empty stack.
func New() *IntStack { return &IntStack{store: make([]int, 2)} }

// Push puts x on the stack.
func (s *IntStack) Push(x int) {
	if s.size == len(s.store) {
		store := make([]int, 2*len(s.store))
		copy(store, s.store)
		s.store = store
	}
	s.store[s.size] = x
	s.size++
}

// Pop takes the last number off the stack. It reports false if there is none.
func (s *IntStack) Pop() (int, bool) {
	if s.size == 0 {
		return 0, false
	}
	s.size--
	return s.store[s.size], true
}

// Equal reports whether both hold the same numbers.
func (s *IntStack) Equal(o *IntStack) bool {
	if o == nil || s.size != o.size {
		return false
	}
	for i := range s.size {
		if s.store[i] != o.store[i] {
			return false
		}
	}
	return true
}
