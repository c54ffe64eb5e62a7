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
// the package as [Leaks] does leaks.
func Races(ctx context.Context, c replay.Config, list []seq.Sequence, known []string, limit time.Duration, report func(Finding)) error {
	c.Spawn.Race = true
	return lookFor(ctx, c, list, known, limit, report, func(s seq.Sequence) (replay.Trial, bool) {
		fork := engine.Fork(c.Table, s)
		return replay.Trial{Deadline: replay.DeathTime, Fork: fork}, fork > 0
	})
}

// Leaks runs sequences in workers built with the leak profile and reports the
// goroutines of the package that they leave waiting for ever: the first of each
// signature that is not among the known, minimized, and confirmed in fresh processes.
// After limit the rest of the list is left out.
func Leaks(ctx context.Context, c replay.Config, list []seq.Sequence, known []string, limit time.Duration, report func(Finding)) error {
	return lookFor(ctx, c, list, known, limit, report, func(s seq.Sequence) (replay.Trial, bool) {
		return replay.Trial{Deadline: replay.HangTry, Leaks: true}, len(s) > 0
	})
}

// A trialOf says how a sequence is run, and whether it is worth it.
type trialOf func(seq.Sequence) (replay.Trial, bool)

func lookFor(ctx context.Context, c replay.Config, list []seq.Sequence, known []string, limit time.Duration, report func(Finding), trial trialOf) error {
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
		how, worth := trial(s)
		if !worth {
			continue
		}
		if time.Since(began) > limit || ctx.Err() != nil {
			break
		}
		list, err := shownBy(ctx, b, s, how)
		if err != nil {
			return err
		}
		for _, v := range list {
			if seen[v.Signature] {
				continue
			}
			seen[v.Signature] = true
			if f, ok := q.confirmBy(trial, engine.Finding{Verdict: *v, Steps: s, Original: s}); ok {
				report(f)
			}
		}
	}
	return ctx.Err()
}

// looks is how often a sequence is run in which something is found: a run tells of one.
const looks = 4

// shownBy returns what a sequence shows: run again, a process tells of what it has not
// told of, if it can.
func shownBy(ctx context.Context, b *replay.Bench, s seq.Sequence, how replay.Trial) ([]*engine.Verdict, error) {
	var list []*engine.Verdict
	for range looks {
		x, err := b.Run(ctx, s, how)
		switch {
		case err != nil:
			return nil, err
		case x.Error != nil:
			return nil, x.Error
		case x.Verdict == nil:
			return list, nil
		}
		list = append(list, x.Verdict)
	}
	return list, nil
}

// confirmBy minimizes a finding and runs it in fresh processes, as trial says. It
// reports false if none showed it.
func (q *Queue) confirmBy(trial trialOf, f engine.Finding) (Finding, bool) {
	began := time.Now()
	again := func(s seq.Sequence) *engine.Verdict {
		how, worth := trial(s)
		if how.Want = f.Verdict.Signature; !worth {
			return nil
		}
		if v := q.once(s, how); shows(v, f.Verdict.Signature) {
			return v
		}
		return nil
	}
	engine.Minimize(q.config.Table, q.config.Pool, f.Steps, nil, func(s seq.Sequence) bool {
		if q.over(began) {
			return false
		}
		v := again(s)
		if v != nil {
			f.Verdict, f.Steps = *v, s
		}
		return v != nil
	})
	shown := 0
	for range Runs {
		if again(f.Steps) != nil {
			shown++
		}
	}
	return Finding{Finding: f, Flaky: shown < Runs}, shown > 0
}
