package coordinator

import (
	"context"
	"time"

	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// Cover runs list, as [replay.Cover] does, in workers that were built to count statements
// and leave their counts in c.Spawn.Counters. Then it composes c.Sequences more from
// c.Entries, to cover code without branch sides, which no entry is kept for. It returns
// how many sequences of the list had to be left out.
func Cover(ctx context.Context, c Config, list []seq.Sequence) (left int, err error) {
	left, err = replay.Cover(ctx, c.Config, list)
	if err != nil || c.Sequences == 0 {
		return left, err
	}
	c.Report, c.Parallel, c.Duration, c.confirmTime = silent{}, 1, coverTime, time.Millisecond
	_, err = Run(ctx, c)
	return left, err
}

// silent ignores all events.
type silent struct{}

func (silent) Progress(Snapshot)      {}
func (silent) Entry(engine.Entry)     {}
func (silent) Finding(engine.Finding) {}
func (silent) Warn(string)            {}
func (silent) Note(string)            {}

func (silent) Prove(_ context.Context, list []engine.Finding, _ bool, done func(int)) {
	for i := range list {
		done(i)
	}
}
