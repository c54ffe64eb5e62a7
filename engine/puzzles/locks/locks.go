// Package locks has a side in each function that opens to one changed value: what
// aiming at it must find within a hundred runs. The keys are computed, so that they
// stand nowhere in the source.
package locks

import "strings"

// mix returns the n-th of a fixed series of numbers, of all bits.
func mix(n uint64) uint64 {
	n = (n + 1) * 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	return n ^ n>>29
}

// word returns the n-th of a fixed series of words of eight letters.
func word(n uint64) string {
	var b strings.Builder
	for x := mix(n); b.Len() < 8; x >>= 7 {
		b.WriteByte('a' + byte(x%26))
	}
	return b.String()
}

var (
	magic  = mix(1)
	secret = word(2)
	user   = word(3)
	pass   = word(4)
	floor  = int64(mix(5) >> 8)
	limit  = 130 + int(mix(6)%64)
)

// A Stack can be given a size, as that of [Pacheco09 fig. 8-12] can.
type Stack struct{ items []int }

// NewStack returns a stack of one item.
func NewStack(v int) *Stack { return &Stack{items: []int{v}} }

// Push puts v on top.
func (s *Stack) Push(v int) { s.items = append(s.items, v) }

// SetSize drops items from the top, or adds zeros, until there are n.
func (s *Stack) SetSize(n int) {
	n = min(max(n, 0), 1000)
	s.items = append(s.items, make([]int, n)...)[:n]
}

// Peek returns the item on top.
func (s *Stack) Peek() (int, bool) {
	if len(s.items) == 0 {
		return 0, false
	}
	return s.items[len(s.items)-1], true
}

// PowerOfTwo reports whether n is a power of two, as in [Pacheco09 fig. 8-12].
func PowerOfTwo(n int64) bool {
	return n > 0 && n&-n == n
}

// A Number is a mantissa and an exponent.
type Number struct{ mantissa, exponent int64 }

// NewNumber returns a number.
func NewNumber(mantissa, exponent int64) *Number { return &Number{mantissa, exponent} }

// Add returns n + m if their exponents are equal [Pacheco09 fig. 6-4].
func (n *Number) Add(m *Number) *Number {
	if n.exponent == m.exponent {
		return &Number{n.mantissa + m.mantissa, n.exponent}
	}
	return nil
}

// Magic takes one number of 64 bits.
func Magic(n uint64) bool {
	return n == magic
}

// Keyword takes one word of eight letters.
func Keyword(s string) bool {
	return s == secret
}

// A Session takes two words, one after the other.
type Session struct{ known bool }

// NewSession returns a session that knows nobody.
func NewSession() *Session { return &Session{} }

// Login takes the first word.
func (s *Session) Login(name string) bool {
	s.known = name == user
	return s.known
}

// Enter takes the second word.
func (s *Session) Enter(word string) bool {
	return s.known && word == pass
}

// Length takes long strings.
func Length(s string) bool {
	return len(s) > limit
}

// A Node is a cell of a ring.
type Node struct {
	next   *Node
	weight int64
}

// NewNode returns a ring of one.
func NewNode(weight int64) *Node {
	n := &Node{weight: weight}
	n.next = n
	return n
}

// Heavy reports whether n and m are one node, and that is heavy.
func Heavy(n, m *Node) bool {
	return n.weight > floor && n == m
}

// Join puts the ring of m behind n: a ring that is joined with itself falls apart.
func (n *Node) Join(m *Node) bool {
	if n.next == m.next {
		return false
	}
	n.next, m.next = m.next, n.next
	return true
}

// A Table maps large numbers to names.
type Table struct{ names map[int64]string }

// NewTable returns an empty table.
func NewTable() *Table { return &Table{names: map[int64]string{}} }

// Put names a number, if it is large.
func (t *Table) Put(n int64, name string) {
	if n > floor {
		t.names[n] = name
	}
}

// Name returns the name of a number.
func (t *Table) Name(n int64) string {
	if name, ok := t.names[n]; ok {
		return name
	}
	return ""
}

// An Action is what a walk does next.
type Action int

// Walk visits up to ten numbers and returns how it ended.
func Walk(visit func(int) Action) string {
	for i := range 10 {
		switch visit(i) {
		case 61*71 + 3:
			return "stopped"
		case 61*72 + 5:
			continue
		}
	}
	return "through"
}
