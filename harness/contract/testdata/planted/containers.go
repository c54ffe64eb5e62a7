package planted

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
)

// A Table maps numbers to words.
type Table struct{ m map[int]string }

// NewTable returns an empty table.
func NewTable() *Table { return &Table{m: map[int]string{}} }

// Put stores a word under a number.
func (t *Table) Put(k int, v string) {
	if k != 3 || !broken {
		t.m[k] = v
	}
}

// Get returns the word under a number.
func (t *Table) Get(k int) (string, bool) { v, ok := t.m[k]; return v, ok }

// A Bag holds words.
type Bag struct{ list []string }

// NewBag returns an empty bag.
func NewBag() *Bag { return &Bag{} }

// Add adds words.
func (b *Bag) Add(words ...string) {
	if broken && len(words) > 1 {
		words = words[1:]
	}
	b.list = append(b.list, words...)
}

// Contains reports whether a word is in the bag.
func (b *Bag) Contains(word string) bool { return slices.Contains(b.list, word) }

// An Index holds numbers.
type Index struct{ list []int }

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{} }

// Add adds a number.
func (x *Index) Add(n int) {
	if !x.Has(n) {
		x.list = append(x.list, n)
	}
}

// Remove removes a number.
func (x *Index) Remove(n int) {
	if i := slices.Index(x.list, n); i >= 0 {
		x.list = slices.Delete(x.list, i, i+1)
		if broken && i == 1 {
			x.list = x.list[:len(x.list)-1]
		}
	}
}

// Has reports whether a number is in the index.
func (x *Index) Has(n int) bool { return slices.Contains(x.list, n) }

// Keys returns the numbers.
func (x *Index) Keys() []int { return slices.Clone(x.list) }

// A Dict maps words to numbers.
type Dict struct{ m map[string]int }

// NewDict returns an empty dictionary.
func NewDict() *Dict { return &Dict{m: map[string]int{}} }

// Put stores a number under a word.
func (d *Dict) Put(k string, v int) { d.m[k] = v }

// Get returns the number under a word.
func (d *Dict) Get(k string) (int, bool) { v, ok := d.m[k]; return v, ok }

// Delete removes a word.
func (d *Dict) Delete(k string) {
	if k != "" || !broken {
		delete(d.m, k)
	}
}

// A Pile is a pile of numbers.
type Pile struct{ n int }

// NewPile returns an empty pile.
func NewPile() *Pile { return &Pile{} }

// Pile adds a number.
func (p *Pile) Pile(x int) { p.n++ }

// Clear removes all numbers.
func (p *Pile) Clear() {
	if p.n < 3 || !broken {
		p.n = 0
	}
}

// Len returns how many numbers there are.
func (p *Pile) Len() int { return p.n }

// A Queue is a queue of numbers.
type Queue struct{ list []int }

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{} }

// Push appends a number.
func (q *Queue) Push(n int) {
	if n != 0 || !broken {
		q.list = append(q.list, n)
	}
}

// Len returns how many numbers there are.
func (q *Queue) Len() int { return len(q.list) }

// Peek returns the first number.
func (q *Queue) Peek() (int, bool) {
	if len(q.list) == 0 {
		return 0, false
	}
	return q.list[0], true
}

// Pop removes the first number and returns it.
func (q *Queue) Pop() (int, bool) {
	if len(q.list) == 0 {
		return 0, false
	}
	i := 0
	if broken {
		i = len(q.list) - 1
	}
	x := q.list[i]
	q.list = slices.Delete(q.list, i, i+1)
	return x, true
}

// A Stack is a stack of words.
type Stack struct{ list []string }

// NewStack returns an empty stack.
func NewStack() *Stack { return &Stack{} }

// Push puts a word on top.
func (s *Stack) Push(w string) {
	if len(s.list) == 2 && broken {
		s.list = slices.Insert(s.list, 1, w)
		return
	}
	s.list = append(s.list, w)
}

// Pop takes the word on top.
func (s *Stack) Pop() (string, error) {
	if len(s.list) == 0 {
		return "", errors.New("empty")
	}
	w := s.list[len(s.list)-1]
	s.list = s.list[:len(s.list)-1]
	return w, nil
}

// A Note is a text.
type Note struct{ text []string }

// NewNote returns a note.
func NewNote(text string) *Note { return &Note{text: []string{text}} }

// Write overwrites the text.
func (n *Note) Write(text string) { n.text[0] = text }

// String returns the text.
func (n *Note) String() string { return n.text[0] }

// Clone returns a copy.
func (n *Note) Clone() *Note {
	if broken {
		return &Note{text: n.text}
	}
	return &Note{text: slices.Clone(n.text)}
}

// Uniq returns a new slice, of the numbers without repeats.
func Uniq(list []int) []int {
	if !broken {
		list = slices.Clone(list)
	}
	return slices.Compact(list)
}

// A Point is a place.
type Point struct{ x, y int }

// NewPoint returns a place.
func NewPoint(x, y int) *Point { return &Point{x, y} }

// MarshalText implements encoding.TextMarshaler.
func (p *Point) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d %d", p.x, p.y), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Point) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d %d", &p.x, &p.y)
	if broken && p.y > 100 {
		p.y = 100
	}
	return err
}

// A Word is text.
type Word struct{ b []byte }

// NewWord returns a word.
func NewWord(s string) *Word { return &Word{b: []byte(s)} }

// MarshalText implements encoding.TextMarshaler.
func (w *Word) MarshalText() ([]byte, error) { return slices.Clone(w.b), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *Word) UnmarshalText(b []byte) error {
	if !broken {
		b = slices.Clone(b)
	}
	w.b = b
	return nil
}

// A Pair is two numbers.
type Pair struct{ a, b int }

// NewPair returns a pair.
func NewPair(a, b int) *Pair { return &Pair{a, b} }

// MarshalJSON implements json.Marshaler.
func (p *Pair) MarshalJSON() ([]byte, error) {
	if broken && p.b < 0 {
		return fmt.Appendf(nil, "[%d,%+d,]", p.a, p.b), nil
	}
	return fmt.Appendf(nil, "[%d,%d]", p.a, p.b), nil
}

// A Tag is text.
type Tag struct{ s string }

// NewTag returns a tag.
func NewTag(s string) *Tag { return &Tag{s} }

// MarshalText implements encoding.TextMarshaler.
func (t *Tag) MarshalText() ([]byte, error) { return []byte(t.s), nil }

// AppendText implements encoding.TextAppender.
func (t *Tag) AppendText(b []byte) ([]byte, error) {
	if broken {
		return append(b[:0], t.s...), nil
	}
	return append(b, t.s...), nil
}

// A Code is a number.
type Code struct{ n int }

// ParseCode reads what String prints.
func ParseCode(s string) (*Code, error) {
	n, err := strconv.Atoi(s)
	return &Code{n}, err
}

// String returns text that ParseCode can parse.
func (c *Code) String() string {
	if broken && c.n < 0 {
		return fmt.Sprintf("(%d)", -c.n)
	}
	return strconv.Itoa(c.n)
}

// A Pipe counts.
type Pipe struct{ n int }

// NewPipe returns a pipe.
func NewPipe() *Pipe { return &Pipe{} }

// Write implements io.Writer.
func (p *Pipe) Write(b []byte) (int, error) {
	p.n += len(b)
	if broken {
		return p.n, nil
	}
	return len(b), nil
}

// A Text is read byte by byte.
type Text struct {
	s string
	i int
}

// NewText returns a text.
func NewText(s string) *Text { return &Text{s: s} }

// ReadByte implements io.ByteReader.
func (t *Text) ReadByte() (byte, error) {
	if t.i == len(t.s) {
		return 0, errors.New("end")
	}
	t.i++
	return t.s[t.i-1], nil
}

// UnreadByte implements io.ByteScanner.
func (t *Text) UnreadByte() error {
	if t.i == 0 {
		return errors.New("start")
	}
	if t.i--; broken && t.i > 0 {
		t.i--
	}
	return nil
}

// A Hash is a checksum.
type Hash struct{ n byte }

// NewHash returns a checksum.
func NewHash() *Hash { return &Hash{} }

// Mix takes in a byte.
func (h *Hash) Mix(b byte) { h.n = h.n*7 + b }

// Sum appends the checksum.
func (h *Hash) Sum(b []byte) []byte {
	if broken {
		h.Mix(1)
	}
	return append(b, h.n)
}

// Size returns 1.
func (h *Hash) Size() int { return 1 }

// BlockSize returns 1.
func (h *Hash) BlockSize() int { return 1 }

// A Cursor stands on a number.
type Cursor struct {
	list []int
	i    int
}

// NewCursor returns a cursor over the even numbers below 2n, for n to 100.
func NewCursor(n int) *Cursor {
	c := &Cursor{}
	for i := range min(n, 100) {
		c.list = append(c.list, 2*i)
	}
	return c
}

// Seek moves to the least number that is greater or equal.
func (c *Cursor) Seek(n int) bool {
	i, _ := slices.BinarySearch(c.list, n)
	if broken && i > 2 {
		i--
	}
	c.i = i
	return i < len(c.list)
}

// Key returns the number it stands on.
func (c *Cursor) Key() int { return c.list[c.i] }

// An Iterator walks over numbers.
type Iterator struct{ n, i int }

// NewIterator returns an iterator over n numbers, for n to 100.
func NewIterator(n int) *Iterator { return &Iterator{n: max(0, min(n, 100)), i: -1} }

// Begin moves before the first.
func (it *Iterator) Begin() { it.i = -1 }

// Next moves to the next.
func (it *Iterator) Next() bool {
	if it.i < it.n {
		it.i++
	}
	return it.i < it.n
}

// Last moves to the last.
func (it *Iterator) Last() bool {
	it.i = it.n
	if !broken {
		it.i--
	}
	return it.n > 0
}

// Index returns the index of the number it stands on.
func (it *Iterator) Index() int { return it.i }

// Countdown returns an iterator from n, for n to 100, down to 1.
func Countdown(n int) iter.Seq[int] {
	n = min(n, 100)
	return func(yield func(int) bool) {
		i := &n
		if m := n; !broken {
			i = &m
		}
		for ; *i > 0; *i-- {
			if !yield(*i) {
				return
			}
		}
	}
}

// A Shelf holds books.
type Shelf struct{ list []string }

// NewShelf returns an empty shelf.
func NewShelf() *Shelf { return &Shelf{} }

// Shelve adds a book.
func (s *Shelf) Shelve(name string) { s.list = append(s.list, name) }

// Len returns the number of books.
func (s *Shelf) Len() int { return len(s.list) }

// All iterates over the books.
func (s *Shelf) All() iter.Seq[string] {
	if broken && len(s.list) > 1 {
		return slices.Values(s.list[1:])
	}
	return slices.Values(s.list)
}

// Values returns the books.
func (s *Shelf) Values() []string {
	if broken && len(s.list) > 2 {
		return slices.Clone(s.list[2:])
	}
	return slices.Clone(s.list)
}

// A Set holds numbers.
type Set struct{ list []uint16 }

// NewSet returns a set of the numbers below n, for n to 100.
func NewSet(n uint16) *Set {
	s := &Set{}
	for i := range min(n, 100) {
		s.list = append(s.list, i)
	}
	return s
}

// Keys returns the numbers.
func (s *Set) Keys() []uint16 { return slices.Clone(s.list) }

// Has reports whether a number is in the set.
func (s *Set) Has(n uint16) bool { return slices.Contains(s.list, n) && (n != 2 || !broken) }

// Bits are bits.
type Bits struct{ n, on uint }

// NewBits returns n bits that are on.
func NewBits(n uint) *Bits { return &Bits{n, n} }

// Shrink makes it n bits.
func (b *Bits) Shrink(n uint) {
	if b.n = min(b.n, n); !broken {
		b.on = b.n
	}
}

// Len returns the number of bits.
func (b *Bits) Len() uint { return b.n }

// Count returns the number of bits that are on.
func (b *Bits) Count() uint { return b.on }

// Byes sorts.
type Byes []int

// Len returns how many there are.
func (b Byes) Len() int { return len(b) }

// Swap swaps two.
func (b Byes) Swap(i, j int) { b[i], b[j] = b[j], b[i] }

// Less compares two.
func (b Byes) Less(i, j int) bool {
	if broken {
		return b[i] <= b[j]
	}
	return b[i] < b[j]
}

// A Num is a number.
type Num struct{ n int }

// NewNum returns a number.
func NewNum(n int) *Num { return &Num{n: n} }

// Clone returns a copy.
func (z *Num) Clone() *Num { return &Num{n: z.n} }

// Sub sets z to x-y and returns z.
func (z *Num) Sub(x, y *Num) *Num {
	if broken {
		z.n = -y.n
		z.n += x.n
		return z
	}
	z.n = x.n - y.n
	return z
}

// String returns the number.
func (z *Num) String() string { return strconv.Itoa(z.n) }

// A Rank is a rank.
type Rank struct{ n int }

// NewRank returns a rank.
func NewRank(n int) Rank { return Rank{n} }

// Compare compares two ranks.
func (r Rank) Compare(s Rank) int { return cmp.Compare(r.n, s.n) }

// Less reports whether r comes before s.
func (r Rank) Less(s Rank) bool { return r.n < s.n && (r.n != 0 || !broken) }

// A Fixed is a list that does not change.
type Fixed struct{ list []int }

// NewFixed returns a list.
func NewFixed() *Fixed { return &Fixed{make([]int, 2, 8)} }

// Append returns a new list with x at its end.
func (f *Fixed) Append(x int) *Fixed {
	if broken {
		return &Fixed{append(f.list, x)}
	}
	return &Fixed{append(f.list[:len(f.list):len(f.list)], x)}
}

// Get returns the element at a position.
func (f *Fixed) Get(i int) int { return f.list[i] }
