package versions

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// recorder keeps the reports of a comparison, and ends it when they are enough.
type recorder struct {
	differences []Cause
	warnings    []string
	enough      func(Snapshot) bool
	end         func()
}

func (r *recorder) Difference(d Cause) { r.differences = append(r.differences, d) }
func (r *recorder) Warn(msg string)    { r.warnings = append(r.warnings, msg) }
func (r *recorder) Note(string)        {}

func (r *recorder) Progress(s Snapshot) {
	if r.enough(s) {
		r.end()
	}
}

// compare compares versions until that is enough.
func compare(t *testing.T, before, after worker.Spawn, table *seq.Table, enough func(Snapshot) bool) (*Result, *recorder) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rec := &recorder{enough: enough, end: cancel}
	var res *Result
	workertest.LeavesNothing(t, func() {
		var err error
		if res, err = Compare(ctx, Config{
			Old: before, New: after, Table: table, Pool: engine.NewPool(table), Seed: 1,
			JudgeDeath: workertest.JudgeDeath(table), Report: rec,
		}); err != nil {
			t.Fatal(err)
		}
	})
	if res.Stopped != "interrupted" || len(rec.warnings) > 0 {
		t.Errorf("stopped by %q, warnings %q; want an interrupt and none", res.Stopped, rec.warnings)
	}
	return res, rec
}

// Each difference is reported once, with the fewest steps that show it. Behaviour that
// both versions share is not reported.
func TestCompare(t *testing.T) {
	table := workertest.Table("Count", "Break", "Crash", "Leave")
	old := workertest.Spawn(t, table)
	res, rec := compare(t, old, workertest.Newer(old), table, func(s Snapshot) bool { return s.Differences == 2 })
	if res.Differences != len(rec.differences) || res.CPU == 0 {
		t.Errorf("%+v, of which %d differences were reported", res, len(rec.differences))
	}
	got := map[string]string{}
	for _, d := range rec.differences {
		got[d.Class+" of "+table.Ops[d.Op].Name] = table.String(d.Steps)
		if at := d.After.BrokeAt(d.Step); d.Class == difference.PanicAppears && !strings.HasSuffix(at, ":(*Box).Break") {
			t.Errorf("the panic was at %q, want (*Box).Break", at)
		}
	}
	for what, want := range map[string]string{
		difference.ValueChanges + " of Count": workertest.Minimal(t, table, "Count"),
		difference.PanicAppears + " of Break": workertest.Minimal(t, table, "Break"),
	} {
		if got[what] != want {
			t.Errorf("%s: %q, want %q", what, got[what], want)
		}
	}
	if len(got) != 2 {
		t.Errorf("differences %q, want two", got)
	}
}

// A package does not differ from itself, even if its processes end.
func TestCompareWithItself(t *testing.T) {
	table := workertest.Table("Count", "Break", "Crash", "Leave", "Sometimes")
	spawn := workertest.Spawn(t, table)
	// Among many other processes, those of Sometimes may differ by chance once in a while.
	for try := range 2 {
		res, rec := compare(t, spawn, spawn, table, func(s Snapshot) bool { return s.Sequences > 1000 && s.Deaths > 1 && s.Pending == 0 })
		if len(rec.differences) == 0 {
			return
		}
		t.Logf("try %d: differences %v of %+v, want none", try, rec.differences, res)
	}
	t.Fail()
}

func TestCompareStartFails(t *testing.T) {
	table := workertest.Table()
	spawn := workertest.Spawn(t, table)
	workertest.LeavesNothing(t, func() {
		c := Config{Old: spawn, New: worker.Spawn{Binary: "/nonexistent", Dir: spawn.Dir}, Table: table, Pool: engine.NewPool(table)}
		if res, err := Compare(t.Context(), c); err == nil {
			t.Errorf("Compare = %+v, want an error", res)
		}
	})
}

func TestLeftOut(t *testing.T) {
	const (
		number seq.TypeID = iota + 1
		box
		value
	)
	table := &seq.Table{Types: []seq.Type{{}, {Name: "int", Literal: seq.Int}, {Name: "*p.Box"}, {Name: "reflect.Value", Form: seq.Form{Path: "reflect", Base: "Value"}}}}
	for _, tt := range []struct {
		name string
		op   seq.Operation
		want bool
	}{
		{"a variable is set", seq.Operation{Kind: seq.VarSet, Params: []seq.TypeID{box}}, true},
		{"a function that can only change the package", seq.Operation{Kind: seq.Func, Params: []seq.TypeID{number}}, true},
		{"a function that may change its argument", seq.Operation{Kind: seq.Func, Params: []seq.TypeID{number, box}}, false},
		{"a function with a result", seq.Operation{Kind: seq.Func, Results: []seq.TypeID{number}}, false},
		{"a method", seq.Operation{Kind: seq.Method, Params: []seq.TypeID{box}}, false},
		{"it looks at layouts", seq.Operation{Kind: seq.Method, Params: []seq.TypeID{box, value}, Results: []seq.TypeID{number}}, true},
	} {
		table.Ops = []seq.Operation{tt.op}
		if got := len(leftOut(table)) > 0; got != tt.want {
			t.Errorf("%s: left out %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The queue holds few requests of a key, the shortest of them. Keys take turns, and
// deaths come last.
func TestQueue(t *testing.T) {
	steps := func(n int) seq.Sequence { return make(seq.Sequence, n) }
	q := &queue{tries: map[uint64]int{9: maxTries}, examined: map[uint64]int{}}
	for _, r := range []request{
		{key: 1, steps: steps(5)},
		{key: 1, steps: steps(4)},
		{key: 1, steps: steps(7)}, // longer than those that wait
		{key: 1, steps: steps(3)}, // instead of the longest
		{key: 2, steps: steps(8)},
		{key: 3, steps: steps(1), death: true},
		{key: 9, steps: steps(1)}, // brought no news too often
	} {
		q.add(r)
	}
	type examined struct {
		key   uint64
		steps int
	}
	var got []examined
	for len(q.list) > 0 {
		r := q.next()
		got = append(got, examined{r.key, len(r.steps)})
	}
	if want := []examined{{1, 3}, {2, 8}, {1, 4}, {3, 1}}; !slices.Equal(got, want) {
		t.Errorf("examined %v, want %v", got, want)
	}
}

// What there is no time to look at is told: it may be a difference.
func TestNotLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := &recorder{}
		d := &comparison{config: Config{Report: rec}, busy: true, queue: queue{list: make([]request, 2)}}
		d.drain(t.Context(), "time")
		if len(rec.warnings) != 1 || !strings.Contains(rec.warnings[0], "for 3 of the sequences") {
			t.Errorf("warnings %q, want one of three sequences", rec.warnings)
		}
		rec.warnings, d.busy = nil, false
		if d.drain(t.Context(), "time"); len(rec.warnings) > 0 {
			t.Errorf("warnings %q, though all was looked at", rec.warnings)
		}
	})
}

// A death is told both peers as restrictions, and drops the entries that would repeat it.
// Of one cause both may die before either could heed that: it counts once.
func TestEnded(t *testing.T) {
	table := workertest.Table("Leave")
	entry := workertest.Parse(t, table, "v0 := planted.New(); v0.Leave()")
	other := workertest.Parse(t, table, "v0 := planted.New(); v0.Put(1)")
	var leave seq.OpID
	for id := range table.Ops {
		if table.Ops[id].Name == "Leave" {
			leave = seq.OpID(id)
		}
	}
	d := &comparison{
		config: Config{Table: table, Pool: engine.NewPool(table), Report: &recorder{}}, policy: restrict.New(table),
		queue: queue{tries: map[uint64]int{}, examined: map[uint64]int{}},
	}
	d.learn.Entries = [][]byte{seq.AppendBinary(nil, entry), seq.AppendBinary(nil, other)}
	missing := worker.Spawn{Binary: "/nonexistent"}
	d.peers = [2]*peer{{c: d, spawn: missing, batch: batchSequences}, {c: d, index: 1, spawn: missing}}
	round := func() {
		sent := time.Now()
		for _, p := range d.peers {
			if err := d.ended(t.Context(), p, answer{ended: true, ran: entry, death: worker.Death{ExitCode: 3}, sent: sent}); err == nil {
				t.Fatal("a worker was started from a file that does not exist")
			}
		}
	}
	round()
	if want := []seq.OpID{leave}; !slices.Equal(d.learn.Restrict, want) || len(d.learn.Disable) > 0 {
		t.Errorf("after one round: restrict %v, disable %v; want %v, none", d.learn.Restrict, d.learn.Disable, want)
	}
	if len(d.learn.Entries) != 1 || len(d.queue.list) != 2 || d.peers[0].batch != batchSequences/4 || d.peers[1].batch != minBatch {
		t.Errorf("%d entries, %d requests, batches of %d and %d", len(d.learn.Entries), len(d.queue.list), d.peers[0].batch, d.peers[1].batch)
	}
	round()
	if want := []seq.OpID{leave}; !slices.Equal(d.learn.Disable, want) {
		t.Errorf("after two rounds: disable %v, want %v", d.learn.Disable, want)
	}
}

// If one instance of a generic function is unstable, all are. A difference of another
// instance is then none, but a panic of one version alone still is.
func TestMarkUnstable(t *testing.T) {
	table := &seq.Table{
		Types: []seq.Type{{}, {Name: "int", Literal: seq.Int}},
		Ops: []seq.Operation{
			{Member: "Keys", Results: []seq.TypeID{1}}, {Member: "Keys", Results: []seq.TypeID{1}}, {Member: "Len", Results: []seq.TypeID{1}},
		},
	}
	run := func(text string) difference.Run {
		return difference.Run{Steps: []difference.Step{{Results: []difference.Value{{Kind: difference.Basic, Text: text}}}}}
	}
	broken := difference.Run{Steps: []difference.Step{{Status: engine.Broken, Panic: "boom"}}}
	d := &comparison{config: Config{Table: table, Report: &recorder{}}, peers: [2]*peer{{}, {}}}
	d.markUnstable([]seq.OpID{0})
	if want := []seq.OpID{0, 1}; !slices.Equal(d.learn.Unstable, want) {
		t.Errorf("marked %v, want %v", d.learn.Unstable, want)
	}
	for _, tt := range []struct {
		name  string
		op    seq.OpID
		after difference.Run
		want  bool
	}{
		{"another instance", 1, run("2"), false},
		{"another function", 2, run("2"), true},
		{"it panics", 1, broken, true},
	} {
		f := &Difference{Steps: seq.Sequence{{Op: tt.op}}, Before: run("1"), After: tt.after}
		if got := d.counts(f); got != tt.want {
			t.Errorf("%s: counts is %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The call to blame is the last one of the API that had to do with the value.
func TestCause(t *testing.T) {
	table := workertest.Table("Count")
	for _, tt := range []struct {
		text string
		slot int32
		want int
	}{
		{"v0 := planted.New()", 0, 0},
		{"v0 := planted.New(); v0.Put(1); v1 := planted.New(); v1.Put(1)", 0, 1},
		{"v0 := planted.New(); v1 := planted.New(); v2 := v1.Get(); v0.Put(v2); v1.Put(2)", 0, 3},
		{"v0 := planted.New(); v1 := v0.Get()", 1, -1},
	} {
		x := &examiner{table: table}
		if got := x.cause(workertest.Parse(t, table, tt.text), tt.slot); got != tt.want {
			t.Errorf("%s: the cause is call %d, want %d", tt.text, got, tt.want)
		}
	}
}

// The behaviour of a function value or an iterator is blamed on the call of the API that
// returned it, however many are between. That of a func literal of ours is not blamed.
func TestClosureOf(t *testing.T) {
	const f, n = seq.TypeID(0), seq.TypeID(1)
	table := &seq.Table{
		Types: []seq.Type{{Name: "func() func()"}, {Name: "int", Literal: seq.Int}},
		Ops: []seq.Operation{
			{Kind: seq.Func, Params: []seq.TypeID{n}, Results: []seq.TypeID{f}, API: true},
			{Kind: seq.Call, Params: []seq.TypeID{f}, Results: []seq.TypeID{f}, API: true},
			{Kind: seq.Range, Params: []seq.TypeID{f}, Results: []seq.TypeID{n}},
			{Kind: seq.FuncLit, Results: []seq.TypeID{f}},
		},
	}
	one := seq.Lit(&seq.Literal{Type: n, Value: int64(1)})
	step := func(op seq.OpID, args ...seq.Arg) seq.Step { return seq.Step{Op: op, Args: args} }
	for _, tt := range []struct {
		name string
		s    seq.Sequence
		want seq.OpID
		ok   bool
	}{
		{"no function value", seq.Sequence{step(0, one)}, 0, false},
		{"a call", seq.Sequence{step(0, one), step(1, seq.Slot(0))}, 0, true},
		{"a range over what a call returned", seq.Sequence{step(3), step(0, one), step(1, seq.Slot(1)), step(2, seq.Slot(2))}, 0, true},
		{"a literal of ours", seq.Sequence{step(3), step(1, seq.Slot(0))}, 0, false},
		{"nil", seq.Sequence{step(1, seq.Lit(&seq.Literal{Type: f}))}, 0, false},
	} {
		x := &examiner{table: table}
		last := len(tt.s) - 1
		if got, ok := x.closureOf(tt.s[:last], tt.s[last]); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s: %v, %v, want %v, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}
