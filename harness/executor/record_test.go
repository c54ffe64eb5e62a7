package executor

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// A recording has the results of each step, and whether it left all values as they were.
func TestRecording(t *testing.T) {
	f := newFixture(t, int(opZero)+1, 1, engine.Params{})
	lit := func(n int64) seq.Arg {
		l := &seq.Literal{Type: typeInt, Value: n}
		f.exec.Box(l)
		return seq.Lit(l)
	}
	v0 := seq.Slot(0)
	for _, test := range []struct {
		name string
		step seq.Step // behind New and Put(1, 2)
		want string
		pure bool
	}{
		{"a change", seq.Step{Op: opPut, Args: []seq.Arg{v0, lit(3), lit(4)}}, "", false},
		{"a change that is none", seq.Step{Op: opPut, Args: []seq.Arg{v0, lit(1), lit(2)}}, "", true},
		{"an observer", seq.Step{Op: opGet, Args: []seq.Arg{v0, lit(1)}}, "= 2, = true", true},
		{"what it is given", seq.Step{Op: opSwap, Args: []seq.Arg{v0, v0}}, "v0", true},
		{"a pointer", seq.Step{Op: opNode, Args: []seq.Arg{v0, lit(1)}}, "not nil", true},
		{"nil", seq.Step{Op: opNode, Args: []seq.Arg{v0, lit(9)}}, "nil", true},
		{"an error", seq.Step{Op: opCheck, Args: []seq.Arg{v0, lit(1)}}, `error "odd key 1"`, true},
		{"no error", seq.Step{Op: opCheck, Args: []seq.Arg{v0, lit(2)}}, "nil", true},
		{"a panic", seq.Step{Op: opMerge, Args: []seq.Arg{v0, seq.Lit(&seq.Literal{Type: typeTree})}}, "broken", true},
	} {
		s := seq.Sequence{{Op: opNew}, {Op: opPut, Args: []seq.Arg{v0, lit(1), lit(2)}}, test.step}
		for _, a := range test.step.Args {
			if a.Lit != nil {
				f.exec.Box(a.Lit)
			}
		}
		run := newRecording(f.exec).run(s)
		if len(run.Steps) != len(s) || run.Steps[1].Pure {
			t.Fatalf("%s: %+v", test.name, run)
		}
		if got := showRecord(run.Steps[2]); got != test.want || run.Steps[2].Pure != test.pure {
			t.Errorf("%s: %s, pure %v; want %s, pure %v", test.name, got, run.Steps[2].Pure, test.want, test.pure)
		}
	}
}

func showRecord(st regression.Step) string {
	if st.Status == engine.Broken {
		return "broken"
	}
	text := ""
	for i, r := range st.Results {
		if i > 0 {
			text += ", "
		}
		switch r.How {
		case regression.Equal:
			text += "= " + r.Text
		case regression.Same:
			text += fmt.Sprint("v", r.Slot)
		case regression.NotNil:
			text += "not nil"
		case regression.Nil:
			text += "nil"
		case regression.ErrorText:
			text += "error " + r.Text
		default:
			text += fmt.Sprint("how ", r.How)
		}
	}
	return text
}

// Of two recordings only one is made in the time zone of the machine.
func TestRecordingZones(t *testing.T) {
	if RaceEnabled {
		t.Skip("the time zone stays")
	}
	self := func(id seq.TypeID) []seq.TypeID { return []seq.TypeID{id} }
	table := &seq.Table{
		Types: []seq.Type{{}, {Name: "string", Literal: seq.String, Basic: true, Assignable: self(1)}},
		Ops:   []seq.Operation{{Name: "Local", Short: "Local", API: true, Results: self(1)}, {Name: "UTC", Short: "UTC", API: true, Results: self(1)}},
	}
	text := func(in *time.Location) Adapter {
		return func(_, out []any) {
			when := time.Unix(0, 0)
			if in != nil {
				when = when.In(in)
			}
			out[0] = when.Format(time.RFC3339)
		}
	}
	b := Bindings{Types: []reflect.Type{nil, reflect.TypeFor[string]()}, Ops: []Adapter{text(nil), text(time.UTC)}}
	x := New(table, b, newShared(), Options{})
	defer func(zone *time.Location) { time.Local = zone }(time.Local)
	for op, same := range []bool{false, true} {
		s := seq.Sequence{{Op: seq.OpID(op)}}
		first, second := x.Record(s), x.Record(s)
		if a, b := first.Steps[0].Results[0], second.Steps[0].Results[0]; (a == b) != same {
			t.Errorf("%s: %s and %s", table.Ops[op].Name, a.Text, b.Text)
		}
	}
}

// The calls that a step makes of a function literal are recorded, and the final values
// of slots that it has changed.
func TestRecordingCalls(t *testing.T) {
	b := callsBindings()
	table := callsTable()
	x := New(table, b, newShared(), Options{})
	yes := &seq.Literal{Type: callsBool, Value: true}
	three := &seq.Literal{Type: callsInt, Value: int64(3)}
	x.Box(yes)
	x.Box(three)
	s := seq.Sequence{
		{Op: 0, Args: []seq.Arg{seq.Lit(three)}},           // v0 := []int{3, 2, 1}, of that length
		{Op: 1, Args: []seq.Arg{seq.Lit(yes)}},             // v1 := func(int) bool
		{Op: 2, Args: []seq.Arg{seq.Slot(0), seq.Slot(1)}}, // for each of v0
		{Op: 3, Args: []seq.Arg{seq.Slot(0)}},              // sort v0
	}
	run := newRecording(x).run(s)
	if c := run.Steps[2].Calls; c == nil || c.Text != "[]int{3, 2, 1}" || c.Type != "[]int" || c.Arg != 1 {
		t.Errorf("calls %+v, want []int{3, 2, 1} of argument 1", c)
	}
	want := []regression.End{{Slot: 0, Result: regression.Result{How: regression.Slice, Text: "[]int{1, 2, 3}"}}}
	if !slices.Equal(run.Ends, want) {
		t.Errorf("ends %+v, want %+v", run.Ends, want)
	}
	if !run.Steps[2].Pure || run.Steps[3].Pure {
		t.Errorf("pure %v and %v, want true and false", run.Steps[2].Pure, run.Steps[3].Pure)
	}
}

const (
	callsList seq.TypeID = iota + 1
	callsFunc
	callsInt
	callsBool
)

// callsTable has a list, a function literal, a walk over the one that calls the
// other, and a sort.
func callsTable() *seq.Table {
	self := func(id seq.TypeID) []seq.TypeID { return []seq.TypeID{id} }
	return &seq.Table{
		Types: []seq.Type{
			{},
			{Name: "[]int", Nilable: true, Assignable: self(callsList)},
			{Name: "func(int) bool", Nilable: true, Assignable: self(callsFunc)},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: self(callsInt)},
			{Name: "bool", Literal: seq.Bool, Basic: true, Assignable: self(callsBool)},
		},
		Ops: []seq.Operation{
			{Name: "Down", Short: "Down", API: true, Params: self(callsInt), Results: self(callsList)},
			{Name: "func", Short: "func", Kind: seq.FuncLit, Params: self(callsBool), Results: self(callsFunc)},
			{Name: "Each", Short: "Each", API: true, Params: []seq.TypeID{callsList, callsFunc}},
			{Name: "Sort", Short: "Sort", API: true, Params: self(callsList)},
		},
	}
}

func callsBindings() Bindings {
	return Bindings{
		Types: []reflect.Type{nil, reflect.TypeFor[[]int](), reflect.TypeFor[func(int) bool](), reflect.TypeFor[int](), reflect.TypeFor[bool]()},
		Ops: []Adapter{
			func(in, out []any) {
				var list []int
				for n := in[0].(int); n > 0; n-- {
					list = append(list, n)
				}
				out[0] = list
			},
			func(in, out []any) {
				result := in[0].(bool)
				out[0] = func(int) bool { return result }
			},
			func(in, out []any) {
				for _, n := range in[0].([]int) {
					if !in[1].(func(int) bool)(n) {
						break
					}
				}
			},
			func(in, out []any) { slices.Sort(in[0].([]int)) },
		},
	}
}
