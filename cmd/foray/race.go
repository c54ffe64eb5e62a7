package main

import (
	"context"
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// race reports whether the worker is to be built with the race detector.
func (o *options) race() bool { return slices.Contains(o.build, "-race") }

// raceTime bounds how long two goroutines run sequences when the run on a package is
// over, without what it takes to confirm what they find.
const raceTime = 10 * time.Second

// races has two goroutines run pairs of calls, and the suffixes of the sequences that
// were kept, over values that they may share. What is known is not told again.
func (f *fuzzing) races(ctx context.Context, r *recorder, known []string) error {
	if ctx.Err() != nil {
		return nil // what was found before an interrupt is told
	}
	t := r.s.table
	c := r.s.config(r.spawn)
	c.JudgeRace = func(s seq.Sequence, fork int, report string) *engine.Verdict {
		return contract.Race(t, s, fork, report)
	}
	list := slices.Concat(engine.Meetings(t, r.s.pool), r.fresh, r.entries)
	f.out.stage("looking for races in " + r.s.target.Path)
	defer f.out.quiet()
	return confirm.Races(ctx, c, list, known, raceTime, func(found confirm.Finding) {
		if r.silenced(found.Verdict.Signature) {
			return
		}
		r.outside[found.Verdict.Tier]++
		r.Finding(found)
	})
}

// withoutRaces returns the findings that one goroutine can show again. A run with
// -race looks for races anew.
func withoutRaces(findings []stored) []stored {
	return slices.DeleteFunc(findings, func(st stored) bool { return st.finding.Kind == engine.KindRace })
}
