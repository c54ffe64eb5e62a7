package contract

import (
	"slices"
	"testing"

	"foray.test/engine/seq/seqtest"
)

var walksPlantings = []Planting{
	{`v0 := planted.NewShelf(); v0.Shelve("a"); v0.Shelve("b"); v1 := v0.All()`, "iterates-all"},
	{`v0 := planted.NewCursor(6); v1 := v0.Seek(7)`, "seek-lands"},
	{`v0 := planted.NewIterator(3); v1 := v0.Last()`, "iterator-index"},
	{`v0 := planted.NewFront(3); v1 := v0.First()`, "iterator-index"},
	{`v0 := planted.Countdown(3)`, "iterates-again"},
	{`v0 := planted.Pairs(3)`, "iterates-again"},
	{`v0 := planted.Endless(3)`, "iterates-until"},
}

func seekTo(a []any) any { po(a).n = at(a, 1); return true }

var walksCases = []lawCase{
	{"seek-lands", "good", "NewIter Key", ops("(*Iter).Seek(int) bool", seekTo), "NewIter(2); Seek(v0, 3)", true},
	{"seek-lands", "stands on less", "NewIter", ops("(*Iter).Seek(int) bool", seekTo, "(*Iter).Key() int", func(a []any) any { return 0 }), "NewIter(2); Seek(v0, 3)", false},
	{"iterator-index", "good", "NewIter Begin Next Last Index", nil, "NewIter(2); Last(v0)", true},
	{"iterator-index", "past the last", "NewIter Begin Next Index", ops("(*Iter).Last() bool", func(a []any) any { po(a).n = len(po(a).keys); return true }), "NewIter(2); Last(v0)", false},
	{"iterator-index", "first is one", "NewIter Begin Next Index", ops("(*Iter).First() bool", func(a []any) any { po(a).n = 1; return true }), "NewIter(2); First(v0)", false},
	{"iterates-again", "good", "NewPot Push All", nil, "NewPot(); Push(v0, 1); All(v0)", true},
	{"iterates-again", "once only", "NewPot Push", ops("(*T).All() iter.Seq[int]", func(a []any) any {
		return func(yield func(int) bool) { yield(po(a).n); po(a).n++ }
	}), "NewPot(); Push(v0, 1); All(v0)", false},
	{"iterates-again", "from where Next has come to", "NewIter Next", ops("(*Iter).All() iter.Seq[int]", drains), "NewIter(3); All(v0)", true},
	{"iterates-again", "of what is linked to a next one", "NewPot", ops("(*T).Next() *p.T", func(a []any) any { return a[0] }, "(*T).All() iter.Seq[int]", drains), "NewPot(); All(v0)", false},
	{"iterates-again", "of another that does not", "", ops("Once() iter.Seq[int]", func([]any) any {
		n := 0
		return func(yield func(int) bool) { yield(n); n++ }
	}, "Same(iter.Seq[int]) iter.Seq[int]", func(a []any) any { return a[0] }), "Once(); Same(v0)", true},
	{"iterates-again", "of what holds another that does not", "", ops("Once() iter.Seq[int]", func([]any) any {
		n := 0
		return func(yield func(int) bool) { yield(n); n++ }
	}, "Box(iter.Seq[int]) *p.T", func(a []any) any { return a[0] }, "Same(*p.T) iter.Seq[int]", func(a []any) any { return a[0] }), "Once(); Box(v0); Same(v1)", true},
	{"iterates-again", "of places in memory", "", ops("Places() iter.Seq[int]", func([]any) any {
		return func(yield func(**int) bool) { yield(new(*int)) }
	}), "Places()", true},
	{"iterates-again", "without end", "NewPot", ops("(*T).All() iter.Seq[int]", func(a []any) any {
		return func(yield func(int) bool) {
			for yield(po(a).n) {
				po(a).n++
			}
		}
	}), "NewPot(); All(v0)", true},
	{"iterates-all", "good", "NewPot Push All Len", nil, "NewPot(); Push(v0, 1); All(v0)", true},
	{"iterates-until", "good", "NewPot Push All", nil, "NewPot(); Push(v0, 1); Push(v0, 2); All(v0)", true},
	{"iterates-until", "goes on", "NewPot Push", ops("(*T).All() iter.Seq[int]", func(a []any) any {
		return func(yield func(int) bool) {
			for _, k := range po(a).keys {
				yield(k)
			}
		}
	}), "NewPot(); Push(v0, 1); Push(v0, 2); All(v0)", false},
	{"iterates-until", "what it walks over goes on", "", ops("Endless(int) iter.Seq[int]", func([]any) any {
		return func(yield func(int) bool) {
			for range 3 {
				yield(1)
			}
		}
	}, "Twice(iter.Seq[int]) iter.Seq[int]", func(a []any) any {
		return func(yield func(int) bool) { a[0].(func(func(int) bool))(yield) }
	}), "Endless(1); Twice(v0)", true},
	{"iterates-until", "panics", "NewPot", ops("(*T).All() iter.Seq[int]", func(a []any) any { return func(yield func(int) bool) { panic("no") } }), "NewPot(); All(v0)", true},
	{"iterates-all", "leaves one out", "NewPot Push Len", ops("(*T).All() iter.Seq[int]", func(a []any) any { return slices.Values(po(a).keys[1:]) }), "NewPot(); Push(v0, 1); All(v0)", false},
}

// drains returns an iterator that takes what it yields out of a pot.
func drains(a []any) any {
	return func(yield func(int) bool) {
		for po(a).n++; po(a).n < 3 && yield(po(a).n); {
			po(a).n++
		}
	}
}

// A function that is called with each element is no iterator if none can stop it.
func TestIterates(t *testing.T) {
	b := seqtest.NewBuilder()
	for name, want := range map[string]bool{"iter.Seq[int]": true, "func(yield func(int, string) bool)": true, "func(func(int))": false, "p.T": false} {
		if got := iterates(&b.Table.Types[b.Type(name)]); got != want {
			t.Errorf("%s is an iterator: %v, want %v", name, got, want)
		}
	}
}
