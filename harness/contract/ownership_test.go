package contract

import (
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// What is documented to be a copy, or new, is a slice's only if a slice comes back: a
// heap that is made new may be made around what it is given.
func TestPromisedCopyIsASlice(t *testing.T) {
	write := func(result func(list []int) any) func([]any) any {
		return func(a []any) any {
			a[0].([]int)[0]++
			return result(a[0].([]int))
		}
	}
	b, f := lawTable(t, "Ints", ops(
		"Uniq([]int) []int", write(func(list []int) any { return list }),
		"Ordinals([]int) []int", write(func(list []int) any { return list }),
		"UniqAny(any) any", write(func(list []int) any { return list }),
		"Gather([]int) *p.T", write(func(list []int) any { return &pot{keys: list} }),
		"Counted([]int) int", write(func(list []int) any { return len(list) }),
		"Each([]int) int", write(func(list []int) any { return len(list) })))
	b.Table.Ops[b.Find("Each")].Spread = true
	ordinals := &b.Table.Ops[b.Find("Ordinals")]
	ordinals.Doc = "Ordinals returns a new set, as a slice. It re-orders the input."
	b.Add(seq.Func, "Shaped(int, []int) *p.T", func(op *seq.Operation) { op.Names = []string{"length", "words"} })
	f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return &pot{} }
	for steps, want := range map[string]engine.Tier{`Ints(1, 2); Uniq(v0)`: engine.Error, `Ints(1, 2); UniqAny(v0)`: engine.Error,
		`Ints(1, 2); Shaped(5, v0); Uniq(v0)`: engine.Suspect, `Ints(1, 2); Shaped(2, v0); Uniq(v0)`: engine.Error, `Ints(1, 2); Gather(v0)`: engine.Suspect,
		`Ints(1, 2); Counted(v0)`: engine.Error, `Ints(1, 2); Each(v0)`: engine.Suspect} {
		v, _ := uphold(b, f, boxed(b, steps), "argument-kept")
		if v == nil || v.Tier != want {
			t.Errorf("%s: verdict %+v, want tier %v", steps, v, want)
		}
	}
	if v, _ := uphold(b, f, boxed(b, `Ints(1, 2); Ordinals(v0)`), "argument-kept"); v != nil {
		t.Errorf("what says that it re-orders its input: verdict %+v", v)
	}
}

// What may be left of a slice is not what is kept.
func TestArgumentKeptInPart(t *testing.T) {
	b, f := lawTable(t, "Ints", ops("Uniq([]int) []int", func(a []any) any { return slices.Compact(a[0].([]int)) }))
	uniq := &b.Table.Ops[b.Find("Uniq")]
	for doc, want := range map[string]engine.Tier{
		"Uniq does not modify s.":      engine.Error,
		"Uniq returns what differs.":   engine.Suspect,
		"Uniq might not modify s[n:].": engine.Illegal,
	} {
		uniq.Doc = doc
		got := engine.Illegal
		if v, _ := uphold(b, f, boxed(b, "Ints(1, 1); Uniq(v0)"), "argument-kept"); v != nil {
			got = v.Tier
		}
		if got != want {
			t.Errorf("%s: tier %v, want %v", doc, got, want)
		}
	}
}

// What a function of the caller changes is no change by the call that hands elements out to it.
func TestArgumentKeptByFunction(t *testing.T) {
	count := func(a []any) any { a[0].([]int)[0]++; return []int{len(a)} }
	b, f := lawTable(t, "Ints", ops("Map([]int, func(int) int) []int", count, "MapEach([]int, func(*int) int) []int", count, "MapAll([]int, func([]int) int) []int", count,
		"one() func(int) int", func([]any) any { return func(int) int { return 0 } },
		"each() func(*int) int", func([]any) any { return func(*int) int { return 0 } },
		"all() func([]int) int", func([]any) any { return func([]int) int { return 0 } }))
	for steps, want := range map[string]bool{"one(); Map(v0, v1)": true, "each(); MapEach(v0, v1)": false, "all(); MapAll(v0, v1)": false} {
		if v, _ := uphold(b, f, boxed(b, "Ints(1, 2); "+steps), "argument-kept"); (v != nil) != want {
			t.Errorf("%s: verdict %+v, want one: %t", steps, v, want)
		}
	}
}

// A call that returns a number and an error may have set so many elements from another argument, as
// the Read of package io does. A number that may be an element is no such number.
func TestArgumentFilled(t *testing.T) {
	write := func(j int) func([]any) any {
		return func(a []any) any {
			switch list := a[j].(type) {
			case []string:
				list[0] += "x"
			case []int:
				list[0]++
			}
			return many{1, nil}
		}
	}
	b, f := lawTable(t, "NewPot Ints", ops("Words() []string", func([]any) any { return []string{"a"} },
		"(*T).Strings(int, []string) (int, error)", write(2), "StringsOf(*p.T, []string) (int, error)", write(1),
		"(*T).Max([]int) (int, error)", write(1), "Distinct([]string, int) (int, error)", write(0)))
	for steps, want := range map[string]engine.Tier{
		"NewPot(); Words(); Strings(v0, 1, v1)": engine.Suspect,
		"NewPot(); Words(); StringsOf(v0, v1)":  engine.Suspect,
		"NewPot(); Ints(1, 2); Max(v0, v1)":     engine.Error,
		"Words(); Distinct(v0, 1)":              engine.Error,
	} {
		if v, _ := uphold(b, f, boxed(b, steps), "argument-kept"); v == nil || v.Tier != want {
			t.Errorf("%s: verdict %+v, want tier %v", steps, v, want)
		}
	}
}

// "Not modify" may be said of another object, or be a duty of the caller. Neither promises that the
// slice is kept.
func TestArgumentKeptOfAnother(t *testing.T) {
	b, f := lawTable(t, "NewPot Ints", ops("(*T).Fill([]int) int", fold, "(*T).Fold([]int) int", fold))
	for _, test := range []struct {
		name, doc string
		broken    bool
	}{
		{"Fill", "Fill counts ints. It does not modify t.", false},
		{"Fold", "Fold sums ints. It does not modify them.", true},
		{"Fold", "Fold sums ints. The caller must not modify them before it returns.", false},
	} {
		b.Table.Ops[b.Find(test.name)].Doc = test.doc
		v, _ := uphold(b, f, boxed(b, "NewPot(); Ints(1, 2); "+test.name+"(v0, v1)"), "argument-kept")
		if broken := v != nil && v.Tier == engine.Error; broken != test.broken {
			t.Errorf("%s: verdict %+v, want an error: %t", test.doc, v, test.broken)
		}
	}
}

// A copy shows what its original does, however the documentation praises it.
func TestCopyShowsByDocumentation(t *testing.T) {
	b, f := lawTable(t, "NewPot Add Keys", ops("(*T).Clone() *p.T", func([]any) any { return &pot{} }))
	clone := &b.Table.Ops[b.Find("Clone")]
	for doc, broken := range map[string]bool{
		"Clone returns a copy that can be changed without the change being reflected in the original.": true,
		"Clone returns a copy with the same bits. If the allocation fails, it returns an empty one.":   true,
		"Clone returns a shallow copy.":                true,
		"Clone returns a copy, and resets its counts.": false,
		"Clone returns an empty copy.":                 false,
	} {
		clone.Doc = doc
		if v, _ := uphold(b, f, boxed(b, "NewPot(); Add(v0, 1); Clone(v0)"), "copy-shows"); (v != nil) != broken {
			t.Errorf("%s: verdict %+v, want one: %t", doc, v, broken)
		}
	}
}

// A slice is its caller's if it is a copy in all cases.
func TestResultOwnByDocumentation(t *testing.T) {
	b, f := lawTable(t, "NewPot Add", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }))
	keys := &b.Table.Ops[b.Find("Keys")]
	for doc, broken := range map[string]bool{
		"Keys returns a copy of the keys. If there are none, it is nil.":                true,
		"Keys returns the keys. If t may be shared, it returns a copy of them.":         false,
		"Keys returns a copy of the keys, or the keys themselves if they are in order.": false,
	} {
		keys.Doc = doc
		if v, _ := uphold(b, f, boxed(b, "NewPot(); Add(v0, 1); Keys(v0)"), "result-own"); (v != nil) != broken {
			t.Errorf("%s: verdict %+v, want one: %t", doc, v, broken)
		}
	}
}
