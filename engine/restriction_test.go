package engine

import (
	"slices"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// Of 1600 draws, ask admits an operation as often as its restriction says, with numbers
// of the magnitude that the restriction and the style of the sequence allow.
func TestAsk(t *testing.T) {
	table := fakeTable()
	unsafe := seq.OpID(len(table.Ops))
	table.Ops = append(table.Ops, seq.Operation{Name: "zero", Kind: seq.Composite, Declaration: seq.Declaration{Zero: true}, Results: []seq.TypeID{typeBag}})
	const draws, all = 1600, 1600
	learnt := &accepted{types: []seq.TypeID{typeInt}}
	for _, tt := range []struct {
		name        string
		op          seq.OpID
		stats       opStats
		in          style
		least, most int // admitted
		guided      int // … at least
		size        magnitude
	}{
		{name: "nothing known", op: opPut, in: style{size: huge}, least: all, most: all, size: huge},
		{name: "disabled", op: opPut, stats: opStats{restriction: restriction{disabled: true}}},
		{name: "backed off", op: opPut, stats: opStats{restriction: restriction{until: 11}}},
		{name: "no longer backed off", op: opPut, stats: opStats{restriction: restriction{until: 10}}, least: all, most: all},
		{name: "no huge numbers", op: opPut, stats: opStats{restriction: restriction{numbers: noHuge}}, in: style{size: huge}, least: all, most: all, size: large},
		{name: "no huge numbers in a usual sequence", op: opPut, stats: opStats{restriction: restriction{numbers: noHuge}}, least: all, most: all, size: usual},
		{name: "small numbers", op: opPut, stats: opStats{restriction: restriction{numbers: smallOnly}}, in: style{size: huge}, least: all, most: all, size: tiny},
		{name: "panics", op: opPut, stats: opStats{Runs: 1000, Broken: 500}, least: 10, most: 80},
		{name: "panics, guided", op: opPut, stats: opStats{Runs: 1000, Broken: 500, restriction: restriction{accepted: learnt}}, least: all, most: all, guided: all - 80},
		{name: "disabled, guided", op: opPut, stats: opStats{Runs: 1000, Broken: 500, restriction: restriction{disabled: true, accepted: learnt}}},
		{name: "fails, guided", op: opPut, stats: opStats{Runs: 1000, Failed: 900, restriction: restriction{accepted: learnt}}, least: all, most: all, guided: all / 3},
		{name: "unsafe", op: unsafe, least: 50, most: 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, src := newSchedule(table, make([]bool, len(table.Ops))), draw.Random(1)
			s.now, s.stats[tt.op] = 10, tt.stats
			n, guided := 0, 0
			for range draws {
				p, ok := s.ask(src, tt.op, &tt.in)
				if !ok {
					continue
				}
				n++
				if p.guided {
					guided++
				}
				if p.size != tt.size {
					t.Fatalf("numbers of magnitude %d, want %d", p.size, tt.size)
				}
			}
			if n < tt.least || n > tt.most {
				t.Errorf("admitted %d times of %d, want %d to %d", n, draws, tt.least, tt.most)
			}
			if guided < tt.guided || tt.guided == 0 && guided > 0 {
				t.Errorf("guided %d times, want at least %d", guided, tt.guided)
			}
		})
	}
}

// An edit adds no call that may break the package, however it is called.
func TestAskEdit(t *testing.T) {
	table := fakeTable()
	write, unsafe := seq.OpID(len(table.Ops)), seq.OpID(len(table.Ops)+1)
	table.Ops = append(table.Ops,
		seq.Operation{Name: "set", Kind: seq.FieldSet, Params: []seq.TypeID{typeBag, typeInt}},
		seq.Operation{Name: "zero", Kind: seq.Composite, Declaration: seq.Declaration{Zero: true}, Results: []seq.TypeID{typeBag}})
	s, src := newSchedule(table, make([]bool, len(table.Ops))), draw.Random(1)
	s.stats[opNew].disabled = true
	for id, want := range map[seq.OpID]bool{opPut: true, opNew: false, write: false, unsafe: false} {
		if got := s.askEdit(src, id); got != want {
			t.Errorf("askEdit(%s) = %v", table.Ops[id].Name, got)
		}
	}
}

// crowding leaves goroutines behind, as many as Put is told to.
type crowding struct {
	*fakeExecutor
	left int
}

func (x *crowding) Begin(o RunOptions) Run {
	x.fakeExecutor.Begin(o)
	x.left = 0
	return x
}

func (x *crowding) Append(st seq.Step) StepOutcome {
	if l := st.Args; st.Op == opPut && l[1].Lit != nil {
		x.left = max(x.left, int(min(sizeOf(l[1].Lit.Value), 1000)))
	}
	return x.fakeExecutor.Append(st)
}

func (x *crowding) End(s seq.Sequence, fresh []int32) Outcome {
	out := x.fakeExecutor.End(s, fresh)
	out.Left = x.left
	return out
}

// An operation that leaves many goroutines behind gets small numbers, also in the next process. No
// sequence starts from one in which it got others.
func TestFew(t *testing.T) {
	e, fake, _ := newFakeEngine(t, 1, Params{})
	x := &crowding{fakeExecutor: fake}
	e.Use(x)
	e.Run(500)
	crowds := 0
	for range 500 {
		if e.Run(1); x.left > manyGoroutines {
			crowds++
		}
	}
	if crowds > 0 {
		t.Errorf("%d of 500 sequences leave many goroutines behind, want none", crowds)
	}
	for _, en := range e.archive.entries {
		if slices.ContainsFunc(en.Steps, func(st seq.Step) bool { return st.Op == opPut && e.schedule.isMany(&st) }) && !e.schedule.backedOff(en.Steps) {
			t.Errorf("sequences start from %s", text(fake.table, en.Steps))
		}
	}
	next, _, _ := newFakeEngine(t, 1, Params{})
	next.Recall(e.OpCounts())
	if got := next.schedule.stats[opPut].numbers; got != few {
		t.Errorf("in the next process Put gets numbers of limit %d, want %d", got, few)
	}
	if next.schedule.stats[opGet].numbers != anyNumber {
		t.Error("Get, which takes no number, is limited")
	}
}

// An entry that leaves many goroutines behind is told to be costly, also if it takes no new sides.
func TestCostlyEntries(t *testing.T) {
	e, fake, _ := newFakeEngine(t, 1, Params{})
	e.Use(&crowding{fakeExecutor: fake})
	for _, tt := range []struct {
		text   string
		costly bool
	}{
		{"v0 := bag.New(); v0.Put(500)", true},
		{"v0 := bag.New(); v0.Put(500)", true},
		{"v0 := bag.New(); v0.Put(3)", false},
	} {
		if en := e.Add(parse(t, tt.text)); en.Costly != tt.costly {
			t.Errorf("%s: %d new sides, costly %v, want %v", tt.text, len(en.Sides), en.Costly, tt.costly)
		}
	}
}

// nils counts calls of Join, and those with nil.
type nils struct {
	*fakeExecutor
	calls, nil int
}

func (x *nils) Begin(o RunOptions) Run {
	x.fakeExecutor.Begin(o)
	return x
}

func (x *nils) Append(st seq.Step) StepOutcome {
	if st.Op == opJoin {
		x.calls++
		if st.Args[1].Lit != nil {
			x.nil++
		}
	}
	return x.fakeExecutor.Append(st)
}

// An operation that ended a process is given no nil where another makes a value, composed or edited,
// and still called.
func TestRestrictedNil(t *testing.T) {
	for _, restricted := range []bool{false, true} {
		table := fakeTable()
		x := &nils{fakeExecutor: &fakeExecutor{table: table}}
		e := New(Config{Table: table, Pool: NewPool(table), Executor: x, Source: draw.Random(1), Sides: fakeSides, Sink: &fakeSink{}})
		if restricted {
			e.Restrict(opJoin)
		}
		e.Run(3000)
		if x.calls < 300 || restricted != (x.nil == 0) {
			t.Errorf("restricted %v: %d of %d calls with nil", restricted, x.nil, x.calls)
		}
		null := e.keeper.pool.Nil(typeBag)
		given := seq.Sequence{{Op: opNew}, {Op: opJoin, Args: []seq.Arg{{}, seq.Lit(null)}}}
		if e.schedule.toleratesAll(given) == restricted {
			t.Errorf("restricted %v: a sequence with nil is tolerated: %v", restricted, !restricted)
		}
		size := usual
		if restricted {
			size = tiny
		}
		e.composer.reset()
		if _, ok := e.composer.makeArgument(permit{size: size}, &param{ty: typeBag, null: null}, maxDepth); ok == restricted {
			t.Errorf("restricted %v: nil where no call makes a value: %v", restricted, ok)
		}
	}
}
