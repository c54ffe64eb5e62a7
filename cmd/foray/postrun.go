package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/gentest"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
)

// Searches for races and leaks over the kept sequences, when the run on a package is
// over.

// afterRunTime returns how long each of the two may run sequences, without the time to confirm
// findings. In a run that ends by a count the clock only ends a search that does not end.
func (f *fuzzing) afterRunTime() time.Duration {
	if f.fuzzTime.sequences > 0 {
		return 10 * time.Minute
	}
	return 10 * time.Second
}

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

// findRaces has two goroutines run pairs of calls, and the suffixes of the kept
// sequences, over values that they may share.
func (f *fuzzing) findRaces(ctx context.Context, r *recorder) error {
	t := r.s.table
	list := slices.Concat(engine.Meetings(t, r.s.pool), r.fresh, r.entries)
	return f.afterRun(ctx, r, "races", func(c replay.Config, report func(engine.Finding)) error {
		c.JudgeRace = func(s seq.Sequence, fork int, report string) *engine.Verdict {
			return blame.Race(t, s, fork, report)
		}
		return confirm.Races(ctx, c, list, r.quiet, f.afterRunTime(), report)
	})
}

// findLeaks looks for goroutines that kept sequences, and single calls, leave
// running. A function without branches may be in no kept sequence. Some calls hang.
func (f *fuzzing) findLeaks(ctx context.Context, r *recorder) error {
	return f.afterRun(ctx, r, "leaks", func(c replay.Config, report func(engine.Finding)) error {
		return confirm.Leaks(ctx, c, slices.Concat(r.fresh, r.entries, engine.Calls(r.s.table, r.s.pool)), r.quiet, f.afterRunTime(), report)
	})
}

// afterRun calls look when the run is over, and reports its findings except known
// ones.
func (f *fuzzing) afterRun(ctx context.Context, r *recorder, what string, look func(replay.Config, func(engine.Finding)) error) error {
	if ctx.Err() != nil {
		return nil // the findings before an interrupt are reported
	}
	f.out.Stage("looking for " + what + " in " + r.s.target.Path)
	defer f.out.Quiet()
	var list []engine.Finding
	err := look(r.s.config(r.spawn), func(found engine.Finding) {
		if !r.silenced(found.Verdict.Signature) {
			list = append(list, found)
		}
	})
	r.Prove(ctx, list, false, func(int) {})
	for _, found := range list {
		if found.Doubt != "" {
			r.doubted++
		} else {
			r.outside[found.Verdict.Tier]++
		}
		r.Finding(found)
	}
	return err
}

// newProver returns what tries the tests of findings of a package.
func (f *fuzzing) newProver(s *subject) (*gentest.Prover, error) {
	dir, err := f.temps.make()
	return &gentest.Prover{Target: s.target, Table: s.table, Temp: dir, Flags: f.build, Env: f.env, Unconfined: s.free}, err
}

// foundAfterRun reports whether findings of a kind are looked for when a run is over.
func foundAfterRun(kind string) bool { return kind == engine.KindRace || kind == engine.KindLeak }

// withoutFoundAfterRun returns the findings that one goroutine can show again in any
// worker. The next run with -race or -leaks looks for the others anew.
func withoutFoundAfterRun(findings []corpusadmin.Stored) []corpusadmin.Stored {
	return slices.DeleteFunc(findings, func(st corpusadmin.Stored) bool { return foundAfterRun(st.Finding.Kind) })
}
