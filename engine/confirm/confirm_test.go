package confirm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// unbounded is time enough, however slow the machine is.
const unbounded = 24 * time.Hour

func config(tb testing.TB, table *seq.Table) replay.Config {
	tb.Helper()
	return replay.Config{
		Spawn: workertest.Spawn(tb, table), Table: table, Pool: engine.NewPool(table), Sides: workertest.Sides,
		JudgeDeath: workertest.JudgeDeath(table),
	}
}

// The sequences before, joined in front, show a finding that the last alone does not.
func TestWithEarlier(t *testing.T) {
	table := workertest.Table("MarkAll", "UseAll")
	c := config(t, table)
	q := NewQueue(c, unbounded)
	defer q.Close()
	last := workertest.Parse(t, table, "v0 := planted.New(); v0.UseAll()")
	before := []seq.Sequence{
		workertest.Parse(t, table, "v0 := planted.New(); v0.Put(1); v0.Put(2); v0.MarkAll()"),
		workertest.Parse(t, table, "v0 := planted.New(); v0.Put(1)"),
	}
	v := engine.Verdict{Tier: engine.Error, Kind: engine.KindHang, Signature: engine.ParseSignature("hang:blocked:lock:(*Box).UseAll")}
	res := q.confirm(Job{Finding: engine.Finding{Verdict: v, Steps: last, Original: last}, Death: true, Before: before})
	if res.Shown != Runs {
		t.Fatalf("shown in %d processes, want %d", res.Shown, Runs)
	}
	got := table.String(res.Finding.Steps)
	if want := table.String(workertest.Parse(t, table, "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.MarkAll(); v0.UseAll()")); got != want {
		t.Errorf("minimized to\n%s\nwant\n%s", got, want)
	}
}

// A panic is confirmed while a hang waits for processor time. The hang is confirmed
// when the bound is lifted.
func TestPanicDoesNotWait(t *testing.T) {
	table := workertest.Table("Crash", "Leave")
	c := config(t, table)
	q := NewQueue(c, unbounded)
	defer q.Close()
	q.Bound(1)
	q.began = time.Now().Add(24 * time.Hour) // no time is left
	job := func(op string) Job {
		s := workertest.Parse(t, table, workertest.Minimal(t, table, op))
		x, err := q.runner.Alone(t.Context(), s, replay.Trial{Deadline: replay.DeathTime})
		if err != nil || x.Verdict == nil {
			t.Fatalf("%s: Alone = %+v, %v; want a finding", op, x, err)
		}
		return Job{Finding: engine.Finding{Verdict: *x.Verdict, Steps: s, Original: s}, Death: x.Died}
	}
	death := job("Leave")
	death.Finding.Verdict.Tier = engine.Suspect
	q.Add(death)
	q.Add(job("Crash"))
	if res := <-q.Results(); res.Death || res.Shown != Runs {
		t.Errorf("death %v shown in %d processes first, want a panic in %d", res.Death, res.Shown, Runs)
	}
	q.Unbound()
	if res := <-q.Results(); !res.Death || res.Shown != Runs {
		t.Errorf("death %v shown in %d processes then, want a death in %d", res.Death, res.Shown, Runs)
	}
}

// Errors come before panics, the first of a family before the others, and suspects last, those by
// huge numbers at the very end; else in order. While no time is left, all but the first wait. A panic
// of a kind of death that is confirmed is not the first.
func TestLine(t *testing.T) {
	table := &seq.Table{Package: "p"}
	job := func(name string, tier engine.Tier, n int64) Job {
		table.Ops = append(table.Ops, seq.Operation{Member: name, Base: name[strings.LastIndexByte(name, '.')+1:]})
		steps := seq.Sequence{{Args: []seq.Arg{seq.Lit(&seq.Literal{Value: n})}}}
		v := engine.Verdict{Op: seq.OpID(len(table.Ops) - 1), Kind: engine.KindHang, Message: name, Tier: tier}
		return Job{Finding: engine.Finding{Verdict: v, Steps: steps}, Death: true}
	}
	q := &Queue{config: replay.Config{Table: table}, runner: new(replay.Runner), budget: budget{processors: 1, began: time.Now().Add(unbounded)}}
	l := newLine()
	l.add(job("huge", engine.Suspect, engine.HugeInt+1))
	l.add(job("first", engine.Suspect, 1))
	l.add(job("(*T).Close2", engine.Error, 1))
	l.add(job("second", engine.Suspect, 1))
	l.add(job("Close", engine.Panic, 1))
	l.add(job("error", engine.Error, engine.HugeInt+1))
	l.add(job("panic", engine.Panic, 1))
	done := job("(*S).Close", engine.Error, 1)
	done.Finding.Verdict.Stack = "p.loop\n\t/p.go:9\np.(*S).Close\n\t/p.go:3\n"
	done.Finding.Verdict.Stack += "sort.Sort\n\t/sort.go:1\np.Sort\n\t/p.go:9\n"
	q.confirmed.Store(q.family(&done), &done.Finding.Verdict)
	for stack, want := range map[string]bool{
		"p.run\np.(*S).Close\n\t/p.go:3\np.above\n\t/p.go:1\n": true, "p.loop\n": true, "p.spin\np.(*S).Closed\n": false, "sort.Sort\n\t/sort.go:1\np.Other\n": false,
	} {
		j := job("hangs", engine.Error, 1)
		j.Finding.Verdict.Stack = stack
		if got := q.repeated(&j); got != want {
			t.Errorf("a hang at %q: repeated %v", stack, got)
		}
	}
	endless := job("endless", engine.Error, 1)
	if endless.Endless = true; !q.repeated(&endless) {
		t.Error("what used up its fuel comes first, though a hang is confirmed")
	}
	for kind, want := range map[string]bool{engine.KindHang: true, engine.KindExit: false} {
		j := job("ends", engine.Panic, 1)
		if j.Finding.Verdict.Kind = kind; q.repeated(&j) != want {
			t.Errorf("a panic of kind %s: repeated %v", kind, !want)
		}
	}
	for stack, want := range map[string]bool{"p.Add\n\t/p.go:9\np.Put\n\t/p.go:3\np.B\n": true, "p.Add\n\t/p.go:9\np.Set\n\t/p.go:4\np.B\n": false, "": false} {
		j := job("panics", engine.Panic, 1)
		j.Death, j.Finding.Verdict.Kind, j.Finding.Verdict.Stack = false, engine.KindPanic, "p.Add\n\t/p.go:9\np.Put\n\t/p.go:3\np.A\n"
		q := &Queue{config: q.config}
		was := j.Finding.Verdict
		q.confirmed.Store(q.family(&j), &was)
		if j.Finding.Verdict.Stack = stack; q.repeated(&j) != want {
			t.Errorf("a panic at %q: repeated %v", stack, !want)
		}
		q.budget = budget{processors: 1, began: time.Now().Add(unbounded)}
		if q.runner = new(replay.Runner); q.holds(&j) != want {
			t.Errorf("a panic at %q: held back %v while no time is left", stack, !want)
		}
	}
	var got []string
	for range 2 {
		for j, ok := l.next(q.urgency, q.holds); ok; j, ok = l.next(q.urgency, q.holds) {
			got = append(got, j.Finding.Verdict.Message)
		}
		got = append(got, "-")
		q.Unbound()
	}
	if want := []string{"error", "-", "(*T).Close2", "Close", "panic", "first", "second", "huge", "-"}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

// With time enough every death is minimized to the steps that it needs.
func TestMinimizeDeath(t *testing.T) {
	for _, op := range []string{"Leave", "Unwind", "Grab", "Race", "Spin", "Block"} {
		t.Run(op, func(t *testing.T) {
			slow := op == "Spin" || op == "Block"
			if slow && testing.Short() {
				t.Skip("takes seconds")
			}
			table := workertest.Table(op)
			c := config(t, table)
			q := NewQueue(c, unbounded)
			defer q.Close()
			last := "v0." + op + "()"
			if op == "Grab" {
				last = "v3 := " + last
			}
			s := workertest.Parse(t, table, "v0 := planted.New(); v0.Put(7); v1 := planted.New(); v2 := v1.Get(); v0.Put(1099511627776); v1.Put(v2); v0.Put(-3); v1.Put(5); "+last)
			deadline := replay.DeathTime
			if slow {
				deadline = replay.HangTry
			}
			x, err := q.runner.Alone(t.Context(), s, replay.Trial{Deadline: deadline})
			if err != nil || !x.Died || x.Verdict == nil {
				t.Fatalf("Alone = %+v, %v; want the process to die", x, err)
			}
			list := q.minimizeDeath(engine.Finding{Verdict: *x.Verdict, Steps: s, Original: s}, replay.Trial{}, false)
			if got, want := table.String(list[0].Steps), workertest.Minimal(t, table, op); got != want {
				t.Errorf("minimized to\n%s\nwant\n%s", got, want)
			}
			if got := list[0].Verdict.Signature; got != x.Verdict.Signature {
				t.Errorf("signature %s, want %s", got, x.Verdict.Signature)
			}
		})
	}
}

// Hangs are minimized in the analysis build once there is one, unless a count ends the run. Processes
// of both builds count as confirming.
func TestAnalyze(t *testing.T) {
	c := config(t, workertest.Table("Crash"))
	q := NewQueue(c, unbounded)
	defer q.Close()
	if r, fuel := q.fuel(); r != q.runner || fuel != 0 {
		t.Errorf("before the analysis build: fuel %d", fuel)
	}
	q.Analyze(c)
	r, fuel := q.fuel()
	if r == q.runner || fuel != hangFuel {
		t.Errorf("with the analysis build: fuel %d, want %d", fuel, hangFuel)
	}
	if _, err := r.Alone(t.Context(), workertest.Parse(t, c.Table, "v0 := planted.New()"), replay.Trial{Deadline: unbounded}); err != nil {
		t.Fatal(err)
	}
	if r.CPU() == 0 || q.CPU() != r.CPU() {
		t.Errorf("confirming took %v, a process of the analysis build %v", q.CPU(), r.CPU())
	}
	q.Counted()
	if r, fuel := q.fuel(); r != q.runner || fuel != 0 {
		t.Errorf("in a run that ends by a count: fuel %d", fuel)
	}
}

// Less of a large number may take less than for ever: it is left, or made small.
func TestQuickens(t *testing.T) {
	table := workertest.Table("Leave")
	for _, tt := range []struct {
		now, s string
		want   bool
	}{
		{"v0 := planted.New(); v0.Put(9000000)", "v0 := planted.New(); v0.Put(4500000)", true},
		{"v0 := planted.New(); v0.Put(-9000000)", "v0 := planted.New(); v0.Put(0)", false},
		{"v0 := planted.New(); v0.Put(900)", "v0 := planted.New(); v0.Put(450)", false},
		{"v0 := planted.New(); v0.Put(9000000)", "v0 := planted.New(); v0.Put(9000000)", false},
		{"v0 := planted.New(); v0.Put(9000000)", "v0 := planted.New(); v0.Leave()", false},
		{"v0 := planted.New(); v0.Put(9000000); v0.Leave()", "v0 := planted.New(); v0.Leave()", false},
	} {
		c := engine.NewPool(table)
		now, s := workertest.Parse(t, table, tt.now), workertest.Parse(t, table, tt.s)
		for _, list := range []seq.Sequence{now, s} {
			for i := range list {
				for j, a := range list[i].Args {
					if a.Lit != nil {
						list[i].Args[j] = seq.Lit(c.Intern(a.Lit))
					}
				}
			}
		}
		if tt.now == tt.s {
			s = now
		}
		if got := quickens(now, s); got != tt.want {
			t.Errorf("quickens(%s, %s) = %v, want %v", tt.now, tt.s, got, tt.want)
		}
	}
}

// A stack overflows each time. Two goroutines meet in a map by chance, and a law may be broken by it.
func TestRepeatable(t *testing.T) {
	for text, want := range map[string]bool{
		"fatal:stack-overflow:F": true, "fatal:map-race:F": false, "exit:exit:F": true, "memory:memory:F": true, "panic:nil:F": true,
		"contract:round-trip:F": false, "hang:busy:F": false,
	} {
		v := engine.Verdict{Signature: engine.ParseSignature(text)}
		if v.Kind = v.Signature.Kind; repeatable(&v) != want {
			t.Errorf("%s: repeatable %v", text, !want)
		}
	}
}

// What took all the time in the search and takes all memory in a fresh process is a finding of memory.
// Of another call, or another kind, it is not the same.
func TestSwells(t *testing.T) {
	table := workertest.Table("Grab")
	c := config(t, table)
	q := NewQueue(c, unbounded)
	defer q.Close()
	q.Proved()
	s := workertest.Parse(t, table, workertest.Minimal(t, table, "Grab"))
	op := s[len(s)-1].Op
	for _, tt := range []struct {
		op    seq.OpID
		kind  string
		shown int
	}{{op, engine.KindHang, Runs}, {op - 1, engine.KindHang, 0}, {op, engine.KindExit, 0}} {
		v := engine.Verdict{Tier: engine.Error, Kind: tt.kind, Op: tt.op, Signature: engine.ParseSignature(tt.kind + ":busy:(*Box).Grab")}
		res := q.show(engine.Finding{Verdict: v, Steps: s, Original: s}, replay.Trial{Want: v.Signature})
		if res.Shown != tt.shown || tt.shown > 0 && res.Finding.Verdict.Kind != engine.KindMemory {
			t.Errorf("%s of operation %d: shown in %d processes as %v; want %d", tt.kind, tt.op, res.Shown, res.Finding.Verdict.Signature, tt.shown)
		}
	}
}

// A finding that fails in one process of two is shown by some.
func TestShowSometimes(t *testing.T) {
	c := config(t, workertest.Table("Sometimes"))
	table := c.Table
	s := workertest.Parse(t, table, "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.Sometimes()")
	q := NewQueue(c, 0)
	defer q.Close()
	v := c.JudgeDeath(s, worker.Death{ExitCode: 5})
	shown := map[int]int{}
	for tries := 0; tries < 20 && shown[1]+shown[2] == 0; tries++ {
		res := q.show(engine.Finding{Verdict: v, Steps: s, Original: s}, replay.Trial{Want: v.Signature})
		shown[res.Shown]++
	}
	if shown[1]+shown[2] == 0 {
		t.Errorf("shown in how many processes: %v; want some in one or two of three", shown)
	}
}

// Findings of earlier runs show still, or do not, or show as something else. A finding
// that ends its process does no harm to the next.
func TestReview(t *testing.T) {
	table := workertest.Table("Crash", "Leave")
	c := config(t, table)
	const crash = "v0 := planted.New(); v0.Put(1); v0.Put(2); v1 := v0.Crash()"
	var crashes string
	if _, err := replay.All(t.Context(), c, []seq.Sequence{workertest.Parse(t, table, crash)}, func(_ int, x replay.Shown) { crashes = x.Verdict.Signature.String() }); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ text, signature, kind, want string }{
		{crash, crashes, engine.KindPanic, crashes},
		{"v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Leave()", "exit:exit:(*Box).Leave", engine.KindExit, "exit:exit:(*Box).Leave"},
		{"v0 := planted.New(); v0.Put(1)", crashes, engine.KindPanic, ""},
		{crash, "panic:before", engine.KindPanic, crashes},
	}
	var list []engine.Finding
	for _, tt := range tests {
		list = append(list, engine.Finding{Verdict: engine.Verdict{Signature: engine.ParseSignature(tt.signature), Kind: tt.kind}, Steps: workertest.Parse(t, table, tt.text)})
	}
	visited := 0
	workertest.LeavesNothing(t, func() {
		err := Review(t.Context(), c, list, unbounded, unbounded, func(i int, x replay.Shown) {
			visited++
			got := ""
			if x.Verdict != nil {
				got = x.Verdict.Signature.String()
			}
			if got != tests[i].want || x.Error != nil {
				t.Errorf("%s shows %q, error %v; want %q", tests[i].text, got, x.Error, tests[i].want)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if visited != len(list) {
		t.Errorf("visited %d of %d", visited, len(list))
	}
}

// A call of an earlier finding that does not return takes no more time than there is. A review
// that did not end it would wait for a day.
func TestReviewEnds(t *testing.T) {
	table := workertest.Table("Spin")
	c := config(t, table)
	c.Patience = unbounded
	list := []engine.Finding{{Verdict: engine.Verdict{Kind: engine.KindHang}, Steps: workertest.Parse(t, table, workertest.Minimal(t, table, "Spin"))}}
	workertest.LeavesNothing(t, func() {
		err := Review(t.Context(), c, list, unbounded, time.Second, func(_ int, x replay.Shown) { t.Errorf("visited with %+v", x) })
		if err != nil {
			t.Errorf("Review: %v, want no error", err)
		}
	})
}

// TestTrial: a run that shows a finding again wants its signature, so that suspicions which
// are not to be told take no part. A late panic is looked for without contracts.
func TestTrial(t *testing.T) {
	hang := engine.Signature{Kind: engine.KindHang, Where: "Do"}
	if got := (&Job{}).trial(hang); got.Want != hang || got.Linger != 0 {
		t.Errorf("of a hang: %+v", got)
	}
	if got := (&Job{Late: true}).trial(hang); got.Want != engine.Nothing || got.Linger == 0 {
		t.Errorf("of a late panic: %+v", got)
	}
}
