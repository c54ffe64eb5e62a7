package coordinator

import (
	"context"
	"errors"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// A Replayed is what one stored sequence showed when it ran again.
type Replayed struct {
	Steps   seq.Sequence    // what ran
	Verdict *engine.Verdict // nil if all was well
	Error   error           // it could not be run
}

// replayDeadline is how long a stored sequence may take.
const replayDeadline = 10 * time.Second

// Replay runs sequences one after the other, in a process that is replaced when
// it dies, and tells visit what each showed. It returns the branch sides taken.
func Replay(ctx context.Context, c Config, list []seq.Sequence, visit func(i int, r Replayed)) (*coverage.Set, error) {
	return replay(ctx, c, len(list), func(i int) (seq.Sequence, trial) { return list[i], trial{deadline: replayDeadline} }, visit)
}

// ReplayInputs is Replay for inputs of a test that lists its operations, which the
// worker reads. An input without any step is told as one that could not be run.
func ReplayInputs(ctx context.Context, c Config, inputs []string, visit func(i int, r Replayed)) (*coverage.Set, error) {
	return replay(ctx, c, len(inputs), func(i int) (seq.Sequence, trial) {
		return nil, trial{deadline: replayDeadline, input: &inputs[i]}
	}, func(i int, r Replayed) {
		if len(r.Steps) == 0 && r.Error == nil {
			r.Error = errNoStep
		}
		visit(i, r)
	})
}

// Minimize returns f with the fewest and simplest steps found that show the same.
func Minimize(c Config, f engine.Finding) engine.Finding {
	k := newConfirmer(c)
	defer k.close()
	return k.minimizeDeath(f, trial{want: f.Verdict.Signature})[0]
}

var errNoStep = errors.New("nothing in it can be called")

func replay(ctx context.Context, c Config, n int, nth func(i int) (seq.Sequence, trial), visit func(i int, r Replayed)) (*coverage.Set, error) {
	k := newConfirmer(c)
	defer k.close()
	covered := coverage.NewSet(c.Sides)
	var p *process
	defer func() {
		if p != nil {
			k.put(p)
		}
	}()
	for i := range n {
		s, t := nth(i)
		if p == nil {
			var err error
			if p, err = c.Spawn.start(ctx); err != nil {
				return covered, err
			}
		}
		res, err := k.exec(ctx, p, s, t)
		if ctx.Err() != nil {
			return covered, ctx.Err()
		}
		if err != nil {
			k.put(p)
			p = nil
		}
		for _, side := range res.sides {
			if side >= 0 && int(side) < c.Sides {
				covered.Add(int(side))
			}
		}
		if res.steps != nil {
			s = res.steps
		}
		visit(i, Replayed{Steps: s, Verdict: res.verdict, Error: res.refused})
	}
	return covered, nil
}
