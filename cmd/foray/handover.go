package main

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/driver"
	"foray.test/cmd/internal/text"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// solverRuns bounds the runs of one sequence in the interpreter.
const solverRuns = 200

// solver returns a function that solves for the literals of entries, as foray solve does: see
// [coordinator.Config.Solve]. Workers run the sequences that it proposes.
func (f *fuzzing) solver(s *subject) func(context.Context, coordinator.Unsolved) coordinator.Late {
	var search *driver.Search
	var failed error
	return func(ctx context.Context, u coordinator.Unsolved) (l coordinator.Late) {
		if search == nil && failed == nil {
			prog, err := s.interpreter(ctx)
			if failed = err; err != nil {
				l.Note = fmt.Sprintf("%s: solving: %s", s.target.Path, text.OneLine(err.Error(), 200))
			} else {
				search = driver.NewSearch(prog, s.table, driver.Options{Runs: solverRuns, Seed: f.seed.n, Conditions: s.found.Conditions})
			}
		}
		if failed != nil {
			return l
		}
		before, spent, proposed := search.Stats, stopwatch(), 0
		round := driver.Round{
			Stop:    func() bool { return ctx.Err() != nil || spent() > u.Time },
			Covered: u.Covered.Has,
			Propose: func(steps seq.Sequence) {
				proposed++
				u.Propose(steps)
			},
		}
		search.Run(u.Entries, round)
		l.Impossible = search.Impossible(round)
		l.Note = fmt.Sprintf("%s: solving: %d of %s interpreted, %d near a side that none takes; %s, %s proposed%s", s.target.Path,
			search.Sequences, text.Plural(len(u.Entries), "entry"), search.Near, text.Plural(search.Runs-before.Runs, "run"), text.Plural(proposed, "sequence"),
			leftText(search.Left(round)))
		debug.FreeOSMemory() // it takes several times as much while it works as it keeps for the next round
		return l
	}
}

// leftText tells how many sides of the frontier are left, by the reason.
func leftText(left map[int]string) string {
	counts := map[string]int{}
	for _, reason := range left {
		counts[reason]++
	}
	var b strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "; %s left: %s", text.Plural(counts[reason], "side"), reason)
	}
	return b.String()
}

// maxWait is how much longer than its processor time solving may take on a busy machine.
const maxWait = 3

// stopwatch returns a function that tells how much processor time this process has taken since,
// or at least a part of the time that has passed.
func stopwatch() func() time.Duration {
	began := time.Now()
	cpu, _ := worker.OwnCPU()
	return func() time.Duration {
		passed := time.Since(began)
		if now, ok := worker.OwnCPU(); ok {
			return max(now-cpu, passed/maxWait)
		}
		return passed
	}
}

// interpreter loads the package and what its sequences name.
func (s *subject) interpreter(ctx context.Context) (*concolic.Program, error) {
	t := s.target
	var also []string
	for _, im := range s.table.Imports {
		if im.Path != t.Path {
			also = append(also, im.Path)
		}
	}
	return concolic.Load(concolic.Config{Context: ctx, Dir: t.WorkDir, Env: t.Env, Flags: t.Flags, Patterns: []string{t.Path}, Also: also})
}
