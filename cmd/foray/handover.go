package main

import (
	"context"
	"fmt"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/driver"
	"foray.test/cmd/internal/text"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
)

// solverRuns bounds the runs of one sequence in the interpreter.
const solverRuns = 200

// solver returns a function that solves for the literals of entries, as foray solve does: see
// [coordinator.Config.Solve]. Workers run the sequences that it proposes.
func (f *fuzzing) solver(s *subject) func(context.Context, []seq.Sequence) coordinator.Late {
	var prog *concolic.Program
	var failed error
	proposed := map[string]bool{}
	rounds := uint64(0)
	return func(ctx context.Context, entries []seq.Sequence) (l coordinator.Late) {
		if prog == nil && failed == nil {
			prog, failed = s.interpreter(ctx)
			if failed != nil {
				l.Note = fmt.Sprintf("%s: solving: %s", s.target.Path, text.OneLine(failed.Error(), 200))
			}
		}
		if failed != nil {
			return l
		}
		o := driver.Options{Runs: solverRuns, Seed: f.seed.n + rounds, Stop: func() bool { return ctx.Err() != nil }}
		rounds++
		st := driver.Search(prog, s.table, entries, o, func(steps seq.Sequence) {
			if key := string(seq.AppendBinary(nil, steps)); !proposed[key] {
				proposed[key] = true
				l.Seeds = append(l.Seeds, steps)
			}
		})
		l.Note = fmt.Sprintf("%s: solving: %d of %s interpreted, %d near a side that none takes; %s, %s proposed", s.target.Path,
			st.Sequences, text.Plural(len(entries), "entry"), st.Near, text.Plural(st.Runs, "run"), text.Plural(len(l.Seeds), "sequence"))
		return l
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
