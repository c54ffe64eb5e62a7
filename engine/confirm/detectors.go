package confirm

import (
	"cmp"
	"context"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// Races runs the last steps of sequences in two goroutines at once, see [engine.Fork], in
// workers built with the race detector. It reports the races of the package as [Leaks]
// reports leaks.
func Races(ctx context.Context, c replay.Config, list []seq.Sequence, known []string, limit time.Duration, report func(engine.Finding)) error {
	c.Spawn.Race = true
	return detect(ctx, c, list, known, limit, report, func(s seq.Sequence) (replay.Trial, bool) {
		fork := engine.Fork(c.Table, s)
		return replay.Trial{Deadline: replay.DeathTime, Fork: fork}, fork > 0
	})
}

// Leaks runs sequences in workers built with the leak profile, and reports goroutines of
// the package that they leave waiting for ever. It reports the first of each signature
// that is not known, minimized and confirmed in fresh processes. After limit it skips the
// rest of the list. Minimizing one takes a quarter of that at most.
func Leaks(ctx context.Context, c replay.Config, list []seq.Sequence, known []string, limit time.Duration, report func(engine.Finding)) error {
	return detect(ctx, c, list, known, limit, report, func(s seq.Sequence) (replay.Trial, bool) {
		return replay.Trial{Deadline: replay.HangTry, Leaks: true}, len(s) > 0
	})
}

// A trialOf returns how a sequence is run, and false if a run is pointless.
type trialOf func(seq.Sequence) (replay.Trial, bool)

func detect(ctx context.Context, c replay.Config, list []seq.Sequence, known []string, limit time.Duration, report func(engine.Finding), trial trialOf) error {
	q := NewQueue(c, limit/4)
	defer q.Close()
	seen, failed := map[string]bool{}, map[string]int{}
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
		verdicts, err := shownBy(ctx, b, s, how, seen)
		if err != nil {
			return err
		}
		for _, v := range verdicts {
			if f, ok := q.confirmBy(trial, engine.Finding{Verdict: *v, Steps: s, Original: s}); ok {
				report(f)
			} else if signature := v.Signature.String(); failed[signature] < maxDetectorFailures {
				failed[signature]++
				delete(seen, signature) // another sequence may show it whenever it runs
			}
		}
	}
	return ctx.Err()
}

// shownBy returns the new verdicts of a sequence, and adds them to seen. Run again, a process prefers
// a verdict that it has not told before. A verdict that ends its process costs another one for
// the next run, so the sequence is not run again once it has shown one that was seen.
func shownBy(ctx context.Context, b *replay.Bench, s seq.Sequence, how replay.Trial, seen map[string]bool) (list []*engine.Verdict, err error) {
	for range maxDetectorRuns {
		x, err := b.Run(ctx, s, how)
		if err = cmp.Or(err, x.Error); err != nil {
			return nil, err
		}
		if x.Verdict == nil {
			break
		}
		signature := x.Verdict.Signature.String()
		if !seen[signature] {
			list = append(list, x.Verdict)
		} else if x.Died {
			break
		}
		seen[signature] = true
	}
	return list, nil
}

// confirmBy minimizes a finding and runs it in fresh processes, each with its trial. It
// reports false if none shows it.
func (q *Queue) confirmBy(trial trialOf, f engine.Finding) (engine.Finding, bool) {
	began := time.Now()
	try := func(s seq.Sequence) (v engine.Verdict, ok bool) {
		how, worth := trial(s)
		if how.Want = f.Verdict.Signature; !worth {
			return v, false
		}
		if got := q.once(s, how); shows(got, f.Verdict.Signature) {
			return *got, true
		}
		return v, false
	}
	r := replay.Reduction[engine.Verdict]{Steps: f.Steps, Shown: f.Verdict, Over: func() bool { return q.over(began) }, Try: try}
	engine.Minimize(q.config.Table, q.config.Pool, f.Steps, r.Keep)
	f.Verdict, f.Steps = r.Shown, r.Steps
	shown := 0
	for range Runs {
		if _, ok := try(f.Steps); ok {
			shown++
		}
	}
	f.Flaky = shown < Runs
	return f, shown > 0
}
