package contract

import (
	"errors"
	"fmt"
	"maps"
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

func (p *pot) add(k int) {
	if !slices.Contains(p.keys, k) {
		p.keys = append(p.keys, k)
	}
}

func (p *pot) remove(k int) { p.keys = slices.DeleteFunc(p.keys, func(x int) bool { return x == k }) }

func newPot([]any) any      { return &pot{vals: map[int]int{}} }
func at(a []any, i int) int { return a[i].(int) }
func po(a []any) *pot       { return a[0].(*pot) }

// many are the results of an operation that has several, or none.
type many []any

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
	"(*Iter).Key() int":        func(a []any) any { return po(a).n },
	"NewIter(int) *p.Iter":     func(a []any) any { return &pot{keys: make([]int, at(a, 0)), n: -1} },
	"(*Iter).Begin()":          func(a []any) any { po(a).n = -1; return many{} },
	"(*Iter).Next() bool":      func(a []any) any { po(a).n++; return po(a).n < len(po(a).keys) },
	"(*Iter).Last() bool":      func(a []any) any { po(a).n = len(po(a).keys) - 1; return len(po(a).keys) > 0 },
	"(*Iter).First() bool":     func(a []any) any { po(a).n = 0; return len(po(a).keys) > 0 },
	"(*Iter).Index() int":      func(a []any) any { return po(a).n },
	"(*T).All() iter.Seq[int]": func(a []any) any { return slices.Values(po(a).keys) },
}

func lessAt(a []any) any { return po(a).keys[at(a, 1)] < po(a).keys[at(a, 2)] }

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

// lawCases are those of all files.
var lawCases = slices.Concat(
	collectionCases, copiesCases, databasesCases, decodedCases, encodingCases, errorsCases, filesCases, hashingCases, heapCases, inverseCases,
	ownershipCases, persistentCases, readersCases, rereadCases, stacksCases, streamsCases, walksCases,
	xmlCases,
)

func idle([]any) any { return many{} }

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
	for _, test := range lawCases {
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

// with returns the operations of several maps.
func with(list ...map[string]func([]any) any) map[string]func([]any) any {
	all := map[string]func([]any) any{}
	for _, m := range list {
		maps.Copy(all, m)
	}
	return all
}
