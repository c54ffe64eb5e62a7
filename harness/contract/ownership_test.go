package contract

import (
	"reflect"
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

var ownershipPlantings = []Planting{
	{`v0 := planted.NewNote("a"); v1 := v0.Clone(); v1.Write("b")`, "copy-independent"},
	{`v0 := planted.NewNote("a"); v1 := v0.Clone(); v0.Write("b")`, "copy-independent"},
	{`v0 := planted.Ints(1, 1, 2); v1 := planted.Uniq(v0)`, "argument-kept"},
	{`v0 := planted.NewMarks(); v1 := planted.Median(v0)`, "argument-kept"},
	{`v0 := planted.NewNum(3); v1 := planted.NewNum(4); v2 := v0.Sub(v0, v1)`, "alias-same"},
	{`v0 := planted.NewLog(); v0.Add("a"); v1 := v0.Lines()`, "result-own"},
}

var ownershipCases = []lawCase{
	{"result-own", "good", "NewPot Push Keys", nil, "NewPot(); Push(v0, 1); Keys(v0)", true},
	{"result-own", "its own slice", "NewPot Push", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }), "NewPot(); Push(v0, 1); Keys(v0)", false},
	{"copy-independent", "good", "NewPot Add Keys Clone", nil, "NewPot(); Clone(v0); Add(v1, 2)", true},
	{"copy-independent", "the copy is the original", "NewPot Add Keys", ops("(*T).Clone() *p.T", func(a []any) any { return po(a) }), "NewPot(); Clone(v0); Add(v1, 2)", false},
	{"copy-independent", "seen from the copy", "NewPot Add Keys", ops("(*T).Clone() *p.T", func(a []any) any { return po(a) }), "NewPot(); Clone(v0); Add(v0, 2)", false},
	{"copy-independent", "given the original under another name", "NewPot Keys Clone", ops("(*T).Self() *p.T", func(a []any) any { return po(a) },
		"(*T).Into(*p.T)", func(a []any) any { a[1].(*pot).add(7); return many{} }), "NewPot(); Self(v0); Clone(v1); Into(v2, v0)", true},
	{"copy-independent", "given what has a part of the original", "NewPot Keys Clone Ints", ops("(*T).Adopt([]int)", func(a []any) any {
		po(a).keys = a[1].([]int)
		return many{}
	}, "(*T).Into(*p.T)", func(a []any) any { a[1].(*pot).keys[0]++; return many{} }),
		"NewPot(); NewPot(); Ints(1, 2); Adopt(v0, v2); Adopt(v1, v2); Clone(v1); Into(v3, v0)", true},
	{"copy-independent", "given what has a part of the original by way of another", "NewPot Keys Clone", ops("(*T).Part() []int", func(a []any) any { return po(a).keys },
		"From([]int) *p.T", func(a []any) any { return &pot{keys: a[0].([]int)} }, "(*T).Self() *p.T", func(a []any) any { return po(a) },
		"Ints2() []int", func([]any) any { return []int{1, 2} }, "(*T).Into(*p.T)", func(a []any) any { a[1].(*pot).keys[0]++; return many{} }),
		"Ints2(); From(v0); Self(v1); Part(v1); From(v3); Clone(v4); Into(v5, v2)", true},
	{"copy-independent", "in an order of chance", "NewPot Push Clone", ops("(*T).Keys() []int", func(a []any) any {
		// Alike most of the time, as ranging over a map of two.
		keys := slices.Clone(po(a).keys)
		if po(a).n++; po(a).n%9 == 2 {
			slices.Reverse(keys)
		}
		return keys
	}), "NewPot(); Push(v0, 1); Push(v0, 2); Clone(v0); Push(v1, 3)", true},
	{"copy-independent", "joined again", "NewPot Add Keys", ops("(*T).Clone() *p.T", func(a []any) any { return po(a) }, "(*T).Join(*p.T)", func(a []any) any { return many{} }), "NewPot(); Clone(v0); Join(v0, v1); Add(v1, 2)", true},
	{"copy-independent", "both adopt a slice", "NewPot Keys Clone Ints", ops("(*T).Adopt([]int)", func(a []any) any {
		po(a).keys = a[1].([]int)
		po(a).keys[0]++
		return many{}
	}), "NewPot(); Ints(1, 2); Adopt(v0, v1); Clone(v0); Adopt(v2, v1)", true},
	{"copy-independent", "the copy adopts a part of the original", "NewPot Keys Clone Ints", ops("(*T).Adopt([]int)", func(a []any) any {
		po(a).keys = a[1].([]int)
		return many{}
	}, "(*T).Raw() []int", func(a []any) any { return po(a).keys }, "(*T).Bump()", func(a []any) any { po(a).keys[0]++; return many{} }),
		"NewPot(); Ints(1, 2); Adopt(v0, v1); Clone(v0); Raw(v0); Adopt(v2, v3); Bump(v2)", true},
	{"copy-independent", "the copy adopts the original's slice under another name", "NewPot Keys Clone Ints", ops("(*T).Adopt([]int)", func(a []any) any {
		po(a).keys = a[1].([]int)
		return many{}
	}, "(*T).Self() *p.T", func(a []any) any { return po(a) }, "(*T).Bump()", func(a []any) any { po(a).keys[0]++; return many{} }),
		"NewPot(); Ints(1, 2); Adopt(v0, v1); Clone(v0); Self(v2); Adopt(v3, v1); Bump(v2)", true},
	{"argument-kept", "good", "Ints Uniq", nil, "Ints(1, 1); Uniq(v0)", true},
	{"argument-kept", "writes", "Ints", ops("Uniq([]int) []int", func(a []any) any { return slices.Compact(a[0].([]int)) }), "Ints(1, 1); Uniq(v0)", false},
	{"argument-kept", "writes what a new value is made from", "Ints", ops("NewTFromInts([]int) *p.T", func(a []any) any { slices.Sort(a[0].([]int)); return &pot{keys: a[0].([]int)} }), "Ints(2, 1); NewTFromInts(v0)", false},
	{"argument-kept", "makes a new value from it", "Ints", ops("NewTFromInts([]int) *p.T", func(a []any) any { return &pot{keys: a[0].([]int)} }), "Ints(2, 1); NewTFromInts(v0)", true},
	{"argument-kept", "writes what it is given as any", "Ints", ops("Uniq(any) any", func(a []any) any { return slices.Compact(a[0].([]int)) }), "Ints(1, 1); Uniq(v0)", false},
	{"argument-kept", "writes what is its receiver's", "NewPot Push", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }, "(*T).Fold([]int) int", fold), "NewPot(); Push(v0, 1); Keys(v0); Fold(v0, v1)", true},
	{"argument-kept", "writes what is that of one that it was made of", "NewPot Push", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }, "(*T).Fold([]int) int", fold, "Around(*p.T) *p.T", func(a []any) any { return a[0] }), "NewPot(); Push(v0, 1); Keys(v0); Around(v0); Fold(v2, v1)", true},
	{"argument-kept", "writes what is another's", "NewPot Push", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }, "(*T).Fold([]int) int", fold), "NewPot(); NewPot(); Push(v1, 1); Keys(v1); Fold(v0, v2)", false},
	{"argument-kept", "a place for results", "Ints", ops("Predict([]int) int", func(a []any) any { copy(a[0].([]int), []int{8, 9}); return 0 }), "Ints(1, 2); Predict(v0)", true},
	{"argument-kept", "results in a part of the place", "Ints", ops("Predict([]int) int", func(a []any) any { a[0].([]int)[1] = 7; return 0 }), "Ints(1, 2); Predict(v0)", true},
	{"argument-kept", "writes what was there and more", "Ints", ops("Predict([]int) int", func(a []any) any { a[0].([]int)[0] += 5; return 0 }), "Ints(1, 2); Predict(v0)", false},
	{"argument-kept", "clears", "Ints", ops("Predict([]int) int", func(a []any) any { clear(a[0].([]int)); return 0 }), "Ints(1, 2); Predict(v0)", false},
	{"argument-kept", "encodes zero", "Ints", ops("Store(int, []int) int", func(a []any) any { a[1].([]int)[0] = a[0].(int); return 1 }), "Ints(1, 2); Store(0, v0)", true},
	{"argument-kept", "clears more than it says", "Ints", ops("Store(int, []int) int", func(a []any) any { clear(a[1].([]int)); return 1 }), "Ints(1, 2); Store(0, v0)", false},
	{"argument-kept", "twice the same", "Ints", ops("Zip([]int, []int) []int", func(a []any) any { a[0].([]int)[0]++; return a[0] }), "Ints(1, 1); Zip(v0, v0)", true},
	{"argument-kept", "writes what is another argument's", "Ints", ops("Over([]int) *p.T", func(a []any) any { return &pot{keys: a[0].([]int)} }, "Total(*p.T, []int) int", func(a []any) any { po(a).keys[0]++; return 0 }), "Ints(1, 2); Over(v0); Total(v1, v0)", true},
	{"alias-same", "good", "NewPot Clone Sub String Grow", nil, "NewPot(); NewPot(); Grow(v1, 3); Sub(v0, v0, v1)", true},
	{"alias-same", "overwrites what it reads", "NewPot Clone String Grow", ops("(*T).Sub(*p.T, *p.T) *p.T", func(a []any) any {
		po(a).n = a[2].(*pot).n
		return sub(a, a[1].(*pot).n-po(a).n)
	}), "NewPot(); NewPot(); Grow(v0, 3); Sub(v0, v0, v1)", false},
	{"alias-same", "one place for two results", "NewPot Clone String Grow", ops("(*T).Sub(*p.T, *p.T) *p.T", func(a []any) any {
		po(a).n = a[2].(*pot).n
		return sub(a, a[1].(*pot).n-po(a).n)
	}, "(*T).Self() *p.T", func(a []any) any { return po(a) }), "NewPot(); Self(v0); Grow(v0, 3); Sub(v0, v0, v1)", true},
	{"alias-same", "one place under two names", "NewPot Clone String Grow", ops("(*T).DivMod(*p.T, *p.T, *p.T) *p.T", func(a []any) any {
		a[3].(*pot).n = 5
		return sub(a, a[1].(*pot).n-a[2].(*pot).n)
	}, "(*T).Self() *p.T", func(a []any) any { return po(a) }), "NewPot(); NewPot(); Self(v1); Grow(v0, 3); DivMod(v0, v0, v1, v2)", true},
	{"argument-kept", "another than it is about", "Ints", ops("Drop([]string, []int) []string", func(a []any) any { slices.Sort(a[1].([]int)); return a[0] },
		"Words() []string", func([]any) any { return []string{"a"} }), "Words(); Ints(2, 1); Drop(v0, v1)", false},
}

// fold sums its argument up, in place.
func fold(a []any) any {
	list, sum := a[1].([]int), 0
	for i := range list {
		sum += list[i]
		list[i] = sum
	}
	list[0]++
	return sum
}

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
		"UniqAny(any) any", write(func(list []int) any { return list }),
		"Gather([]int) *p.T", write(func(list []int) any { return &pot{keys: list} }),
		"Counted([]int) int", write(func(list []int) any { return len(list) }),
		"Each([]int) int", write(func(list []int) any { return len(list) })))
	b.Table.Ops[b.Find("Each")].Spread = true
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
}

// A function that is documented to change a part of a slice perhaps does not break a law by it.
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

// TestUnlike: elements that differ are replaced, if they are numbers or texts and the results not all zero.
func TestUnlike(t *testing.T) {
	for _, tt := range []struct {
		name          string
		slice         any
		before, after []any
		want          any // nil: there is none
	}{
		{"a number", []int{9, 8}, []any{1, 8}, []any{9, 8}, []int{3, 8}},
		{"one like those to take", []int8{4}, []any{int8(3)}, []any{int8(4)}, []int8{5}},
		{"a text", []string{"x"}, []any{"aaa"}, []any{"x"}, []string{"aaaa"}},
		{"all zero", []int{0, 0}, []any{1, 2}, []any{0, 0}, nil},
		{"no number", []bool{true}, []any{false}, []any{true}, nil},
		{"another length", []int{1, 2}, []any{1}, []any{2}, nil},
		{"no slice", nil, []any{1}, []any{2}, nil},
		{"a number for a slice", 7, []any{1}, []any{2}, nil},
	} {
		got, ok := unlike(tt.slice, tt.before, tt.after)
		if ok != (tt.want != nil) || ok && !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, ok, tt.want)
		}
	}
}
