package ubstack

import (
	"testing"

	"foray.test/harness/exhaustive"
)

// A twin is two stacks, of which the second is not larger.
type twin struct{ a, b twinStack }

type twinStack struct {
	size  exhaustive.Val[int]
	elems [4]exhaustive.Val[int]
}

func structures(n int) *exhaustive.Cases[*twin] {
	return exhaustive.Search(func(c *exhaustive.C) *twin {
		t := &twin{}
		t.a.init(c, n)
		t.b.init(c, exhaustive.Range(0, n)...)
		return t
	}, func(t *twin) bool { return t.a.ok() && t.b.ok() })
}

func (s *twinStack) init(c *exhaustive.C, sizes ...int) {
	s.size.Of(c, sizes...)
	for i := range s.elems {
		c.When(func() bool { return i < s.size.Get() }, func() { s.elems[i].Of(c, exhaustive.Range(1, 5)...) })
	}
}

// ok: no number is there twice.
func (s *twinStack) ok() bool {
	for i := range s.size.Get() {
		for j := range i {
			if s.elems[i].Get() == s.elems[j].Get() {
				return false
			}
		}
	}
	return true
}

func (s *twinStack) build() *UBStack {
	b := &UBStack{size: s.size.Get()}
	for i := range b.size {
		b.elems[i] = s.elems[i].Get()
	}
	return b
}

func TestSearch(t *testing.T) {
	type pair struct{ a, b *UBStack }
	measure(t, 4, structures, func(t *twin) pair { return pair{t.a.build(), t.b.build()} }, func(int) []func(pair) {
		return append(all(1, 5, func(p pair, x int) { p.a.Push(x) }), func(pair) { New() }, func(p pair) { p.a.Pop() },
			func(p pair) { p.a.Top() }, func(p pair) { p.a.Equal(p.b) }, func(p pair) { p.a.Equal(nil) })
	})
}
