package invariant

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Laws are learned from a pile. Each test says how its pile is broken.
type pile struct {
	List  []int
	asked int
}

// lossy makes UnmarshalJSON lose an element now and then.
var lossy bool

func (p *pile) UnmarshalJSON(data []byte) error {
	var from saved
	if err := json.Unmarshal(data, &from); err != nil {
		return err
	}
	p.List, p.asked = from.List, from.Asked
	if lossy && len(p.List) == 7 && p.List[0] == 3 {
		p.List = p.List[1:]
	}
	return nil
}

func (p *pile) MarshalJSON() ([]byte, error) { return json.Marshal(saved{p.List, p.asked}) }

type saved struct {
	List  []int
	Asked int
}

func of(a []any) *pile      { return a[0].(*pile) }
func list(a []any) []int    { return a[0].([]int) }
func number1(a []any) int   { return a[1].(int) }
func pure(a []any) []any    { return []any{slices.Clone(list(a))} }
func equal(a, b *pile) bool { return slices.Equal(a.List, b.List) }
func first(a []any) []any   { return []any{slices.Clone(list(a)[:1])} }
func sums(a []any) []any {
	n := 0
	for _, x := range list(a) {
		n += x
	}
	return []any{[]int{n}}
}
func backwards(a []any) []any { l := slices.Clone(list(a)); slices.Reverse(l); return []any{l} }

// operations are the operations of a correct package, by signature.
var operations = map[string]func([]any) []any{
	"NewPile() *p.Pile":         func([]any) []any { return []any{&pile{}} },
	"List(int, int, int) []int": func(a []any) []any { return []any{[]int{a[0].(int), a[1].(int), a[2].(int)}} },
	"(*Pile).Add(int)":          func(a []any) []any { of(a).List = append(of(a).List, number1(a)); return nil },
	"(*Pile).AddFirst(int)":     func(a []any) []any { of(a).List = slices.Insert(of(a).List, 0, number1(a)); return nil },
	"(*Pile).Drop()": func(a []any) []any {
		if n := len(of(a).List); n > 0 {
			of(a).List = slices.Clone(of(a).List[:n-1])
		}
		return nil
	},
	"(*Pile).DropFirst()": func(a []any) []any {
		if n := len(of(a).List); n > 0 {
			of(a).List = slices.Clone(of(a).List[1:])
		}
		return nil
	},
	"(*Pile).Negate()": func(a []any) []any {
		for i := range of(a).List {
			of(a).List[i] *= -1
		}
		return nil
	},
	"(*Pile).Sort()":               func(a []any) []any { slices.Sort(of(a).List); return nil },
	"(*Pile).Turn()":               func(a []any) []any { slices.Reverse(of(a).List); return nil },
	"(*Pile).Double()":             func(a []any) []any { of(a).List = append(of(a).List, of(a).List...); return nil },
	"(*Pile).Len() int":            func(a []any) []any { return []any{len(of(a).List)} },
	"(*Pile).Values() []int":       func(a []any) []any { return []any{slices.Clone(of(a).List)} },
	"(*Pile).Clone() *p.Pile":      func(a []any) []any { return []any{&pile{List: slices.Clone(of(a).List)}} },
	"(*Pile).Same(*p.Pile) bool":   func(a []any) []any { return []any{equal(of(a), a[1].(*pile))} },
	"(*Pile).Longer(*p.Pile) bool": func(a []any) []any { return []any{len(of(a).List) > len(a[1].(*pile).List)} },
	"(*Pile).Join(*p.Pile) *p.Pile": func(a []any) []any {
		of(a).List = append(slices.Clone(of(a).List), a[1].(*pile).List...)
		return []any{a[0]}
	},
	"(*Pile).Before(*p.Pile) bool":  func(a []any) []any { return []any{slices.Compare(of(a).List, a[1].(*pile).List) < 0} },
	"(*Pile).After(*p.Pile) bool":   func(a []any) []any { return []any{slices.Compare(of(a).List, a[1].(*pile).List) > 0} },
	"(*Pile).Shorter(*p.Pile) bool": func(a []any) []any { return []any{len(of(a).List) < len(a[1].(*pile).List)} },
	"(*Pile).Start(*p.Pile) bool": func(a []any) []any {
		return []any{len(of(a).List) > 0 && len(a[1].(*pile).List) > 0 && of(a).List[0] == a[1].(*pile).List[0]}
	},
	"One([]int) []int": pure, "Two([]int) []int": first, "Three([]int) []int": sums, "Four([]int) []int": backwards,
	"Five([]int) []int": pure, "Six([]int) []int": first, "Seven([]int) []int": sums, "Eight([]int) []int": backwards,
}

// A fake is a table whose operations are functions of this test.
type fake struct {
	t     *seq.Table
	calls []func([]any) []any
}

// few are the operations of a package that shows rare breaches soon.
var few = []string{"NewPile() *p.Pile", "(*Pile).Add(int)", "(*Pile).Sort()", "(*Pile).Len() int", "(*Pile).Values() []int"}

func newFake(planted map[string]func([]any) []any, only ...string) *fake {
	f := &fake{t: &seq.Table{Types: []seq.Type{{}}}}
	all := map[string]func([]any) []any{}
	for _, list := range []map[string]func([]any) []any{operations, planted} {
		for text, call := range list {
			if len(only) == 0 || slices.Contains(only, text) {
				all[text] = call
			}
		}
	}
	texts := make([]string, 0, len(all))
	for text := range all {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	for _, text := range texts {
		f.add(text, all[text])
	}
	return f
}

// add adds an operation: "(*Pile).Add(int)", or "List(int) []int".
func (f *fake) add(text string, call func([]any) []any) {
	recv, rest, method := strings.Cut(text, ").")
	op := seq.Operation{API: true, Name: text}
	if !method {
		rest = text
	} else {
		op.Kind, op.Params = seq.Method, []seq.TypeID{f.typ("*p." + recv[2:])}
	}
	name, rest, _ := strings.Cut(rest, "(")
	params, results, _ := strings.Cut(rest, ")")
	for p := range strings.SplitSeq(params, ", ") {
		if p != "" {
			op.Params = append(op.Params, f.typ(p))
		}
	}
	if results != "" {
		op.Results = []seq.TypeID{f.typ(strings.TrimSpace(results))}
	}
	op.Short, op.Template = name, name+"("+seq.Holes(0, len(op.Params), false)+")"
	if method {
		op.Short, op.Template = recv+")."+name, "$0."+name+"("+seq.Holes(1, len(op.Params)-1, false)+")"
	}
	op.Member = op.Short
	f.t.Ops, f.calls = append(f.t.Ops, op), append(f.calls, call)
}

func (f *fake) typ(name string) seq.TypeID {
	for i := range f.t.Types {
		if f.t.Types[i].Name == name {
			return seq.TypeID(i)
		}
	}
	id := seq.TypeID(len(f.t.Types))
	ty := seq.Type{Name: name, Assignable: []seq.TypeID{id}}
	switch {
	case name == "int":
		ty.Literal, ty.Bits, ty.Basic, ty.Kind = seq.Int, 64, true, seq.BasicType
	case name == "bool":
		ty.Literal, ty.Basic, ty.Kind = seq.Bool, true, seq.BasicType
	case name[0] == '*':
		ty.Kind, ty.Elem, ty.Base, ty.Nilable = seq.PointerType, name[1:], "Pile", true
	default:
		ty.Kind, ty.Elem, ty.Nilable = seq.SliceType, name[2:], true
	}
	f.t.Types = append(f.t.Types, ty)
	return id
}

// Call implements Caller.
func (f *fake) Call(op seq.OpID, args ...any) (results []any, panicked any) {
	defer func() { panicked = recover() }()
	return f.calls[op](args), nil
}

// Do implements Caller.
func (f *fake) Do(call func()) (ok bool) {
	defer func() { ok = recover() == nil }()
	call()
	return true
}

// compose returns a random sequence of n steps.
func (f *fake) compose(r *rand.Rand, n int) seq.Sequence {
	var s seq.Sequence
	for len(s) < n {
		id := seq.OpID(r.IntN(len(f.t.Ops)))
		types := s.SlotTypes(f.t)
		st := seq.Step{Op: id}
		for _, p := range f.t.Ops[id].Params {
			if f.t.Types[p].Literal == seq.Int {
				v := int64(r.IntN(20))
				st.Args = append(st.Args, seq.Lit(&seq.Literal{Type: p, Value: v, Boxed: int(v)}))
				continue
			}
			var fit []int
			for k, ty := range types {
				if ty == p {
					fit = append(fit, k)
				}
			}
			if len(fit) > 0 {
				st.Args = append(st.Args, seq.Slot(fit[r.IntN(len(fit))]))
			}
		}
		if len(st.Args) == len(f.t.Ops[id].Params) {
			s = append(s, st)
		}
	}
	return s
}

func (f *fake) learner() *Learner {
	return New(Config{
		Table: f.t, Running: func(Part) {},
		Sum: func(v any) (uint64, bool) {
			data, _ := json.Marshal(v)
			text := string(data)
			if p, is := v.(*pile); is {
				text += strconv.Itoa(p.asked)
			}
			return fnv(0, text), true
		},
		Excuses: func(op seq.OpID, _ int) bool { return strings.Contains(f.t.Ops[op].Doc, "in place") },
	})
}

// none says that no slot is broken.
func none(int32) bool { return false }

// learn runs sequences until so many verdicts have come, and returns them, with the
// sequence of the last.
func (f *fake) learn(runs, verdicts int) (list []*engine.Verdict, last seq.Sequence) {
	l, r := f.learner(), rand.New(rand.NewPCG(1, 2))
	for i := 0; i < runs && len(list) < verdicts; i++ {
		s := f.compose(r, 12)
		if v := l.Learn(f, s, none); v != nil {
			list, last = append(list, v), s
		}
	}
	return list, last
}

const (
	rare = 200000 // enough runs for each bug
	runs = 20000
)

// plantings are packages with one bug each.
var plantings = []struct {
	want    string // the signature
	planted map[string]func([]any) []any
	only    []string
}{
	{"", nil, nil},
	{"likely-argument-kept:Unique", map[string]func([]any) []any{
		"Unique([]int) []int": func(a []any) []any { return []any{slices.Compact(list(a))} },
	}, nil},
	{"likely-spare-kept:Extend", map[string]func([]any) []any{
		"Extend([]int) []int": func(a []any) []any { return []any{append(list(a), 1)} },
	}, nil},
	{"likely-others-kept:(*Pile).Negate", map[string]func([]any) []any{
		"(*Pile).Clone() *p.Pile": func(a []any) []any { return []any{&pile{List: of(a).List[:len(of(a).List):len(of(a).List)]}} },
		"(*Pile).AddFirst(int)": func(a []any) []any {
			of(a).List = append([]int{number1(a)}, of(a).List...)
			return nil
		},
		"(*Pile).Sort()": func(a []any) []any { of(a).List = slices.Sorted(slices.Values(of(a).List)); return nil },
		"(*Pile).Turn()": func(a []any) []any { of(a).List = backwards([]any{of(a).List})[0].([]int); return nil },
	}, nil},
	{"likely-alias:(*Pile).Join", map[string]func([]any) []any{
		"(*Pile).Join(*p.Pile) *p.Pile": func(a []any) []any {
			from := a[1].(*pile)
			of(a).List = append([]int{0}, of(a).List...)
			of(a).List = append(of(a).List, from.List...)
			return []any{a[0]}
		},
	}, nil},
	{"likely-again:(*Pile).Sort", map[string]func([]any) []any{
		"(*Pile).Sort()": func(a []any) []any {
			slices.Sort(of(a).List)
			if len(of(a).List) == 5 && of(a).List[1]-of(a).List[0] > 11 {
				of(a).List[0]--
			}
			return nil
		},
	}, few},
	{"likely-json:*p.Pile", nil, few},
}

func TestLearn(t *testing.T) {
	for _, tt := range plantings {
		t.Run(tt.want, func(t *testing.T) {
			lossy = strings.Contains(tt.want, "json")
			defer func() { lossy = false }()
			f := newFake(tt.planted, tt.only...)
			n := rare
			if tt.want == "" {
				n = runs
			}
			list, s := f.learn(n, 1)
			var got, messages []string
			for _, v := range list {
				got = append(got, strings.TrimPrefix(v.Signature.String(), "contract:"))
				messages = append(messages, v.Message)
			}
			if want := strings.Fields(tt.want); !slices.Equal(got, want) {
				t.Fatalf("told %q, want %q: %s", got, want, messages)
			}
			if len(list) == 0 {
				return
			}
			v := list[0]
			if v.Evidence == "" || v.Assert == "" {
				t.Errorf("evidence %q, assertion %q; want both", v.Evidence, v.Assert)
			}
			again := f.learner().Show(f, s, none, v.Signature)
			if again == nil || again.Signature != v.Signature || again.Evidence != "" {
				t.Errorf("a fresh learner shows %+v", again)
			}
		})
	}
}

// Equal seeds give equal runs.
func TestLearnRepeats(t *testing.T) {
	f := newFake(plantings[1].planted)
	a, _ := f.learn(runs, 1)
	b, _ := f.learn(runs, 1)
	if fmt.Sprint(len(a), *a[0]) != fmt.Sprint(len(b), *b[0]) {
		t.Errorf("two runs tell %+v and %+v", a, b)
	}
}

// An operation that its documentation excuses is not told, nor does it speak against the
// law.
func TestLearnExcuses(t *testing.T) {
	f := newFake(plantings[1].planted)
	for i := range f.t.Ops {
		if f.t.Ops[i].Short == "Unique" {
			f.t.Ops[i].Doc = "Unique works in place."
		}
	}
	if list, _ := f.learn(runs, 1); len(list) > 0 {
		t.Errorf("told %+v", list[0])
	}
}

// A part that does not return is run no more: as the step that it was, or another, as an
// observer or as encoding/json. The others are.
func TestOff(t *testing.T) {
	f := newFake(nil)
	l, r := f.learner(), rand.New(rand.NewPCG(1, 2))
	ran := map[Part]int{}
	l.Running = func(p Part) { ran[p]++ }
	for range 1000 {
		l.Learn(f, f.compose(r, 12), none)
	}
	parts := slices.Sorted(maps.Keys(ran))
	if n := len(f.t.Ops); len(parts) < n/2 || int(parts[len(parts)-1]) < n {
		t.Fatalf("parts %v of %d operations ran", parts, n)
	}
	for _, off := range parts {
		l := f.learner()
		clear(ran)
		l.Running = func(p Part) { ran[p]++ }
		l.Off(off)
		for range 1000 {
			l.Learn(f, f.compose(r, 12), none)
		}
		if ran[off] > 0 || len(ran) == 0 && l.Table.Ops[off].Kind != seq.Func {
			t.Errorf("part %d is off and ran %d times; the others: %v", off, ran[off], ran)
		}
	}
}
