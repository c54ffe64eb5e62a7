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
	b := NewBench(c)
	defer b.Close()
	covered := coverage.NewSet(c.Sides)
	err := b.runAll(ctx, list, trial{deadline: replayDeadline}, func(i int, st Study) {
		for _, side := range st.Sides {
			covered.Add(int(side))
		}
		visit(i, Replayed{Verdict: st.Verdict, Error: st.Error})
	})
	return covered, err
}
