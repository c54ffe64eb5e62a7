// Package repeats breaks when one call is made twenty times.
package repeats

// Buffer holds sixteen items in place.
type Buffer struct {
	items [16]int
	n     int
}

// NewBuffer returns an empty buffer.
func NewBuffer() *Buffer { return &Buffer{} }

// Add adds v, growing as needed, it says.
func (b *Buffer) Add(v int) {
	b.n++
	if b.n >= 20 {
		b.items[b.n] = v
	}
}

// Len returns how many items were added.
func (b *Buffer) Len() int { return b.n }

// Reset empties the buffer.
func (b *Buffer) Reset() { b.n = 0 }
