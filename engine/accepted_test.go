package engine

import (
	"slices"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

func TestAccepted(t *testing.T) {
	var a *accepted
	if a.helps() {
		t.Error("nothing helps")
	}
	a = new(accepted)
	a.learn([]seq.TypeID{1, 2})
	a.learn([]seq.TypeID{1, 2})
	a.learn([]seq.TypeID{2, 1})
	if want := []seq.TypeID{1, 2, 2, 1}; !slices.Equal(a.types, want) || !a.helps() {
		t.Fatalf("learnt %v, want %v; helps: %v", a.types, want, a.helps())
	}
	for i := range seq.TypeID(maxAccepted) {
		a.learn([]seq.TypeID{100 + i, 200})
	}
	if n := len(a.types) / 2; n != maxAccepted || a.types[0] != 100+maxAccepted-2 || a.types[4] != 100 {
		t.Errorf("%d calls of %d, from %v: the first are not the ones that were replaced", n, maxAccepted, a.types)
	}
	drawn := map[seq.TypeID]bool{}
	src := draw.Random(1)
	for range 1000 {
		call := a.draw(src, 2)
		if len(call) != 2 || call[1] != 200 {
			t.Fatalf("drew %v", call)
		}
		drawn[call[0]] = true
	}
	if len(drawn) != maxAccepted {
		t.Errorf("%d calls were drawn, want all %d", len(drawn), maxAccepted)
	}
	a.guided, a.broken = 80, 12
	if a.helps() {
		t.Errorf("%d of %d guided calls broke, and that helps", a.broken, a.guided)
	}
}

// Two operations more than the fake API has: Both(any, any), which takes two bags or two
// floating-point numbers and breaks for all else, and Try(any), which fails for all but a bag.
const (
	opBoth seq.OpID = opMust + 1 + iota
	opTry
)

type openExecutor struct {
	*fakeExecutor
	floats, bags int // calls of Both that returned
}

func (x *openExecutor) Begin(o RunOptions) Run {
	x.fakeExecutor.Begin(o)
	return x
}

func (x *openExecutor) Append(st seq.Step) StepOutcome {
	value := func(a seq.Arg) any {
		if a.Lit != nil {
			return a.Lit.Value
		}
		return x.vals[a.Slot]
	}
	switch st.Op {
	case opBoth:
		x.step++
		switch value(st.Args[0]).(type) {
		case float64:
			if _, ok := value(st.Args[1]).(float64); ok {
				x.floats++
				return StepOutcome{}
			}
		case *bag:
			if _, ok := value(st.Args[1]).(*bag); ok {
				x.bags++
				return StepOutcome{}
			}
		}
		x.verdict = &Verdict{Tier: Illegal, Kind: KindPanic, Op: opBoth, Signature: Signature{Where: "two types"}}
		return StepOutcome{Status: Broken}
	case opTry:
		x.step++
		if _, ok := value(st.Args[0]).(*bag); !ok {
			return StepOutcome{Status: Failed}
		}
		return StepOutcome{}
	}
	return x.fakeExecutor.Append(st)
}

func newOpen(src *draw.Source) (*composer, *openExecutor) {
	x := &openExecutor{fakeExecutor: newFake()}
	table := x.table
	open := seq.TypeID(len(table.Types))
	table.Types = append(table.Types, seq.Type{Name: "any", Interface: true, Assignable: []seq.TypeID{open, typeInt, typeFloat, typeBag}})
	table.Ops = append(table.Ops,
		seq.Operation{Name: "Both", Short: "Both", Kind: seq.Func, Template: "bag.Both($0, $1)", Params: []seq.TypeID{open, open}, API: true, Member: "Both"},
		seq.Operation{Name: "Try", Short: "Try", Kind: seq.Func, Template: "bag.Try($0)", Params: []seq.TypeID{open}, API: true, Member: "Try"},
	)
	pool := NewPool(table)
	for _, l := range pool.Literals {
		x.Box(l)
	}
	e := New(Config{Table: table, Pool: pool, Executor: x, Source: src, Sides: fakeSides, Sink: &fakeSink{}})
	c := e.composer
	c.reset()
	c.runner.begin(job{purpose: composing}, RunOptions{})
	return c, x
}

// An operation that refuses most types is called with those that it has accepted.
func TestGuidedCalls(t *testing.T) {
	e, x := newOpen(draw.Random(1))
	for range 20000 {
		e.compose(0)
	}
	both, try := &e.schedule.stats[opBoth], &e.schedule.stats[opTry]
	// Unguided it returns 41 times and panics 127 times: panics are rationed.
	if both.Normal < 5000 || both.Normal < 5*both.Broken {
		t.Errorf("Both returned %d times and panicked %d times", both.Normal, both.Broken)
	}
	if x.floats < 100 || x.bags < 100 {
		t.Errorf("Both was given floats %d times and bags %d times", x.floats, x.bags)
	}
	if a := both.accepted; a.guided < 5000 || a.broken > 0 {
		t.Errorf("%d guided calls were counted, %d of them broken", a.guided, a.broken)
	}
	if try.Normal < try.Runs/3 {
		t.Errorf("Try returned without an error %d times of %d", try.Normal, try.Runs)
	}
}

// Once objects that were put into themselves overflowed stacks, few calls give one to itself: an
// interface takes another value then.
func TestKeepApart(t *testing.T) {
	const sequences = 20000
	twice := func(apart bool) (n int) {
		e, _ := newOpen(draw.Random(1))
		if apart {
			(&Engine{composer: e, schedule: e.schedule}).KeepApart()
		}
		for range sequences {
			e.compose(0)
			for _, st := range e.steps() {
				if st.Op == opBoth && st.Args[0].Lit == nil && st.Args[0] == st.Args[1] {
					n++
				}
			}
		}
		return n
	}
	e, _ := newOpen(draw.Random(1))
	for slot, want := range map[int]bool{0: true, 1: false} {
		s := seq.Sequence{{Op: opNew}, {Op: opNew}, {Op: opBoth, Args: []seq.Arg{seq.Slot(0), seq.Slot(slot)}}}
		if e.schedule.apart = e.ops; e.schedule.backedOff(s) != want {
			t.Errorf("a stored sequence that takes bags 0 and %d: to be left out %v", slot, !want)
		}
	}
	if before, after := twice(false), twice(true); before < sequences/8 || after == 0 || after > before/4 {
		t.Errorf("%d calls take a bag twice, and %d once they are kept apart", before, after)
	}
}
