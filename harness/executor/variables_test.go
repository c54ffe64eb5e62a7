package executor

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A sequence begins with the variables of the package as they were before another set them,
// whether that one ended, panicked or was given up.
func TestVariablesArePutBack(t *testing.T) {
	level := 4
	table, bindings := fixtureTable(int(opNew) + 1)
	table.Ops = append(table.Ops,
		seq.Operation{Name: "var p.Level", Short: "p.Level", Kind: seq.VarGet, Template: "p.Level", Vars: []string{"p.Level"}, Results: []seq.TypeID{typeInt}},
		seq.Operation{Name: "set var p.Level", Short: "set p.Level", Kind: seq.VarSet, Template: "p.Level = $0", Vars: []string{"p.Level"}, Params: []seq.TypeID{typeInt}},
		seq.Operation{Name: "Fail", Short: "Fail", Kind: seq.Func, Template: "p.Fail()"})
	bindings.Ops = append(bindings.Ops,
		func(_, out []any) { out[0] = level },
		func(in, _ []any) { level = in[0].(int) },
		func(_, _ []any) { panic("failed") })
	const opLevel, opSet, opFail = opNew + 1, opNew + 2, opNew + 3
	f := &fixture{table: table, pool: engine.NewPool(table), exec: New(table, bindings, newShared(), Options{})}
	for _, l := range f.pool.Literals {
		f.exec.Box(l)
	}
	set := func(v int64) seq.Step { return seq.Step{Op: opSet, Args: []seq.Arg{f.lit(v)}} }
	run := func(s seq.Sequence) { engine.Execute(f.exec, f.table, s, engine.RunOptions{}) }
	for _, tt := range []struct {
		name string
		run  func()
	}{
		{"ended", func() { run(seq.Sequence{set(1), set(2), {Op: opLevel}}) }},
		{"panicked", func() { run(seq.Sequence{set(1), set(2), {Op: opFail}}) }},
		{"given up", func() {
			f.exec.Begin(engine.RunOptions{})
			f.exec.Append(set(1))
			f.exec = f.exec.Successor()
			f.exec.Own(nil)
		}},
	} {
		tt.run()
		f.exec.Begin(engine.RunOptions{})
		f.exec.Append(seq.Step{Op: opLevel})
		if got := f.exec.vals[0]; got != 4 {
			t.Errorf("after a sequence that was %s, the next reads %v, want 4", tt.name, got)
		}
		f.exec.Append(set(3))
		if level != 3 {
			t.Errorf("a sequence that sets the variable to 3 finds %d", level)
		}
		f.exec.End(seq.Sequence{{Op: opLevel}, set(3)}, nil)
		if level != 4 {
			t.Errorf("the variable is %d at the end of a sequence, want 4", level)
		}
	}
}
