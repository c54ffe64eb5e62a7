// Package linkedlist is a ring of entries with a header.
package linkedlist

// A LinkedList holds numbers.
type LinkedList struct {
	header *entry
	size   int
}

type entry struct {
	value      int
	next, prev *entry
}

// New returns an empty list.
func New() *LinkedList {
	h := &entry{}
	h.next, h.prev = h, h
	return &LinkedList{header: h}
}

func (l *LinkedList) before(x int, at *entry) {
	e := &entry{x, at, at.prev}
	e.prev.next, e.next.prev = e, e
	l.size++
}

// AddFirst adds x at the front.
func (l *LinkedList) AddFirst(x int) { l.before(x, l.header.next) }

// AddLast adds x at the end.
func (l *LinkedList) AddLast(x int) { l.before(x, l.header) }

// AddAt adds x at a place. It reports false if there is no such place.
func (l *LinkedList) AddAt(i, x int) bool {
	if i < 0 || i > l.size {
		return false
	}
	at := l.header
	if i < l.size {
		at = l.at(i)
	}
	l.before(x, at)
	return true
}

func (l *LinkedList) at(i int) *entry {
	e := l.header
	if i < l.size/2 {
		for range i + 1 {
			e = e.next
		}
	} else {
		for range l.size - i {
			e = e.prev
		}
	}
	return e
}

// IndexOf returns the first place of x, or -1.
func (l *LinkedList) IndexOf(x int) int {
	i := 0
	for e := l.header.next; e != l.header; e = e.next {
		if e.value == x {
			return i
		}
		i++
	}
	return -1
}

// Remove removes the first x, and reports whether there was one.
func (l *LinkedList) Remove(x int) bool {
	for e := l.header.next; e != l.header; e = e.next {
		if e.value == x {
			e.prev.next, e.next.prev = e.next, e.prev
			l.size--
			return true
		}
	}
	return false
}

// Clear removes all.
func (l *LinkedList) Clear() {
	l.header.next, l.header.prev, l.size = l.header, l.header, 0
}
