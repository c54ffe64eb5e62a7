package confirm

import (
	"math"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// Minimize returns f with the fewest and simplest steps found that show the same.
func Minimize(c replay.Config, f engine.Finding) engine.Finding {
	q := NewQueue(c, 0)
	defer q.Close()
	return q.minimizeDeath(f, replay.Trial{Want: f.Verdict.Signature}, false)[0]
}

// minimizeDeath minimizes a sequence that ends its process: one process a try that
// does, and as long as tries do not, the same process for the next, unless each is to
// have a fresh one. t says how long to linger and what to look for. It returns what it
// came to and, in case that was a step too far, what it had when it last removed a
// step.
func (q *Queue) minimizeDeath(f engine.Finding, t replay.Trial, fresh bool) []engine.Finding {
	began := time.Now()
	t.Deadline = replay.DeathTime
	if f.Verdict.Kind == engine.KindHang {
		t.Deadline = replay.HangTry
	}
	b := q.runner.Bench()
	defer b.Close()
	best, short := f, f
	best.Steps = engine.Minimize(q.config.Table, q.config.Pool, f.Steps, nil, func(s seq.Sequence) bool {
		if q.over(began) {
			return false
		}
		if f.Verdict.Kind == engine.KindHang && quickens(best.Steps, s) {
			return false
		}
		x, err := b.Run(q.ctx, s, t)
		if err != nil {
			return false
		}
		if fresh {
			b.Renew()
		}
		v := x.Verdict
		if v == nil || v.Signature != f.Verdict.Signature || v.Tier < f.Verdict.Tier {
			return false
		}
		best.Verdict, best.Steps = *v, s
		if len(s) < len(short.Steps) {
			short = best
		}
		return true
	})
	list := []engine.Finding{best}
	if len(short.Steps) < len(f.Steps) && !sameSteps(short.Steps, best.Steps) {
		list = append(list, short)
	}
	return list
}

// quickens reports whether s has a large number where now has a larger one, and
// is the same otherwise: what does not return for the one may only be slow for the
// other. With a small number in its place no call is.
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

func sameSteps(a, b seq.Sequence) bool {
	return string(seq.AppendBinary(nil, a)) == string(seq.AppendBinary(nil, b))
}
