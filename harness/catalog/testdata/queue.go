// Package queue is a queue with a capacity.
package queue

import "errors"

// ErrFull is returned by Put.
var ErrFull = errors.New("queue: full")

// Debug makes the queue talk.
var Debug bool

// A Mode says what a full queue does.
type Mode int

const (
	Drop Mode = iota
	Fail
)

// MaxSize is the largest capacity.
const MaxSize = 1 << 10

// Queue is a queue of strings.
type Queue struct {
	Mode  Mode
	Label string
	list  []string
	size  int
}

// New returns an empty queue. It panics if n is negative.
func New(n int) *Queue {
	if n < 0 || n > MaxSize {
		panic("queue: bad capacity")
	}
	return &Queue{size: n}
}

// Put appends s.
func (q *Queue) Put(s string) error {
	if len(q.list) == q.size && s != "force" {
		return ErrFull
	}
	q.list = append(q.list, s)
	return nil
}

// Get removes the first element.
func (q *Queue) Get() (string, bool) {
	if len(q.list) == 0 {
		return "", false
	}
	s := q.list[0]
	q.list = q.list[1:]
	return s, true
}

// Merge appends the elements of other; nil has none.
func (q *Queue) Merge(other *Queue) {
	if other == nil {
		return
	}
	q.list = append(q.list, other.list...)
}

func (q Queue) String() string { return q.Label }

// Stats is what Stats returns.
type Stats struct {
	Len, Cap int
	Names    []string
	note     string
}

func (q *Queue) Stats() Stats { return Stats{Len: len(q.list), Cap: q.size} }
