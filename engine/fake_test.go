package engine

import (
	"fmt"
	"slices"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// The API of the fake executor: a bag of numbers.
//
//	bag.New() *bag.Bag
//	(*bag.Bag).Put(int)
//	(*bag.Bag).Get() int
//	(*bag.Bag).Join(*bag.Bag)   breaks when both are the same bag of three or more
//	(*bag.Bag).Must(int)        breaks always, an evident precondition
const (
	opNew seq.OpID = iota
	opPut
	opGet
	opJoin
	opMust
)

const (
	typeBag seq.TypeID = iota + 1
	typeInt
	typeFloat
)

func fakeTable() *seq.Table {
	return &seq.Table{
		Package: "bag", Name: "bag", Imports: []seq.Import{{Name: "bag", Path: "bag"}},
		Types: []seq.Type{
			{},
			{Name: "*bag.Bag", Nilable: true, Assignable: []seq.TypeID{typeBag}},
			{Name: "int", Literal: seq.Int, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeInt}, Mined: []string{"4711"}},
			{Name: "float64", Literal: seq.Float, Bits: 64, Basic: true, Assignable: []seq.TypeID{typeFloat}},
		},
		Ops: []seq.Operation{
			{Name: "New", Short: "New", Kind: seq.Func, Template: "bag.New()", Results: []seq.TypeID{typeBag}, API: true, Member: "New"},
			{Name: "Put", Short: "Put", Kind: seq.Method, Template: "$0.Put($1)", Params: []seq.TypeID{typeBag, typeInt}, API: true, Member: "Put"},
			{Name: "Get", Short: "Get", Kind: seq.Method, Template: "$0.Get()", Params: []seq.TypeID{typeBag}, Results: []seq.TypeID{typeInt}, API: true, Member: "Get"},
			{Name: "Join", Short: "Join", Kind: seq.Method, Template: "$0.Join($1)", Params: []seq.TypeID{typeBag, typeBag}, API: true, Member: "Join"},
			{Name: "Must", Short: "Must", Kind: seq.Method, Template: "$0.Must($1)", Params: []seq.TypeID{typeBag, typeInt}, API: true, Member: "Must"},
		},
	}
}

// Branch sides of the fake API.
const (
	sideNew = iota
	sidePutSmall
	sidePutMined
	sideGetEmpty
	sideGetFull
	sideJoin
	sideSelf
	fakeSides
)

type bag struct{ items []int64 }

// touch is a slot that a step made or changed.
type touch struct{ slot, step int32 }

// fakeExecutor interprets the fake API. steps records the steps that ran.
type fakeExecutor struct {
	table   *seq.Table
	vals    []any
	hits    [fakeSides]byte
	touched []touch
	step    int32
	verdict *Verdict
	history []byte
	record  bool
}

func newFake() *fakeExecutor { return &fakeExecutor{table: fakeTable()} }

func (x *fakeExecutor) Begin(RunOptions) Run {
	x.vals, x.touched, x.verdict, x.step = x.vals[:0], x.touched[:0], nil, -1
	clear(x.hits[:])
	return x
}

func (x *fakeExecutor) Box(l *seq.Literal) { l.Boxed = l.Value }

func (x *fakeExecutor) bag(a seq.Arg) *bag {
	if a.Lit != nil {
		return nil
	}
	return x.vals[a.Slot].(*bag)
}

func (x *fakeExecutor) Append(st seq.Step) StepOutcome {
	if x.record {
		x.history = seq.AppendStep(x.history, st)
	}
	x.step++
	broken := func(tier Tier, sig string) StepOutcome {
		x.verdict = &Verdict{Tier: tier, Kind: KindPanic, Op: st.Op, Signature: Signature{Where: sig}}
		return StepOutcome{Status: Broken}
	}
	switch st.Op {
	case opNew:
		x.hits[sideNew] = 1
		x.touched = append(x.touched, touch{int32(len(x.vals)), x.step})
		x.vals = append(x.vals, &bag{})
	case opPut:
		b, v := x.bag(st.Args[0]), int64(0)
		if l := st.Args[1].Lit; l != nil {
			v = l.Value.(int64)
		} else {
			v = x.vals[st.Args[1].Slot].(int64)
		}
		b.items = append(b.items, v)
		x.hits[sidePutSmall] = 1
		if v == 4711 {
			x.hits[sidePutMined] = 1
		}
		x.touched = append(x.touched, touch{st.Args[0].Slot, x.step})
	case opGet:
		b := x.bag(st.Args[0])
		v := int64(0)
		if len(b.items) > 0 {
			v = b.items[0]
			x.hits[sideGetFull] = 1
		} else {
			x.hits[sideGetEmpty] = 1
		}
		x.vals = append(x.vals, v)
	case opJoin:
		a, b := x.bag(st.Args[0]), x.bag(st.Args[1])
		if b == nil {
			return broken(Illegal, "nil bag")
		}
		x.hits[sideJoin] = 1
		if a == b {
			x.hits[sideSelf] = 1
			if len(a.items) >= 3 {
				return broken(Error, "self join")
			}
		}
		a.items = append(a.items, b.items...)
		if len(a.items) > 1000 {
			a.items = a.items[:0]
		}
		x.touched = append(x.touched, touch{st.Args[0].Slot, x.step})
	case opMust:
		return broken(Illegal, "must")
	}
	return StepOutcome{}
}

func (x *fakeExecutor) Digests() []SlotDigest {
	var list []SlotDigest
	for _, t := range x.touched {
		h := uint64(14695981039346656037)
		for _, v := range x.vals[t.slot].(*bag).items {
			h = (h ^ uint64(v)) * 1099511628211
		}
		list = append(list, SlotDigest{Slot: t.slot, Hash: h, Step: t.step, Changed: true})
	}
	x.touched = x.touched[:0]
	return list
}

func (x *fakeExecutor) State(slots []int32, o StateOptions) (live []int32, hash uint64, whole bool) {
	h := uint64(14695981039346656037)
	var met []any
	for _, slot := range slots {
		if slices.Contains(met, x.vals[slot]) || o.Objects > 0 && len(live) >= o.Objects {
			continue
		}
		met, live = append(met, x.vals[slot]), append(live, slot)
		h = (h ^ 0xbead) * 1099511628211
		for _, v := range x.vals[slot].(*bag).items {
			if o.Shape {
				v = 0
			}
			h = (h ^ uint64(v+1)) * 1099511628211
		}
	}
	return live, h, true
}

func (x *fakeExecutor) End(seq.Sequence, []int32) Outcome {
	return Outcome{Hits: x.hits[:], Verdict: x.verdict}
}

// fakeSink keeps all entries and findings.
type fakeSink struct {
	entries  []Entry
	findings []Finding
	attempts []int
	endless  []seq.Sequence
}

func (s *fakeSink) Entry(e Entry)     { s.entries = append(s.entries, e) }
func (s *fakeSink) Finding(f Finding) { s.findings = append(s.findings, f) }
func (s *fakeSink) Attempt(side int)  { s.attempts = append(s.attempts, side) }

func (s *fakeSink) Endless(list seq.Sequence) { s.endless = append(s.endless, list) }

func newFakeEngine(tb testing.TB, seed uint64, p Params) (*Engine, *fakeExecutor, *fakeSink) {
	tb.Helper()
	x, sink := newFake(), &fakeSink{}
	pool := NewPool(x.table)
	for _, l := range pool.Literals {
		x.Box(l)
	}
	return New(Config{Table: x.table, Pool: pool, Executor: x, Source: draw.Random(seed), Sides: fakeSides, Params: p, Sink: sink}), x, sink
}

func text(t *seq.Table, s seq.Sequence) string { return fmt.Sprint(t.String(s)) }
