// Package preconditions says when its functions panic. Calling Twice again panics.
package preconditions

import (
	"errors"
	"fmt"
)

// Documented panics if n is zero.
func Documented(n int) int { return 1 / n }

// Polite never panics.
func Polite(n int) {}

func Guarded(s []int, i int) int {
	n := len(s)
	if i < 0 || i >= n {
		panic(fmt.Sprintf("index %d out of range", i))
	}
	return s[i]
}

func Switched(base int) {
	switch {
	case base < 2:
		panic("base too small")
	case base > 36:
		panic("base too large: " + fmt.Sprint(base))
	}
}

// Ordered needs order. The slice must be sorted.
func Ordered(s []int) int { return 0 }

// Parse parses; s must be numeric.
func Parse(s string) (int, error) { return 0, nil }

func Twice() {}

var errBad = errors.New("bad state")

func check(n int) {
	if n == 7 {
		panic(errBad)
	}
}

func Deep(n int) { check(n) }

// Invariant is not the caller's.
func Invariant(n int) {
	if n == 3 {
		panic("internal error: three")
	}
}

// Copy copies. If src is nil, nothing happens.
func Copy(dst, src []byte) {}

func Deref(p *int) int {
	if p == nil {
		panic("nil pointer")
	}
	return *p
}

// A Counter counts. Its zero value is ready to use.
type Counter struct{ n int }

func NewCounter() *Counter { return &Counter{} }

func (c *Counter) Reset() *Counter {
	if c == nil {
		return NewCounter()
	}
	return c
}

// Wait waits.
func (c *Counter) Wait() {}

func (c *Counter) String() string { return "" }

// Take returns the next count. This call will block if there is none.
func (c *Counter) Take() int { return c.n }

// TryTake is as Take, but does not block until there is one.
func (c *Counter) TryTake() int { return c.n }

// Blocks returns how many blocks there are. The last block may be short.
func (c *Counter) Blocks() int { return c.n }

// A Handle must be opened.
type Handle struct{ fd int }

func Open(name string) (*Handle, error) { return nil, nil }

// A SplitFunc splits. It is never called with empty data.
type SplitFunc func(data []byte, atEOF bool) int

// First is a SplitFunc.
func First(data []byte, atEOF bool) int { return int(data[0]) }

// Like is like Documented.
func Like(n int) int { return Documented(n) }

// From adopts a slice. The caller is responsible for its length.
func From(s []int) int { return s[0] }

// Collect collects. If seq is empty, the result is nil.
func Collect(seq func()) []int { seq(); return nil }

// A Node is one of a list.
type Node struct{ next *Node }

// Last returns the end of the list: what is compared with nil there is not n.
func (n *Node) Last() *Node {
	last := n
	n = n.next
	for n != nil {
		last, n = n, n.next
	}
	return last
}

// Length counts: no node is an empty list.
func (n *Node) Length() int {
	count := 0
	for n != nil {
		count++
		n = n.next
	}
	return count
}

// A Place says where. A list that the caller has may hold it.
type Place struct{ at *Node }

func (p Place) Node() *Node { return p.at }

// Fill fills dst, which is expected to be allocated with a correct size.
func Fill(dst *[]int, n int) { (*dst)[n] = n }

// A Tally counts; nobody makes it.
type Tally struct{ seen map[int]int }

func (t *Tally) Inc() { t.seen[0]++ }

func (t *Tally) Seen() int { return t.seen[0] }

// A Writer writes values, also structs with all zero values.
type Writer struct {
	Indent string
	to     *Node
}

func NewWriter(to *Node) *Writer { return &Writer{to: to} }

func (w *Writer) Flush() { w.to.Last() }

// Into stores the count where b points to.
// Stores nil if c is nil (thus the double pointer).
func (c *Counter) Into(b **int) {
	if c == nil {
		*b = nil
		return
	}
	*b = new(int)
}

// A Raw is bytes.
type Raw []byte

// Text returns them, of nil nothing.
func (r Raw) Text() string {
	if r == nil {
		return ""
	}
	return string(r)
}

// Set sets them.
func (r *Raw) Set(b []byte) { *r = b }

// A Mode is how to run. There are two.
type Mode struct{ run func(int) int }

var (
	Slow = Mode{func(n int) int { return n }}
	Fast = Mode{func(n int) int { return 2 * n }}
)

// Run runs.
func (m Mode) Run(n int) int { return m.run(n) }

// A Hook may be run.
type Hook struct{ run func(int) int }

// Run runs.
func (h *Hook) Run(n int) int { return h.run(n) }
