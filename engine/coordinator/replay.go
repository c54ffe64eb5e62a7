package coordinator

import (
	"context"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// A Replayed is what one stored sequence showed when it ran again.
type Replayed struct {
	Verdict *engine.Verdict // nil if all was well
	Error   error           // it could not be run
}

// replayDeadline is how long a stored sequence may take.
const replayDeadline = 10 * time.Second

// Replay runs sequences one after the other, in a process that is replaced when
// it dies, and tells visit what each showed. It returns the branch sides taken.
func Replay(ctx context.Context, c Config, list []seq.Sequence, visit func(i int, r Replayed)) (*coverage.Set, error) {
	k := newConfirmer(c)
	defer k.close()
	covered := coverage.NewSet(c.Sides)
	var p *process
	defer func() {
		if p != nil {
			k.put(p)
		}
	}()
	for i, s := range list {
		if p == nil {
			var err error
			if p, err = c.Spawn.start(ctx); err != nil {
				return covered, err
			}
		}
		res, err := k.exec(ctx, p, s, trial{deadline: replayDeadline})
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
		visit(i, Replayed{Verdict: res.verdict, Error: res.refused})
	}
	return covered, nil
}
