package engine

import (
	"strings"
	"testing"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// parse reads a sequence of the fake API.
func parse(t *testing.T, text string) seq.Sequence {
	t.Helper()
	s, err := fakeTable().Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A sequence of the package's tests is kept, as a seed, if it takes new sides, cut to the
// steps that take them. It counts as no composed sequence.
func TestSeed(t *testing.T) {
	e, x, sink := newFakeEngine(t, 1, Params{})
	e.Seed(parse(t, "v0 := bag.New(); v1 := bag.New(); v0.Put(4711); v2 := v0.Get(); v1.Put(1)"))
	e.Seed(parse(t, "v0 := bag.New(); v0.Put(4711)")) // takes nothing new
	if len(sink.entries) != 1 || !sink.entries[0].Seed || len(sink.entries[0].Sides) < 3 {
		t.Fatalf("entries %+v, want one seed with its sides", sink.entries)
	}
	if n := len(sink.entries[0].Steps); n >= 5 {
		t.Errorf("the entry has %d steps: %s", n, x.table.OneLine(sink.entries[0].Steps))
	}
	if c := e.Counts(); c.Seeds != 2 || c.Sequences != 0 {
		t.Errorf("%d seeds and %d sequences, want 2 and none", c.Seeds, c.Sequences)
	}
	e.Run(200)
	if last := sink.entries[len(sink.entries)-1]; len(sink.entries) < 2 || last.Seed {
		t.Errorf("entries %+v, want composed ones too, which are no seeds", sink.entries)
	}
}

// A seed that fails is a finding, and no entry.
func TestSeedThatFails(t *testing.T) {
	e, _, sink := newFakeEngine(t, 1, Params{})
	e.Seed(parse(t, "v0 := bag.New(); v0.Put(1); v0.Put(2); v0.Put(3); v0.Join(v0)"))
	if len(sink.findings) != 1 || len(sink.entries) != 0 {
		t.Errorf("%d findings and %d entries, want one and none", len(sink.findings), len(sink.entries))
	}
}

// An entry that fails, of the version before the package changed, is a finding that is told once.
func TestEntryThatFails(t *testing.T) {
	e, _, sink := newFakeEngine(t, 1, Params{})
	fails := parse(t, "v0 := bag.New(); v0.Put(1); v0.Put(2); v0.Put(3); v0.Join(v0)")
	for range 2 {
		if en := e.Add(fails); en.Sides != nil {
			t.Errorf("it is kept as an entry of %d sides", len(en.Sides))
		}
	}
	if len(sink.findings) != 1 || len(sink.entries) != 0 {
		t.Errorf("%d findings and %d entries, want one and none", len(sink.findings), len(sink.entries))
	}
}

// A seed with a call that is disabled does not run.
func TestSeedOfDisabledCall(t *testing.T) {
	e, _, sink := newFakeEngine(t, 1, Params{})
	e.Disable(opGet)
	e.Seed(parse(t, "v0 := bag.New(); v1 := v0.Get()"))
	if c := e.Counts(); c.Seeds != 1 || e.Covered().Count() != 0 || len(sink.entries) != 0 {
		t.Errorf("%d sides and %d entries after %d seeds, want none", e.Covered().Count(), len(sink.entries), c.Seeds)
	}
}

// Literals that tests hand to a parameter are drawn for it, and for no other.
func TestSeen(t *testing.T) {
	e, _, _ := newFakeEngine(t, 1, Params{})
	const seen = int64(91827)
	e.Seen(opPut, 1, []*seq.Literal{{Type: typeInt, Value: int64(777)}})
	e.Seen(opMust, 1, []*seq.Literal{{Type: typeInt, Value: seen}})
	drawn := map[seq.OpID]map[any]int{}
	for range 300 {
		e.composer.begin(0)
		e.composer.extend()
		for _, st := range e.composer.steps() {
			for _, a := range st.Args {
				if a.Lit != nil {
					if drawn[st.Op] == nil {
						drawn[st.Op] = map[any]int{}
					}
					drawn[st.Op][a.Lit.Value]++
				}
			}
		}
		e.composer.end()
	}
	if drawn[opPut][int64(777)] == 0 || drawn[opMust][int64(777)] > 0 || drawn[opPut][seen] > 0 {
		t.Errorf("drawn for Put: %v, for Must: %v", drawn[opPut], drawn[opMust])
	}
}

// A text that was seen is also drawn with edits, of bounded length.
func TestSeenText(t *testing.T) {
	table := fakeTable()
	table.Types[typeInt] = seq.Type{Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{typeInt}}
	x := &fakeExecutor{table: table}
	e := New(Config{Table: table, Pool: NewPool(table), Executor: x, Source: draw.Random(1), Sides: fakeSides, Sink: &fakeSink{}})
	const text = "BEGIN:VEVENT"
	e.Seen(opPut, 1, []*seq.Literal{{Type: typeInt, Value: text}})
	same, edited := 0, 0
	for range 3000 {
		e.composer.begin(0)
		if a, ok := e.composer.seenLiteral(permit{size: usual}, &e.composer.ops[opPut].params[1]); ok {
			got := a.Lit.Value.(string)
			if got == text {
				same++
			} else if strings.Contains(got, "VEVENT") || strings.Contains(got, "BEGIN") {
				edited++
			}
			if len(got) > max(e.params.StringBytes, len(text)) {
				t.Fatalf("%d bytes", len(got))
			}
		}
	}
	if same < 100 || edited < 100 {
		t.Errorf("drawn %d times as it was and %d times edited, want some hundred of each", same, edited)
	}
}

// Where sequences that take up use gain nothing, they get less and less of the work, and
// always some. They never get more than half.
func TestUseFollowsYield(t *testing.T) {
	for _, tt := range []struct {
		name       string
		use, plain float64 // gains of each sequence
		want       float64 // the share of use
	}{
		{"nothing comes of either", 0, 0, 0.5},
		{"all comes of use", 1, 0, 0.5},
		{"all comes of plain sequences", 0, 1, 1.0 / 9},
		{"a third as much comes of use", 0.1, 0.3, 0.25},
	} {
		u := usage{known: true}
		used := 0
		const first, all = 40_000, 60_000
		for i := range all {
			if due := u.due(); due {
				u.composed(true, 50, tt.use)
				if i >= first {
					used++
				}
			} else {
				u.composed(false, 50, tt.plain)
			}
		}
		if got := float64(used) / (all - first); got < 0.8*tt.want || got > 1.2*tt.want {
			t.Errorf("%s: the share of use is %.3f, want %.3f", tt.name, got, tt.want)
		}
	}
}

// Plain sequences have nothing of the tests: no entry to start from, no component and no
// literal. Without tests all are plain.
func TestPlainSequences(t *testing.T) {
	const seen, put = int64(771), int64(773)
	from := func(e *Engine) (n int) {
		for _, st := range e.composer.steps() {
			for _, a := range st.Args {
				if a.Lit != nil && (a.Lit.Value == seen || a.Lit.Value == put) {
					n++
				}
			}
		}
		return n
	}
	table := fakeTable()
	table.Types[typeInt].Mined = nil
	x := &fakeExecutor{table: table}
	e := New(Config{Table: table, Pool: NewPool(table), Executor: x, Source: draw.Random(1), Sides: fakeSides, Sink: &fakeSink{}})
	if e.Run(2000); e.Counts().WithUse != 0 {
		t.Errorf("%d of 2000 sequences may take up use that is not known", e.Counts().WithUse)
	}
	e.Seen(opPut, 1, []*seq.Literal{{Type: typeInt, Value: seen}})
	e.Seed(parse(t, "v0 := bag.New(); v0.Put(773)"))
	e.archive.entries = []Entry{{Steps: parse(t, "v0 := bag.New(); v0.Put(773)"), Seed: true}}
	uses := map[bool]int{}
	for range 2000 {
		e.composer.begin(0)
		e.composer.extend()
		uses[e.composer.use] += from(e)
		e.finish(0)
	}
	// A component of a composed sequence that took up use may have them.
	if uses[false]*50 > uses[true] {
		t.Errorf("what tests hand over is drawn %d times by plain sequences and %d times by others", uses[false], uses[true])
	}
	if c := e.Counts(); c.WithUse == 0 || c.WithUse > 1100 {
		t.Errorf("%d of 2000 sequences may take up use, want some, and at most half", c.WithUse)
	}
}

// A component that the tests make supplies no argument of a plain sequence.
func TestPlainSequencesHaveNoComponentsOfTests(t *testing.T) {
	for _, use := range []bool{false, true} {
		e, _, _ := newFakeEngine(t, 1, Params{})
		e.Seed(parse(t, "v0 := bag.New(); v0.Put(773)"))
		e.archive.entries = nil
		drawn := 0
		for range 500 {
			e.composer.begin(0)
			e.composer.use = use
			e.composer.extend()
			for _, st := range e.composer.steps() {
				if st.Op == opPut && st.Args[1].Lit != nil && st.Args[1].Lit.Value == int64(773) {
					drawn++
				}
			}
			e.composer.end()
		}
		if drawn > 0 != use {
			t.Errorf("use %v: the component of the tests is drawn %d times", use, drawn)
		}
	}
}

// Seeds take turns with composed sequences, by their work and gain. All are due when
// composition is quiet.
func TestSeedDue(t *testing.T) {
	e, _, _ := newFakeEngine(t, 1, Params{QuietAfter: 100})
	test := parse(t, "v0 := bag.New(); v0.Put(1)")
	if e.Seed(test); !e.composer.usage.due() {
		t.Error("the head start counts already")
	}
	e.composer.usage.spent(1)
	if !e.SeedDue() {
		t.Error("seeds have no head start")
	}
	e.composer.usage.owed, e.composer.usage.start = 0, 0
	e.Seed(test)
	if u := &e.composer.usage; e.SeedDue() || u.activity.gain != 2 {
		t.Errorf("after one seed the next is due: %v; the gain is %v, want 2 sides", e.SeedDue(), u.activity.gain)
	}
	e.composer.usage.spent(1 << 30)
	for range 1000 {
		e.Run(1)
		if e.SeedDue() != e.Quiet() {
			t.Fatalf("after %d sequences: quiet %v, due %v", e.Counts().Sequences, e.Quiet(), e.SeedDue())
		}
	}
	if !e.Quiet() {
		t.Error("composition is not quiet")
	}
}
