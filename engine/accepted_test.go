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
	if x.table.Ops[st.Op].Name == "Self" {
		x.step++
		x.vals = append(x.vals, x.bag(st.Args[0]))
		return StepOutcome{}
	}
	return x.fakeExecutor.Append(st)
}

func newOpen(src *draw.Source, with ...func(*seq.Table)) (*composer, *openExecutor) {
	x := &openExecutor{fakeExecutor: newFake()}
	table := x.table
	open := seq.TypeID(len(table.Types))
	table.Types = append(table.Types, seq.Type{Name: "any", Interface: true, Assignable: []seq.TypeID{open, typeInt, typeFloat, typeBag}})
	table.Ops = append(table.Ops,
		seq.Operation{Name: "Both", Short: "Both", Kind: seq.Func, Template: "bag.Both($0, $1)", Params: []seq.TypeID{open, open}, API: true, Member: "Both"},
		seq.Operation{Name: "Try", Short: "Try", Kind: seq.Func, Template: "bag.Try($0)", Params: []seq.TypeID{open}, API: true, Member: "Try"},
	)
	for _, f := range with {
		f(table)
	}
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
// interface takes another value then. Nor does it take one that is younger than the receiver, which may
// be inside. More overflows make such calls fewer.
func TestKeepApart(t *testing.T) {
	const sequences = 20000
	prepare := func() (e *composer, opAdopt seq.OpID) {
		e, x := newOpen(draw.Random(1), func(table *seq.Table) {
			holder := seq.TypeID(len(table.Types))
			table.Types = append(table.Types, seq.Type{Name: "bag.Holder", Interface: true, Assignable: []seq.TypeID{holder, typeBag}})
			for _, id := range []seq.TypeID{typeBag, holder - 1} { // a bag, and any
				table.Types[id].Assignable = append(table.Types[id].Assignable, holder)
			}
			table.Ops = append(table.Ops, seq.Operation{
				Name: "Adopt", Short: "Adopt", Kind: seq.Method, Template: "$0.Adopt($1)", Params: []seq.TypeID{typeBag, holder}, API: true, Member: "Adopt",
			}, seq.Operation{
				Name: "Self", Short: "Self", Kind: seq.Method, Template: "$0.Self()", Params: []seq.TypeID{typeBag}, Results: []seq.TypeID{holder}, Member: "Self",
			})
		})
		return e, seq.OpID(len(x.table.Ops) - 2)
	}
	count := func(apart int) (twice, adopted int) {
		e, opAdopt := prepare()
		if apart > 0 {
			(&Engine{composer: e, schedule: e.schedule}).KeepApart(apart)
		}
		for range sequences {
			e.compose(0)
			for _, st := range e.steps() {
				switch {
				case st.Op == opBoth && st.Args[0].Lit == nil && st.Args[0] == st.Args[1]:
					twice++
				case st.Op == opAdopt && st.Args[1].Lit == nil && st.Args[1].Slot >= st.Args[0].Slot:
					adopted++
				}
			}
		}
		return twice, adopted
	}
	e, opAdopt := prepare()
	e.schedule.apart = e.ops
	opSelf := opAdopt + 1
	for _, tt := range []struct {
		op       seq.OpID
		to, give int // slots: two bags, and the first again
		want     bool
	}{
		{opBoth, 0, 0, true}, {opBoth, 0, 1, false},
		{opAdopt, 0, 0, true}, {opAdopt, 0, 1, true}, {opAdopt, 1, 0, false}, {opAdopt, 1, 2, false}, {opAdopt, 0, 2, true},
	} {
		s := seq.Sequence{{Op: opNew}, {Op: opNew}, {Op: opSelf, Args: []seq.Arg{seq.Slot(0)}}, {Op: tt.op, Args: []seq.Arg{seq.Slot(tt.to), seq.Slot(tt.give)}}}
		if e.schedule.backedOff(s) != tt.want {
			t.Errorf("a stored sequence that gives bags %d and %d to operation %d: to be left out %v", tt.to, tt.give, tt.op, !tt.want)
		}
	}
	twice, adopted := count(0)
	if twice < sequences/8 || adopted < sequences/8 {
		t.Fatalf("%d calls take a bag twice, and %d a younger one", twice, adopted)
	}
	for n := 1; n <= 2; n++ {
		fewer, fewerAdopted := count(n)
		if fewer > twice/4 || fewerAdopted == 0 || fewerAdopted > adopted/4 {
			t.Errorf("kept apart %d times: %d of %d calls take a bag twice, and %d of %d a younger one", n, fewer, twice, fewerAdopted, adopted)
		}
		twice, adopted = fewer, fewerAdopted
	}
}

// A slot that may stand for an accepted type is no argument where only that type may stand.
func TestGuidedArgumentFits(t *testing.T) {
	const list, named, iface = seq.TypeID(0), seq.TypeID(1), seq.TypeID(2)
	table := &seq.Table{Types: []seq.Type{{Assignable: []seq.TypeID{list}}, {Assignable: []seq.TypeID{named, list}}, {Assignable: []seq.TypeID{iface, named}}}}
	for ty, want := range map[seq.TypeID]bool{list: false, named: true} {
		c := &composer{table: table, src: draw.Random(1), index: index{makers: make([][]seq.OpID, 3)}}
		c.live, c.slots = make([]ring, 3), []slotInfo{{ty: ty}}
		c.live[named].push(c.epoch, 0)
		for range 20 {
			if a, ok := c.guidedArgument(permit{}, &param{ty: iface}, named, 0); ok != want || a.Slot != 0 {
				t.Errorf("a value of type %d: %v, %v; want %v", ty, a, ok, want)
			}
		}
	}
}
