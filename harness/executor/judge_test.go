package executor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// judged runs New, then End with one contract on the tree, n times, and returns
// the verdicts.
func judged(t *testing.T, f *fixture, n int, holds func(tree *intTree) bool) (verdicts []*engine.Verdict) {
	t.Helper()
	c := contract.Contract{Name: "test", Arity: 1, Claim: engine.ClaimPromise, Type: typeTree, Op: opGet}
	c.Holds = func(_ contract.Caller, v []any) (bool, string) { return holds(v[0].(*intTree)), "no" }
	f.exec.judge.rules = newRules(f.table, []contract.Contract{c}, nil)
	s := seq.Sequence{{Op: opNew}}
	for range n {
		f.exec.Begin(engine.RunOptions{})
		f.exec.Append(s[0])
		verdicts = append(verdicts, f.exec.End(s, []int32{0, 0, 0}).Verdict)
	}
	return verdicts
}

func TestContractHeldOnceASequence(t *testing.T) {
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	runs := 0
	judged(t, f, 100, func(*intTree) bool { runs++; return true })
	if runs != 100 {
		t.Errorf("a slot that was new three times: %d runs in 100 sequences, want 100", runs)
	}
}

func TestContractThatFailsIsTold(t *testing.T) {
	const late = harmlessRuns + 10 // when it is no longer watched
	for _, at := range []int{0, late} {
		f := newFixture(t, int(opGet)+1, 1, engine.Params{})
		run := 0
		vs := judged(t, f, late+1, func(*intTree) bool { run++; return run <= at })
		for i, v := range vs {
			if told := v != nil; told != (i >= at) {
				t.Errorf("contract that fails from sequence %d on: verdict %t in sequence %d", at, told, i)
			}
		}
	}
}

// TestContractThatChangesIsOff: a contract that changes the value is no witness, and is
// not held again. Unwatched it may pass; its failures are never reported.
func TestContractThatChangesIsOff(t *testing.T) {
	for _, from := range []int{0, harmlessRuns + 10} {
		f := newFixture(t, int(opGet)+1, 1, engine.Params{})
		run := 0
		vs := judged(t, f, harmlessRuns+20, func(tree *intTree) bool {
			if run++; run <= from {
				return true
			}
			tree.size++
			return false
		})
		for i, v := range vs {
			if v != nil {
				t.Errorf("contract that changes values from sequence %d on: verdict in sequence %d", from, i)
			}
		}
		if limit := from + 2; run > limit {
			t.Errorf("contract that changes values from sequence %d on ran %d times, want at most %d", from, run, limit)
		}
	}
}

// TestPanicSites: of the panics of a site that were all illegal most are not
// judged; of one with others all are.
func TestPanicSites(t *testing.T) {
	count := func(p *panicSite, tier engine.Tier) (judged int) {
		for range 10 * illegalRuns {
			if !p.skip() {
				judged++
				p.judged(&engine.Verdict{Tier: tier})
			}
		}
		return judged
	}
	if got := count(new(panicSite), engine.Illegal); got < illegalRuns || got > 2*illegalRuns {
		t.Errorf("judged %d of %d illegal panics, want %d and one in %d", got, 10*illegalRuns, illegalRuns, illegalRuns)
	}
	if got := count(new(panicSite), engine.Error); got != 10*illegalRuns {
		t.Errorf("judged %d of %d errors, want all", got, 10*illegalRuns)
	}
	if got := count(&panicSite{illegal: 100, mixed: true}, engine.Illegal); got != 10*illegalRuns {
		t.Errorf("judged %d of %d panics of a mixed site, want all", got, 10*illegalRuns)
	}
}

// A call of a contract is a step of the sequence: the makers of its arguments are known.
func TestCalledStepHasArguments(t *testing.T) {
	x := newFixture(t, 3, 1, engine.Params{}).exec
	j := x.judge
	tree := any(newIntTree())
	x.ops[opGet].adapter = func(in, out []any) { panic("broken") }
	j.slots, j.values[0] = []int32{4}, tree
	if _, panicked := j.Call(opGet, tree); panicked == nil {
		t.Fatal("the call does not panic")
	}
	if a := j.called.Args; j.called.Op != opGet || len(a) != 1 || a[0].Lit != nil || a[0].Slot != 4 {
		t.Errorf("called %+v, want a call on slot 4", j.called)
	}
	if _, panicked := j.Call(opGet, any(newIntTree())); panicked == nil || len(j.called.Args) != 0 {
		t.Errorf("called %+v, want no argument that is known", j.called)
	}
}

// A panic in a call that a contract makes is shown by the expression of the contract: no
// step of the sequence makes that call.
func TestPanicInAContract(t *testing.T) {
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	f.exec.ops[opGet].adapter = func(in, out []any) { panic(errors.New("broken")) }
	f.exec.judge.rules = newRules(f.table, []contract.Contract{{
		Name: "test", Arity: 1, Claim: engine.ClaimPromise, Type: typeTree, Op: opGet, Assert: func() string { return "$0.Get(0) == 0" },
		Holds: func(c contract.Caller, v []any) (bool, string) {
			_, _ = c.Call(opGet, v[0], 0)
			return true, ""
		},
	}}, nil)
	f.exec.Begin(engine.RunOptions{})
	s := seq.Sequence{{Op: opNew}}
	f.exec.Append(s[0])
	v := f.exec.End(s, []int32{0}).Verdict
	if v == nil || v.Kind != engine.KindPanic || v.Contract != "test" || v.Assert != "$0.Get(0) == 0" || !slices.Equal(v.Slots, []int32{0}) {
		t.Errorf("verdict %+v, want a panic that the contract shows of slot 0", v)
	}
}

// Laws wait while contracts have made more calls than there were steps; runs that are
// to show all wait for nothing, and cost nothing.
func TestLawsWait(t *testing.T) {
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	calls := 0
	law := contract.Law{Name: "test", On: opGet, Op: opGet, Claim: engine.ClaimPromise, Check: func(c *contract.Call, _ any) *contract.Breach {
		for range 30 {
			c.Call(opGet, c.Args...)
			calls++
		}
		return nil
	}}
	f.exec.judge.rules = lawRules(f.table, law)
	s := seq.Sequence{{Op: opNew}, {Op: opGet, Args: []seq.Arg{seq.Slot(0), f.lit(1)}}}
	compose := func() {
		f.exec.Begin(engine.RunOptions{})
		for i := range s {
			f.exec.Append(s[i])
		}
		f.exec.End(s, nil)
	}
	const sequences = 400
	for range sequences {
		compose()
	}
	if held := calls / 30; held < sequences/40 || calls > sequences*len(s)*3/2 {
		t.Errorf("held %d times, %d calls behind %d steps", held, calls, sequences*len(s))
	}
	f.exec.judge.debt, calls = 100, 0
	for range 3 {
		engine.Execute(f.exec, f.table, s, engine.RunOptions{})
	}
	if calls != 90 || f.exec.judge.debt != 100 {
		t.Errorf("a full run held %d of 90 calls, %d owed of 100", calls, f.exec.judge.debt)
	}
}

// A law that panics by itself ends no process. It is reported once, and held no more.
func TestLawThatPanics(t *testing.T) {
	f := newFixture(t, int(opGet)+1, 1, engine.Params{})
	held := 0
	f.exec.judge.rules = lawRules(f.table, contract.Law{Name: "test", On: opGet, Op: opGet, Changes: true, Check: func(c *contract.Call, _ any) *contract.Breach {
		held++
		_ = c.Args[0].(int)
		return nil
	}})
	s := seq.Sequence{{Op: opNew}, {Op: opGet, Args: []seq.Arg{seq.Slot(0), f.lit(1)}}}
	for range 4 * sampleLaws {
		f.exec.Begin(engine.RunOptions{})
		for i := range s {
			f.exec.Append(s[i])
		}
		if out := f.exec.End(s, nil); out.Verdict != nil {
			t.Errorf("verdict: %v", out.Verdict)
		}
	}
	faults := f.exec.Faults()
	if held != 1 || len(faults) != 1 || !strings.Contains(faults[0], "TestLawThatPanics") || !strings.Contains(faults[0], "not int") {
		t.Errorf("held %d times; faults %q", held, faults)
	}
	if again := f.exec.Faults(); len(again) > 0 {
		t.Errorf("reported again: %q", again)
	}
}

// In runs that extend others a contract is held once against equal values, until it fails or
// its call panics. In others it is held against each.
func TestEqualValuesAreJudgedOnce(t *testing.T) {
	for _, test := range []struct {
		name string
		last bool
		lits []int64
		call bool // the contract makes a call that panics
		want int  // times the contract is held
	}{
		{"equal", true, []int64{1, 1, 1}, false, 1},
		{"different", true, []int64{1, 2, 1, 2}, false, 2},
		{"panicking call", true, []int64{1, 1, 1}, true, 3},
		{"other runs", false, []int64{1, 1, 1}, false, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, int(opMerge)+1, 1, engine.Params{})
			held := 0
			c := contract.Contract{Name: "test", Arity: 1, Claim: engine.ClaimPromise, Type: typeTree, Op: opGet}
			c.Holds = func(x contract.Caller, v []any) (bool, string) {
				held++
				if test.call {
					x.Call(opMerge, v[0], (*intTree)(nil))
				}
				return true, ""
			}
			f.exec.judge.rules = newRules(f.table, []contract.Contract{c}, nil)
			for _, n := range test.lits {
				s := seq.Sequence{{Op: opNew}, {Op: opPut, Args: []seq.Arg{seq.Slot(0), f.lit(n), f.lit(0)}}}
				f.exec.Begin(engine.RunOptions{Last: test.last})
				for i := range s {
					f.exec.Append(s[i])
				}
				f.exec.End(s, []int32{0})
			}
			if held != test.want {
				t.Errorf("held %d times, want %d", held, test.want)
			}
		})
	}
}

// lawRules returns rules with one law, which is found.
func lawRules(t *seq.Table, law contract.Law) *rules {
	j := newRules(t, nil, func(*seq.Table) []contract.Law { return []contract.Law{law} })
	j.findLaws()
	return j
}

// Laws are found when a sequence returns that they may be held against, or when one is to be
// switched off. A sequence that panics needs none.
func TestFindsLaws(t *testing.T) {
	returns := seq.Sequence{{Op: opNew}, {Op: opGet, Args: []seq.Arg{seq.Slot(0), {Lit: &seq.Literal{Type: typeInt, Value: int64(1), Boxed: 1}}}}}
	panics := seq.Sequence{{Op: opNew}, {Op: opMerge, Args: []seq.Arg{seq.Slot(0), {Lit: &seq.Literal{Type: typeTree, Boxed: (*intTree)(nil)}}}}}
	run := func(s seq.Sequence) func(x *Executor) {
		return func(x *Executor) { engine.Execute(x, x.table, s, engine.RunOptions{}) }
	}
	const aContract, aLaw engine.OracleID = 1, 2
	for _, tt := range []struct {
		name string
		do   func(x *Executor)
		want bool
	}{
		{"nothing", func(*Executor) {}, false},
		{"search", func(x *Executor) { x.Search() }, true},
		{"sequence returns", run(returns), true},
		{"sequence panics", run(panics), false},
		{"no contract is wanted", func(x *Executor) { engine.Execute(x, x.table, returns, engine.RunOptions{Want: engine.Nothing}) }, false},
		{"goroutine is given up", func(x *Executor) { x.Successor() }, false},
		{"contract is switched off", func(x *Executor) { x.SwitchOff(aContract) }, false},
		{"law is switched off", func(x *Executor) { x.SwitchOff(aLaw) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table, b := fixtureTable(int(opZero))
			b.Contracts = []contract.Contract{{Name: "test", Arity: 1, Type: typeNode, Holds: func(contract.Caller, []any) (bool, string) { return true, "" }}}
			x := New(table, b, newShared(), Options{})
			if tt.do(x); (x.rules.laws != nil) != tt.want {
				t.Errorf("laws found: %v, want %v", !tt.want, tt.want)
			}
			x.rules.findLaws()
			if c := x.rules.byType[typeNode][0]; c.off != (tt.name == "contract is switched off") {
				t.Errorf("contract off: %v", c.off)
			}
			op := slices.Index(x.rules.looks, aLaw)
			if op < 0 {
				t.Fatal("no law has the number")
			}
			held := len(x.rules.looking[op]) > 0
			if held == (tt.name == "law is switched off") {
				t.Errorf("law held: %v", held)
			}
		})
	}
}
