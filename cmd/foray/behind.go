package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/corpusadmin"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// What is looked for when the run on a package is over, in what the run has kept.

// behindTime bounds how long sequences are run for each of it, without what it takes to
// confirm what they find.
const behindTime = 10 * time.Second

// race reports whether the worker is to be built with the race detector.
func (c *common) race() bool { return slices.Contains(c.build, "-race") }

// leakExperiment is the name of the garbage collector's leak profile in Go 1.26.
const leakExperiment = "goroutineleakprofile"

// leakEnv returns the environment of a go command that builds workers with the leak profile.
func leakEnv(env []string) []string {
	experiments := leakExperiment
	for _, v := range env {
		if list, ok := strings.CutPrefix(v, "GOEXPERIMENT="); ok && list != "" {
			experiments = list + "," + leakExperiment
		}
	}
	return append(slices.Clip(env), "GOEXPERIMENT="+experiments)
}

// findRaces has two goroutines run pairs of calls, and the suffixes of the sequences that
// were kept, over values that they may share.
func (f *fuzzing) findRaces(ctx context.Context, r *recorder) error {
	t := r.s.table
	list := slices.Concat(engine.Meetings(t, r.s.pool), r.fresh, r.entries)
	return f.behind(ctx, r, "races", func(c replay.Config, report func(confirm.Finding)) error {
		c.JudgeRace = func(s seq.Sequence, fork int, report string) *engine.Verdict {
			return contract.Race(t, s, fork, report)
		}
		return confirm.Races(ctx, c, list, r.quiet, behindTime, report)
	})
}

// findLeaks looks for goroutines that the sequences that were kept, and calls, leave behind:
// a function without branches may be in none of the former. Some of the latter hang.
func (f *fuzzing) findLeaks(ctx context.Context, r *recorder) error {
	return f.behind(ctx, r, "leaks", func(c replay.Config, report func(confirm.Finding)) error {
		return confirm.Leaks(ctx, c, slices.Concat(r.fresh, r.entries, engine.Calls(r.s.table, r.s.pool)), r.quiet, behindTime, report)
	})
}

// behind has look tell what it finds when the run is over. What is known is not told
// again.
func (f *fuzzing) behind(ctx context.Context, r *recorder, what string, look func(replay.Config, func(confirm.Finding)) error) error {
	if ctx.Err() != nil {
		return nil // what was found before an interrupt is told
	}
	f.out.Stage("looking for " + what + " in " + r.s.target.Path)
	defer f.out.Quiet()
	return look(r.s.config(r.spawn), func(found confirm.Finding) {
		if r.silenced(found.Verdict.Signature) {
			return
		}
		r.outside[found.Verdict.Tier]++
		r.Finding(found)
	})
}

// lookedForBehind reports whether findings of a kind are looked for when a run is over.
func lookedForBehind(kind string) bool { return kind == engine.KindRace || kind == engine.KindLeak }

// withoutThoseBehind returns the findings that one goroutine can show again in any
// worker. The next run with -race or -leaks looks for the others anew.
func withoutThoseBehind(findings []corpusadmin.Stored) []corpusadmin.Stored {
	return slices.DeleteFunc(findings, func(st corpusadmin.Stored) bool { return lookedForBehind(st.Finding.Kind) })
}
