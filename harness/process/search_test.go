package process

import (
	"bytes"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// noLoss disables the operations that do not return.
var noLoss = []seq.OpID{opExit, opWait}

// searched runs a worker on orders and returns its reports.
func searched(t *testing.T, prepare func(w *worker), orders ...*wire.Message) []*wire.Message {
	t.Helper()
	var b bytes.Buffer
	w := newTestWorker(&b, nil)
	w.own()
	if prepare != nil {
		prepare(w)
	}
	for _, m := range orders {
		w.commands <- m
	}
	if err := w.obey(); err != nil {
		t.Fatal(err)
	}
	return messages(t, &b)
}

func start(s wire.Start) *wire.Message {
	s.Seed, s.Params = 1, engine.DefaultParams()
	s.Learn.Disable = append(s.Learn.Disable, noLoss...)
	return &wire.Message{Start: &s}
}

// A bounded search runs so many sequences. It reports the entries, a finding once, and the totals.
func TestSearch(t *testing.T) {
	list := searched(t, nil, start(wire.Start{Sequences: 500}))
	var findings []*wire.Finding
	var sides []int32
	w := newTestWorker(nil, nil)
	for _, m := range list {
		switch {
		case m.Entry != nil:
			if _, err := seq.DecodeBinary(w.table, w.pool.Literals, m.Entry.Steps); err != nil || !m.Entry.Value && len(m.Entry.Sides) == 0 {
				t.Errorf("entry %+v: %v", m.Entry, err)
			}
			sides = append(sides, m.Entry.Sides...)
		case m.Covered != nil:
			sides = append(sides, m.Covered...)
		case m.Finding != nil:
			findings = append(findings, m.Finding)
		}
	}
	if len(findings) != 1 || findings[0].Verdict.Op != opBreak || !bytes.Equal(findings[0].Steps, steps(opBreak)) {
		t.Errorf("findings %+v, want Break alone", findings)
	}
	if slices.Sort(sides); !slices.Equal(slices.Compact(sides), []int32{0, 1, 2}) {
		t.Errorf("sides %v, want those of the three operations", sides)
	}
	first, last := list[0].Stats, list[len(list)-1].Stats
	if first == nil || first.Final || first.Counts.Sequences != 0 {
		t.Errorf("first report %+v", first)
	}
	if last == nil || !last.Final || last.Recycle || last.Counts.Sequences != 500 || last.HeapBytes == 0 || last.Goroutines == 0 {
		t.Errorf("last report %+v", last)
	}
	for _, op := range last.Ops {
		if op.Runs > 0 == slices.Contains(noLoss, op.Op) {
			t.Errorf("%s ran %d times", w.table.Ops[op.Op].Name, op.Runs)
		}
	}
	if last.Hits[findings[0].Verdict.Signature] < 2 {
		t.Errorf("hits %v, want more than that of the report", last.Hits)
	}
}

// ordered is the end of a pipe of commands that is never closed: that would end the process.
var ordered *os.File

// A worker that is to stop does so at its next look, however many orders come before that one.
func TestStopOvertakes(t *testing.T) {
	r, commands, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ordered = commands
	const orders = 100
	list := searched(t, func(w *worker) {
		w.inherited.Commands, w.commands = r, make(chan *wire.Message, ahead)
		for range orders {
			if err := wire.Write(commands, &wire.Message{Learn: &wire.Learn{Entries: [][]byte{steps(opNew)}}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := wire.Write(commands, &wire.Message{Stop: true}); err != nil {
			t.Fatal(err)
		}
		w.commands <- start(wire.Start{Sequences: orders * batch})
		go w.readCommands()
		for len(w.commands) < 1+orders+1 {
			time.Sleep(time.Millisecond)
		}
	})
	if last := list[len(list)-1].Stats; last == nil || !last.Final || last.Counts.Sequences > batch {
		t.Errorf("last report %+v, want the final one after a batch of sequences", last)
	}
	if i := slices.IndexFunc(list, func(m *wire.Message) bool { return m.Entry != nil && m.Entry.Again }); i >= 0 {
		t.Errorf("it ran the entry %+v before it stopped", list[i].Entry)
	}
}

// One seed has one history.
func TestSearchAgain(t *testing.T) {
	var counts []engine.Counts
	for range 2 {
		list := searched(t, nil, start(wire.Start{Sequences: 200}))
		counts = append(counts, list[len(list)-1].Stats.Counts)
	}
	if counts[0] != counts[1] {
		t.Errorf("%+v, then %+v", counts[0], counts[1])
	}
}

// Sides, findings and entries that others have reported are not reported again.
func TestSearchLearns(t *testing.T) {
	key := ""
	for _, m := range searched(t, nil, start(wire.Start{Sequences: 200})) {
		if m.Finding != nil {
			key = m.Finding.Verdict.DedupKey()
		}
	}
	list := searched(t, nil, start(wire.Start{Sequences: 200, Covered: []int32{0, 1}, Learn: wire.Learn{Known: []string{key}, Entries: [][]byte{{1, 99}, steps(opNew)}}}))
	for _, m := range list {
		if m.Finding != nil {
			t.Errorf("reported %+v, which is known", m.Finding)
		}
		if m.Entry != nil && slices.Contains(m.Entry.Sides, 0) && !m.Entry.Again {
			t.Errorf("reported %+v, which does no more than an entry", m.Entry)
		}
		sides := m.Covered
		if m.Stats != nil {
			sides = m.Stats.Covered
		}
		if sides != nil && !slices.Equal(sides, []int32{2}) {
			t.Errorf("reported sides %v, want none but 2", sides)
		}
	}
	again := -1
	for i, m := range list {
		if m.Entry != nil && m.Entry.Again {
			if again >= 0 || !slices.Equal(m.Entry.Steps, steps(opNew)) || !slices.Equal(m.Entry.Sides, []int32{0}) {
				t.Errorf("message %d: reported %+v of the entries that it was given", i, m.Entry)
			}
			again = i
		}
	}
	if again < 0 {
		t.Error("did not report how the entry ran that it was given")
	}
	known := wire.Entry{Entry: engine.Entry{Sides: []int32{0}}, Steps: steps(opNew)}
	for _, m := range searched(t, nil, start(wire.Start{Sequences: 200, Known: []wire.Entry{known}})) {
		if m.Entry != nil && slices.Contains(m.Entry.Sides, 0) {
			t.Errorf("reported %+v, which does no more than a known entry", m.Entry)
		}
	}
	list = searched(t, nil, start(wire.Start{Sequences: 200, Learn: wire.Learn{Disable: []seq.OpID{opBreak}}}))
	if last := list[len(list)-1].Stats; last.Counts.Findings != 0 {
		t.Errorf("%d findings of a disabled operation", last.Counts.Findings)
	}
}

// Sequences of tests run between batches, and those that take new sides are reported as
// seeds. Those that do not decode are left out, and so are literals of no parameter.
func TestSearchSows(t *testing.T) {
	seeds := [][]byte{{1, 99}, steps(opNew)}
	for range seedBatch {
		seeds = append(seeds, steps(opNew))
	}
	seen := []wire.Seen{{Op: 99, Texts: []string{"1"}}, {Op: opNew, Param: 7, Texts: []string{"1"}}, {Op: opNew, Param: -1}}
	list := searched(t, nil, start(wire.Start{Sequences: 2 * batch, Learn: wire.Learn{Seeds: seeds, Seen: seen}}))
	sown := 0
	for _, m := range list {
		if m.Entry != nil && m.Entry.Seed {
			sown++
		}
	}
	last := list[len(list)-1].Stats
	if sown != 1 || last.Counts.Seeds != seedBatch+1 || last.Counts.Sequences != 2*batch {
		t.Errorf("%d seeds kept of %d, %d sequences; want 1 of %d, %d", sown, last.Counts.Seeds, last.Counts.Sequences, seedBatch+1, 2*batch)
	}
}

// A search takes one order after each batch, and stops when it is told to.
func TestSearchStops(t *testing.T) {
	list := searched(t, nil, start(wire.Start{}), &wire.Message{Learn: &wire.Learn{Disable: []seq.OpID{opBreak}}}, &wire.Message{Stop: true})
	if last := list[len(list)-1].Stats; last == nil || !last.Final || last.Counts.Sequences != 2*batch {
		t.Errorf("last report %+v, want two batches", last)
	}
}

// A worker that is full asks to be replaced. One that is quiet ends if it is to.
func TestSearchEnds(t *testing.T) {
	list := searched(t, func(w *worker) { w.abandoned = maxAbandoned }, start(wire.Start{}))
	if last := list[len(list)-1].Stats; last == nil || !last.Recycle || last.Final || last.Counts.Sequences != batch {
		t.Errorf("last report %+v, want one that asks after a batch", last)
	}
	done := make(chan bool)
	for range maxGoroutines {
		go func() { <-done }()
	}
	list = searched(t, nil, start(wire.Start{}))
	if last := list[len(list)-1].Stats; last == nil || !last.Recycle || last.Counts.Sequences != 1 {
		t.Errorf("last report %+v, want one that asks after a sequence: goroutines have piled up", last)
	}
	for close(done); runtime.NumGoroutine() > maxGoroutines; {
		time.Sleep(time.Millisecond)
	}
	quiet := start(wire.Start{UntilQuiet: true})
	quiet.Start.Params.QuietAfter = 50
	list = searched(t, nil, quiet)
	values := 0
	for _, m := range list {
		if m.Entry != nil && m.Entry.Value {
			values++
		}
	}
	if last := list[len(list)-1].Stats; last == nil || !last.Quiet || last.Final || last.Counts.Sequences < 50 || values == 0 {
		t.Errorf("last report %+v, %d entries for their values", last, values)
	}
	learnt := start(wire.Start{})
	learnt.Start.Params.QuietAfter = 50
	list = searched(t, nil, learnt, &wire.Message{Learn: &wire.Learn{UntilQuiet: true}})
	if last := list[len(list)-1].Stats; last == nil || !last.Quiet {
		t.Errorf("last report %+v, want a quiet one", last)
	}
}

// The methods of a sink report at once. The sides of an entry count as reported.
func TestSink(t *testing.T) {
	var b bytes.Buffer
	w := newTestWorker(&b, nil)
	w.own()
	w.start(start(wire.Start{Covered: []int32{5, 9}}).Start)
	b.Reset()
	if got := w.unnamed(); got != nil {
		t.Errorf("sides that the coordinator has named: %v", got)
	}
	w.Entry(engine.Entry{Steps: seq.Sequence{{Op: opNew}}, Sides: []int32{3}})
	w.Attempt(4)
	w.Endless(seq.Sequence{{Op: opNew}})
	want := []*wire.Message{
		{Entry: &wire.Entry{Entry: engine.Entry{Sides: []int32{3}}, Steps: steps(opNew)}}, {Turn: &wire.Turn{Side: 4}},
		{Lost: &wire.Lost{Steps: seq.AppendStep(nil, seq.Step{Op: opNew}), Endless: true}},
	}
	if got := messages(t, &b); !reflect.DeepEqual(got, want) {
		t.Errorf("reports %+v, want %+v", got, want)
	}
	if !w.named.Has(3) {
		t.Error("the sides of an entry are not named")
	}
	if got := w.changedSides(); got != nil {
		t.Errorf("frontier %v without a tracer", got)
	}
}

// A worker that explores extends the states that it is dealt, then waits for more. What it
// finds in a state is reported before that state.
func TestSearchExplores(t *testing.T) {
	scope := &engine.Scope{Calls: 2, Values: 1, States: 100}
	x := engine.NewExploration(*scope)
	share, _ := x.Deal(1, 0)
	first := start(wire.Start{Explore: scope})
	list := searched(t, nil, first, &wire.Message{Share: &share}, &wire.Message{Stop: true})
	findings, extended := 0, 0
	for _, m := range list {
		findings += count(m.Finding != nil && extended == 0)
		for _, e := range m.Extended {
			extended++
			if _, err := x.Take(e); err != nil {
				t.Error(err)
			}
		}
	}
	if findings != 1 || extended != 1 || x.Transitions == 0 || x.Failures == 0 {
		t.Errorf("%d findings before %d extensions, want one of each; %+v", findings, extended, x.Explored)
	}
	if last := list[len(list)-1].Stats; last == nil || !last.Final || last.Counts.Sequences != x.Transitions {
		t.Errorf("last report %+v, want %d sequences", last, x.Transitions)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
