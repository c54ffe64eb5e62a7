// Package replay runs given sequences in worker processes and says what each shows:
// stored ones again, one to be studied or recorded, and those that findings are
// confirmed and versions compared with. A sequence may end its process; that is
// judged, and the next has another.
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

// Config says what sequences run in, and who judges how they end.
type Config struct {
	Spawn worker.Spawn
	Table *seq.Table
	Pool  *engine.Pool
	Sides int // number of branch sides
	// Patience is how long a step may take, beyond what any may, before it counts as
	// hanging: what is kept may be known to take its time.
	Patience time.Duration
	// JudgeDeath says what the end of a process means. s is what ran, the step
	// that did not return last.
	JudgeDeath func(s seq.Sequence, d worker.Death) engine.Verdict
	// JudgeRace says what a report of the race detector means, nil if nothing. The
	// steps of s from fork on ran in two goroutines. Only Trial.Fork needs it.
	JudgeRace func(s seq.Sequence, fork int, report string) *engine.Verdict
}

// All runs sequences one after the other, and tells visit what each shows. It returns
// the branch sides taken.
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

// Inputs has inputs of a test that lists its operations read and run, one after the
// other as All does, and tells visit of each. One without any step could not be run.
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

// Cover runs sequences in a worker that was built to count statements, so that it
// leaves its counts in c.Spawn.Counters. A worker that a sequence ends leaves no
// counts: the others are then run again in the next one, without that sequence.
// Cover returns how many had to be left out.
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
