package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// Cover runs what c would fuzz in workers that were built to count statements, so
// that they leave their counts in c.Spawn.Counters: the list, and then c.Sequences
// more, starting from c.Entries, for what has no side is in no entry. A worker that
// a sequence of the list ends leaves no counts: the others are then run again in
// the next one, without that sequence. Cover returns how many had to be left out.
func Cover(ctx context.Context, c Config, list []seq.Sequence) (left int, err error) {
	left, err = coverList(ctx, c, list)
	if err != nil || c.Sequences == 0 {
		return left, err
	}
	c.Report, c.Parallel, c.Duration, c.patience = silent{}, 1, coverTime, time.Millisecond
	_, err = Run(ctx, c)
	return left, err
}

// coverTime bounds what Cover composes, should calls be slow.
const coverTime = 5 * time.Second

// coverList runs the sequences of a list in one process.
func coverList(ctx context.Context, c Config, list []seq.Sequence) (left int, err error) {
	k := newConfirmer(c)
	defer k.close()
	for {
		p, err := c.Spawn.Start(ctx)
		if err != nil {
			return left, err
		}
		died := slices.IndexFunc(list, func(s seq.Sequence) bool {
			_, err := k.exec(ctx, p, s, trial{deadline: hangConfirm})
			return err != nil
		})
		if died < 0 {
			return left, k.leave(p)
		}
		k.put(p)
		if ctx.Err() != nil {
			return left, ctx.Err()
		}
		list = slices.Concat(list[:died], list[died+1:])
		left++
	}
}

// leave ends a process in peace, with time to write its counts.
func (k *confirmer) leave(p *worker.Process) error {
	err := p.Leave()
	k.cpuTime.Add(int64(p.CPU()))
	if err != nil {
		return fmt.Errorf("worker that counts statements: %w", err)
	}
	return nil
}

// silent is a reporter for a run whose findings are known.
type silent struct{}

func (silent) Progress(Snapshot)  {}
func (silent) Entry(engine.Entry) {}
func (silent) Finding(Finding)    {}
func (silent) Warn(string)        {}
func (silent) Note(string)        {}
