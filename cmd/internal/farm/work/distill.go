package work

import (
	"context"
	"errors"
	"os"
	"time"

	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
)

// generation is the generation of a target, as it was read.
type generation struct {
	record.Generation
	rev store.Revision
}

func (w *Worker) readGeneration(ctx context.Context, target string) (generation, error) {
	var g generation
	var err error
	g.rev, err = store.ReadManifest(ctx, w.Store, record.GenerationName(target), &g.Generation)
	return g, err
}

// distill chooses the entries of a target that are worth keeping. Shorter ones that it makes
// are added; the others are retired in a new generation, which replaces the one that was there
// when it began. If somebody else has replaced that, nothing is retired. No entry is removed.
func (w *Worker) distill(ctx context.Context, job *record.Job, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	b := w.batch(job, dir)
	if err := w.persist(ctx, b.target, b.fetch); err != nil {
		return err
	}
	run := &record.Run{
		Job: job.ID, Kind: job.Kind, Target: job.Target.ID(), Build: job.Target.Build, Revision: job.Revision, Created: job.Created,
		Worker: w.Name, Counts: record.Counts{Entries: b.live}, Ended: "distilled",
	}
	if err := w.Runner.Distill(ctx, job, dir); err != nil {
		if ctx.Err() != nil {
			return err
		}
		run.Problem, run.Ended = err.Error(), record.EndedFailed
		run.Trim()
		return w.persist(ctx, b.target, func(ctx context.Context) error { return w.put(ctx, run.Name(), run) })
	}
	kept, err := b.places.Kept()
	if err != nil {
		return err
	}
	return w.persist(ctx, b.target, func(ctx context.Context) error {
		if err := b.send(ctx, true); err != nil {
			return err
		}
		retired, err := b.retire(ctx, job, kept)
		switch {
		case errors.Is(err, store.ErrConflict):
			run.Ended = "overtaken"
		case err != nil:
			return err
		default:
			run.Entries = len(b.have) - retired
		}
		return w.put(ctx, run.Name(), run)
	})
}

// retire swaps in a generation in which all entries are retired that were given to the job and
// are not kept. It returns how many.
func (b *batch) retire(ctx context.Context, job *record.Job, kept map[string]bool) (int, error) {
	next := record.Generation{Number: b.generation.Number + 1, Retired: map[string]time.Time{}}
	for hash := range b.have {
		if kept[b.places.EntryFile(hash)] {
			continue
		}
		if was, ok := b.generation.Retired[hash]; ok {
			next.Retired[hash] = was
		} else {
			next.Retired[hash] = job.Created
		}
	}
	data, err := record.Encode(next)
	if err != nil {
		return 0, err
	}
	_, err = b.Store.Swap(ctx, record.GenerationName(b.target.ID()), data, b.generation.rev)
	return len(next.Retired), err
}
