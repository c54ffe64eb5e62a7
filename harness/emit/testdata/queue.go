// Package queue has bounded queues.
package queue

import (
	"context"
	"io"
	"sync"
)

// A Queue is a bounded queue of strings.
type Queue struct {
	mu    sync.Mutex
	items []string
	limit int
}

// Len returns how many there are.
func (q *Queue) Len() int { return len(q.items) }

// Get takes the first item. It panics if there is none.
func (q *Queue) Get() string {
	s := q.items[0]
	q.items = q.items[1:]
	return s
}

// Put adds items as far as there is room.
func (q *Queue) Put(items ...string) (n int) {
	n = min(len(items), q.limit-len(q.items))
	q.items = append(q.items, items[:n]...)
	return n
}

// Load reads items, one a line.
func (q *Queue) Load(ctx context.Context, r io.Reader) error { return ctx.Err() }

// Save writes them.
func (q *Queue) Save(w io.Writer) error { return nil }

// Each calls f for each item.
func (q *Queue) Each(f func(item string) bool) {}

// Wait waits until the queue is empty.
func (q *Queue) Wait() { q.mu.Lock() }

// Walk returns a way through the queue.
func (q *Queue) Walk() walker { return walker{} }

// New returns a queue of at most limit items.
func New(limit int) *Queue { return &Queue{limit: limit} }

// An ID is the number of a queue.
type ID [2]byte

// ID returns the number of q.
func (q *Queue) ID() ID { return ID{} }

// String returns the digits of id.
func (id ID) String() string { return string(id[:]) }

// Set reads digits.
func (id *ID) Set(text string) error { return nil }

type walker struct{ at int }

// Next goes on.
func (w walker) Next() bool { return false }

// A Sink is made by nobody.
type Sink interface{ Drain() }
