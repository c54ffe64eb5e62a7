package engine

import (
	"slices"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// settingsTable has Open, which takes a config, a maker of configs and two literals of them.
func settingsTable() *seq.Table {
	t := fakeTable()
	config, level := seq.TypeID(len(t.Types)), seq.TypeID(len(t.Types)+1)
	t.Types = append(t.Types,
		seq.Type{Name: "bag.Config", Assignable: []seq.TypeID{config}},
		seq.Type{Name: "bag.Level", Literal: seq.Int, Bits: 64, Constants: []int64{1, 2}, Assignable: []seq.TypeID{level}})
	t.Ops = append(t.Ops,
		seq.Operation{Name: "Open", Member: "Open", API: true, Template: "bag.Open($0, $1)", Params: []seq.TypeID{config, level}},
		seq.Operation{Name: "Default", Member: "Default", API: true, Template: "bag.Default()", Results: []seq.TypeID{config}},
		seq.Operation{Name: "Config{Size}", Kind: seq.Composite, Template: "bag.Config{Size: $0}", Params: []seq.TypeID{typeInt}, Results: []seq.TypeID{config}},
		seq.Operation{Name: "Config{}", Kind: seq.Composite, Template: "bag.Config{}", Results: []seq.TypeID{config}},
		seq.Operation{Name: "Resize", Kind: seq.Method, Member: "Resize", API: true, Template: "$0.Resize($1)", Params: []seq.TypeID{config, level}},
		seq.Operation{Name: "Fill", Member: "Fill", API: true, Template: "bag.Fill($0, $1)", Params: []seq.TypeID{config, typeInt}})
	return t
}

const (
	opOpen seq.OpID = iota + opMust + 1
	opDefault
	opConfig
	opEmpty
	opResize
	opFill
)

func TestSettings(t *testing.T) {
	s := NewSettings(settingsTable())
	for _, tt := range []struct {
		name    string
		op      seq.OpID
		makers  []seq.OpID // of the first argument
		numbers bool
	}{
		{"a struct", opOpen, []seq.OpID{opConfig}, true},
		{"a receiver", opResize, nil, false},
		{"a struct beside a number", opFill, nil, true},
		{"no struct", opJoin, nil, false},
	} {
		if got := s.For(tt.op, 0); !slices.Equal(got, tt.makers) || s.Numbers(tt.op) != tt.numbers {
			t.Errorf("%s: made by %v, numbers: %v; want %v, %v", tt.name, got, s.Numbers(tt.op), tt.makers, tt.numbers)
		}
	}
}

// An operation that took all memory tolerates only literals of small numbers.
func TestModest(t *testing.T) {
	table := settingsTable()
	s := newSchedule(table, make([]bool, len(table.Ops)))
	for _, restricted := range []bool{false, true} {
		if restricted {
			s.limit(opOpen, smallOnly)
		}
		for text, want := range map[string]bool{
			"v0 := bag.Config{Size: 2}\nbag.Open(v0, bag.Level(1))":             true,
			"v0 := bag.Config{Size: 1099511627776}\nbag.Open(v0, bag.Level(1))": !restricted,
			"v0 := bag.Default()\nbag.Open(v0, bag.Level(1))":                   !restricted,
			"v0 := bag.Config{}\nbag.Open(v0, bag.Level(1))":                    !restricted,
			"v0 := bag.Config{Size: 1099511627776}":                             true,
		} {
			list, err := table.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.toleratesAll(list); got != want {
				t.Errorf("restricted %v: %q is tolerated: %v", restricted, text, got)
			}
		}
	}
}

// opener runs every step to its end, and keeps the sequence.
type opener struct {
	fakeExecutor
	steps seq.Sequence
}

func (x *opener) Begin(RunOptions) Run { x.steps = nil; return x }

func (x *opener) Append(st seq.Step) StepOutcome {
	x.steps = append(x.steps, seq.Step{Op: st.Op, Args: slices.Clone(st.Args)})
	return StepOutcome{}
}

func (x *opener) Digests() []SlotDigest { return nil }

func (x *opener) End(seq.Sequence, []int32) Outcome { return Outcome{Hits: x.hits[:]} }

// Composing gives such an operation nothing else either.
func TestComposedSettings(t *testing.T) {
	for _, restricted := range []bool{false, true} {
		table := settingsTable()
		x := &opener{fakeExecutor: fakeExecutor{table: table}}
		e := New(Config{Table: table, Pool: NewPool(table), Executor: x, Source: draw.Random(1), Sides: fakeSides, Sink: &fakeSink{}})
		if restricted {
			e.Restrict(opOpen)
		}
		opened, immodest := 0, 0
		for range 300 {
			e.Step(1)
			for i := range x.steps {
				if x.steps[i].Op == opOpen {
					opened++
					if !e.schedule.modest(x.steps, i) {
						immodest++
					}
				}
			}
		}
		if opened < 50 || restricted != (immodest == 0) {
			t.Errorf("restricted %v: opened %d times, %d of them with other than literals of small numbers", restricted, opened, immodest)
		}
	}
}
