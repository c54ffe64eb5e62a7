package confirm

import (
	"math"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// Minimize returns f with the fewest and simplest steps that are found to show it.
func Minimize(c replay.Config, f engine.Finding) engine.Finding {
	q := NewQueue(c, 0)
	defer q.Close()
	return q.minimizeDeath(f, replay.Trial{Want: f.Verdict.Signature}, false)[0]
}

// minimizeDeath minimizes a sequence that ends its process. Each candidate that does so
// costs a process; the others share one, unless fresh asks for one each. t has the time
// to linger and the finding to look for. The result is followed by a longer sequence, the
// last from which a step was removed: the result may have been simplified too far.
func (q *Queue) minimizeDeath(f engine.Finding, t replay.Trial, fresh bool) []engine.Finding {
	began := time.Now()
	hangs, hung := f.Verdict.Kind == engine.KindHang, 0
	t.Deadline = replay.DeathTime
	runner := q.runner
	if hangs {
		t.Deadline = replay.HangTry
		runner, t.Fuel = q.fuel()
	}
	b := runner.Bench()
	defer b.Close()
	r := replay.Reduction[engine.Verdict]{Steps: f.Steps, Shown: f.Verdict, Over: func() bool { return q.stops(hung, began) }}
	short := f
	r.Try = func(s seq.Sequence) (v engine.Verdict, ok bool) {
		if hangs && quickens(r.Steps, s) {
			return v, false
		}
		x, _ := b.Run(q.ctx, s, t) // without a process there is no verdict
		if hangs && x.Died {
			hung++
		}
		if fresh {
			b.Renew()
		}
		if !shows(x.Verdict, f.Verdict.Signature) {
			return v, false
		}
		if x.Verdict.Inherit(&f.Verdict); x.Verdict.Tier < r.Shown.Tier {
			return v, false
		}
		if len(x.Steps) > len(s) {
			// A contract's own call ended it. Only a sequence that makes the call can be told.
			return v, false
		}
		if v = *x.Verdict; len(s) < len(short.Steps) {
			short.Verdict, short.Steps = v, s
		}
		return v, true
	}
	best := f
	best.Steps = engine.Minimize(q.config.Table, q.config.Pool, f.Steps, r.Keep)
	best.Verdict = r.Shown
	list := []engine.Finding{best}
	if len(short.Steps) < len(f.Steps) && !short.Steps.Equal(best.Steps) {
		list = append(list, short)
	}
	return list
}

// fuel returns what runs the candidates of a hang, and how much fuel one gets. How long a build
// takes must not decide on the result of a run that ends by a count: there it is none.
func (q *Queue) fuel() (*replay.Runner, int64) {
	if r := q.fueled.Load(); r != nil && !q.counted {
		return r, hangFuel
	}
	return q.runner, 0
}

// quickens reports whether s is now with one large number replaced by another. A call
// that hangs with the one may be only slow with the other; with a small number in its
// place it is fast.
func quickens(now, s seq.Sequence) bool {
	if len(now) != len(s) {
		return false
	}
	for i := range s {
		if s[i].Op != now[i].Op || len(s[i].Args) != len(now[i].Args) {
			return false
		}
		for j, a := range s[i].Args {
			b := now[i].Args[j]
			if a.Lit != b.Lit && a.Lit != nil && b.Lit != nil && isLarge(a.Lit.Value) && isLarge(b.Lit.Value) {
				return true
			}
		}
	}
	return false
}

func isLarge(v any) bool {
	const large = 1 << 10
	switch v := v.(type) {
	case int64:
		return v > large || v < -large
	case uint64:
		return v > large
	case float64:
		return math.Abs(v) > large
	}
	return false
}
