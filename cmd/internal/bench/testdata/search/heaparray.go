package heaparray

import (
	"testing"

	"foray.test/harness/exhaustive"
)

type twin struct{ array []exhaustive.Val[int] }

func structures(n int) *exhaustive.Cases[*twin] {
	return exhaustive.Search(func(c *exhaustive.C) *twin {
		t := &twin{make([]exhaustive.Val[int], n)}
		for i := range t.array {
			t.array[i].Of(c, exhaustive.Range(0, n)...)
		}
		return t
	}, (*twin).ok)
}

// ok: no number is larger than that of its parent.
func (t *twin) ok() bool {
	for i := 1; i < len(t.array); i++ {
		if t.array[i].Get() > t.array[(i-1)/2].Get() {
			return false
		}
	}
	return true
}

func (t *twin) build() *Heap {
	h := &Heap{make([]int, len(t.array))}
	for i := range t.array {
		h.array[i] = t.array[i].Get()
	}
	return h
}

func TestSearch(t *testing.T) {
	measure(t, 5, structures, (*twin).build, func(n int) []func(*Heap) {
		return append(all(0, n+1, (*Heap).Insert), func(*Heap) { New() }, func(h *Heap) { h.Max() }, func(h *Heap) { h.ExtractMax() })
	})
}
