package linkedlist

import (
	"slices"
	"testing"

	"foray.test/harness/exhaustive"
)

type twin struct {
	header  exhaustive.Ref[twinEntry]
	entries *exhaustive.Objects[twinEntry]
	n       int
	met     []*twinEntry
}

type twinEntry struct {
	value      exhaustive.Val[int]
	next, prev exhaustive.Ref[twinEntry]
}

func structures(n int) *exhaustive.Cases[*twin] {
	return exhaustive.Search(func(c *exhaustive.C) *twin {
		t := &twin{entries: exhaustive.NewObjects[twinEntry](c, n+1), n: n}
		t.header.Of(t.entries)
		t.entries.Init(func(x *twinEntry) {
			x.value.Of(c, 0, 1)
			x.next.Of(t.entries)
			x.prev.Of(t.entries)
		})
		return t
	}, (*twin).ok)
}

// ok: the entries are linked both ways, and the header has no value.
func (t *twin) ok() bool {
	t.met = t.met[:0]
	header := t.header.Get()
	if header == nil || header.value.Get() != 0 {
		return false
	}
	for x := header; ; {
		if slices.Contains(t.met, x) {
			return false
		}
		t.met = append(t.met, x)
		next := x.next.Get()
		if next == nil || next.prev.Get() != x {
			return false
		}
		if next == header {
			return len(t.met) == t.n+1
		}
		x = next
	}
}

func (t *twin) build() *LinkedList {
	l := New()
	for _, x := range t.met[1:] {
		e := &entry{x.value.Get(), l.header, l.header.prev}
		e.prev.next, e.next.prev = e, e
	}
	l.size = t.n
	return l
}

func TestSearch(t *testing.T) {
	measure(t, 5, structures, (*twin).build, func(n int) []func(*LinkedList) {
		return slices.Concat(all(0, 1, (*LinkedList).AddFirst), all(0, 1, (*LinkedList).AddLast), all(-1, n+1, func(l *LinkedList, i int) { l.AddAt(i, 0) }),
			all(0, 2, func(l *LinkedList, x int) { l.IndexOf(x) }), all(0, 2, func(l *LinkedList, x int) { l.Remove(x) }),
			[]func(*LinkedList){func(*LinkedList) { New() }, (*LinkedList).Clear})
	})
}
