package ledger

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"foray.test/cmd/internal/farm/record"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// run returns a run with findings that it saw and findings that were fixed.
func run(seq uint64, build string, seen, fixed []string) *record.Run {
	r := &record.Run{
		Job: record.JobID{Epoch: 1 + seq/10, Seq: seq}, Target: "t", Build: build, Ended: "time",
		Created: start.Add(time.Duration(seq) * time.Minute), Fixed: fixed, Counts: record.Counts{Seconds: 60, Sides: 10, SidesCovered: 5}, Revision: "commit-" + build,
	}
	for _, signature := range seen {
		r.Seen = append(r.Seen, record.Seen{Signature: signature, Tier: "error", Kind: "panic"})
	}
	return r
}

func TestStates(t *testing.T) {
	const s = "panic:index:F"
	a, none := []string{s}, []string(nil)
	for _, tt := range []struct {
		name  string
		epoch uint64
		runs  []*record.Run
		want  State
		flaky bool
		at    int // the run that fixed it
	}{
		{"seen in this start", 1, []*record.Run{run(1, "b1", a, none)}, StateNew, false, 0},
		{"seen in an earlier start", 2, []*record.Run{run(1, "b1", a, none)}, StateOpen, false, 0},
		{"seen again", 1, []*record.Run{run(1, "b1", a, none), run(2, "b1", a, none)}, StateNew, false, 0},
		{"not seen once is not fixed", 2, []*record.Run{run(1, "b1", a, none), run(2, "b2", none, none)}, StateOpen, false, 0},
		{"fixed by other code", 2, []*record.Run{run(1, "b1", a, none), run(2, "b2", none, a)}, StateFixed, false, 2},
		{"passes with the same code", 2, []*record.Run{run(1, "b1", a, none), run(2, "b1", none, a)}, StateOpen, true, 0},
		{"fixed twice", 2, []*record.Run{run(1, "b1", a, none), run(2, "b2", none, a), run(3, "b3", none, a)}, StateFixed, false, 2},
		{"there again", 2, []*record.Run{run(1, "b1", a, none), run(2, "b2", none, a), run(3, "b3", a, none)}, StateReopened, false, 2},
		{"fixed again", 2, []*record.Run{run(1, "b1", a, none), run(2, "b2", none, a), run(3, "b3", a, none), run(4, "b4", none, a)}, StateFixed, false, 4},
	} {
		l := New(tt.epoch)
		for _, r := range tt.runs {
			l.Add(r)
		}
		list := l.Findings()
		if len(list) != 1 {
			t.Fatalf("%s: %d findings, want 1", tt.name, len(list))
		}
		f := list[0]
		if f.State != tt.want || f.Flaky != tt.flaky || !f.First.Equal(tt.runs[0].Created) {
			t.Errorf("%s: %s, flaky %v, first %v; want %s, %v, %v", tt.name, f.State, f.Flaky, f.First, tt.want, tt.flaky, tt.runs[0].Created)
		}
		if tt.at > 0 && !f.FixedAt.Equal(start.Add(time.Duration(tt.at)*time.Minute)) {
			t.Errorf("%s: fixed at %v, want by run %d", tt.name, f.FixedAt, tt.at)
		}
		l.Silence(map[string]string{f.Key: "known"})
		if f := l.Findings()[0]; f.State != StateSilenced || f.Reason != "known" {
			t.Errorf("%s: silenced, it is %s", tt.name, f.State)
		}
	}
}

// Any order of adding runs, and adding some twice, gives the same ledger.
func TestOrderDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var runs []*record.Run
	for i := range uint64(40) {
		var seen, fixed []string
		for n := range 5 {
			switch s := fmt.Sprintf("panic:index:F%d", n); rng.IntN(4) {
			case 0:
				seen = append(seen, s)
			case 1:
				fixed = append(fixed, s)
			}
		}
		r := run(i, fmt.Sprint("b", rng.IntN(6)), seen, fixed)
		r.SidesCovered, r.NewEntries, r.Target = rng.IntN(10), rng.IntN(2), fmt.Sprint("t", rng.IntN(2))
		runs = append(runs, r)
	}
	want := New(3)
	for _, r := range runs {
		want.Add(r)
	}
	for range 20 {
		l := New(3)
		for _, i := range rng.Perm(len(runs)) {
			l.Add(runs[i])
			if rng.IntN(3) == 0 {
				l.Add(runs[rng.IntN(i+1)])
			}
			if rng.IntN(5) == 0 {
				l.Findings() // in between, it must not settle for good
			}
		}
		if got := l.Findings(); !reflect.DeepEqual(got, want.Findings()) {
			t.Fatalf("findings %+v,\nwant %+v", got, want.Findings())
		}
		for _, id := range []string{"t0", "t1"} {
			if !reflect.DeepEqual(l.Target(id), want.Target(id)) {
				t.Fatalf("target %s: %+v,\nwant %+v", id, l.Target(id), want.Target(id))
			}
		}
	}
}

func TestDryTime(t *testing.T) {
	l := New(1)
	r := run(1, "b", nil, nil)
	r.NewEntries = 3
	l.Add(r)
	l.Add(run(2, "b", nil, nil))
	l.Add(run(3, "b", nil, nil))
	if got := l.Target("t"); got.Dry != 120 || got.Seconds != 180 || !got.LastNew.Equal(r.Created) {
		t.Errorf("dry %v of %v s, last new %v; want 120 of 180 s, %v", got.Dry, got.Seconds, got.LastNew, r.Created)
	}
	r = run(4, "b", nil, nil)
	r.Ended, r.Problem = record.EndedFailed, "does not compile"
	l.Add(r)
	if got := l.Target("t"); got.Problem == "" || got.Seconds != 180 {
		t.Errorf("problem %q after %v s; want one, and no time counted", got.Problem, got.Seconds)
	}
}

// A run that was interrupted before it counted branch sides does not make them forgotten.
func TestInterrupted(t *testing.T) {
	l := New(1)
	l.Add(run(1, "b", nil, nil))
	r := run(2, "b", nil, nil)
	r.Sides, r.SidesCovered, r.Ended = 0, 0, record.EndedInterrupted
	l.Add(r)
	if got := l.Target("t"); got.Sides != 10 || got.SidesCovered != 5 || len(got.Points) != 1 || got.Seconds != 120 {
		t.Errorf("%d of %d sides, %d points, %v s; want 5 of 10, 1, 120", got.SidesCovered, got.Sides, len(got.Points), got.Seconds)
	}
}

// Distilling counts entries only, and a failure of it does not park the target.
func TestDistilled(t *testing.T) {
	l := New(1)
	l.Add(run(1, "b", nil, nil))
	r := run(2, "b2", nil, nil)
	r.Kind, r.Problem, r.Counts = record.Distill, "no", record.Counts{Entries: 7}
	l.Add(r)
	if got := l.Target("t"); got.Problem != "" || got.Build != "b" || got.Entries != 7 || got.AtDistill != 7 || got.Sides != 10 || got.Runs != 2 {
		t.Errorf("got %+v", got)
	}
}

// A plot has its last point, and few others, however long the farm runs.
func TestPointsAreBounded(t *testing.T) {
	l := New(1)
	for i := range uint64(5000) {
		l.Add(run(i+1, "b", nil, nil))
	}
	p := l.Target("t").Points
	if len(p) > maxPoints || len(p) < maxPoints/3 || p[len(p)-1].Seconds != 5000*60 {
		t.Errorf("%d points, the last at %v s", len(p), p[len(p)-1].Seconds)
	}
}

// A finding knows the commit at which it was last seen, and the last one before it came.
func TestCommits(t *testing.T) {
	const s = "panic:index:F"
	a, none := []string{s}, []string(nil)
	l := New(1)
	for _, step := range []struct {
		run       *record.Run
		good, bad string
	}{
		{run(2, "b2", a, none), "commit-b1", "commit-b2"},
		{run(3, "b3", none, none), "commit-b1", "commit-b2"},
		{run(4, "b4", a, none), "commit-b1", "commit-b4"},
		{run(5, "b5", none, a), "commit-b1", "commit-b4"},
		{run(6, "b6", a, none), "commit-b5", "commit-b6"},
	} {
		l.Add(run(1, "b1", none, none))
		l.Add(step.run)
		if f := l.Findings()[0]; f.Good != step.good || f.Bad != step.bad {
			t.Errorf("after job %d: between %q and %q, want %q and %q", step.run.Job.Seq, f.Good, f.Bad, step.good, step.bad)
		}
	}
}
