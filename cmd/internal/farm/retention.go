package farm

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"foray.test/cmd/internal/farm/record"
	"foray.test/cmd/internal/farm/store"
)

// retention is how long a retired entry stays in the store, unless the farm says otherwise.
const retention = 30 * 24 * time.Hour

// prune removes entries that have been retired for longer than that. It is the only
// part of a farm that removes anything.
func (k *keeper) prune(ctx context.Context) error {
	names, err := k.Store.List(ctx, "manifest/")
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if target, ok := strings.CutPrefix(name, record.GenerationName("")); ok {
			errs = append(errs, k.pruneTarget(ctx, name, target))
		}
	}
	return errors.Join(errs...)
}

func (k *keeper) pruneTarget(ctx context.Context, name, target string) error {
	var g record.Generation
	rev, err := store.ReadManifest(ctx, k.Store, name, &g)
	if err != nil {
		return err
	}
	old := k.Now().Add(-cmp.Or(k.Retain, retention))
	left := map[string]time.Time{}
	for hash, at := range g.Retired {
		if !at.Before(old) {
			left[hash] = at
			continue
		}
		if err := k.Store.Delete(ctx, "entries/"+target+"/"+hash); err != nil {
			return err
		}
	}
	if len(left) == len(g.Retired) {
		return nil
	}
	g.Retired = left
	data, err := record.Encode(g)
	if err != nil {
		return err
	}
	_, err = k.Store.Swap(ctx, name, data, rev)
	if errors.Is(err, store.ErrConflict) {
		return nil // a new generation; the next time
	}
	return err
}
