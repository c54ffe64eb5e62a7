package executor

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/contract"
)

// A sequence that is run to minimize, confirm or replay a finding is judged in full.
// Checks that composition samples must all run at once in a process of its own.
func TestExplicitRunsAreNotSampled(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    contract.Contract
	}{
		{"linear", contract.Contract{Cost: contract.Linear}},
		{"constant", contract.Contract{Cost: contract.Constant}},
	} {
		f := newFixture(t, int(opGet)+1, 1, engine.Params{})
		c := tt.c
		c.Name, c.Arity, c.Claim, c.Type, c.Op = "test", 1, engine.ClaimPromise, typeTree, opGet
		c.Holds = func(_ contract.Caller, v []any) (bool, string) { return v[0].(*intTree).size != 1, "no" }
		f.exec.judge.rules = newRules(f.table, []contract.Contract{c}, nil)
		// More trees than composition would look at, the broken one first.
		s := seq.Sequence{{Op: opNew}, {Op: opPut, Args: []seq.Arg{seq.Slot(0), f.lit(1), f.lit(1)}}}
		for range 2 * maxJudged {
			s = append(s, seq.Step{Op: opNew})
		}
		for i := range 3 {
			out, _ := engine.Execute(f.exec, f.table, s, engine.RunOptions{})
			if out.Verdict == nil {
				t.Errorf("%s: run %d shows nothing", tt.name, i)
			} else if len(out.Verdict.Slots) != 1 || out.Verdict.Slots[0] != 0 {
				t.Errorf("%s: slots %v, want that of the broken tree, 0", tt.name, out.Verdict.Slots)
			}
		}
	}
}

// An equality that is wrong for one pair of values is told with that pair, in the
// order in which the expression takes them.
func TestWrongEqualNamesItsSlots(t *testing.T) {
	table, bindings := fixtureTable(int(opGet) + 1)
	equal := seq.OpID(len(table.Ops))
	table.Ops = append(table.Ops, seq.Operation{
		Name: "Equal", Short: "(*intTree).Equal", Member: "(*intTree).Equal", Base: "Equal", Kind: seq.Method, API: true, Template: "$0.Equal($1)",
		Params: []seq.TypeID{typeTree, typeTree}, Results: []seq.TypeID{typeBool},
	})
	// A larger tree calls itself equal to a smaller one, not the other way round.
	bindings.Ops = append(bindings.Ops, func(in, out []any) {
		out[0] = in[0].(*intTree).size >= in[1].(*intTree).size
	})
	f := &fixture{table: table, pool: engine.NewPool(table)}
	f.exec = New(table, bindings, newShared(), Options{})
	for _, l := range f.pool.Literals {
		f.exec.Box(l)
	}
	put := func(slot int) seq.Step {
		return seq.Step{Op: opPut, Args: []seq.Arg{seq.Slot(slot), f.lit(1), f.lit(1)}}
	}
	equals := seq.Sequence{{Op: opNew}, put(0), {Op: opNew}, put(1)}
	if out, _ := engine.Execute(f.exec, table, equals, engine.RunOptions{}); out.Verdict != nil {
		t.Fatalf("two equal trees: %+v", out.Verdict)
	}
	out, _ := engine.Execute(f.exec, table, seq.Sequence{{Op: opNew}, put(0), {Op: opNew}}, engine.RunOptions{})
	v := out.Verdict
	if v == nil {
		t.Fatal("the wrong equality was not told")
	}
	if v.Kind != engine.KindContract || v.Contract != "equal-symmetric" || v.Op != equal || v.Tier != engine.Error {
		t.Errorf("verdict %+v, want equal-symmetric of Equal", v)
	}
	if len(v.Slots) != 2 || v.Slots[0] == v.Slots[1] {
		t.Errorf("slots %v, want both trees", v.Slots)
	}
	if want := "$0.Equal($1) == $1.Equal($0)"; v.Assert != want {
		t.Errorf("assert %q, want %q", v.Assert, want)
	}
}

func newShared() *wire.Shared { return wire.SharedOf(make([]byte, wire.SharedBytes)) }
