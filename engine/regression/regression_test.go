package regression

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// The package under test of these tests is a stack of integers, played by [play].
const (
	typeStack seq.TypeID = iota + 1
	typeInt
	typeFunc
	typeBool
	typeInts
)

func table(t *testing.T) *seq.Table {
	t.Helper()
	method := func(name, call string, results []seq.TypeID, params ...seq.TypeID) seq.Operation {
		return seq.Operation{Name: name, Short: "(*Stack)." + name, Member: "(*Stack)." + name, Base: name, Kind: seq.Method, API: true, Template: call, Params: append([]seq.TypeID{typeStack}, params...), Results: results}
	}
	pushAll := method("PushAll", "$0.PushAll($*)", nil, typeInt)
	pushAll.Variadic = true
	spread := method("PushAll spread", "$0.PushAll($1...)", nil, typeInts)
	spread.Spread = true
	return &seq.Table{
		Package: "p", Name: "p", Imports: []seq.Import{{Name: "p", Path: "p"}},
		Types: []seq.Type{
			{},
			{Name: "*p.Stack", Nilable: true, Assignable: []seq.TypeID{typeStack}},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeInt}},
			{Name: "func(int) bool", Nilable: true, Assignable: []seq.TypeID{typeFunc}},
			{Name: "bool", Literal: seq.Bool, Basic: true, Assignable: []seq.TypeID{typeBool}},
			{Name: "[]int", Nilable: true, Assignable: []seq.TypeID{typeInts}},
		},
		Ops: []seq.Operation{
			{Name: "New", Short: "New", Member: "New", Kind: seq.Func, API: true, Template: "p.New()", Results: []seq.TypeID{typeStack}},
			method("Push", "$0.Push($1)", nil, typeInt),
			method("Pop", "$0.Pop()", []seq.TypeID{typeInt}),
			method("Clear", "$0.Clear()", nil),
			method("Len", "$0.Len()", []seq.TypeID{typeInt}),
			method("Has", "$0.Has($1)", []seq.TypeID{typeBool}, typeInt),
			method("Sum", "$0.Sum()", []seq.TypeID{typeInt}), // counts its calls
			method("Self", "$0.Self()", []seq.TypeID{typeStack}),
			method("Each", "$0.Each($1)", nil, typeFunc),
			method("Fail", "$0.Fail()", []seq.TypeID{typeInt}), // panics
			method("Time", "$0.Time()", []seq.TypeID{typeInt}), // another result each time
			method("Kill", "$0.Kill()", []seq.TypeID{typeInt}), // ends the process
			pushAll, spread,
			{Name: "elements", Short: "elements", Kind: seq.Elements, Template: "[]int{$*}", Params: []seq.TypeID{typeInt}, Results: []seq.TypeID{typeInts}, Variadic: true},
			{Name: "func", Short: "func", Kind: seq.FuncLit, Shape: seq.Constant, Template: "func(a int) bool { return $0 }", Params: []seq.TypeID{typeBool}, Results: []seq.TypeID{typeFunc}},
		},
	}
}

// only returns the table with names as the only observers, which makes the
// tests small.
func only(t *testing.T, names ...string) *seq.Table {
	tab := table(t)
	for i := range tab.Ops {
		if op := &tab.Ops[i]; op.API && !slices.Contains(names, op.Name) {
			op.Pre.Blocks = true
		}
	}
	return tab
}

type stack struct {
	list []int
	sums int
}

// play runs a sequence and records it.
func play(t *seq.Table, s seq.Sequence, clock *int) (Run, bool) {
	var vals []any
	var run Run
	made := map[*stack]int{}
	side := func(n int32) {
		if !slices.Contains(run.Sides, n) {
			run.Sides = append(run.Sides, n)
		}
	}
	for _, st := range s {
		arg := func(j int) any {
			if a := st.Args[j]; a.Lit == nil {
				return vals[a.Slot]
			}
			return st.Args[j].Lit.Value
		}
		op := &t.Ops[st.Op]
		step := Step{Pure: true}
		var x *stack
		if len(st.Args) > 0 {
			x, _ = arg(0).(*stack)
		}
		text := func(v any) { step.Results = []Result{{How: Equal, Text: fmt.Sprint(v)}} }
		contents := func() (c string) {
			for _, v := range vals {
				if x, ok := v.(*stack); ok {
					c += fmt.Sprintf("%+v", *x)
				}
			}
			return c
		}
		before := contents()
		var result any
		switch op.Name {
		case "New":
			result = &stack{}
			step.Results = []Result{{How: NotNil}}
		case "Push":
			if n := arg(1).(int64); n < 0 {
				side(1)
			} else {
				x.list = append(x.list, int(n))
			}
		case "Pop":
			result = 0
			if n := len(x.list); n > 0 {
				result, x.list = x.list[n-1], x.list[:n-1]
			} else {
				side(2)
			}
			text(result)
		case "PushAll", "PushAll spread":
			for j := range st.Args[1:] {
				switch v := arg(j + 1).(type) {
				case int64:
					x.list = append(x.list, int(v))
				case []int:
					x.list = append(x.list, v...)
				}
			}
		case "elements":
			list := []int{}
			for j := range st.Args {
				list = append(list, int(arg(j).(int64)))
			}
			result = list
			step.Results = []Result{{How: NotNil}}
		case "Clear":
			x.list = nil
		case "Len":
			result = len(x.list)
			text(result)
		case "Has":
			result = slices.Contains(x.list, int(arg(1).(int64)))
			if len(vals) > 1 {
				side(3)
			}
			text(result)
		case "Sum":
			result = len(x.list)
			x.sums++
			text(result)
		case "Self":
			result = x
			step.Results = []Result{{How: Same, Slot: int32(made[x])}}
		case "Each":
			step.Calls = &Calls{Arg: 1, Text: "[]int{" + strings.Trim(fmt.Sprint(x.list), "[]") + "}", Type: "[]int"}
		case "Fail":
			step.Status = engine.Broken
		case "Time":
			*clock++
			result = *clock
			text(result)
		case "Kill":
			return Run{}, false
		case "func":
			result = "func"
			step.Results = []Result{{How: NotNil}}
		}
		step.Pure = before == contents()
		run.Steps = append(run.Steps, step)
		if step.Status == engine.Broken {
			break
		}
		if x, ok := result.(*stack); ok && op.Name == "New" {
			made[x] = len(vals)
		}
		if len(op.Results) > 0 {
			vals = append(vals, result)
		}
	}
	return run, true
}

func builder(tab *seq.Table) *Builder {
	clock := 0
	return NewBuilder(tab, func(s seq.Sequence) (Run, bool) { return play(tab, s, &clock) })
}

// text shows a test: its steps, each with its assertions.
func text(tab *seq.Table, t Test) string {
	lines := strings.Split(strings.TrimSpace(tab.String(t.Steps)), "\n")
	for i := range lines {
		for _, r := range t.Asserts[i] {
			switch r.How {
			case Equal:
				lines[i] += " == " + r.Text
			case Same:
				lines[i] += fmt.Sprintf(" == v%d", r.Slot)
			case NotNil:
				lines[i] += " != nil"
			}
		}
		if c := t.Calls[i]; c != nil {
			lines[i] += " calls " + c.Text
		}
	}
	return strings.Join(lines, "; ")
}

func TestBuilder(t *testing.T) {
	for _, test := range []struct {
		name      string
		observers string // that are looked for
		in        string
		want      string
	}{
		{"an observer shows the end state", "Len", "v0 := p.New(); v0.Push(3)",
			"v0 := p.New(); v0.Push(3); v1 := v0.Len() == 1"},
		{"results are asserted where they come", "", "v0 := p.New(); v0.Push(3); v1 := v0.Pop()",
			"v0 := p.New(); v0.Push(3); v1 := v0.Pop() == 3"},
		{"a step that no assertion needs goes", "", "v0 := p.New(); v1 := p.New(); v1.Push(1); v0.Push(3); v2 := v0.Pop()",
			"v0 := p.New(); v0.Push(3); v1 := v0.Pop() == 3"},
		{"a step without which a result changes stays", "", "v0 := p.New(); v0.Push(3); v0.Push(4); v1 := v0.Pop(); v2 := v0.Pop()",
			"v0 := p.New(); v0.Push(3); v0.Push(4); v1 := v0.Pop() == 4; v2 := v0.Pop() == 3"},
		{"a step that alone takes a side stays", "Len", "v0 := p.New(); v0.Push(-1)",
			"v0 := p.New(); v0.Push(-1); v1 := v0.Len() == 0"},
		{"no call is asserted twice in one state", "Len", "v0 := p.New(); v1 := v0.Len(); v2 := v0.Len()",
			"v0 := p.New(); v1 := v0.Len() == 0"},
		{"in another state it is", "Len", "v0 := p.New(); v1 := v0.Len(); v0.Push(1); v2 := v0.Len()",
			"v0 := p.New(); v1 := v0.Len() == 0; v0.Push(1); v2 := v0.Len() == 1"},
		{"what changes a value is no observer", "Sum Len", "v0 := p.New(); v0.Push(1)",
			"v0 := p.New(); v0.Push(1); v1 := v0.Len() == 1"},
		{"what panics is no observer", "Fail Len", "v0 := p.New(); v0.Push(1)",
			"v0 := p.New(); v0.Push(1); v1 := v0.Len() == 1"},
		{"what ends the process is no observer", "Kill Len", "v0 := p.New(); v0.Push(1)",
			"v0 := p.New(); v0.Push(1); v1 := v0.Len() == 1"},
		{"what does not repeat itself is not asserted", "", "v0 := p.New(); v1 := v0.Time(); v2 := v0.Pop()",
			"v0 := p.New(); v1 := v0.Pop() == 0"},
		{"observers take arguments in play", "Has", "v0 := p.New(); v0.Push(7)",
			"v0 := p.New(); v0.Push(7); v1 := v0.Has(7) == true"},
		{"… but no others", "Has Len", "v0 := p.New(); v1 := v0.Pop()",
			"v0 := p.New(); v1 := v0.Pop() == 0; v2 := v0.Len() == 0"},
		{"a function is made for an observer that calls one", "Each", "v0 := p.New(); v0.Push(7)",
			"v0 := p.New(); v0.Push(7); v1 := func(a int) bool { return true }; v0.Each(v1) calls []int{7}"},
		{"a step that a later one undoes stays: without it that would change nothing", "Len", "v0 := p.New(); v0.Push(3); v0.Clear()",
			"v0 := p.New(); v0.Push(3); v0.Clear(); v1 := v0.Len() == 0"},
		{"… unless both go", "", "v0 := p.New(); v1 := p.New(); v1.Push(3); v1.Clear(); v2 := v0.Pop()",
			"v0 := p.New(); v1 := v0.Pop() == 0"},
		{"identity is asserted, and slots are numbered anew", "", "v0 := p.New(); v1 := p.New(); v2 := v1.Self()",
			"v0 := p.New(); v1 := v0.Self() == v0"},
		{"what panics is left out", "Len", "v0 := p.New(); v1 := v0.Fail(); v0.Push(2)",
			"v0 := p.New(); v0.Push(2); v1 := v0.Len() == 1"},
		{"only that something is there", "", "v0 := p.New()", "v0 := p.New() != nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := only(t, strings.Fields(test.observers)...)
			s, err := tab.Parse(test.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := builder(tab).Test(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Steps.Check(tab); err != nil {
				t.Fatal(err)
			}
			if text := text(tab, got); text != test.want {
				t.Errorf("got  %s\nwant %s", text, test.want)
			}
		})
	}
}

func TestBuilderRefuses(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     error
	}{
		{"what ends the process", "v0 := p.New(); v1 := v0.Kill()", ErrRun},
		{"what returns nothing that repeats itself", "v0 := p.New(); v1 := v0.Time()", ErrNothing},
	} {
		tab := only(t)
		s, err := tab.Parse(test.in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := builder(tab).Test(s); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// A branch side keeps its step only in the first test that takes it. A sequence
// that comes to the same test as another has none.
func TestBuilderAcrossTests(t *testing.T) {
	tab := only(t, "Len")
	b := builder(tab)
	for _, test := range []struct {
		in, want string
		fresh    []int32
		err      error
	}{
		{"v0 := p.New(); v0.Push(-1)", "v0 := p.New(); v0.Push(-1); v1 := v0.Len() == 0", []int32{1}, nil},
		{"v0 := p.New(); v0.Push(-2)", "v0 := p.New(); v1 := v0.Len() == 0", nil, nil},
		{"v0 := p.New(); v0.Push(-3)", "", nil, ErrTwice},
	} {
		s, err := tab.Parse(test.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.Test(s)
		if !errors.Is(err, test.err) {
			t.Fatalf("%s: %v, want %v", test.in, err, test.err)
		}
		if err == nil && (text(tab, got) != test.want || !slices.Equal(got.Fresh, test.fresh)) {
			t.Errorf("%s: %s with fresh sides %v, want %s with %v", test.in, text(tab, got), got.Fresh, test.want, test.fresh)
		}
	}
}

// Sequences that differ in values only are asked the same.
func TestBuilderAsksAlike(t *testing.T) {
	tab := only(t, "Len", "Has", "Self", "Each")
	b := builder(tab)
	b.Observers = 1
	ops := map[seq.OpID]bool{}
	for _, in := range []string{"v0 := p.New(); v0.Push(1)", "v0 := p.New(); v0.Push(2)", "v0 := p.New(); v0.Push(3)"} {
		s, err := tab.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.Test(s)
		if err != nil {
			t.Fatal(err)
		}
		ops[got.Steps[len(got.Steps)-1].Op] = true
	}
	if len(ops) != 1 {
		t.Errorf("%d observers for sequences of one shape, want 1", len(ops))
	}
}

// A value has one name even if calls return it again, and a list of arguments
// is no slice.
func TestBuilderDirect(t *testing.T) {
	tab := only(t, "Len")
	for _, test := range []struct{ in, want string }{
		{"v0 := p.New(); v1 := v0.Self(); v2 := v1.Self(); v2.Push(1)", "v0 := p.New(); v1 := v0.Self() == v0; v0.Push(1); v2 := v0.Len() == 1"},
		{"v0 := p.New(); v1 := []int{4, 5}; v0.PushAll(v1...)", "v0 := p.New(); v0.PushAll(4, 5); v1 := v0.Len() == 2"},
		{"v0 := p.New(); v1 := []int{4}; v0.PushAll(v1...); v0.PushAll(v1...)", "v0 := p.New(); v1 := []int{4}; v0.PushAll(v1...); v0.PushAll(v1...); v2 := v0.Len() == 2"},
	} {
		s, err := tab.Parse(test.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := builder(tab).Test(s)
		if err != nil {
			t.Fatal(err)
		}
		if text := text(tab, got); text != test.want {
			t.Errorf("got  %s\nwant %s", text, test.want)
		}
	}
}

// An operation that changes values in some sequence is no observer in any.
func TestBuilderLearns(t *testing.T) {
	tab := only(t, "Len", "Pop")
	b := builder(tab)
	pops, err := tab.Parse("v0 := p.New(); v0.Push(1); v0.Push(2); v1 := v0.Pop(); v2 := v0.Pop()")
	if err != nil {
		t.Fatal(err)
	}
	run, _ := b.record(pops)
	b.Learn(pops, run)
	got, err := b.Test(pops[:1])
	if err != nil {
		t.Fatal(err)
	}
	if text, want := text(tab, got), "v0 := p.New(); v1 := v0.Len() == 0"; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// A member that changes a value in no test is called after the shortest where
// it does.
func TestBuilderIdle(t *testing.T) {
	tab := only(t, "Len", "Clear", "Fail", "Kill")
	b := builder(tab)
	for _, in := range []string{"v0 := p.New(); v0.Push(-1)", "v0 := p.New(); v0.Clear()", "v0 := p.New(); v0.Push(3); v0.Push(4)", "v0 := p.New(); v0.Push(3)"} {
		s, err := tab.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Test(s); err != nil {
			t.Fatal(err)
		}
	}
	list := b.Idle()
	if len(list) != 1 {
		t.Fatalf("%d sequences, want 1: nothing but Clear is left, as Fail and Kill do not return", len(list))
	}
	got, err := b.Test(list[0])
	if err != nil {
		t.Fatal(err)
	}
	if text, want := text(tab, got), "v0 := p.New(); v0.Push(3); v0.Clear(); v1 := v0.Len() == 0"; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if list = b.Idle(); len(list) != 0 {
		t.Errorf("%d sequences for what changes a value now", len(list))
	}
}

// Steps that no value connects are parts, unless they show something else alone.
func TestBuilderParts(t *testing.T) {
	tab := only(t)
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"v0 := p.New(); v0.Push(1)", []string{"v0 := p.New(); v0.Push(1)"}},
		{"v0 := p.New(); v1 := p.New(); v0.Push(1); v2 := v1.Self(); v3 := v2.Pop()", []string{"v0 := p.New(); v0.Push(1)", "v0 := p.New(); v1 := v0.Self(); v2 := v1.Pop()"}},
		{"v0 := p.New(); v1 := p.New(); v2 := v0.Has(1)", []string{"v0 := p.New(); v1 := p.New(); v2 := v0.Has(1)"}}, // takes a side
		{"v0 := p.New(); v1 := p.New(); v2 := v0.Time(); v3 := v1.Time()", []string{"v0 := p.New(); v1 := p.New(); v2 := v0.Time(); v3 := v1.Time()"}},
	} {
		s, err := tab.Parse(test.in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, part := range builder(tab).Parts(s) {
			got = append(got, tab.OneLine(part))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.in, got, test.want)
		}
	}
}

// Calls with the same text, such as of a method and of the same method of an
// interface, are asserted once.
func TestBuilderAlike(t *testing.T) {
	tab := only(t, "Len")
	twin := tab.Ops[slices.IndexFunc(tab.Ops, func(op seq.Operation) bool { return op.Name == "Len" })]
	tab.Ops = append(tab.Ops, twin)
	s, err := tab.Parse("v0 := p.New(); v0.Push(1)")
	if err != nil {
		t.Fatal(err)
	}
	got, err := builder(tab).Test(s)
	if err != nil {
		t.Fatal(err)
	}
	if text, want := text(tab, got), "v0 := p.New(); v0.Push(1); v1 := v0.Len() == 1"; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// A result that differs in one of a few runs is not asserted.
func TestBuilderSteady(t *testing.T) {
	tab := only(t)
	s, err := tab.Parse("v0 := p.New(); v1 := v0.Time(); v2 := v0.Pop()")
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	b := NewBuilder(tab, func(s seq.Sequence) (Run, bool) {
		clock := 0
		if runs++; runs%20 == 0 {
			clock = 1
		}
		return play(tab, s, &clock)
	})
	got, err := b.Test(s)
	if err != nil {
		t.Fatal(err)
	}
	if text, want := text(tab, got), "v0 := p.New(); v1 := v0.Pop() == 0"; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}
