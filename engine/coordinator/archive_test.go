package coordinator

import (
	"fmt"
	"slices"
	"testing"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// A process runs the entries that none of its build has run, and 64 of the others, which
// are not those of the process before.
func TestBeginningOfProcesses(t *testing.T) {
	a := newArchive(10, nil)
	for i := range 100 {
		a.add([]byte(fmt.Sprint(i)))
	}
	a.values = [][]byte{[]byte("value")}
	run, known := a.beginning(false, 0)
	if len(run) != 101 || len(known) != 0 {
		t.Fatalf("the first process runs %d sequences and knows %d, want 101 and 0", len(run), len(known))
	}
	for i := range 100 {
		m := &wire.Entry{Steps: []byte(fmt.Sprint(i)), Again: true}
		if i < 90 { // the others took no sides beside those
			m.Sides = []int32{int32(i % 10)}
		}
		a.ran(false, m)
	}
	run, known = a.beginning(false, 1)
	next, _ := a.beginning(false, 2)
	if len(run) != warmEntries+1 || len(known) != 90 {
		t.Errorf("the next process runs %d sequences and knows %d, want %d and 90", len(run), len(known), warmEntries+1)
	}
	all := map[string]bool{}
	for _, e := range slices.Concat(run, next) {
		all[string(e)] = true
	}
	if len(all) != 101 {
		t.Errorf("two processes run %d different sequences, want 101", len(all))
	}
	if run, known = a.beginning(true, 3); len(run) != 101 || len(known) != 0 {
		t.Errorf("the first process of the other build runs %d sequences and knows %d, want 101 and 0", len(run), len(known))
	}
	a.ran(false, &wire.Entry{Steps: []byte("0")}) // by a worker that had the sides already
	if _, known = a.beginning(false, 4); len(known) != 90 {
		t.Errorf("%d known entries after another report, want 90", len(known))
	}
	for i := range 100 {
		a.bySteps[fmt.Sprint(i)].run[0].Costly = i < 95
	}
	if run, known = a.beginning(false, 5); len(run) != 6 || len(known) != 90 {
		t.Errorf("with 95 costly entries a process runs %d sequences and knows %d, want 6 and 90", len(run), len(known))
	}
}

// An entry is dropped if it has the steps that ended a process, or if a contract made the last of
// them: it would end each process that begins with it.
func TestDrop(t *testing.T) {
	table := workertest.Table("Get")
	parse := func(text string) seq.Sequence { return workertest.Parse(t, table, text) }
	const long, box = "v0 := planted.New(); v0.Put(1); v1 := v0.Get()", "v0 := planted.New(); v0.Put(1)"
	for _, test := range []struct {
		died, begun string
		want        int
	}{
		{box, box, 0},
		{long, long, 1},
		{long, box, 0},
		{box + "; v0.Put(2)", box, 1},
		{box + "; v0.Put(2)", box + "; v0.Put(2)", 2},
	} {
		a := newArchive(10, []seq.Sequence{parse(box), parse(long)})
		begun := seq.AppendBinary(nil, parse(test.begun))[1:]
		if dropped := a.drop(parse(test.died), begun); len(a.entries) != test.want || dropped != (test.want < 2) {
			t.Errorf("%s ended a process after %s: %d entries stay, want %d", test.died, test.begun, len(a.entries), test.want)
		}
	}
}

// The sequence that last took a new side is counted over all workers: those before it of its
// own process, and what the others have reported.
func TestLastNew(t *testing.T) {
	r := newRun(Config{Config: replay.Config{Table: workertest.Table("Count"), Sides: 8}})
	a, b := &slot{}, &slot{index: 1}
	r.slots = []*slot{a, b}
	r.totals.counts.Sequences = 1000
	a.last.Counts.Sequences, b.last.Counts.Sequences = 50, 200
	for _, step := range []struct {
		what string
		do   func()
		want uint64
	}{
		{"an entry that was found after the last report", func() { r.cover(a, []int32{1}, 70) }, 1270},
		{"sides that are known", func() { r.cover(b, []int32{1}, 230) }, 1270},
		{"an entry of the other", func() { r.cover(b, []int32{1, 2}, 210) }, 1260},
		{"a report", func() {
			r.takeStats(a, &wire.Stats{Counts: engine.Counts{Sequences: 90, LastNew: 80}, Covered: []int32{3}})
		}, 1280},
	} {
		if step.do(); r.archive.lastNew != step.want {
			t.Errorf("%s: sequence %d, want %d", step.what, r.archive.lastNew, step.want)
		}
	}
}

// A search of a few sequences says which one last took a side.
func TestLastNewOfExploring(t *testing.T) {
	c, _ := config(t, workertest.Table("Count"))
	c.Parallel, c.Explore, c.Spare, c.Sides = 1, &engine.Scope{Calls: 3, Values: 2, States: 1 << 10}, true, workertest.Sides
	res := run1(t, c)
	if n := res.Counts.LastNew; res.Covered.Count() == 0 || n == 0 || n > res.Counts.Sequences {
		t.Errorf("sequence %d of %d took the last of %d sides", n, res.Counts.Sequences, res.Covered.Count())
	}
}
