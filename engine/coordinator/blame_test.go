package coordinator

import (
	"slices"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// TestNeeded: an operation is needed if nothing else that its package is prepared
// for makes what others take.
func TestNeeded(t *testing.T) {
	const (
		newT seq.OpID = iota
		use
	)
	table := func(more ...seq.Operation) *seq.Table {
		return &seq.Table{
			Types: []seq.Type{{}, {Name: "*p.T", Nilable: true, Assignable: []seq.TypeID{1}}, {Name: "int", Literal: seq.Int, Bits: 64, Assignable: []seq.TypeID{2}}},
			Ops: append([]seq.Operation{
				{Name: "New", Member: "New", API: true, Results: []seq.TypeID{1}},
				{Name: "Use", Member: "(*T).Use", Kind: seq.Method, API: true, Params: []seq.TypeID{1}, Results: []seq.TypeID{2}},
				{Name: "&T{}", Kind: seq.Composite, Zero: true, Results: []seq.TypeID{1}},
			}, more...),
		}
	}
	for _, tt := range []struct {
		name  string
		table *seq.Table
		op    seq.OpID
		want  bool
	}{
		{"the constructor", table(), newT, true},
		{"what makes a number", table(), use, false},
		{"with another constructor", table(seq.Operation{Name: "Open", Member: "Open", API: true, Results: []seq.TypeID{1}}), newT, false},
		{"with another instance", table(seq.Operation{Name: "New[int]", Member: "New", API: true, Results: []seq.TypeID{1}}), newT, true},
	} {
		r := &run{config: Config{Config: replay.Config{Table: tt.table}}}
		if got := r.needed(tt.op); got != tt.want {
			t.Errorf("%s: needed %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestNeededIsSpared: what alone makes a type is not left alone when goroutines that
// it started have panicked a few times; what something else makes, too, is.
func TestNeededIsSpared(t *testing.T) {
	constructor := func(name string) seq.Operation {
		return seq.Operation{Name: "p." + name, Short: name, Member: name, API: true, Results: []seq.TypeID{1}}
	}
	for _, tt := range []struct {
		constructors []seq.Operation
		deaths       int
		spared       bool
	}{
		{[]seq.Operation{constructor("New")}, maxDeaths + 1, true},
		{[]seq.Operation{constructor("New")}, maxNeededDeaths, false},
		{[]seq.Operation{constructor("New"), constructor("Open")}, maxDeaths, false},
	} {
		c := Config{Config: replay.Config{Table: &seq.Table{
			Package: "p", Name: "p",
			Types: []seq.Type{{}, {Name: "*p.T", Nilable: true, Assignable: []seq.TypeID{1}}},
			Ops:   append(tt.constructors, seq.Operation{Name: "p.Use", Member: "(*T).Use", Kind: seq.Method, API: true, Params: []seq.TypeID{1}}),
		}}}
		r := &run{config: c, deaths: make([]int, len(c.Table.Ops)), tamedAt: map[seq.OpID]time.Time{}, ops: make([]engine.OpCounts, len(c.Table.Ops))}
		r.config.Report = &recorder{}
		stack := "panic: too late\n\ngoroutine 7 [running]:\np.loop()\n\t/p/p.go:3 +0x1\ncreated by p.New in goroutine 1\n\t/p/p.go:2 +0x1\n"
		for range tt.deaths {
			r.blame(&workerState{}, nil, worker.Death{Stderr: stack})
			clear(r.tamedAt) // as if the workers had had time to heed it
		}
		if got := !slices.Contains(r.banned, 0); got != tt.spared {
			t.Errorf("%d constructors, %d deaths: spared %v, want %v", len(tt.constructors), tt.deaths, got, tt.spared)
		}
	}
}

// TestAlikeAreTamed: with an operation those of its name but for digits are tamed, once
// each, and no other is.
func TestAlikeAreTamed(t *testing.T) {
	const other = 4
	table := &seq.Table{Package: "p", Name: "p", Types: []seq.Type{{}}}
	for _, name := range []string{"Async", "Async1", "Async1", "Async12", "Sync1"} {
		table.Ops = append(table.Ops, seq.Operation{Name: name + "[" + string(rune('a'+len(table.Ops))) + "]", Member: name, API: true})
	}
	r := &run{config: Config{Config: replay.Config{Table: table}}, deaths: make([]int, len(table.Ops)), tamedAt: map[seq.OpID]time.Time{}, ops: make([]engine.OpCounts, len(table.Ops))}
	r.config.Report = &recorder{}
	r.blame(&workerState{}, seq.Sequence{{Op: other}, {Op: 1}}, worker.Death{})
	if want := []seq.OpID{0, 1, 2, 3}; !slices.Equal(r.tamed, want) || len(r.banned) > 0 {
		t.Errorf("tamed %v, banned %v, want %v tamed", r.tamed, r.banned, want)
	}
	clear(r.tamedAt)
	for range maxDeaths - 1 {
		r.blame(&workerState{}, seq.Sequence{{Op: 2}}, worker.Death{})
		clear(r.tamedAt)
	}
	if want := []seq.OpID{1, 2}; len(r.tamed) != 4 || !slices.Equal(r.banned, want) {
		t.Errorf("%d tamed, banned %v, want the instances %v: they ended three workers", len(r.tamed), r.banned, want)
	}
}

// TestTurnsOfTheDead: a turn that a process was in when it died counts, once.
func TestTurnsOfTheDead(t *testing.T) {
	w := &workerState{}
	r := &run{frontier: map[int32]engine.Side{7: {Side: 7, Status: engine.SideConstant, Turns: 2}}, ops: make([]engine.OpCounts, 1), workers: []*workerState{w}}
	for _, side := range []int32{7, 9, 7} {
		r.take(t.Context(), event{worker: w, msg: &wire.Message{Turn: &wire.Turn{Side: side}}})
	}
	r.countTurns(w)
	r.countTurns(w)
	if a, b := r.frontier[7], r.frontier[9]; a.Turns != 4 || a.Status != engine.SideConstant || b.Turns != 1 || b.Side != 9 || b.Status != engine.SideTried {
		t.Errorf("frontier %+v", r.frontier)
	}
	r.take(t.Context(), event{worker: w, msg: &wire.Message{Turn: &wire.Turn{Side: 9}}})
	r.take(t.Context(), event{worker: w, msg: &wire.Message{Stats: &wire.Stats{Frontier: []engine.Side{{Side: 9, Status: engine.SideTried, Turns: 2}}}}})
	r.countTurns(w)
	if got := r.frontier[9].Turns; got != 2 {
		t.Errorf("%d turns at side 9, of which the process has told; want 2", got)
	}
}
