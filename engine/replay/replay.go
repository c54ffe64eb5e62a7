// Package replay runs given sequences in worker processes and returns the result of each:
// verdict, branch sides, values. A sequence may end its process. Then its death is judged,
// and the next sequence runs in a new process.
//
//	b := replay.NewBench(config)
//	defer b.Close()
//	x, err := b.Run(ctx, s, replay.Trial{Deadline: replay.StoredTime})
//	if x.Verdict != nil { … }
package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// Config says how to start the processes, and judges how they end.
type Config struct {
	Spawn worker.Spawn
	Table *seq.Table
	Pool  *engine.Pool
	Sides int // number of branch sides
	// Patience is how long a sequence may take before it hangs, if that is longer than
	// usual: stored ones may be known to be slow.
	Patience time.Duration
	// JudgeDeath judges the end of a process that ran s, of which the last step did not
	// return.
	JudgeDeath func(s seq.Sequence, d worker.Death) engine.Verdict
	// JudgeRace judges a report of the race detector; nil means no finding. The steps of s
	// from fork on ran in two goroutines. Only Trial.Fork needs it.
	JudgeRace func(s seq.Sequence, fork int, report string) *engine.Verdict
}

// All runs sequences one after the other, and calls visit with the result of each. It
// returns the branch sides taken.
func All(ctx context.Context, c Config, list []seq.Sequence, visit func(i int, x Shown)) (*coverage.Set, error) {
	b := NewBench(c)
	defer b.Close()
	covered := coverage.NewSet(c.Sides)
	err := b.RunAll(ctx, list, Trial{Deadline: StoredTime}, func(i int, x Shown) {
		for _, side := range x.Sides {
			covered.Add(int(side))
		}
		visit(i, x)
	})
	return covered, err
}

// Inputs runs fuzz inputs of a test that lists its operations, one after the other, and
// calls visit with the result of each. A result without steps could not be run.
func Inputs(ctx context.Context, c Config, inputs []string, visit func(i int, x Shown)) error {
	b := NewBench(c)
	defer b.Close()
	for i := range inputs {
		x, err := b.Run(ctx, nil, Trial{Deadline: StoredTime, Input: &inputs[i]})
		if err != nil {
			return err
		}
		if len(x.Steps) == 0 && x.Error == nil {
			x.Error = errNoStep
		}
		visit(i, x)
	}
	return nil
}

var errNoStep = errors.New("nothing in it can be called")

// Cover runs sequences in a worker that was built to count statements and leaves its
// counts in c.Spawn.Counters. A worker that dies leaves no counts: then a new one runs all
// sequences but the one that ended it. Cover returns how many it left out.
func Cover(ctx context.Context, c Config, list []seq.Sequence) (left int, err error) {
	t := Trial{Deadline: HangTime}
	for {
		p, err := c.Spawn.Start(ctx)
		if err != nil {
			return left, err
		}
		died := slices.IndexFunc(list, func(s seq.Sequence) bool {
			order(p, s, t)
			return c.await(ctx, p, s, t).Died
		})
		if died < 0 {
			if err := p.Leave(); err != nil {
				return left, fmt.Errorf("worker that counts statements: %w", err)
			}
			return left, nil
		}
		p.Dispose()
		if ctx.Err() != nil {
			return left, ctx.Err()
		}
		list = slices.Concat(list[:died], list[died+1:])
		left++
	}
}
