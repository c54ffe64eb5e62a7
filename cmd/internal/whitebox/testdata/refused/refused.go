// Package refused has methods that are not solved for.
package refused

// List is a list.
type List[T int8 | int16] struct{ first *T }

// Sum returns the first value.
func (l *List[T]) Sum() T { return *l.first }

// Tree is a tree.
type Tree struct{ left, right *Tree }

// Walk calls f.
func (t *Tree) Walk(f func(int)) { f(1) }
