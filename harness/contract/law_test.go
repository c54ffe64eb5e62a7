package contract

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// pot is what the laws are held against: a set, a map, a stack, text, whatever its
// operations make of it.
type pot struct {
	keys []int
	vals map[int]int
	text []byte
	n    int
}

func newPot([]any) any      { return &pot{vals: map[int]int{}} }
func at(a []any, i int) int { return a[i].(int) }
func po(a []any) *pot       { return a[0].(*pot) }

// many are the results of an operation that has several, or none.
type many []any

func (p *pot) add(k int) {
	if !slices.Contains(p.keys, k) {
		p.keys = append(p.keys, k)
	}
}

func (p *pot) remove(k int) { p.keys = slices.DeleteFunc(p.keys, func(x int) bool { return x == k }) }

// reads returns an operation that makes a pot of text, with a part of its number.
func reads(part int) func([]any) any {
	return func(a []any) any {
		text, _ := a[0].(string)
		if lines, is := a[0].([]string); is {
			text = strings.Join(lines, "")
		}
		n, err := strconv.Atoi(text)
		return many{&pot{n: n / part}, err}
	}
}

// Operations that do as they say.
var good = map[string]func([]any) any{
	"NewPot() *p.T": newPot,
	"(*T).Put(int, int)": func(a []any) any {
		po(a).add(at(a, 1))
		po(a).vals[at(a, 1)] = at(a, 2)
		return many{}
	},
	"(*T).Get(int) (int, bool)": func(a []any) any { v, ok := po(a).vals[at(a, 1)]; return many{v, ok} },
	"(*T).Add(int)":             func(a []any) any { po(a).add(at(a, 1)); return many{} },
	"(*T).Has(int) bool":        func(a []any) any { return slices.Contains(po(a).keys, at(a, 1)) },
	"(*T).Keys() []int":         func(a []any) any { return slices.Clone(po(a).keys) },
	"(*T).Remove(int)":          func(a []any) any { po(a).remove(at(a, 1)); return many{} },
	"(*T).Clear()":              func(a []any) any { po(a).keys = nil; return many{} },
	"(*T).Len() int":            func(a []any) any { return len(po(a).keys) },
	"(*T).Push(int)":            func(a []any) any { po(a).keys = append(po(a).keys, at(a, 1)); return many{} },
	"(*T).Pop() (int, bool)": func(a []any) any {
		if len(po(a).keys) == 0 {
			return many{0, false}
		}
		x := po(a).keys[len(po(a).keys)-1]
		po(a).keys = po(a).keys[:len(po(a).keys)-1]
		return many{x, true}
	},
	"(*T).Peek() (int, bool)": func(a []any) any {
		if len(po(a).keys) == 0 {
			return many{0, false}
		}
		return many{po(a).keys[len(po(a).keys)-1], true}
	},
	"(*T).Clone() *p.T":                  func(a []any) any { return &pot{keys: slices.Clone(po(a).keys), n: po(a).n} },
	"(*T).Sub(*p.T, *p.T) *p.T":          func(a []any) any { return sub(a, a[1].(*pot).n-a[2].(*pot).n) },
	"(*T).String() string":               func(a []any) any { return strconv.Itoa(po(a).n) },
	"(*T).MarshalText() ([]byte, error)": func(a []any) any { return many{[]byte(strconv.Itoa(po(a).n)), nil} },
	"(*T).UnmarshalText([]byte) error": func(a []any) any {
		n, err := strconv.Atoi(string(a[1].([]byte)))
		po(a).n = n
		return many{err}
	},
	"(*T).AppendText([]byte) ([]byte, error)": func(a []any) any { return many{strconv.AppendInt(a[1].([]byte), int64(po(a).n), 10), nil} },
	"(*T).Grow(int)":                     func(a []any) any { po(a).n += at(a, 1); return many{} },
	"(*T).MarshalJSON() ([]byte, error)": func(a []any) any { return many{[]byte(fmt.Sprint(po(a).n)), nil} },
	"Bytes(string) []byte":               func(a []any) any { return []byte(a[0].(string)) },
	"Ints(int, int) []int":               func(a []any) any { return []int{at(a, 0), at(a, 1)} },
	"Uniq([]int) []int":                  func(a []any) any { return slices.Compact(slices.Clone(a[0].([]int))) },
	"ParseT(string) (*p.T, error)": func(a []any) any {
		n, err := strconv.Atoi(strings.TrimSpace(a[0].(string)))
		return many{&pot{n: n}, err}
	},
	"(*T).Write([]byte) (int, error)":      func(a []any) any { return many{len(a[1].([]byte)), nil} },
	"(*T).Read([]byte) (int, error)":       func(a []any) any { return many{copy(a[1].([]byte), "a"), nil} },
	"(*T).Seek(int64, int) (int64, error)": func(a []any) any { return many{int64(0), nil} },
	"(*T).ReadByte() (byte, error)": func(a []any) any {
		if po(a).n++; po(a).n > 3 {
			return many{byte(0), errors.New("end")}
		}
		return many{byte(po(a).n), nil}
	},
	"(*T).UnreadByte() error":  func(a []any) any { po(a).n--; return many{nil} },
	"(*T).Sum([]byte) []byte":  func(a []any) any { return append(a[1].([]byte), byte(po(a).n)) },
	"(*T).Size() int":          func(a []any) any { return 1 },
	"(*T).BlockSize() int":     func(a []any) any { return 1 },
	"(*Iter).SeekGE(int) bool": func(a []any) any { po(a).n = at(a, 1); return true },
	"(*Iter).Key() int":        func(a []any) any { return po(a).n },
	"NewIter(int) *p.Iter":     func(a []any) any { return &pot{keys: make([]int, at(a, 0)), n: -1} },
	"(*Iter).Begin()":          func(a []any) any { po(a).n = -1; return many{} },
	"(*Iter).Next() bool":      func(a []any) any { po(a).n++; return po(a).n < len(po(a).keys) },
	"(*Iter).Last() bool":      func(a []any) any { po(a).n = len(po(a).keys) - 1; return len(po(a).keys) > 0 },
	"(*Iter).First() bool":     func(a []any) any { po(a).n = 0; return len(po(a).keys) > 0 },
	"(*Iter).Index() int":      func(a []any) any { return po(a).n },
	"(*T).All() iter.Seq[int]": func(a []any) any { return slices.Values(po(a).keys) },
}

// A potError wraps itself.
type potError struct{}

func (*potError) Error() string { return "pot" }

func (e *potError) Unwrap() error { return e }

// A deepError wraps as many errors.
type deepError int

func (e deepError) Error() string { return "deep" }

func (e deepError) Unwrap() error {
	if e == 0 {
		return nil
	}
	return e - 1
}

func lessAt(a []any) any { return po(a).keys[at(a, 1)] < po(a).keys[at(a, 2)] }

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

// square returns the operations of a type of two rows and two columns.
func square(set func(m []int, i, j, x int)) map[string]func([]any) any {
	return ops("NewGrid() *p.T", func([]any) any { return &pot{keys: make([]int, 4)} }, "(*T).Dims() (int, int)", func([]any) any { return many{2, 2} },
		"(*T).At(int, int) int", func(a []any) any { return po(a).keys[2*at(a, 1)+at(a, 2)] },
		"(*T).Set(int, int, int)", func(a []any) any {
			if at(a, 1) < 2 && at(a, 2) < 2 {
				set(po(a).keys, at(a, 1), at(a, 2), at(a, 3))
			}
			return many{}
		})
}

func sub(a []any, n int) any { po(a).n = n; return po(a) }

// Each case is a law, the operations of good that it takes, what replaces them,
// and calls: the last one keeps the law or breaks it.
type lawCase struct {
	law   string
	name  string
	ops   string // by name; those in bad come on top
	bad   map[string]func([]any) any
	steps string
	want  bool // holds
}

var lawCases = []lawCase{
	{"put-get", "good", "NewPot Put Get", nil, "NewPot(); Put(v0, 1, 2)", true},
	{"put-get", "zero is lost", "NewPot Get", ops("(*T).Put(int, int)", func(a []any) any { return many{} }), "NewPot(); Put(v0, 0, 2)", false},
	{"put-get", "wrong value", "NewPot Get", ops("(*T).Put(int, int)", func(a []any) any { po(a).vals[at(a, 1)] = 7; return many{} }), "NewPot(); Put(v0, 1, 2)", false},
	{"put-get", "refused", "NewPot Get", ops("(*T).Put(int, int) bool", func(a []any) any { return false }), "NewPot(); Put(v0, 1, 2)", true},
	{"put-get", "index of a list", "NewPot Get", ops("(*T).Set(int, int)", func(a []any) any { return many{} }, "(*T).Append(int)", func(a []any) any { return many{} }), "NewPot(); Set(v0, 1, 2)", true},
	{"put-get", "panics", "NewPot Put", ops("(*T).Get(int) (int, bool)", panics), "NewPot(); Put(v0, 1, 2)", true},
	{"add-has", "good", "NewPot Add Has", nil, "NewPot(); Add(v0, 1)", true},
	{"add-has", "not there", "NewPot Has", ops("(*T).Add(int)", func(a []any) any { return many{} }), "NewPot(); Add(v0, 1)", false},
	{"add-has", "an error", "NewPot Has", ops("(*T).Add(int) error", func(a []any) any { return many{errors.New("full")} }), "NewPot(); Add(v0, 1)", true},
	{"add-keeps-others", "good", "NewPot Add Has Keys", nil, "NewPot(); Add(v0, 1); Add(v0, 2)", true},
	{"add-keeps-others", "one only", "NewPot Has Keys", ops("(*T).Add(int)", func(a []any) any { po(a).keys = []int{at(a, 1)}; return many{} }), "NewPot(); Add(v0, 1); Add(v0, 2)", false},
	{"remove-gone", "good", "NewPot Put Get Remove Has", nil, "NewPot(); Put(v0, 1, 2); Remove(v0, 1)", true},
	{"remove-gone", "still there", "NewPot Put Get Has", ops("(*T).Remove(int)", func(a []any) any { return many{} }), "NewPot(); Put(v0, 1, 2); Remove(v0, 1)", false},
	{"remove-keeps-others", "good", "NewPot Add Remove Has Keys", nil, "NewPot(); Add(v0, 1); Add(v0, 2); Remove(v0, 1)", true},
	{"remove-keeps-others", "loses what prints the same", "NewPot Has", ops("(*T).Keys() []any", func(a []any) any { return []any{uint8(1)} }, "(*T).Has(any) bool", func(a []any) any { return po(a).n == 0 },
		"(*T).Add(any)", func(a []any) any { return many{} }, "(*T).Remove(any)", func(a []any) any { po(a).n++; return many{} }), "NewPot(); Remove(v0, 1)", true},
	{"remove-keeps-others", "loses what was not found before", "NewPot Add Remove Keys", ops("(*T).Has(int) bool", func(a []any) any { return false }), "NewPot(); Add(v0, 1); Add(v0, 2); Remove(v0, 1)", true},
	{"remove-keeps-others", "loses another", "NewPot Add Has Keys", ops("(*T).Remove(int)", func(a []any) any { po(a).keys = nil; return many{} }), "NewPot(); Add(v0, 1); Add(v0, 2); Remove(v0, 1)", false},
	{"clear-empty", "good", "NewPot Add Clear Len", nil, "NewPot(); Add(v0, 1); Clear(v0)", true},
	{"clear-empty", "keeps one", "NewPot Add Len", ops("(*T).Clear()", func(a []any) any { return many{} }), "NewPot(); Add(v0, 1); Clear(v0)", false},
	{"peek-pop", "good", "NewPot Push Pop Peek", nil, "NewPot(); Push(v0, 1); Push(v0, 2); Pop(v0)", true},
	{"peek-pop", "peeks at the bottom", "NewPot Push Pop", ops("(*T).Peek() (int, bool)", func(a []any) any { return many{po(a).keys[0], true} }), "NewPot(); Push(v0, 1); Push(v0, 2); Pop(v0)", false},
	{"push-len", "good", "NewPot Push Len", nil, "NewPot(); Push(v0, 1); Push(v0, 1)", true},
	{"push-len", "drops equal ones", "NewPot Len", ops("(*T).Push(int)", func(a []any) any { po(a).add(at(a, 1)); return many{} }), "NewPot(); Push(v0, 1); Push(v0, 1)", false},
	{"push-pop", "good", "", pile(func(p *pot, k int) { p.keys = append(p.keys, k) }), "NewStack(); Push(v0, 1); Push(v0, 2)", true},
	{"push-pop", "a queue", "", pile(func(p *pot, k int) { p.keys = slices.Insert(p.keys, 0, k) }), "NewStack(); Push(v0, 1); Push(v0, 2)", false},
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
	{"argument-kept", "makes a heap from it", "Ints", ops("NewHeapFromInts([]int) *p.T", func(a []any) any { slices.Sort(a[0].([]int)); return &pot{keys: a[0].([]int)} }), "Ints(2, 1); NewHeapFromInts(v0)", true},
	{"argument-kept", "writes what it is given as any", "Ints", ops("Uniq(any) any", func(a []any) any { return slices.Compact(a[0].([]int)) }), "Ints(1, 1); Uniq(v0)", false},
	{"argument-kept", "writes what is its receiver's", "NewPot Push", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }, "(*T).Fold([]int) int", fold), "NewPot(); Push(v0, 1); Keys(v0); Fold(v0, v1)", true},
	{"argument-kept", "writes what is that of one that it was made of", "NewPot Push", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }, "(*T).Fold([]int) int", fold, "Around(*p.T) *p.T", func(a []any) any { return a[0] }), "NewPot(); Push(v0, 1); Keys(v0); Around(v0); Fold(v2, v1)", true},
	{"argument-kept", "writes what is another's", "NewPot Push", ops("(*T).Keys() []int", func(a []any) any { return po(a).keys }, "(*T).Fold([]int) int", fold), "NewPot(); NewPot(); Push(v1, 1); Keys(v1); Fold(v0, v2)", false},
	{"argument-kept", "a place for results", "Ints", ops("Predict([]int) int", func(a []any) any { copy(a[0].([]int), []int{8, 9}); return 0 }), "Ints(1, 2); Predict(v0)", true},
	{"argument-kept", "results in a part of the place", "Ints", ops("Predict([]int) int", func(a []any) any { a[0].([]int)[1] = 7; return 0 }), "Ints(1, 2); Predict(v0)", true},
	{"argument-kept", "writes what was there and more", "Ints", ops("Predict([]int) int", func(a []any) any { a[0].([]int)[0] += 5; return 0 }), "Ints(1, 2); Predict(v0)", false},
	{"argument-kept", "clears", "Ints", ops("Predict([]int) int", func(a []any) any { clear(a[0].([]int)); return 0 }), "Ints(1, 2); Predict(v0)", false},
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
	{"add-has", "another value is returned", "NewPot Has", ops("(*T).Add(int) *p.T", func(a []any) any { return &pot{} }), "NewPot(); Add(v0, 1)", true},
	{"round-trip", "says that it is no proper value", "NewPot MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} },
		"(*T).IsValid() bool", func(a []any) any { return false }), "NewPot(); MarshalText(v0)", true},
	{"valid-text", "good", "NewPot MarshalText", nil, "NewPot(); MarshalText(v0)", true},
	{"valid-text", "not UTF-8", "NewPot", ops("(*T).MarshalText() ([]byte, error)", func([]any) any { return many{[]byte("\xff"), nil} }), "NewPot(); MarshalText(v0)", false},
	{"valid-json", "good", "NewPot MarshalJSON", nil, "NewPot(); MarshalJSON(v0)", true},
	{"valid-json", "not JSON", "NewPot", ops("(*T).MarshalJSON() ([]byte, error)", func([]any) any { return many{[]byte("{a:1}"), nil} }), "NewPot(); MarshalJSON(v0)", false},
	{"round-trip", "good", "NewPot Grow MarshalText UnmarshalText", nil, "NewPot(); Grow(v0, 3); MarshalText(v0)", true},
	{"round-trip", "cannot read", "NewPot MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }), "NewPot(); MarshalText(v0)", false},
	{"round-trip", "of text that is no UTF-8, which it hides", "MarshalText", ops("Named(string) *p.T", newPot, "(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }), `Named("\xff"); MarshalText(v0)`, true},
	{"round-trip", "of text, which it hides", "MarshalText", ops("Named(string) *p.T", newPot, "(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }), `Named("x"); MarshalText(v0)`, false},
	{"round-trip", "loses", "NewPot Grow MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{nil} }), "NewPot(); Grow(v0, 3); MarshalText(v0)", false},
	{"round-trip", "no data for no value", "NewPot Grow", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any {
		if po(a).n == 3 {
			return many{[]byte{}, nil}
		}
		return many{[]byte("some"), nil}
	}, "(*T).UnmarshalText([]byte) error", func(a []any) any { return many{nil} }), "NewPot(); Grow(v0, 3); MarshalText(v0)", true},
	{"round-trip", "not equal", "NewPot Grow MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{nil} },
		"(*T).Equal(*p.T) bool", func(a []any) any { return po(a).n == a[1].(*pot).n }), "NewPot(); Grow(v0, 3); MarshalText(v0)", false},
	{"round-trip", "of nil", "MarshalText", ops("None() *p.T", func([]any) any { return (*pot)(nil) },
		"(*T).MarshalText() ([]byte, error)", func([]any) any { return many{[]byte("null"), nil} },
		"(*T).UnmarshalText([]byte) error", func([]any) any { return many{errors.New("no")} }), "None(); MarshalText(v0)", true},
	{"round-trip", "in an order of chance", "NewPot Push", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any {
		if po(a).n++; po(a).n%9 == 2 {
			return many{[]byte("ba"), nil}
		}
		return many{[]byte("ab"), nil}
	}, "(*T).UnmarshalText([]byte) error", func(a []any) any { po(a).n = 1; return many{nil} }), "NewPot(); MarshalText(v0)", true},
	{"decode-copies", "in an order of chance", "NewPot", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any {
		if po(a).n++; po(a).n%9 == 2 {
			return many{[]byte("ba"), nil}
		}
		return many{[]byte("ab"), nil}
	}, "(*T).UnmarshalText([]byte) error", func(a []any) any { return many{nil} }), "NewPot(); MarshalText(v0)", true},
	{"round-trip", "by chance", "NewPot UnmarshalText", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any { po(a).n++; return many{[]byte(strconv.Itoa(po(a).n)), nil} }), "NewPot(); MarshalText(v0)", true},
	{"decode-copies", "good", "NewPot Grow MarshalText UnmarshalText", nil, "NewPot(); Grow(v0, 3); MarshalText(v0)", true},
	{"decode-copies", "keeps the input", "NewPot", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any { return many{append([]byte("x"), bytes.TrimPrefix(po(a).text, []byte("x"))...), nil} },
		"(*T).UnmarshalText([]byte) error", func(a []any) any { po(a).text = a[1].([]byte); return many{nil} }), "NewPot(); MarshalText(v0)", false},
	{"appends", "good", "NewPot Bytes MarshalText AppendText", nil, `NewPot(); Bytes("ab"); AppendText(v0, v1)`, true},
	{"appends", "overwrites", "NewPot Bytes MarshalText", ops("(*T).AppendText([]byte) ([]byte, error)", func(a []any) any { return many{append(a[1].([]byte)[:0], '0'), nil} }), `NewPot(); Bytes("ab"); AppendText(v0, v1)`, false},
	{"parse-string", "good", "ParseT String", nil, `ParseT(" 7")`, true},
	{"parse-string", "prints what it cannot parse", "ParseT", ops("(*T).String() string", func([]any) any { return "pot" }), `ParseT("7")`, false},
	{"parse-string", "drifts", "ParseT", ops("(*T).String() string", func(a []any) any { return strconv.Itoa(po(a).n + 1) }), `ParseT("7")`, false},
	{"parse-string", "no pot", "ParseT String", nil, `ParseT("x")`, true},
	{"parse-string", "by any name", "", ops("Of(string) (*p.T, error)", func(a []any) any {
		n, err := strconv.Atoi(a[0].(string))
		return many{&pot{n: n}, err}
	}, "(*T).String() string", func(a []any) any { return "pot" }), `Of("7")`, false},
	{"parse-equal", "good", "ParseT String", nil, `ParseT(" 7")`, true},
	{"parse-equal", "rounded", "ParseT", ops("(*T).String() string", func(a []any) any { return strconv.Itoa(po(a).n / 2 * 2) }), `ParseT("7")`, false},
	{"parse-equal", "refused", "ParseT", ops("(*T).String() string", func([]any) any { return "pot" }), `ParseT("7")`, true},
	{"inverse", "with options", "", ops("Pack(int, ...int) string", func(a []any) any { return strconv.Itoa(at(a, 0)) }, "Unpack(string, ...int) int", func(a []any) any { return len(a[0].(string)) }), "Pack(7)", false},
	{"inverse", "of an accessor", "", ops("NewPotFromInt64(int) *p.T", func(a []any) any { return &pot{n: at(a, 0)} }, "(*T).InexactInt() int", func(a []any) any { return po(a).n }), "NewPotFromInt64(7)", true},
	{"inverse", "of an accessor that forgets", "", ops("NewPotFromInt(int, string) *p.T", func(a []any) any { return &pot{n: at(a, 0)} }, "(*T).Int() int", func(a []any) any { return po(a).n % 5 }), `NewPotFromInt(7, "a")`, false},
	{"inverse", "of an accessor, of a number that another scales", "", ops("NewPotFromInt(int, int) *p.T", func(a []any) any { return &pot{n: at(a, 0)} }, "(*T).Int() int", func(a []any) any { return po(a).n % 5 }), "NewPotFromInt(7, 2)", true},
	{"inverse", "of an accessor of something else", "", ops("NewPotFromInt(int) *p.T", func(a []any) any { return &pot{n: at(a, 0)} }, "(*T).HalfInt() int", func(a []any) any { return po(a).n / 2 }), "NewPotFromInt(7)", true},
	{"inverse", "with an option", "", ops("Pack(int, ...int) string", func(a []any) any { return strconv.Itoa(at(a, 0)) }, "Unpack(string, ...int) int", func(a []any) any { return len(a[0].(string)) }), "Pack(7, 2)", true},
	{"inverse", "into the receiver", "NewPot Grow", ops("(*T).Pack() ([]byte, error)", func(a []any) any { return many{[]byte(strconv.Itoa(po(a).n)), nil} }, "(*T).Unpack([]byte) error", func(a []any) any {
		po(a).n, _ = strconv.Atoi(string(a[1].([]byte)))
		return many{nil}
	}), "NewPot(); Grow(v0, 3); Pack(v0)", true},
	{"inverse", "half into the receiver", "NewPot Grow", ops("(*T).Pack() ([]byte, error)", func(a []any) any { return many{[]byte(strconv.Itoa(po(a).n)), nil} }, "(*T).Unpack([]byte) error", func(a []any) any {
		n, _ := strconv.Atoi(string(a[1].([]byte)))
		po(a).n = n / 2
		return many{nil}
	}), "NewPot(); Grow(v0, 3); Pack(v0)", false},
	{"inverse", "good", "", ops("EncodeN(int) string", func(a []any) any { return strconv.Itoa(at(a, 0)) }, "DecodeN(string) (int, error)", func(a []any) any {
		n, err := strconv.Atoi(a[0].(string))
		return many{n, err}
	}), "EncodeN(7)", true},
	{"inverse", "another number", "", ops("EncodeN(int) string", func(a []any) any { return strconv.Itoa(at(a, 0) / 2) }, "DecodeN(string) (int, error)", func(a []any) any {
		n, err := strconv.Atoi(a[0].(string))
		return many{n, err}
	}), "EncodeN(7)", false},
	{"inverse", "one value of many texts", "", ops("HexToNum(string) int", func(a []any) any { return 0 }, "NumToHex(int) string", func(a []any) any { return "0" }), `HexToNum("00")`, true},
	{"inverse", "with another key", "", ops("Pack(int, int) string", func(a []any) any { return strconv.Itoa(at(a, 0) + at(a, 1)) }, "Unpack(string, int) int", func(a []any) any {
		n, _ := strconv.Atoi(a[0].(string))
		return n - at(a, 1)
	}), "Pack(7, 2)", true},
	{"inverse", "of other types", "", ops("Pack(int, int) string", func(a []any) any { return "" }, "Unpack(string) int", func(a []any) any { return 0 }), "Pack(7, 2)", true},
	{"inverse", "no text for no value", "", ops("Pack(int) string", func(a []any) any { return "" }, "Unpack(string) int", func(a []any) any { return 3 }), "Pack(7)", true},
	{"inverse", "no text for a text", "", ops("Pack(string) string", func(a []any) any { return "" }, "Unpack(string) string", func(a []any) any { return "" }), `Pack("a")`, false},
	{"inverse", "refused", "", ops("Pack(int) (string, error)", func(a []any) any { return many{"", errors.New("no")} }, "Unpack(string) int", func(a []any) any { return 0 }), "Pack(7)", true},
	{"inverse", "an empty list for none", "", ops("Pack([]int) string", func(a []any) any { return "x" }, "Unpack(string) []int", func(a []any) any { return []int(nil) }, "None() []int", func(a []any) any { return []int{} }), "None(); Pack(v0)", true},
	{"inverse", "into a pointer", "", ops("Marshal(any) (string, error)", func(a []any) any { return many{fmt.Sprint(a[0]), nil} }, "Unmarshal(string, any) error", func(a []any) any {
		*a[1].(*int), _ = strconv.Atoi(a[0].(string))
		return many{nil}
	}), "Marshal(7)", true},
	{"inverse", "another into a pointer", "", ops("Marshal(any) (string, error)", func(a []any) any { return many{fmt.Sprint(a[0]), nil} }, "Unmarshal(string, any) error", func(a []any) any { return many{nil} }), "Marshal(7)", false},
	{"inverse-text", "of an object", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{strconv.Itoa(po(a).n), nil} }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-text", "half of an object", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{strconv.Itoa(po(a).n), nil} }, "DecodeT(string) (*p.T, error)", reads(2)), "NewPot(); Grow(v0, 3); Encode(v0)", false},
	{"inverse-text", "of lines", "NewPot Grow", ops("(*T).Pack(int) string", func(a []any) any { return strconv.Itoa(po(a).n) }, "UnpackT([]string) (*p.T, error)", reads(2)), "NewPot(); Grow(v0, 3); Pack(v0, 1)", false},
	{"inverse-text", "refused", "NewPot Grow", ops("Encode(*p.T) string", func(a []any) any { return "pot" }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", false},
	{"inverse-text", "refused, of which another law tells", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", nil} }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-text", "another each time", "NewPot Grow", ops("Encode(*p.T) string", func(a []any) any { po(a).n++; return strconv.Itoa(po(a).n) }, "DecodeT(string) (*p.T, error)", reads(2)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-accepts", "good", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{strconv.Itoa(po(a).n), nil} }, "DecodeT(string) (*p.T, error)", reads(2)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"inverse-accepts", "refused", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", nil} }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", false},
	{"inverse-accepts", "not written", "NewPot Grow", ops("Encode(*p.T) (string, error)", func(a []any) any { return many{"pot", errors.New("no")} }, "DecodeT(string) (*p.T, error)", reads(1)), "NewPot(); Grow(v0, 3); Encode(v0)", true},
	{"copy-shows", "good", "NewPot Add Keys Clone", nil, "NewPot(); Add(v0, 1); Clone(v0)", true},
	{"copy-shows", "without its elements", "NewPot Add Keys", ops("(*T).Clone() *p.T", func(a []any) any { return &pot{n: po(a).n} }), "NewPot(); Add(v0, 1); Clone(v0)", false},
	{"copy-shows", "in an order of chance", "NewPot Add Clone", ops("(*T).Keys() []int", func(a []any) any { po(a).n++; return []int{po(a).n % 7} }), "NewPot(); Add(v0, 1); Clone(v0)", true},
	{"decode-anew", "good", "NewPot Bytes Grow UnmarshalText", nil, `NewPot(); Grow(v0, 3); Bytes("2"); UnmarshalText(v0, v1)`, true},
	{"decode-anew", "adds", "NewPot Bytes Grow", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { po(a).n += len(a[1].([]byte)); return many{nil} }), `NewPot(); Grow(v0, 3); Bytes("2"); UnmarshalText(v0, v1)`, false},
	{"decode-anew", "refused", "NewPot Bytes Grow", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }), `NewPot(); Grow(v0, 3); Bytes("2"); UnmarshalText(v0, v1)`, true},
	{"leaves-others", "good", "NewPot Keys", ops("(*T).With(int) *p.T", func(a []any) any { return &pot{keys: append(slices.Clone(po(a).keys), at(a, 1))} }), "NewPot(); With(v0, 1); With(v1, 2); With(v1, 3)", true},
	{"leaves-others", "shares spare room", "NewPot Keys", ops("(*T).With(int) *p.T", func(a []any) any {
		if po(a).keys == nil {
			po(a).keys = make([]int, 0, 8)
		}
		return &pot{keys: append(po(a).keys, at(a, 1))}
	}), "NewPot(); With(v0, 1); With(v0, 2)", false},
	{"leaves-others", "changes its receiver, too", "NewPot Keys", ops("(*T).With(int) *p.T", func(a []any) any { po(a).keys = append(po(a).keys, at(a, 1)); return po(a) }), "NewPot(); With(v0, 1); With(v0, 2)", true},
	{"io-count", "good", "NewPot Bytes Write", nil, `NewPot(); Bytes("ab"); Write(v0, v1)`, true},
	{"io-count", "short and silent", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { return many{1, nil} }), `NewPot(); Bytes("ab"); Write(v0, v1)`, false},
	{"io-count", "short with an error", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { return many{1, errors.New("short")} }), `NewPot(); Bytes("ab"); Write(v0, v1)`, true},
	{"io-count", "too many", "NewPot Bytes", ops("(*T).Read([]byte) (int, error)", func(a []any) any { return many{3, nil} }), `NewPot(); Bytes("ab"); Read(v0, v1)`, false},
	{"io-count", "short read", "NewPot Bytes Read", nil, `NewPot(); Bytes("ab"); Read(v0, v1)`, true},
	{"io-count", "writes into what it writes", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { a[1].([]byte)[0] = 0; return many{2, nil} }), `NewPot(); Bytes("ab"); Write(v0, v1)`, false},
	{"io-count", "writes into its own buffer", "NewPot", ops("(*T).Write([]byte) (int, error)", func(a []any) any { a[1].([]byte)[0]++; return many{2, nil} },
		"(*T).Room() []byte", func(a []any) any { return []byte("ab") }), "NewPot(); Room(v0); Write(v0, v1)", true},
	{"io-count", "before the start", "NewPot", ops("(*T).Seek(int64, int) (int64, error)", func(a []any) any { return many{int64(-1), nil} }), `NewPot(); Seek(v0, 1, 1)`, false},
	{"unread-read", "good", "NewPot ReadByte UnreadByte", nil, "NewPot(); ReadByte(v0)", true},
	{"unread-read", "does not go back", "NewPot ReadByte", ops("(*T).UnreadByte() error", func([]any) any { return many{nil} }), "NewPot(); ReadByte(v0)", false},
	{"unread-read", "refuses", "NewPot ReadByte", ops("(*T).UnreadByte() error", func([]any) any { return many{errors.New("no")} }), "NewPot(); ReadByte(v0)", true},
	{"hash-sum", "good", "NewPot Bytes Sum Size BlockSize", nil, `NewPot(); Bytes("ab"); Sum(v0, v1)`, true},
	{"hash-sum", "changes state", "NewPot Bytes Size BlockSize", ops("(*T).Sum([]byte) []byte", func(a []any) any { po(a).n++; return append(a[1].([]byte), byte(po(a).n)) }), `NewPot(); Bytes("ab"); Sum(v0, v1)`, false},
	{"hash-sum", "another size", "NewPot Bytes Sum BlockSize", ops("(*T).Size() int", func([]any) any { return 2 }), `NewPot(); Bytes("ab"); Sum(v0, v1)`, false},
	{"seek-lands", "good", "NewIter SeekGE Key", nil, "NewIter(2); SeekGE(v0, 3)", true},
	{"seek-lands", "stands on less", "NewIter SeekGE", ops("(*Iter).Key() int", func(a []any) any { return 0 }), "NewIter(2); SeekGE(v0, 3)", false},
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
	{"argument-kept", "another than it is about", "Ints", ops("Drop([]string, []int) []string", func(a []any) any { slices.Sort(a[1].([]int)); return a[0] },
		"Words() []string", func([]any) any { return []string{"a"} }), "Words(); Ints(2, 1); Drop(v0, v1)", false},
	{"set-at", "good", "", square(func(m []int, i, j, x int) { m[2*i+j] = x }), "NewGrid(); Set(v0, 0, 1, 7)", true},
	{"set-at", "symmetric", "", square(func(m []int, i, j, x int) { m[2*i+j], m[2*j+i] = x, x }), "NewGrid(); Set(v0, 0, 1, 7)", true},
	{"set-at", "rows overlap", "", square(func(m []int, i, j, x int) { m[j], m[2+j] = x, x }), "NewGrid(); Set(v0, 0, 1, 7)", false},
	{"set-at", "not there", "", square(func(m []int, i, j, x int) {}), "NewGrid(); Set(v0, 0, 1, 7)", false},
	{"set-at", "outside", "", square(func(m []int, i, j, x int) {}), "NewGrid(); Set(v0, 5, 1, 7)", true},
	{"set-at", "one index", "Len Push NewPot", ops("(*T).At(int) int", func(a []any) any { return po(a).keys[at(a, 1)] }, "(*T).Set(int, int)", func(a []any) any { po(a).keys[0] = at(a, 2); return many{} }),
		"NewPot(); Push(v0, 1); Push(v0, 2); Set(v0, 1, 7)", false},
	{"sort-swap", "good", "Len Push NewPot", ops("(*T).Less(int, int) bool", lessAt, "(*T).Swap(int, int)", func(a []any) any {
		k := po(a).keys
		k[at(a, 1)], k[at(a, 2)] = k[at(a, 2)], k[at(a, 1)]
		return many{}
	}), "NewPot(); Push(v0, 1); Push(v0, 2); Swap(v0, 0, 1)", true},
	{"sort-swap", "does nothing", "Len Push NewPot", ops("(*T).Less(int, int) bool", lessAt, "(*T).Swap(int, int)", func([]any) any { return many{} }), "NewPot(); Push(v0, 1); Push(v0, 2); Swap(v0, 0, 1)", false},
	{"sort-swap", "out of range", "Len NewPot", ops("(*T).Less(int, int) bool", lessAt, "(*T).Swap(int, int)", func([]any) any { return many{} }), "NewPot(); Swap(v0, 0, 1)", true},
	{"write-copies", "good", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { po(a).text = slices.Clone(a[1].([]byte)); return many{2, nil} },
		"(*T).String() string", func(a []any) any { return string(po(a).text) }), `NewPot(); Bytes("ab"); Write(v0, v1)`, true},
	{"write-copies", "keeps the buffer", "NewPot Bytes", ops("(*T).Write([]byte) (int, error)", func(a []any) any { po(a).text = a[1].([]byte); return many{2, nil} },
		"(*T).String() string", func(a []any) any { return string(po(a).text) }), `NewPot(); Bytes("ab"); Write(v0, v1)`, false},
	{"write-copies", "its own bytes, by way of another call", "NewPot", ops("(*T).Write([]byte) (int, error)", func(a []any) any { return many{2, nil} },
		"(*T).Raw() []byte", func(a []any) any { po(a).text = []byte("ab"); return po(a).text }, "Trim([]byte) []byte", func(a []any) any { return a[0] },
		"(*T).String() string", func(a []any) any { return string(po(a).text) }), "NewPot(); Raw(v0); Trim(v1); Write(v0, v2)", true},
	{"hash-write", "good", "NewPot Bytes Write Sum BlockSize", nil, `NewPot(); Bytes("ab"); Write(v0, v1)`, true},
	{"hash-write", "fails", "NewPot Bytes Sum BlockSize", ops("(*T).Write([]byte) (int, error)", func([]any) any { return many{0, errors.New("full")} }), `NewPot(); Bytes("ab"); Write(v0, v1)`, false},
	{"typed-nil", "good", "NewPot", ops("(*T).Do() error", func([]any) any { return many{nil} }), "NewPot(); Do(v0)", true},
	{"typed-nil", "an error", "NewPot", ops("(*T).Do() error", func([]any) any { return many{errors.New("no")} }), "NewPot(); Do(v0)", true},
	{"typed-nil", "a pointer that is nil", "NewPot", ops("(*T).Do() error", func([]any) any { return many{(*potError)(nil)} }), "NewPot(); Do(v0)", false},
	{"typed-nil", "what it was given", "", ops("Made() error", func([]any) any { return many{(*potError)(nil)} }, "Wrap(error) error", func(a []any) any { return many{a[0]} }), "Made(); Wrap(v0)", true},
	{"error-unwraps", "good", "NewPot", ops("(*T).Do() error", func([]any) any { return many{fmt.Errorf("no: %w", errors.New("not"))} }), "NewPot(); Do(v0)", true},
	{"error-unwraps", "a long list", "NewPot", ops("(*T).Do() error", func([]any) any { return many{deepError(1000)} }), "NewPot(); Do(v0)", true},
	{"error-unwraps", "itself", "NewPot", ops("(*T).Do() error", func([]any) any { return many{new(potError)} }), "NewPot(); Do(v0)", false},

	{"put-get", "what is not nil is lost", "NewPot", ops("(*T).Put(int, any)", idle, "(*T).Get(int) (any, bool)", absent), "NewPot(); Put(v0, 1, 2)", false},
	{"put-get", "nil is lost", "NewPot", ops("(*T).Put(int, any)", idle, "(*T).Get(int) (any, bool)", absent), "NewPot(); Put(v0, 1, nil)", true},
	{"add-has", "nil is lost", "NewPot", ops("(*T).Set(int, any)", idle, "(*T).Has(int) bool", func([]any) any { return false }), "NewPot(); Set(v0, 1, nil)", true},
	{"add-keeps-others", "nil takes one away", "NewPot Add Has Keys", ops("(*T).Set(int, any)", func(a []any) any { po(a).keys = nil; return many{} }), "NewPot(); Add(v0, 2); Set(v0, 1, nil)", true},
	{"push-len", "drops nil", "NewPot Len", ops("(*T).Push(any)", idle), "NewPot(); Push(v0, nil)", true},
	{"set-at", "nil takes away", "Len NewPot Add", ops("(*T).At(int) any", func([]any) any { return 1 }, "(*T).Set(int, any)", idle), "NewPot(); Add(v0, 1); Set(v0, 0, nil)", true},
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

func idle([]any) any   { return many{} }
func absent([]any) any { return many{nil, false} }

func pile(push func(p *pot, k int)) map[string]func([]any) any {
	return ops("NewStack() *p.Stack", newPot, "(*Stack).Push(int)", func(a []any) any { push(po(a), at(a, 1)); return many{} },
		"(*Stack).Pop() (int, bool)", good["(*T).Pop() (int, bool)"])
}

// lawTable builds the table of a case, and a Caller of its operations.
func lawTable(t *testing.T, names string, bad map[string]func([]any) any) (*seqtest.Builder, *fake) {
	t.Helper()
	impl := map[string]func([]any) any{}
	for _, name := range strings.Fields(names) {
		found := false
		for sig, f := range good {
			if strings.HasPrefix(sig, name+"(") || strings.Contains(sig, ")."+name+"(") {
				impl[sig], found = f, true
			}
		}
		if !found {
			t.Fatalf("no operation %s", name)
		}
	}
	for sig, f := range bad {
		impl[sig] = f
	}
	b, f := bind(impl)
	for i := range b.Table.Ops {
		b.Table.Ops[i].Doc = "It does what it should: the least that is greater or equal. It returns a copy."
	}
	for i := range b.Table.Types {
		b.Table.Types[i].ByValue = strings.HasPrefix(b.Table.Types[i].Name, "*")
	}
	return b, f
}

func boxed(b *seqtest.Builder, text string) seq.Sequence {
	s := b.Steps(text)
	for i := range s {
		for j, a := range s[i].Args {
			if a.Lit == nil {
				continue
			}
			a.Lit.Boxed = a.Lit.Value
			if n, is := a.Lit.Value.(int64); is && b.Table.Types[b.Table.Ops[s[i].Op].Param(j)].Name == "int" {
				a.Lit.Boxed = int(n)
			}
		}
	}
	return s
}

func TestLaws(t *testing.T) {
	bound, broken := map[string]bool{}, map[string]bool{}
	for _, test := range slices.Concat(lawCases, interfaceCases, decodedCases, writtenCases) {
		t.Run(test.law+"/"+test.name, func(t *testing.T) {
			b, f := lawTable(t, test.ops, test.bad)
			s := boxed(b, test.steps)
			for _, l := range Laws(&b.Table) {
				bound[l.Name] = true
			}
			v, held := uphold(b, f, s, test.law)
			if !held && !test.want {
				t.Fatal("the law is not bound to the last call")
			}
			if holds := v == nil; holds != test.want {
				t.Fatalf("holds: %v, want %v: %+v", holds, test.want, v)
			}
			if v == nil {
				return
			}
			broken[test.law] = true
			if v.Contract != test.law || v.Assert == "" || v.Rule == "" || v.Reason == "" || v.Message == "" || v.Steps != len(s) || v.Tier == engine.Illegal {
				t.Errorf("incomplete verdict %+v", v)
			}
			if strings.Contains(v.Assert, "before") && v.Before == "" && !strings.Contains(v.Assert, "before, _ :=") {
				t.Errorf("%s refers to nothing", v.Assert)
			}
		})
	}
	for law := range bound {
		if !broken[law] {
			t.Errorf("law %s: no case breaks it", law)
		}
	}
}

// A value that was made of an iterator's elements is none to decode into, as one made by a function is.
func TestRoundTripIntoEmpty(t *testing.T) {
	b, f := lawTable(t, "MarshalText", ops("(*T).UnmarshalText([]byte) error", func(a []any) any { return many{errors.New("no")} }, "From(func(func(int) bool)) *p.T", newPot))
	for _, s := range []seq.Shape{seq.Yield, seq.Constant} {
		b.Add(seq.FuncLit, s.String()+"() func(func(int) bool)", seqtest.Shaped(s))
		f.ops[seq.OpID(len(b.Table.Ops)-1)] = func([]any) any { return func(func(int) bool) {} }
	}
	for steps, breaks := range map[string]bool{"yield(); From(v0); MarshalText(v1)": false, "constant(); From(v0); MarshalText(v1)": true} {
		if v, _ := uphold(b, f, boxed(b, steps), "round-trip"); (v != nil) != breaks {
			t.Errorf("%s: verdict %+v, want one: %t", steps, v, breaks)
		}
	}
}

// uphold holds the law of that name against the last step of s, put-get as if the package
// had kept it before.
func uphold(b *seqtest.Builder, c Caller, s seq.Sequence, name string) (v *engine.Verdict, held bool) {
	for _, l := range Laws(&b.Table) {
		if l.Name == name && l.On == s[len(s)-1].Op && v == nil {
			if name == "put-get" {
				l.Claim = engine.ClaimKept
			}
			v, _ = l.Hold(c, &b.Table, s, false)
			held = true
		}
	}
	return v, held
}

// Text that is not UTF-8 need not survive, wherever the value keeps it.
func TestGivesBadText(t *testing.T) {
	for text, want := range map[string]bool{"": false, "é": false, "\xff": true, "a\xc3": true} {
		s := seq.Sequence{{Args: []seq.Arg{seq.Slot(0)}}, {Args: []seq.Arg{seq.Slot(0), seq.Lit(&seq.Literal{Value: text})}}}
		if got := givesBadText(s); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A tally is a Caller that counts contexts.
type tally struct {
	Caller
	kept, broken int
}

func (y *tally) Count(_ *Law, _ *Call, holds bool) {
	if y.broken++; holds {
		y.kept, y.broken = y.kept+1, y.broken-1
	}
}

// A law is kept in a context only if it compared something, which was as it should be.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		law, ops     string
		bad          map[string]func([]any) any
		steps        string
		kept, broken int
	}{
		{"add-has", "NewPot Add Has", nil, "NewPot(); Add(v0, 1)", 1, 0},
		{"add-has", "NewPot Has", ops("(*T).Add(int)", idle), "NewPot(); Add(v0, 1)", 0, 1},
		{"add-has", "NewPot Add", ops("(*T).Has(int) bool", panics), "NewPot(); Add(v0, 1)", 0, 0},
		{"parse-string", "ParseT String", nil, `ParseT("7")`, 1, 0},
		{"round-trip", "NewPot UnmarshalText", ops("(*T).MarshalText() ([]byte, error)", func(a []any) any { po(a).n++; return many{[]byte(strconv.Itoa(po(a).n)), nil} }), "NewPot(); MarshalText(v0)", 0, 0},
		{"copy-independent", "NewPot Add Keys Clone", nil, "NewPot(); Clone(v0); Add(v1, 2)", 1, 0},
		{"copy-shows", "NewPot Add Keys Clone", nil, "NewPot(); Add(v0, 1); Clone(v0)", 1, 0},
		{"leaves-others", "NewPot Keys", ops("(*T).With(int) *p.T", func(a []any) any { return &pot{keys: append(slices.Clone(po(a).keys), at(a, 1))} }), "NewPot(); With(v0, 1); With(v0, 2)", 1, 0},
	} {
		b, f := lawTable(t, test.ops, test.bad)
		y := &tally{Caller: f}
		if _, held := uphold(b, y, boxed(b, test.steps), test.law); !held || y.kept != test.kept || y.broken != test.broken {
			t.Errorf("%s, %s: held %t, kept in %d contexts, broken in %d, want %d and %d", test.law, test.steps, held, y.kept, y.broken, test.kept, test.broken)
		}
	}
}

// BenchmarkRun runs a sequence whose values may be tainted and holds a law at each step.
func BenchmarkRun(b *testing.B) {
	table := doubtTable()
	s := table.Steps("New(1)" + strings.Repeat("; Child(v0)", 31))
	law := &Law{On: s[1].Op, Check: func(*Call, any) *Breach { return nil }}
	laws := func(i int) []*Law { return []*Law{law} }
	results := []any{new(int)}
	b.ReportAllocs()
	for b.Loop() {
		Run(constantCaller{results}, &table.Table, s, true, laws)
	}
}

// A constantCaller returns the same from every call.
type constantCaller struct{ results []any }

func (c constantCaller) Call(seq.OpID, ...any) ([]any, any) { return c.results, nil }
