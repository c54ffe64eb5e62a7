package confirm

import (
	"context"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// Races runs sequences whose last steps two goroutines run at once, see
// [engine.Fork], in workers built with the race detector, and reports the races of
// the package: the first of each signature that is not among the known, minimized, and
// confirmed in fresh processes. After limit the rest of the list is left out.
func Races(ctx context.Context, c replay.Config, list []seq.Sequence, known []string, limit time.Duration, report func(Finding)) error {
	c.Spawn.Race = true
	q := NewQueue(c, 0)
	defer q.Close()
	seen := map[string]bool{}
	for _, s := range known {
		seen[s] = true
	}
	began := time.Now()
	b := q.runner.Bench()
	defer b.Close()
	for _, s := range list {
		fork := engine.Fork(c.Table, s)
		if fork == 0 {
			continue
		}
		if time.Since(began) > limit || ctx.Err() != nil {
			break
		}
		x, err := b.Run(ctx, s, replay.Trial{Deadline: replay.DeathTime, Fork: fork})
		if err != nil {
			return err
		}
		if v := x.Verdict; v != nil && !seen[v.Signature] {
			seen[v.Signature] = true
			if f, ok := q.confirmRace(engine.Finding{Verdict: *v, Steps: s, Original: s}); ok {
				report(f)
			}
		}
	}
	return ctx.Err()
}

// confirmRace minimizes a race, and runs it in fresh processes. It reports false if
// none showed it.
func (q *Queue) confirmRace(f engine.Finding) (Finding, bool) {
	began := time.Now()
	races := func(s seq.Sequence) *engine.Verdict {
		fork := engine.Fork(q.config.Table, s)
		if fork == 0 {
			return nil
		}
		if v := q.once(s, replay.Trial{Deadline: replay.DeathTime, Fork: fork}); shows(v, f.Verdict.Signature) {
			return v
		}
		return nil
	}
	engine.Minimize(q.config.Table, q.config.Pool, f.Steps, nil, func(s seq.Sequence) bool {
		if q.over(began) {
			return false
		}
		v := races(s)
		if v != nil {
			f.Verdict, f.Steps = *v, s
		}
		return v != nil
	})
	shown := 0
	for range Runs {
		if races(f.Steps) != nil {
			shown++
		}
	}
	return Finding{Finding: f, Flaky: shown < Runs}, shown > 0
}
