package confirm

import (
	"context"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// TestDetect: each finding is reported once, minimized and confirmed, unless it is known.
// The detector here is the executor, which finds panics.
func TestDetect(t *testing.T) {
	table := workertest.Table("Crash", "Leave")
	c := config(t, table)
	const prefix = "v0 := planted.New(); v0.Put(1); v0.Put(2); v0.Put(3); "
	list := []seq.Sequence{
		workertest.Parse(t, table, "v0 := planted.New(); v0.Put(1)"),
		workertest.Parse(t, table, prefix+"v1 := v0.Crash()"),
		workertest.Parse(t, table, prefix+"v0.Put(4); v1 := v0.Crash()"),
		workertest.Parse(t, table, prefix+"v0.Leave()"),
	}
	all := func(s seq.Sequence) (replay.Trial, bool) { return replay.Trial{Deadline: replay.DeathTime}, true }
	looks := 0
	slow := func(s seq.Sequence) (replay.Trial, bool) {
		if looks++; looks == 3 { // the first that minimizes, on a busy machine
			time.Sleep(minimizeTime)
		}
		return all(s)
	}
	detected := func(ctx context.Context, known []string, limit time.Duration, trial trialOf) (found []engine.Finding, err error) {
		workertest.LeavesNothing(t, func() {
			err = detect(ctx, c, list, known, limit, func(f engine.Finding) { found = append(found, f) }, trial)
		})
		return found, err
	}
	found, err := detected(t.Context(), nil, unbounded, slow)
	if err != nil || len(found) != 2 {
		t.Fatalf("found %v, error %v; want a panic and an exit", found, err)
	}
	for i, op := range []string{"Crash", "Leave"} {
		f := found[i]
		if got, want := table.String(f.Steps), workertest.Minimal(t, table, op); f.Flaky || got != want {
			t.Errorf("%s: flaky %v, minimized to\n%s\nwant\n%s", op, f.Flaky, got, want)
		}
		if len(f.Original) != 5 {
			t.Errorf("%s: original\n%s", op, table.String(f.Original))
		}
	}
	if found[1].Verdict.Kind != engine.KindExit {
		t.Errorf("kind %s, want %s", found[1].Verdict.Kind, engine.KindExit)
	}
	for _, tt := range []struct {
		name  string
		known []string
		limit time.Duration
		trial trialOf
		want  int
	}{
		{"a known one", []string{found[0].Verdict.Signature.String()}, unbounded, all, 1},
		{"no time", nil, -1, all, 0},
		{"no run is worth it", nil, unbounded, func(seq.Sequence) (replay.Trial, bool) { return replay.Trial{}, false }, 0},
	} {
		if got, err := detected(t.Context(), tt.known, tt.limit, tt.trial); err != nil || len(got) != tt.want {
			t.Errorf("%s: found %v, error %v; want %d", tt.name, got, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := detected(ctx, nil, unbounded, all); err == nil || len(got) > 0 {
		t.Errorf("canceled: found %v, error %v", got, err)
	}
}

// A finding that is not confirmed does not hide that of another sequence.
func TestDetectAgain(t *testing.T) {
	table := workertest.Table("Crash")
	var list []seq.Sequence
	for _, puts := range []string{"", "v0.Put(1); ", "v0.Put(2); "} {
		list = append(list, workertest.Parse(t, table, "v0 := planted.New(); "+puts+"v0.Put(3); v0.Put(4); v0.Put(5); v1 := v0.Crash()"))
	}
	looked := 0 // at sequences of the list
	trial := func(s seq.Sequence) (replay.Trial, bool) {
		if looked < len(list) && table.String(s) == table.String(list[looked]) {
			looked++
			return replay.Trial{Deadline: replay.DeathTime}, true
		}
		return replay.Trial{Deadline: replay.DeathTime}, looked > 1 // nothing confirms the first
	}
	found := 0
	if err := detect(t.Context(), config(t, table), list, nil, unbounded, func(engine.Finding) { found++ }, trial); err != nil || found != 1 {
		t.Errorf("found %d, error %v; want one", found, err)
	}
}

// TestOver: a job has its time, and less of it once the queue is hurried.
func TestOver(t *testing.T) {
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	for _, tt := range []struct {
		name       string
		minimizing time.Duration
		hurried    bool
		began      time.Time
		want       bool
	}{
		{"at the beginning", 0, false, ago(-time.Hour), false},
		{"after a long time", 0, false, ago(time.Hour), true},
		{"with more time", 2 * time.Hour, false, ago(time.Hour), false},
		{"hurried at the beginning", 0, true, ago(-time.Hour), false},
		{"hurried, later", 0, true, ago(hurriedTime + time.Millisecond), true},
		{"hurried with more time", 2 * time.Hour, true, ago(time.Hour), false},
	} {
		q := NewQueue(replay.Config{}, tt.minimizing)
		if tt.hurried {
			q.Hurry()
		}
		if got := q.over(tt.began); got != tt.want {
			t.Errorf("%s: over %v, want %v", tt.name, got, tt.want)
		}
		q.Close()
		if !q.over(ago(-time.Hour)) {
			t.Errorf("%s: not over in a closed queue", tt.name)
		}
	}
}

// TestStops: in a run that ends by a count no clock ends the minimizing of a death, nor of a
// hang: a number of runs that hung does.
func TestStops(t *testing.T) {
	long := time.Now().Add(-time.Hour)
	for _, tt := range []struct {
		counted       bool
		hung          int
		hurried, want bool
	}{
		{false, 0, false, true},
		{true, 0, false, false},
		{true, countedHangs - 1, false, false},
		{true, countedHangs, false, true},
		{true, 0, true, true},
	} {
		q := NewQueue(replay.Config{}, 0)
		if tt.counted {
			q.Counted()
		}
		if tt.hurried {
			q.Hurry()
		}
		if got := q.stops(tt.hung, long); got != tt.want {
			t.Errorf("%+v: stops %v", tt, got)
		}
		if q.Close(); !q.stops(tt.hung, time.Now()) {
			t.Errorf("%+v: goes on in a closed queue", tt)
		}
	}
}

// TestAgain: how long a stored finding may take depends on its kind.
func TestAgain(t *testing.T) {
	for kind, want := range map[string]replay.Trial{
		engine.KindPanic: {Deadline: replay.DeathTime, Want: engine.Signature{Where: "s"}},
		engine.KindHang:  {Deadline: replay.HangTime, Want: engine.Signature{Where: "s"}},
		engine.KindFatal: {Deadline: replay.DeathTime, Linger: lingerTime, Want: engine.Signature{Where: "s"}},
	} {
		got := again(engine.Verdict{Kind: kind, Signature: engine.Signature{Where: "s"}})
		if got.Deadline != want.Deadline || got.Linger != want.Linger || got.Want != want.Want {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
	}
}
