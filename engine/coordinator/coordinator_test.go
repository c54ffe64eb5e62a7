package coordinator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/replay"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// runs returns how many sequences a test composes: fewer where each takes longer.
func runs(n uint64) uint64 {
	if workertest.Race {
		return n / 4
	}
	return n
}

// unbounded is time enough for all confirmations, however slow the machine is.
const unbounded = 24 * time.Hour

// deaths gives the wanted name for each way to leave a process.
var deaths = []struct {
	op      string
	kind    string
	tier    engine.Tier
	message string // part of it
	slow    bool
	chance  bool // two goroutines must meet: a fresh process need not show it again
}{
	{op: "Crash", kind: engine.KindPanic, tier: engine.Panic, message: "index out of range [2] with length 2"},
	{op: "Leave", kind: engine.KindExit, tier: engine.Panic, message: "status 3"},
	{op: "Vanish", kind: engine.KindExit, tier: engine.Panic, message: "status 0"},
	{op: "Unwind", kind: engine.KindExit, tier: engine.Panic, message: "runtime.Goexit"},
	{op: "Spawn", kind: engine.KindExit, tier: engine.Panic, message: "status 4"},
	{op: "Race", kind: engine.KindFatal, tier: engine.Error, message: "concurrent map writes", chance: true},
	{op: "Launch", kind: engine.KindPanic, tier: engine.Panic, message: "index out of range [2] with length 2"},
	{op: "Grab", kind: engine.KindMemory, tier: engine.Panic, message: "more memory than the limit"},
	{op: "Recurse", kind: engine.KindFatal, tier: engine.Panic, message: "stack overflow", slow: true},
	{op: "Spin", kind: engine.KindHang, tier: engine.Error, message: "it runs on and on", slow: true},
	{op: "Block", kind: engine.KindHang, tier: engine.Error, message: "it waits (sync.Mutex.Lock)"},
}

// Each death of a worker is a finding, minimized and confirmed, and the run goes on.
func TestDeathsAreFindings(t *testing.T) {
	for _, tt := range deaths {
		t.Run(tt.op, func(t *testing.T) {
			if tt.slow && testing.Short() {
				t.Skip("takes seconds")
			}
			table := workertest.Table(tt.op)
			c, rec := config(t, table)
			c.Sequences, c.confirmTime = runs(1000), unbounded
			if tt.chance {
				c.Parallel = 2 // one worker alone would run the goroutines of the package by turns
			}
			var res *Result
			workertest.LeavesNothing(t, func() { res = run1(t, c) })
			f, ok := rec.find(tt.op)
			if !ok {
				t.Fatalf("no finding of %s; findings %v, warnings %q, %+v", tt.op, rec.findings, rec.warnings, res)
			}
			want := tt.tier
			if tt.chance && f.Flaky {
				want = engine.Suspect
			}
			if f.Verdict.Kind != tt.kind || f.Verdict.Tier != want || !strings.Contains(f.Verdict.Message, tt.message) {
				t.Errorf("%v %s %q, want %v %s … %q", f.Verdict.Tier, f.Verdict.Kind, f.Verdict.Message, tt.tier, tt.kind, tt.message)
			}
			if f.Flaky && !tt.chance {
				t.Error("it is marked flaky")
			}
			// A finding that takes long to show is minimized as far as time allows.
			if got, want := table.String(f.Steps), workertest.Minimal(t, table, tt.op); got != want && !tt.slow {
				t.Errorf("minimized to\n%s\nwant\n%s", got, want)
			}
			if len(rec.findings) != 1 {
				t.Errorf("%d findings, want one cause to be one: %v", len(rec.findings), rec.findings)
			}
			if res.Counts.Sequences != c.Sequences || res.Stopped != "sequences" {
				t.Errorf("%d sequences, stopped by %q; want %d by sequences", res.Counts.Sequences, res.Stopped, c.Sequences)
			}
		})
	}
}

// A call that waits for ever costs no process, and few sequences come to that: the
// worker goes on in another goroutine, and calls the operations that led there less often.
func TestCallsThatWait(t *testing.T) {
	c, rec := config(t, workertest.Table("Mark", "Use"))
	c.Sequences, c.confirmTime = runs(4000), unbounded
	var res *Result
	workertest.LeavesNothing(t, func() { res = run1(t, c) })
	if f, ok := rec.find("Use"); !ok || f.Flaky || f.Verdict.Kind != engine.KindHang {
		t.Errorf("findings %v, want a hang of Use", rec.findings)
	} else if got, want := c.Table.String(f.Steps), "v0 := planted.New()\nv0.Put(0)\nv0.Put(0)\nv0.Mark()\nv0.Use()\n"; got != want {
		t.Errorf("minimized to\n%s\nwant\n%s", got, want)
	}
	if res.Deaths > 0 || len(rec.findings) != 1 || len(res.Banned) > 0 {
		t.Errorf("%d deaths, %d findings, banned %v; want no death and one finding", res.Deaths, len(rec.findings), res.Banned)
	}
	if res.Counts.Sequences != c.Sequences || res.Counts.Abandoned == 0 || res.Counts.Abandoned > 40 {
		t.Errorf("%d of %d sequences abandoned, want some of %d", res.Counts.Abandoned, res.Counts.Sequences, c.Sequences)
	}
}

// A lock of the whole package that is held stops every sequence: the worker is
// replaced, and the next has learnt from it.
func TestLockOfAll(t *testing.T) {
	c, rec := config(t, workertest.Table("MarkAll", "UseAll"))
	c.Sequences, c.confirmTime = runs(2000), unbounded
	res := run1(t, c)
	if res.Counts.Sequences != c.Sequences || res.Counts.Abandoned == 0 || res.Deaths > 0 {
		t.Errorf("%d sequences, %d abandoned, %d deaths; want %d, some and none: %q", res.Counts.Sequences, res.Counts.Abandoned, res.Deaths, c.Sequences, rec.warnings)
	}
}

// A goroutine may end the process when the sequence that started it is over: the
// journal still has it.
func TestLatePanic(t *testing.T) {
	table := workertest.Table("Later")
	c, rec := config(t, table)
	c.Sequences, c.confirmTime = runs(1000), unbounded
	res := run1(t, c)
	f, ok := rec.find("Later")
	if !ok || f.Verdict.Kind != engine.KindPanic || f.Verdict.Tier != engine.Panic {
		t.Fatalf("findings %v, warnings %q, notes %q, %+v; want a panic of Later", rec.findings, rec.warnings, rec.notes, res)
	}
	if got, want := table.String(f.Steps), workertest.Minimal(t, table, "Later"); got != want {
		t.Errorf("minimized to\n%s\nwant\n%s", got, want)
	}
}

// run1 runs c and fails the test on an error.
func run1(t *testing.T, c Config) *Result {
	t.Helper()
	res, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A call that spoils a worker without ending it in a step is no finding, and costs no
// more than the worker.
func TestSpoiltWorkers(t *testing.T) {
	for _, tt := range []struct {
		op      string
		warning string // part of one, or none
	}{
		{"Babble", ""},
		{"Read", ""},
		{"Shut", ""},
		{"Scribble", "corrupt frame"},
	} {
		t.Run(tt.op, func(t *testing.T) {
			c, rec := config(t, workertest.Table(tt.op))
			c.Sequences = runs(1000)
			var res *Result
			workertest.LeavesNothing(t, func() { res = run1(t, c) })
			if len(rec.findings) > 0 {
				t.Errorf("findings %v, want none", rec.findings)
			}
			if res.Counts.Sequences != c.Sequences || res.Stopped != "sequences" {
				t.Errorf("%d sequences, stopped by %q; want %d by sequences: %q", res.Counts.Sequences, res.Stopped, c.Sequences, rec.warnings)
			}
			if tt.warning == "" && res.Deaths > 0 && tt.op != "Shut" {
				t.Errorf("%d deaths, want none: %q", res.Deaths, rec.warnings)
			}
			if tt.warning != "" && !strings.Contains(strings.Join(rec.warnings, "\n"), tt.warning) {
				t.Errorf("warnings %q, want one of %q", rec.warnings, tt.warning)
			}
		})
	}
}

// A worker that spoils its reports just before it has done all it was to do does not pass for one
// that has.
func TestSpoiltAtLast(t *testing.T) {
	for range 20 {
		c, rec := config(t, workertest.Table("Scribble"))
		c.Sequences = 1
		c.Seeds = []seq.Sequence{workertest.Parse(t, c.Table, "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.Scribble()")}
		res := run1(t, c)
		if res.Deaths == 0 || !strings.Contains(strings.Join(rec.warnings, "\n"), "corrupt frame") {
			t.Fatalf("%d deaths, warnings %q; want some, of corrupt frames", res.Deaths, rec.warnings)
		}
	}
}

// A worker that gathers goroutines is replaced, which is no death.
func TestRecycle(t *testing.T) {
	c, rec := config(t, workertest.Table("Leak"))
	c.Sequences = runs(2000)
	res := run1(t, c)
	if res.Deaths > 0 || len(rec.findings) > 0 || res.Counts.Sequences != c.Sequences {
		t.Errorf("%d deaths, %d sequences, findings %v, warnings %q; want %d sequences and no death", res.Deaths, res.Counts.Sequences, rec.findings, rec.warnings, c.Sequences)
	}
}

// A finding that some of the fresh processes show is flaky, and a suspect if it only breaks what a
// name promises; one that none shows is not reported.
func TestFlaky(t *testing.T) {
	c, rec := config(t, workertest.Table("Sometimes"))
	steps := workertest.Parse(t, c.Table, "v0 := planted.New(); v0.Put(0); v0.Put(0); v0.Sometimes()")
	v := c.JudgeDeath(steps, worker.Death{ExitCode: 5})
	named := v
	named.Claim = engine.ClaimName
	for n, want := range map[int]string{0: "none", 1: "flaky", confirm.Runs: "sure", confirm.Runs - 1: "suspect"} {
		v := v
		if want == "suspect" {
			v = named
		}
		r := newRun(c)
		r.proofContext, r.stopping = t.Context(), true
		r.findings.pending[v.DedupKey()] = engine.Finding{}
		rec.findings = nil
		r.confirmed(confirm.Result{Finding: engine.Finding{Verdict: v, Steps: steps, Original: steps}, Shown: n, Queued: v})
		for r.proofs.open() {
			r.proved(<-r.proofs.results)
		}
		r.confirms.Close()
		got := "none"
		if len(rec.findings) == 1 {
			got = map[bool]string{true: "flaky", false: "sure"}[rec.findings[0].Flaky]
			if rec.findings[0].Verdict.Tier == engine.Suspect {
				got = "suspect"
			}
		}
		if got != want || len(r.findings.pending) > 0 {
			t.Errorf("shown in %d of %d: %s, %d pending; want %s, none", n, confirm.Runs, got, len(r.findings.pending), want)
		}
	}
}

// An operation that ends workers is restricted first, then disabled; others go on.
func TestDisable(t *testing.T) {
	c, rec := config(t, workertest.Table("Leave", "Vanish"))
	c.Sequences = runs(2000)
	res := run1(t, c)
	var banned []string
	for _, id := range res.Banned {
		banned = append(banned, c.Table.Ops[id].Name)
	}
	slices.Sort(banned)
	if want := []string{"Leave", "Vanish"}; !slices.Equal(banned, want) {
		t.Errorf("banned %v, want %v", banned, want)
	}
	// A process that a busy machine keeps from ending looks as if it waited. That disables at once.
	if least, most := restrict.MaxDeaths+1, 2*restrict.MaxDeaths; res.Deaths < least || res.Deaths > most {
		t.Errorf("%d deaths, want %d to %d", res.Deaths, least, most)
	}
	if len(rec.findings) != 2 {
		t.Errorf("findings %v, want two", rec.findings)
	}
}

// One worker, one seed and a number of sequences: one history, deaths included. (How
// soon a goroutine that ends the process gets to run is the machine's.)
func TestHistoryRepeats(t *testing.T) {
	history := func(seed uint64) string {
		c, rec := config(t, workertest.Table("Crash", "Leave", "Vanish"))
		c.Sequences, c.Seed = runs(1600), seed
		res := run1(t, c)
		var b strings.Builder
		counts := res.Counts
		fmt.Fprintf(&b, "%+v; covered %d, entries %d, deaths %d, banned %v, unconfirmed %d\n", counts, res.Covered.Count(), res.Entries, res.Deaths, res.Banned, res.Unconfirmed)
		b.WriteString(strings.Join(rec.entries, "--\n"))
		// Confirmations run beside each other: their order is chance.
		var found []string
		for _, f := range rec.findings {
			found = append(found, fmt.Sprintf("== %s from %d\n%s", f.Verdict.Signature, len(f.Original), c.Table.String(f.Steps)))
		}
		slices.Sort(found)
		return b.String() + strings.Join(found, "")
	}
	first := history(7)
	if second := history(7); first != second {
		t.Errorf("the same seed has two histories:\n%s\n%s", first, second)
	}
	if other := history(8); other == first {
		t.Error("another seed has the same history")
	}
	if !strings.Contains(first, "exit:") {
		t.Errorf("no worker died:\n%s", first)
	}
}

// The number of sequences is kept to, over workers and their processes.
func TestSequences(t *testing.T) {
	for _, tt := range []struct {
		sequences uint64
		parallel  int
		ops       []string
	}{
		{1, 1, nil},
		{1, 3, nil},
		{2, 3, nil},
		{1001, 2, nil},
		{1001, 2, []string{"Leave", "Unwind"}},
	} {
		t.Run(fmt.Sprintf("%d on %d %v", tt.sequences, tt.parallel, tt.ops), func(t *testing.T) {
			c, rec := config(t, workertest.Table(tt.ops...))
			c.Sequences, c.Parallel, c.confirmTime = tt.sequences, tt.parallel, time.Millisecond
			res := run1(t, c)
			if res.Counts.Sequences != tt.sequences {
				t.Errorf("%d sequences, want %d: %q", res.Counts.Sequences, tt.sequences, rec.warnings)
			}
			if tt.ops != nil && res.Deaths == 0 {
				t.Error("no worker died")
			}
		})
	}
}

// The entries of one worker are sent to the others.
func TestEntriesAreShared(t *testing.T) {
	c, rec := config(t, workertest.Table())
	c.Parallel, c.Sequences = 2, runs(8000)
	res := run1(t, c)
	if res.Entries == 0 || res.Entries != len(rec.entries) {
		t.Fatalf("%d entries, %d reported", res.Entries, len(rec.entries))
	}
	if slices.Sort(rec.entries); len(slices.Compact(slices.Clone(rec.entries))) != len(rec.entries) {
		t.Errorf("an entry was taken twice: %q", rec.entries)
	}
	if res.Counts.Replayed == 0 {
		t.Error("no worker ran what another kept")
	}
	// A later run that is given them has nothing left to keep.
	again, rec2 := config(t, workertest.Table())
	again.Sequences = runs(1000)
	for _, e := range rec.entries {
		again.Entries = append(again.Entries, workertest.Parse(t, again.Table, e))
	}
	res = run1(t, again)
	if len(rec2.entries) > 0 {
		t.Errorf("with the entries of the first run, the second keeps %q", rec2.entries)
	}
	if res.Covered.Count() < 10 {
		t.Errorf("%d sides covered, want those of the entries", res.Covered.Count())
	}
}

// An entry that ends workers is dropped: it must not end each that is started.
func TestEntryThatKills(t *testing.T) {
	c, rec := config(t, workertest.Table("Leave"))
	c.Entries = []seq.Sequence{workertest.Parse(t, c.Table, "v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Leave(); v0.Put(3)")}
	c.Sequences = 200
	res := run1(t, c)
	if _, ok := rec.find("Leave"); !ok {
		t.Errorf("no finding; warnings %q", rec.warnings)
	}
	if res.Stopped != "sequences" || res.Counts.Sequences != 200 {
		t.Errorf("stopped by %q after %d sequences, want sequences after 200: %q", res.Stopped, res.Counts.Sequences, rec.warnings)
	}
}

// Each sequence of the tests runs once, whichever of them end their process.
func TestSeeds(t *testing.T) {
	for _, parallel := range []int{1, 2} {
		c, rec := config(t, workertest.Table("Leave"))
		for _, text := range []string{
			"v0 := planted.New(); v0.Put(5)",
			"v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Leave(); v0.Put(3)",
			"v0 := planted.New(); v0.Put(1); v0.Put(2); v1 := v0.Get()",
			"v0 := planted.New(); v0.Put(2); v0.Put(1); v0.Leave()",
			"v0 := planted.New(); v1 := v0.Get()",
		} {
			c.Seeds = append(c.Seeds, workertest.Parse(t, c.Table, text))
		}
		c.Parallel, c.Sequences = parallel, 200
		res := run1(t, c)
		if _, ok := rec.find("Leave"); !ok {
			t.Errorf("%d workers: no finding; warnings %q", parallel, rec.warnings)
		}
		if rec.seeds == 0 || rec.seeds > 3 {
			t.Errorf("%d workers: %d entries are seeds, want one to three", parallel, rec.seeds)
		}
		// Each death is one before the count of its seed.
		if n := res.Counts.Seeds; n < 3 || n > 5 || res.Counts.Sequences != 200 {
			t.Errorf("%d workers: %d seeds and %d sequences, want 3 to 5, and 200", parallel, n, res.Counts.Sequences)
		}
	}
}

// Seeds that come late are shared, and each is run once.
func TestLateSeeds(t *testing.T) {
	c, rec := config(t, workertest.Table())
	late := make(chan Late)
	c.Late, c.Parallel = late, 2
	go func() {
		for _, text := range []string{"v0 := planted.New(); v0.Put(5)", "v0 := planted.New(); v0.Put(1); v0.Put(2); v1 := v0.Get()"} {
			late <- Late{Seeds: []seq.Sequence{workertest.Parse(t, c.Table, text)}, Note: "came late"}
		}
		close(late)
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rec.onSnapshot = func(s Snapshot) {
		if s.Counts.Seeds >= 2 {
			cancel()
		}
	}
	res, err := Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if res.Counts.Seeds != 2 {
		t.Errorf("%d seeds, want 2", res.Counts.Seeds)
	}
	if n := slices.DeleteFunc(rec.notes, func(s string) bool { return s != "came late" }); len(n) != 2 {
		t.Errorf("%d notes of what came late, want 2", len(n))
	}
}

// A run that waits for seeds ends neither on a plateau nor because it takes no side.
func TestLateSeedsAreWaitedFor(t *testing.T) {
	c, _ := config(t, workertest.Table())
	c.Late, c.Plateau, c.Duration = make(chan Late), true, time.Hour
	r := newRun(c)
	r.began = time.Now().Add(-time.Minute)
	r.totals.counts.Sequences = 1 << 30
	if why := r.stopReason(); why != "" {
		t.Errorf("ends for %q while seeds are to come", why)
	}
	r.config.Late = nil
	if why := r.stopReason(); why == "" {
		t.Error("does not end, though no seeds are to come")
	}
}

// Known signatures are not reported again.
func TestKnown(t *testing.T) {
	c, rec := config(t, workertest.Table("Leave", "Crash"))
	c.Sequences = runs(1000)
	run1(t, c)
	if len(rec.findings) != 2 {
		t.Fatalf("findings %v, want two", rec.findings)
	}
	again, rec2 := config(t, workertest.Table("Leave", "Crash"))
	again.Sequences = runs(1000)
	for _, f := range rec.findings {
		again.Known = append(again.Known, f.Verdict.DedupKey())
	}
	run1(t, again)
	if len(rec2.findings) > 0 {
		t.Errorf("reported again: %v", rec2.findings)
	}
}

// An interrupted run returns its findings. Nothing else ends this run.
func TestCancel(t *testing.T) {
	c, rec := config(t, workertest.Table("Crash", "Spin"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rec.onFind = func(engine.Finding) { cancel() }
	workertest.LeavesNothing(t, func() {
		res, err := Run(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		if res.Stopped != "interrupted" || len(rec.findings) == 0 || res.Counts.Sequences == 0 {
			t.Errorf("stopped by %q with %d findings after %d sequences", res.Stopped, len(rec.findings), res.Counts.Sequences)
		}
	})
}

// At the end of a run the time for confirmations depends on why it ended. An
// interrupted user waits for seconds, and no clock cuts a counted run short. A run with a
// Duration keeps to it within two seconds.
func TestDrainTime(t *testing.T) {
	const long = time.Hour
	for _, tt := range []struct {
		ended                       string
		duration, elapsed, patience time.Duration
		forced                      time.Duration
		want                        time.Duration
		hurry                       bool
	}{
		{"time", long, long - time.Second, 0, 0, time.Second + lateTime, true},
		{"time", long, long + time.Second, 0, 0, lateTime - time.Second, true},
		{"time", long, long + time.Minute, 0, 0, lateTime / 3, true},
		{"time", long, long, time.Second, 0, 3 * time.Second, true},
		{"plateau", 0, long, 0, 0, confirmTime, true},
		{"plateau", long, time.Second, 0, 0, confirmTime, true},
		{"plateau", long, long - time.Second, 0, 0, time.Second + lateTime, true},
		{"plateau", long, 0, 10 * time.Second, 0, 30 * time.Second, true},
		{"sequences", 0, long, 0, 0, countedTime, false},
		{"sequences", 0, long, time.Hour, 0, 3 * time.Hour, false},
		{"interrupted", long, long, time.Minute, 0, interruptedTime, true},
		{"interrupted", long, long, 0, time.Hour, time.Hour, true},
	} {
		c := Config{Config: replay.Config{Patience: tt.patience}, Duration: tt.duration, confirmTime: tt.forced}
		if got, hurry := c.drainTime(tt.ended, tt.elapsed); got != tt.want || hurry != tt.hurry {
			t.Errorf("%+v: %v, hurry %v", tt, got, hurry)
		}
	}
}

// A run searches for its whole Duration. In the last part of it confirmations hurry, and
// tests that wait are tried once more.
func TestEnd(t *testing.T) {
	for _, tt := range []struct {
		duration, elapsed time.Duration
		ending, stops     bool
	}{
		{time.Minute, time.Minute - endTime - time.Second, false, false},
		{time.Minute, time.Minute - time.Second, true, false},
		{time.Minute, time.Minute, true, true},
		{time.Second, 700 * time.Millisecond, false, false},
		{time.Second, 800 * time.Millisecond, true, false},
		{0, time.Hour, false, false},
	} {
		r := newRun(Config{Config: replay.Config{Table: workertest.Table()}, Duration: tt.duration})
		r.began = time.Now().Add(-tt.elapsed)
		r.findings.pending["some"] = engine.Finding{}
		r.end()
		if stops := r.stopReason() != ""; r.ending != tt.ending || stops != tt.stops {
			t.Errorf("%v of %v: ending %v, stops %v", tt.elapsed, tt.duration, r.ending, stops)
		}
		r.proofs.spent = tt.elapsed
		if r.mayProve() != tt.ending {
			t.Errorf("%v of %v: trials may begin: %v", tt.elapsed, tt.duration, r.mayProve())
		}
		r.proofs.spent = time.Duration(proveShare * float64(tt.elapsed))
		if !r.mayProve() {
			t.Errorf("%v of %v: no trial within its share", tt.elapsed, tt.duration)
		}
		r.confirms.Close()
	}
}

// The last part of a run is longer if trying tests takes long.
func TestEndTime(t *testing.T) {
	for _, tt := range []struct{ duration, took, want time.Duration }{
		{time.Minute, time.Second, endTime},
		{time.Minute, 4 * time.Second, 6 * time.Second},
		{time.Minute, time.Minute, 15 * time.Second},
		{4 * time.Second, 0, time.Second},
	} {
		r := &run{config: Config{Duration: tt.duration}, proofs: proving{took: tt.took}}
		if got := r.endTime(); got != tt.want {
			t.Errorf("of %v, after a trial of %v: %v, want %v", tt.duration, tt.took, got, tt.want)
		}
	}
}

// A run that takes no side ends after two seconds, if it has run sequences, there are sides
// to take, and it has shown nothing.
func TestTakesNothing(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(r *run)
		want string
	}{
		{"nothing", func(*run) {}, "no side"},
		{"early", func(r *run) { r.began = time.Now().Add(time.Hour) }, ""},
		{"few sequences", func(r *run) { r.totals.counts.Sequences = sideSequences - 1 }, ""},
		{"a side", func(r *run) { r.archive.covered.Add(0) }, ""},
		{"no sides", func(r *run) { r.config.Sides = 0 }, ""},
		{"a target", func(r *run) { r.config.Spare = true }, ""},
		{"exploring", func(r *run) { r.config.Explore = &engine.Scope{} }, ""},
		{"a finding", func(r *run) { r.findings.byTier[engine.Suspect]++ }, ""},
		{"no time", func(r *run) { r.config.Duration = 0 }, ""},
		{"later", func(r *run) { r.began = r.began.Add(-24 * time.Hour) }, "time"},
	} {
		c, _ := config(t, workertest.Table())
		c.Duration = 24 * time.Hour
		r := newRun(c)
		defer r.confirms.Close()
		r.began = time.Now().Add(-time.Hour)
		r.totals.counts.Sequences = sideSequences
		if tt.set(r); r.stopReason() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, r.stopReason(), tt.want)
		}
	}
}

// A run that is not to begin leaves nothing behind either.
func TestStartFails(t *testing.T) {
	t.Run("canceled", func(t *testing.T) {
		c, _ := config(t, workertest.Table())
		c.Parallel = 2
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		workertest.LeavesNothing(t, func() {
			if res, err := Run(ctx, c); err == nil {
				t.Errorf("Run = %+v, want an error", res)
			}
		})
	})
	t.Run("no worker", func(t *testing.T) {
		c, _ := config(t, workertest.Table())
		c.Spawn.Binary = "/nonexistent"
		workertest.LeavesNothing(t, func() {
			if res, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "/nonexistent") {
				t.Errorf("Run = %+v, %v; want an error that names the worker", res, err)
			}
		})
	})
	t.Run("no table", func(t *testing.T) {
		c, _ := config(t, workertest.Table())
		c.Spawn.Table = "/nonexistent"
		workertest.LeavesNothing(t, func() {
			_, err := Run(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), "before it was ready") || !strings.Contains(err.Error(), "/nonexistent") {
				t.Errorf("Run: %v; want an error that quotes the worker", err)
			}
		})
	})
	t.Run("no directory", func(t *testing.T) {
		c, _ := config(t, workertest.Table())
		c.Spawn.Dir = "/nonexistent"
		workertest.LeavesNothing(t, func() {
			if _, err := Run(t.Context(), c); err == nil {
				t.Error("Run in a directory that is not there returned no error")
			}
		})
	})
}

// A run ends when its time is over and not before, with hangs pending at its end.
func TestDuration(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	c, _ := config(t, workertest.Table("Spin", "Block"))
	c.Duration, c.Parallel = time.Second, 2
	began := time.Now()
	res := run1(t, c)
	if took := time.Since(began); took < c.Duration {
		t.Errorf("a run of %v took %v", c.Duration, took)
	}
	if res.Stopped != "time" {
		t.Errorf("stopped by %q, want time", res.Stopped)
	}
}

// Progress is told again and again while a run goes on. Nothing else ends this run.
func TestProgress(t *testing.T) {
	c, rec := config(t, workertest.Table())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rec.onProgress = func() {
		if rec.progress == 10 {
			cancel()
		}
	}
	res, err := Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if res.Stopped != "interrupted" {
		t.Errorf("stopped by %q, want interrupted", res.Stopped)
	}
}

// Workers are replaced many times over without gathering anything.
func TestManyProcesses(t *testing.T) {
	table := workertest.Table("Leave", "Launch")
	c, _ := config(t, table)
	c.Sequences, c.confirmTime = 100, time.Millisecond // the leavings of confirming are for TestDeathsAreFindings
	run1(t, c)                                         // makes all that is made once
	deaths := 0
	workertest.LeavesNothing(t, func() {
		for seed := range uint64(2) {
			c.Seed = seed
			deaths += run1(t, c).Deaths
		}
	})
	if deaths < 4 {
		t.Errorf("%d workers died, want some", deaths)
	}
}

func TestBrief(t *testing.T) {
	table := workertest.Table()
	r := &run{config: Config{Config: replay.Config{Table: table}}}
	short := workertest.Parse(t, table, "v0 := planted.New(); v0.Put(1)")
	if got, want := r.brief(short), table.OneLine(short); got != want {
		t.Errorf("brief(%q) = %q", want, got)
	}
	long := short
	for range 100 {
		long = append(long, short[1])
	}
	if got := r.brief(long); len(got) > 410 || !strings.HasSuffix(got, " …") || !strings.HasPrefix(table.OneLine(long), strings.TrimSuffix(got, " …")) {
		t.Errorf("brief is %d bytes: %q", len(got), got)
	}
}
