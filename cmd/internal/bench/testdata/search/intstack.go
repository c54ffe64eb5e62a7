package intstack

import (
	"testing"

	"foray.test/harness/exhaustive"
)

// A twin is two stacks, of which the second is not larger.
type twin struct{ a, b twinStack }

type twinStack struct {
	length, size exhaustive.Val[int]
	elems        [4]exhaustive.Val[int]
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
	s.length.Of(c, 2, 4, 8)
	s.size.Of(c, sizes...)
	for i := range s.elems {
		c.When(func() bool { return i < s.size.Get() }, func() { s.elems[i].Of(c, 0, 1) })
	}
}

func (s *twinStack) ok() bool { return s.size.Get() <= s.length.Get() }

func (s *twinStack) build() *IntStack {
	b := &IntStack{make([]int, s.length.Get()), s.size.Get()}
	for i := range b.size {
		b.store[i] = s.elems[i].Get()
	}
	return b
}

func TestSearch(t *testing.T) {
	type pair struct{ a, b *IntStack }
	measure(t, 4, structures, func(t *twin) pair { return pair{t.a.build(), t.b.build()} }, func(int) []func(pair) {
		return append(all(0, 1, func(p pair, x int) { p.a.Push(x) }), func(pair) { New() }, func(p pair) { p.a.Pop() },
			func(p pair) { p.a.Equal(p.b) }, func(p pair) { p.a.Equal(p.a) }, func(p pair) { p.a.Equal(nil) })
	})
}
