package coordinator

import (
	"context"
	"time"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// Cover runs what c would fuzz in workers that were built to count statements, so
// that they leave their counts in c.Spawn.Counters: the list, as [replay.Cover] does,
// and then c.Sequences more, starting from c.Entries, for what has no side is in no
// entry. It returns how many of the list had to be left out.
func Cover(ctx context.Context, c Config, list []seq.Sequence) (left int, err error) {
	left, err = replay.Cover(ctx, c.Config, list)
	if err != nil || c.Sequences == 0 {
		return left, err
	}
	c.Report, c.Parallel, c.Duration, c.patience = silent{}, 1, coverTime, time.Millisecond
	_, err = Run(ctx, c)
	return left, err
}

// coverTime bounds what Cover composes, should calls be slow.
const coverTime = 5 * time.Second

// silent is a reporter for a run whose findings are known.
type silent struct{}

func (silent) Progress(Snapshot)       {}
func (silent) Entry(engine.Entry)      {}
func (silent) Finding(confirm.Finding) {}
func (silent) Warn(string)             {}
func (silent) Note(string)             {}
