package difference

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

func basic(text string) Value { return Value{Kind: Basic, Text: text} }

func list(texts ...string) Value {
	v := Value{Kind: List}
	for i, text := range texts {
		v.Parts = append(v.Parts, Part{Path: "[" + string(rune('0'+i)) + "]", Value: basic(text)})
	}
	return v
}

func fields(pairs ...string) Value {
	v := Value{Kind: Struct}
	for i := 0; i < len(pairs); i += 2 {
		v.Parts = append(v.Parts, Part{Path: "." + pairs[i], Value: basic(pairs[i+1])})
	}
	return v
}

func failure(text string) Value { return Value{Kind: Error, Text: `"` + text + `"`} }

// table has F, which returns an int and an error, and G, with a result that H
// takes.
func table() *seq.Table {
	return &seq.Table{
		Package: "p", Name: "p",
		Types: []seq.Type{{}, {Name: "int", Literal: seq.Int, Bits: 64}, {Name: "error", Interface: true}, {Name: "[]int"}},
		Ops: []seq.Operation{
			{Short: "F", Template: "p.F()", Results: []seq.TypeID{1, 2}, ReturnsError: true},
			{Short: "G", Template: "p.G()", Results: []seq.TypeID{3}},
			{Short: "H", Template: "p.H($0)", Params: []seq.TypeID{3}},
		},
	}
}

func TestFirst(t *testing.T) {
	f := func(results ...Value) Run { return Run{Steps: []Step{{Results: results}}} }
	null := Value{Kind: Nil}
	panics := func(text string) Run { return Run{Steps: []Step{{Status: engine.Broken, Panic: text}}} }
	hang := Run{Death: "does not return", Kind: engine.KindHang}
	exit := Run{Death: "exits 3", Kind: engine.KindExit}
	for _, test := range []struct {
		name     string
		before   Run
		after    Run
		class    string
		what     string
		old, new string
	}{
		{"equal", f(basic("1"), null), f(basic("1"), null), "", "", "", ""},
		{"another number", f(basic("1"), null), f(basic("2"), null), ValueChanges, "result 1", "1", "2"},
		{"an error appears", f(basic("1"), null), f(basic("0"), failure("no")), ErrorChanges, "result 2", "nil", `error("no")`},
		{"another error", f(basic("1"), failure("a")), f(basic("1"), failure("b")), ErrorChanges, "result 2", `error("a")`, `error("b")`},
		{"order", f(list("1", "2", "3"), null), f(list("3", "1", "2"), null), OrderChanges, "result 1", "[1, 2, 3]", "[3, 1, 2]"},
		{"other elements", f(list("1", "2", "2"), null), f(list("1", "1", "2"), null), ValueChanges, "result 1[1]", "2", "1"},
		{"nil for empty", f(list(), null), f(null, null), ValueChanges, "result 1", "[]", "nil"},
		{"length", f(list("1"), null), f(list("1", "2"), null), ValueChanges, "result 1", "[1]", "[1, 2]"},
		{"field", f(fields("A", "1", "B", "2"), null), f(fields("A", "1", "B", "3"), null), ValueChanges, "result 1.B", "2", "3"},
		{"field set in the next version", f(fields("A", "1"), null), f(fields("A", "1", "B", "3"), null), ValueChanges, "result 1.B", "zero", "3"},
		{"nothing to see in one", f(Value{}, null), f(fields("A", "1"), null), "", "", "", ""},
		{"panic appears", f(basic("1"), null), panics("boom"), PanicAppears, "", "1, nil", "panic: boom"},
		{"panic disappears", panics("boom"), f(basic("1"), null), PanicDisappears, "", "panic: boom", "1, nil"},
		{"another panic", panics("boom"), panics("bang"), PanicChanges, "", "panic: boom", "panic: bang"},
		{"same panic", panics("boom"), panics("boom"), "", "", "", ""},
		{"hang", f(basic("1"), null), hang, TimeChanges, "", "1, nil", "does not return"},
		{"exit", f(basic("1"), null), exit, PanicAppears, "", "1, nil", "exits 3"},
		{"exit where it panicked", panics("boom"), exit, PanicChanges, "", "panic: boom", "exits 3"},
		{"both hang", hang, hang, "", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			never := func(seq.OpID) bool { return false }
			d, ok := First(table(), seq.Sequence{{Op: 0}}, test.before, test.after, never)
			if !ok {
				d = Difference{}
			}
			if d.Class != test.class {
				t.Fatalf("class %q, want %q", d.Class, test.class)
			}
			if ok && (d.Where() != test.what || d.Old.String() != test.old || d.New.String() != test.new) {
				t.Errorf("%s: %s, %s; want %s: %s, %s", d.Where(), d.Old, d.New, test.what, test.old, test.new)
			}
			// Of an unstable operation only its panic or return counts.
			always := func(seq.OpID) bool { return true }
			want := test.class == PanicAppears || test.class == PanicDisappears
			if d, ok := First(table(), seq.Sequence{{Op: 0}}, test.before, test.after, always); ok != want && test.before.Death+test.after.Death == "" {
				t.Errorf("differs: %v (%s), want %v where the operation is unstable", ok, d.Where(), want)
			}
		})
	}
}

// A change belongs to the call that made it, wherever it shows, unless it
// depends on an unstable step.
func TestFirstChanges(t *testing.T) {
	s := seq.Sequence{{Op: 1}, {Op: 2, Args: []seq.Arg{seq.Slot(0)}}, {Op: 2, Args: []seq.Arg{seq.Slot(0)}}}
	run := func(changes ...[]Change) Run {
		r := Run{Steps: []Step{{Results: []Value{list("1")}}}}
		for _, c := range changes {
			r.Steps = append(r.Steps, Step{Changed: c})
		}
		return r
	}
	to := func(text string) []Change { return []Change{{Slot: 0, Value: list(text)}} }
	never := func(seq.OpID) bool { return false }
	for _, test := range []struct {
		name          string
		before, after Run
		step          int // -1: no difference
		old, new      string
	}{
		{"equal changes", run(to("2"), nil), run(to("2"), nil), -1, "", ""},
		{"only in the next version", run(nil, nil), run(to("2"), nil), 1, "1", "2"},
		{"only in the old one", run(nil, to("3")), run(nil, nil), 2, "3", "1"},
		{"to another value", run(to("2"), to("3")), run(to("2"), to("4")), 2, "3", "4"},
		{"and back", run(to("2"), to("1")), run(to("2"), nil), 2, "1", "2"},
	} {
		d, ok := First(table(), s, test.before, test.after, never)
		if ok != (test.step >= 0) {
			t.Errorf("%s: %+v, %v", test.name, d, ok)
			continue
		}
		if ok && (d.Place != InSlot || d.Index != 0 || d.Step != test.step || d.Old.String() != test.old || d.New.String() != test.new) {
			t.Errorf("%s: %+v, want %s, %s in step %d", test.name, d, test.old, test.new, test.step)
		}
	}
	if d, ok := First(table(), s, run(nil, nil), run(to("2"), nil), func(op seq.OpID) bool { return op == 1 }); ok {
		t.Errorf("%+v, though the argument does not repeat itself", d)
	}
}

// A change is told from what the slot held before, also behind an unstable step with results.
func TestFirstChangesAfterUnstable(t *testing.T) {
	s := seq.Sequence{{Op: 0}, {Op: 1}, {Op: 2, Args: []seq.Arg{seq.Slot(2)}}}
	run := func(random string, changes ...Change) Run {
		return Run{Steps: []Step{{Results: []Value{basic(random), {Kind: Nil}}}, {Results: []Value{list("1")}}, {Changed: changes}}}
	}
	d, ok := First(table(), s, run("7"), run("8", Change{Slot: 2, Value: list("2")}), func(op seq.OpID) bool { return op == 0 })
	if !ok || d.Place != InSlot || d.Index != 2 || d.Old.String() != "1" || d.New.String() != "2" {
		t.Errorf("%+v, %v; want slot 2 changed from 1 to 2", d, ok)
	}
}

// The results before a process dies are unknown, but the number of steps is
// known.
func TestFirstDeathLater(t *testing.T) {
	s := seq.Sequence{{Op: 0}, {Op: 0}}
	broken := Run{Steps: []Step{{Status: engine.Broken, Panic: "boom"}}}
	later := Run{Death: "exits 3", Kind: engine.KindExit, DiedIn: 1}
	never := func(seq.OpID) bool { return false }
	if d, ok := First(table(), s, broken, later, never); !ok || d.Class != PanicDisappears || d.Step != 0 {
		t.Errorf("%+v, %v; want a panic that disappears in step 0", d, ok)
	}
	if d, ok := First(table(), s, later, broken, never); !ok || d.Class != PanicAppears || d.Step != 0 {
		t.Errorf("%+v, %v; want a panic that appears in step 0", d, ok)
	}
}

func TestWhere(t *testing.T) {
	for _, tt := range []struct {
		d    Difference
		want string
	}{
		{Difference{Place: InResult, Index: 1, Way: []Part{{Path: ".B"}}}, "result 2.B"},
		{Difference{Place: InSlot}, "a value that it changed"},
		{Difference{Place: InSlot, Way: []Part{{Path: ".B"}, {Path: "[1]"}}}, "a value that it changed, at .B[1]"},
	} {
		if got := tt.d.Where(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
