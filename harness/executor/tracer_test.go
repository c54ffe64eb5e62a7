package executor

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"foray.test/coverage"
	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract"
)

// Package contract knows a death by the panic of a run without fuel by its type.
func TestNameOfOutOfFuel(t *testing.T) {
	if got := fmt.Sprintf("(%T)", outOfFuel{}); got != blame.OutOfFuel {
		t.Errorf("the runtime prints %s, blame.OutOfFuel is %s", got, blame.OutOfFuel)
	}
}

// newTraced returns the executor of the fixture as in an analysis build, its first
// operation replaced by f.
func newTraced(t *testing.T, f func()) analyst {
	t.Helper()
	x := newFixture(t, int(opPut)+1, 1, engine.Params{}).exec
	x.ops[opNew].adapter = func(_, out []any) {
		f()
		out[0] = newIntTree()
	}
	x.tracer = newTracer(8)
	a := analyst{x, x.tracer}
	t.Cleanup(func() {
		probe.Sums, probe.Log, probe.Bytes = nil, nil, nil
		probe.Fuel, probe.Mode, probe.Exhausted = probe.Unlimited, probe.ModeNothing, func() { probe.Fuel = probe.Unlimited }
	})
	return a
}

// runOnce runs the replaced operation.
func (a analyst) runOnce(o engine.RunOptions) (engine.Status, engine.Outcome) {
	s := seq.Sequence{{Op: opNew}}
	a.Begin(o)
	status := a.Append(s[0]).Status
	return status, a.End(s, nil)
}

// visits are the options of a run that records visits.
var visits = engine.RunOptions{Trace: engine.TraceVisits}

func TestFuel(t *testing.T) {
	recursive := func() {}
	recursive = func() { probe.Burn(); recursive() }
	tests := []struct {
		name string
		run  func()
	}{
		{"loop without condition", func() {
			for {
				probe.Burn()
			}
		}},
		{"loop", func() {
			for i := 0; probe.IntGe(0, 0, int64(i), 0); {
			}
		}},
		{"recursion", recursive},
		{"recovered", func() {
			for probe.Visit(0, 0, true) {
				func() {
					defer func() { _ = recover() }()
					for probe.Visit(1, 2, true) {
					}
				}()
			}
		}},
		{"recovered at the end", func() {
			defer func() { _ = recover() }()
			for probe.Visit(0, 0, true) {
			}
		}},
		{"turned into another panic", func() {
			defer func() { panic(recover() != nil) }()
			for probe.Visit(0, 0, true) {
			}
		}},
		{"another goroutine, waited for", func() {
			var wg sync.WaitGroup
			wg.Go(func() {
				for probe.Visit(0, 0, true) {
				}
			})
			wg.Wait()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newTraced(t, tt.run)
			o := engine.RunOptions{Fuel: 10000}
			status, out := a.runOnce(o)
			if status != engine.Broken || out.Verdict != nil || !out.OutOfFuel || out.Spent != 10000 {
				t.Errorf("status %v, outcome %+v; want Broken without a verdict, all 10000 spent", status, out)
			}
			// The next run has fuel again.
			a.ops[opNew].adapter = func(_, out []any) {
				probe.Burn()
				out[0] = newIntTree()
			}
			status, out = a.runOnce(o)
			if status != engine.Normal || out.OutOfFuel || out.Spent != 1 {
				t.Errorf("next run: status %v, outcome %+v, want Normal and 1 spent", status, out)
			}
		})
	}
}

// A contract or a law whose call runs out of fuel says nothing, even if the call recovers and
// leaves its receiver changed. It is held again, and may be told then.
func TestFuelOfContracts(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules func(*seq.Table) *rules
	}{
		{"contract", func(t *seq.Table) *rules {
			return newRules(t, []contract.Contract{{
				Name: "test", Arity: 1, Claim: engine.ClaimPromise, Type: typeTree, Op: opPut,
				Holds: func(c contract.Caller, v []any) (bool, string) {
					_, panicked := c.Call(opPut, v[0], 1, 2)
					return panicked != nil, "no"
				},
			}}, nil)
		}},
		{"law", func(t *seq.Table) *rules {
			return lawRules(t, contract.Law{Name: "test", On: opNew, Op: opPut, Claim: engine.ClaimName, Guess: true, Check: func(c *contract.Call, _ any) *contract.Breach {
				if _, panicked := c.Call(opPut, c.Results[0], 1, 2); panicked != nil {
					return nil
				}
				return &contract.Breach{Detail: "no"}
			}})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newTraced(t, func() {})
			a.judge.rules = tt.rules(a.table)
			composed := []int32{0, 0} // no list of all slots, as a full run has
			for _, burns := range []bool{true, false} {
				a.ops[opPut].adapter = func(in, _ []any) {
					defer func() { _ = recover() }()
					for burns {
						in[0].(*intTree).size++
						probe.Burn()
					}
				}
				told := false
				for range 20 {
					a.Begin(engine.RunOptions{Fuel: 1000})
					s := seq.Sequence{{Op: opNew}}
					a.Append(s[0])
					told = told || a.End(s, composed).Verdict != nil
				}
				if told == burns {
					t.Errorf("a call that burns all fuel %t: told %t", burns, told)
				}
			}
		})
	}
}

func TestFuelUnlimited(t *testing.T) {
	a := newTraced(t, func() {
		for i := range 100000 {
			probe.IntLt(0, 0, int64(i), 7)
		}
	})
	a.runOnce(engine.RunOptions{Fuel: 10})
	if status, out := a.runOnce(engine.RunOptions{}); status != engine.Normal || out.OutOfFuel || out.Spent != 100000 {
		t.Errorf("status %v, outcome %+v, want Normal and 100000 spent", status, out)
	}
}

// A run with fuel that takes long is cut, wherever in it the clock strikes.
func TestCut(t *testing.T) {
	var a analyst
	a = newTraced(t, func() {
		for i := 0; ; i++ {
			if i == 1000 {
				a.cut()
			}
			probe.Burn()
		}
	})
	if status, out := a.runOnce(engine.RunOptions{Fuel: 1 << 40}); status != engine.Broken || out.Verdict != nil || !out.OutOfFuel {
		t.Errorf("status %v, outcome %+v; want Broken without a verdict, out of fuel", status, out)
	}
}

// A run without fuel may take as long as it wants.
func TestCutUnlimited(t *testing.T) {
	var a analyst
	a = newTraced(t, func() {
		a.cut()
		probe.Burn()
	})
	if status, out := a.runOnce(engine.RunOptions{}); status != engine.Normal || out.OutOfFuel {
		t.Errorf("status %v, outcome %+v, want Normal", status, out)
	}
}

// The clock that comes late, between two steps, ends nothing: the code there is not
// the run's.
func TestCutBetweenSteps(t *testing.T) {
	a := newTraced(t, func() {})
	o := engine.RunOptions{Fuel: 1 << 40}
	a.runOnce(o)
	a.cut()
	probe.Burn()
	probe.Fuel = 0 // the clock looked before the step ended, and cut behind it
	probe.Burn()
	if a.outOfFuel() {
		t.Error("out of fuel between steps")
	}
	if status, out := a.runOnce(o); status != engine.Normal || out.OutOfFuel {
		t.Errorf("next run: status %v, outcome %+v, want Normal", status, out)
	}
}

// TestTraceOnlySteps: code around the steps leaves no trace and takes no fuel.
func TestTraceOnlySteps(t *testing.T) {
	a := newTraced(t, func() { probe.IntLt(3, 6, 1, 2) })
	probe.IntLt(3, 6, 5, 5)
	status, out := a.runOnce(engine.RunOptions{Fuel: 100, Trace: engine.TraceVisits})
	probe.IntLt(3, 6, 5, 5)
	want := []coverage.Visit{{Condition: 3, Side: 7, Kind: coverage.SignedOperands, X: 1, Y: 2}}
	if status != engine.Normal || !slices.Equal(visitsOf(a), want) || a.Sums()[3].Visits != 1 || out.Spent != 1 {
		t.Errorf("status %v, visits %+v, count %d, spent %d; want Normal, %+v, 1, 1", status, visitsOf(a), a.Sums()[3].Visits, out.Spent, want)
	}
}

func TestVisits(t *testing.T) {
	long := string(make([]byte, 3*coverage.MaxOperandBytes))
	a := newTraced(t, func() {
		probe.StringEq(0, 0, "ab", "abc")
		probe.NoteText(1, "key")
		probe.VisitKey(1, 2, true)
		probe.NoteInt(2, int8(-3))
		probe.TakeNoted(2, 5)
		probe.StringLt(3, 6, long, "z")
		probe.CallBytes(4, 8, func(x, y []byte) bool { return len(x) == len(y) }, []byte("x"), nil)
		probe.TakeNoted(2, 4) // nothing is noted any more
	})
	a.runOnce(visits)
	want := []coverage.Visit{
		{Condition: 0, Side: 0, Kind: coverage.StringOperands, X: 2, Y: 3, SX: "ab", SY: "abc"},
		{Condition: 1, Side: 3, Kind: coverage.KeyOperands, X: 3, SX: "key"},
		{Condition: 2, Side: 5, Kind: coverage.SignedOperands, X: 1<<64 - 3},
		{Condition: 3, Side: 7, Kind: coverage.StringOperands, X: uint64(len(long)), Y: 1, SX: long[:coverage.MaxOperandBytes], SY: "z"},
		{Condition: 4, Side: 8, Kind: coverage.StringOperands, X: 1, SX: "x"},
		{Condition: 2, Side: 4},
	}
	if got := visitsOf(a); !slices.Equal(got, want) {
		t.Errorf("Visits:\ngot  %+v\nwant %+v", got, want)
	}
	if n := testing.AllocsPerRun(100, func() { a.Visit(a.Find(want[0].Condition, 0)) }); n != 0 {
		t.Errorf("Visit allocates %v times", n)
	}
	if a.runOnce(engine.RunOptions{Trace: engine.TraceHashes}); len(visitsOf(a)) != 0 || a.Sums()[2].Visits != 2 {
		t.Errorf("hashes only: %d visits, count %d, want 0, 2", len(visitsOf(a)), a.Sums()[2].Visits)
	}
}

// TestLogIsBounded: visits beyond the bound are not recorded, and nothing breaks.
func TestLogIsBounded(t *testing.T) {
	text := string(make([]byte, 100))
	a := newTraced(t, func() {
		for i := range 2 * maxVisits {
			probe.StringEq(0, 0, text, "")
			probe.IntEq(1, 2, int64(i), 0)
		}
	})
	if status, _ := a.runOnce(visits); status != engine.Normal || len(visitsOf(a)) != maxVisits || a.Sums()[1].Visits != 2*maxVisits {
		t.Errorf("status %v, %d visits, count %d, want Normal, %d, %d", status, len(visitsOf(a)), a.Sums()[1].Visits, maxVisits, 2*maxVisits)
	}
}

// TestGoroutines: any goroutine may come past the probe while the runner does.
func TestGoroutines(t *testing.T) {
	a := newTraced(t, func() {
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 20000 {
					probe.StringEq(g, 2*g, "some text"[:i%9], "so")
					probe.NoteText(g, "another"[:i%7])
					probe.TakeNoted(g, 2*g)
				}
			})
		}
		wg.Wait()
	})
	if status, _ := a.runOnce(visits); status != engine.Normal {
		t.Errorf("status %v, want Normal", status)
	}
	for _, v := range visitsOf(a) {
		if len(v.SX) > coverage.MaxOperandBytes || len(v.SY) > coverage.MaxOperandBytes {
			t.Fatalf("visit %+v", v)
		}
	}
}

// TestKindsAgree: package probe imports nothing and numbers kinds and modes itself.
func TestKindsAgree(t *testing.T) {
	for _, k := range []struct{ probe, want int }{
		{probe.NoOperands, int(coverage.NoOperands)}, {probe.SignedOperands, int(coverage.SignedOperands)},
		{probe.UnsignedOperands, int(coverage.UnsignedOperands)}, {probe.FloatOperands, int(coverage.FloatOperands)},
		{probe.StringOperands, int(coverage.StringOperands)}, {probe.PointerOperands, int(coverage.PointerOperands)},
		{probe.TypeOperands, int(coverage.TypeOperands)}, {probe.KeyOperands, int(coverage.KeyOperands)},
		{probe.ModeNothing, int(engine.TraceNothing)}, {probe.ModeHashes, int(engine.TraceHashes)},
		{probe.ModeVisits, int(engine.TraceVisits)}, {probe.MaxText, coverage.MaxOperandBytes},
	} {
		if k.probe != k.want {
			t.Errorf("probe has %d, want %d", k.probe, k.want)
		}
	}
}

// TestFramesLeaveProbeOut: the panic of a comparison is that of the code that
// compares, in both builds.
func TestFramesLeaveProbeOut(t *testing.T) {
	var x any = []int{}
	a := newTraced(t, func() { probe.AnyEq(0, 0, x, x) })
	a.Begin(engine.RunOptions{})
	a.Append(seq.Step{Op: opNew})
	frames := a.panicked.frames()
	if len(frames) == 0 || !strings.Contains(frames[0].Func, "TestFramesLeaveProbeOut") {
		t.Errorf("frames %+v, want this test's first", frames)
	}
}

// TestSumLayout: Sums reads one type as the other.
func TestSumLayout(t *testing.T) {
	ours, theirs := reflect.TypeFor[coverage.Sum](), reflect.TypeFor[probe.Sum]()
	if ours.Size() != theirs.Size() || ours.NumField() != theirs.NumField() {
		t.Fatalf("%v and %v differ in size or fields", ours, theirs)
	}
	for i := range ours.NumField() {
		if a, b := ours.Field(i), theirs.Field(i); a.Name != b.Name || a.Type != b.Type || a.Offset != b.Offset {
			t.Errorf("field %d: %v and %v", i, a, b)
		}
	}
}

// TestSumSet: operands seen again leave the set as it is, others do not.
func TestSumSet(t *testing.T) {
	sums := func(operands ...uint64) coverage.Sum {
		a := newTraced(t, func() {
			for _, x := range operands {
				probe.IntLt(2, 4, int64(x), 9)
			}
		})
		a.runOnce(engine.RunOptions{Trace: engine.TraceHashes})
		return a.Sums()[2]
	}
	once, twice, other := sums(7), sums(7, 7), sums(7, 8)
	if once.Set != twice.Set || once.Hash == twice.Hash || twice.Visits != 2 {
		t.Errorf("the same operands again: %+v, then %+v; want the same set", once, twice)
	}
	if once.Set == other.Set {
		t.Errorf("other operands: %+v, then %+v; want another set", once, other)
	}
}

// TestFind: the visits of a condition are found one after the other.
func TestFind(t *testing.T) {
	a := newTraced(t, func() {
		probe.IntLt(3, 6, 1, 2)
		probe.IntLt(4, 8, 1, 2)
		probe.IntLt(3, 6, 5, 2)
	})
	a.runOnce(visits)
	for _, tt := range []struct {
		cond       int32
		from, want int
	}{{3, 0, 0}, {3, 1, 2}, {3, 3, -1}, {4, 0, 1}, {5, 0, -1}} {
		if got := a.Find(tt.cond, tt.from); got != tt.want {
			t.Errorf("Find(%d, %d): got %d, want %d", tt.cond, tt.from, got, tt.want)
		}
	}
}

// visitsOf returns all visits of the last run.
func visitsOf(a analyst) []coverage.Visit {
	var list []coverage.Visit
	for i := range a.Logged() {
		list = append(list, a.Visit(i))
	}
	return list
}
