package executor

import (
	"reflect"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
)

// An auditor looks at every sequence that an executor has run, before it ends.
type auditor struct {
	*Executor
	look func(s seq.Sequence, x *Executor)
}

func (a auditor) Begin(o engine.RunOptions) engine.Run {
	a.Executor.Begin(o)
	return a
}

func (a auditor) End(s seq.Sequence, fresh []int32) engine.Outcome {
	if !a.panicked.set {
		a.look(s, a.Executor)
	}
	return a.Executor.End(s, fresh)
}

// TestUntaintedSequences: where the executor says that no value is tainted, the
// whole history says so too.
func TestUntaintedSequences(t *testing.T) {
	f := newFixture(t, int(opZero)+1, 1, engine.Params{})
	clean, tainted := 0, 0
	e := f.newEngine(auditor{f.exec, func(s seq.Sequence, x *Executor) {
		if x.tainted {
			tainted++
			return
		}
		clean++
		for slot, taint := range new(blame.Tainter).Taints(f.table, s, x.vals) {
			if taint != 0 {
				t.Fatalf("slot %d has taint %b, but the sequence is said to have none: %v", slot, taint, s)
			}
		}
	}}, 2, engine.Params{})
	e.Run(3000)
	if clean < 100 || tainted < 100 {
		t.Errorf("%d sequences without taint, %d with: want many of both", clean, tainted)
	}
}

// TestTypedNilError: an error that holds a nil pointer is an error to Go, and
// taints the other results.
func TestTypedNilErrorTaints(t *testing.T) {
	f := newFixture(t, int(opCheck)+1, 1, engine.Params{})
	f.exec.ops[opCheck].adapter = func(_, out []any) { out[0] = (*nilError)(nil) }
	f.exec.Begin(engine.RunOptions{})
	f.exec.Append(seq.Step{Op: opNew})
	f.exec.Append(seq.Step{Op: opCheck, Args: []seq.Arg{seq.Slot(0), f.lit(0)}})
	if !f.exec.tainted {
		t.Error("a typed nil error does not taint")
	}
}

// TestOwnPanicGoesOn: a panic of our own callback fails the step, and nothing
// else; any other panic ends the sequence.
func TestOwnPanicGoesOn(t *testing.T) {
	f := newFixture(t, int(opCheck)+1, 1, engine.Params{})
	for _, tt := range []struct {
		thrown any
		want   engine.Status
	}{{seq.Thrown, engine.Failed}, {"other", engine.Broken}} {
		f.exec.ops[opCheck].adapter = func(_, _ []any) { panic(tt.thrown) }
		f.exec.Begin(engine.RunOptions{})
		f.exec.Append(seq.Step{Op: opNew})
		out := f.exec.Append(seq.Step{Op: opCheck, Args: []seq.Arg{seq.Slot(0), f.lit(0)}})
		if out.Status != tt.want {
			t.Errorf("a panic with %v: status %d, want %d", tt.thrown, out.Status, tt.want)
		}
		if out.Status != engine.Failed {
			continue
		}
		if out.Unfit&1 == 0 {
			t.Errorf("a panic with %v leaves a result to take", tt.thrown)
		}
		f.exec.ops[opCheck].adapter = func(_, _ []any) { t.Error("a call was given what no call made") }
		s := seq.Sequence{{Op: opNew}, {Op: opCheck}, {Op: opCheck, Args: []seq.Arg{seq.Slot(0), seq.Slot(1)}}}
		if status := f.exec.Append(s[2]).Status; status != engine.Broken {
			t.Errorf("a step that takes what a panic left: status %d, want %d", status, engine.Broken)
		}
		if v := f.exec.End(s, nil).Verdict; v == nil || v.Tier != engine.Illegal {
			t.Errorf("a sequence that takes what a panic left: verdict %+v, want an illegal one", v)
		}
	}
}

type nilError struct{}

func (*nilError) Error() string { return "" }

// lit returns the small integer v as an argument.
func (f *fixture) lit(v int64) seq.Arg {
	return seq.Lit(f.pool.Intern(&seq.Literal{Type: typeInt, Value: v}))
}

// TestHandlesAreSampled: of many nodes one in handleOneIn is digested, of the
// trees all.
func TestHandlesAreSampled(t *testing.T) {
	f := newFixture(t, int(opNode)+1, 1, engine.Params{})
	x := f.exec
	x.Begin(engine.RunOptions{})
	x.Append(seq.Step{Op: opNew})
	x.Append(seq.Step{Op: opPut, Args: []seq.Arg{seq.Slot(0), f.lit(1), f.lit(1)}})
	const nodes = 4 * handleOneIn
	for range nodes {
		if out := x.Append(seq.Step{Op: opNode, Args: []seq.Arg{seq.Slot(0), f.lit(1)}}); out.Unfit != 0 {
			t.Fatal("no node")
		}
	}
	if got, want := len(x.Digests()), 1+nodes/handleOneIn; got != want {
		t.Errorf("%d digests of a tree and %d nodes, want %d", got, nodes, want)
	}
}

// TestDigestNamesTheChange: a digest names the step that made or changed its
// value, once observers are known to change nothing.
func TestDigestNamesTheChange(t *testing.T) {
	f := newFixture(t, int(opNode)+1, 1, engine.Params{})
	x := f.exec
	get := seq.Step{Op: opGet, Args: []seq.Arg{seq.Slot(0), f.lit(1)}}
	x.Begin(engine.RunOptions{})
	x.Append(seq.Step{Op: opNew})
	for range pureRuns + 1 {
		x.Digests()
		x.Append(get)
	}
	x.Digests()
	x.Append(seq.Step{Op: opPut, Args: []seq.Arg{seq.Slot(0), f.lit(1), f.lit(1)}}) // step pureRuns+2
	x.Append(get)
	ds := x.Digests()
	if len(ds) != 1 || ds[0].Step != pureRuns+2 || !ds[0].Changed {
		t.Errorf("got %+v, want the tree changed by step %d", ds, pureRuns+2)
	}
}

func TestJournalHoldsWhatRan(t *testing.T) {
	f := newFixture(t, int(opNode)+1, 1, engine.Params{})
	shared := f.exec.journal.shared
	put := seq.Step{Op: opPut, Args: []seq.Arg{seq.Slot(0), f.lit(1), f.lit(2)}}
	f.exec.Begin(engine.RunOptions{})
	f.exec.Append(seq.Step{Op: opNew})
	f.exec.Append(put)
	got, err := seq.DecodeSteps(f.table, f.pool.Literals, shared.Journal[:shared.Length.Load()])
	if err != nil || len(got) != 2 || got[1].Op != opPut || got[1].Args[2] != put.Args[2] {
		t.Errorf("journal: got %v, %v", got, err)
	}
	if shared.Steps.Load() != 2 || shared.Sequences.Load() != 1 {
		t.Errorf("counted %d steps, %d sequences, want 2, 1", shared.Steps.Load(), shared.Sequences.Load())
	}
	f.exec.End(got, nil)
	if shared.Length.Load() != 0 {
		t.Error("the journal names a sequence that has ended")
	}

	f.exec.marker = newMarker(f.exec) // as where versions are compared
	f.exec.Begin(engine.RunOptions{})
	f.exec.Append(seq.Step{Op: opNew})
	f.exec.End(got[:1], nil)
	if shared.Length.Load() != 0 {
		t.Error("the journal names a sequence that was watched and has ended")
	}
}

// A process grows used to long values as it goes on.
func TestFitGrows(t *testing.T) {
	x := newFixture(t, int(opCheck)+1, 1, engine.Params{}).exec
	var got []int
	for range 2 * growOneIn * fitLen {
		x.Begin(engine.RunOptions{})
		if n := len(got); n == 0 || got[n-1] != x.fit {
			got = append(got, x.fit)
		}
	}
	if got[0] != firstFit || got[len(got)-1] != fitLen || len(got) != fitLen-firstFit+1 {
		t.Errorf("fit: %v, want each from %d to %d", got, firstFit, fitLen)
	}
}

// A long result is no argument to try; a very long one is made seldom.
func TestTooLong(t *testing.T) {
	for _, tt := range []struct {
		n    int
		long bool
		cost uint32
	}{
		{0, false, 0},
		{fitLen, false, 0},
		{fitLen + 1, true, 0},
		{costlyLen, true, 0},
		{costlyLen + 1, true, costly},
	} {
		if long, cost := tooLong(tt.n, fitLen); long != tt.long || cost != tt.cost {
			t.Errorf("length %d: too long %v, cost %d; want %v, %d", tt.n, long, cost, tt.long, tt.cost)
		}
	}
	for _, rt := range []reflect.Type{nil, reflect.TypeFor[int](), reflect.TypeFor[*[]int](), reflect.TypeFor[any](), reflect.TypeFor[[3]int]()} {
		if sized(rt) {
			t.Errorf("%v is taken to have a length", rt)
		}
	}
}

// An outcome tells how many goroutines its sequence has left behind.
func TestLeft(t *testing.T) {
	f := newFixture(t, int(opZero)+1, 1, engine.Params{})
	done := make(chan bool)
	defer close(done)
	f.exec.ops[opNew].adapter = func(_, out []any) {
		for range 3 {
			go func() { <-done }()
		}
		out[0] = newIntTree()
	}
	for _, tt := range []struct {
		op   seq.OpID
		want int
	}{{opNew, 3}, {opZero, 0}} {
		f.exec.Begin(engine.RunOptions{})
		f.exec.Append(seq.Step{Op: tt.op})
		if out := f.exec.End(seq.Sequence{{Op: tt.op}}, nil); out.Left != tt.want {
			t.Errorf("%s has left %d goroutines, want %d", f.table.Ops[tt.op].Name, out.Left, tt.want)
		}
	}
}
