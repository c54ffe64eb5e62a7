// Package elements has interfaces that its callers implement.
package elements

// An Item can be compared with another: no type of the package is one.
type Item interface {
	// Less reports whether the item comes before another.
	Less(than Item) bool
	Weight() float64
	Key() (string, error)
}

// A Ranked is compared by a number, with anything.
type Ranked interface{ Compare(other any) int }

// A Hashable has a hash, and an equality.
type Hashable interface {
	Hash() uint32
	Equals(other Hashable) bool
}

// A Rival is compared in a way that its name does not tell.
type Rival interface{ Beats(other Rival) bool }

// A Visitor compares nothing.
type Visitor interface{ Visit(Item) bool }

// A Box is an element with parts that only its package makes.
type Box interface {
	Less(Box) bool
	Parts() []int
}

// An Own is implemented by own.
type Own interface{ Less(Own) bool }

type own int

func (own) Less(Own) bool { return false }

// A Heap is a heap of items.
type Heap struct{ items []Item }

// Push adds items.
func (h *Heap) Push(items ...Item) { h.items = append(h.items, items...) }

// Pop returns an item.
func (h *Heap) Pop() Item { return h.items[0] }

// Walk takes the others.
func (h *Heap) Walk(Ranked, Hashable, Rival, Visitor, Box, Own) {}
