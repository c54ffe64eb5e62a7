package corpusadmin

import (
	"context"
	"errors"
	"io/fs"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/corpus"
	"foray.test/corpus/store"
)

// View opens another corpus of a package at a version, in or below dir, to read it: dir is an
// -outdir, a fuzz cache, or the corpus itself.
func View(dir, path, version string) (*store.Store, error) {
	for _, place := range []string{
		store.Dir("", path, "", dir),
		store.Dir(dir, path, version, ""),
		dir,
	} {
		st, err := store.View(place)
		if !errors.Is(err, fs.ErrNotExist) {
			return st, err
		}
	}
	return nil, &load.Error{Place: dir, Msg: "no corpus of " + path, Hint: "the directory of a corpus holds entries; -pkg names the package"}
}

// Merge takes from another corpus, named dir, the entries and findings that this one lacks.
func (a *Admission) Merge(ctx context.Context, from *store.Store, dir string) (*event.Merged, error) {
	entries, err := a.load(from, dir)
	if err != nil {
		return nil, err
	}
	m := &event.Merged{Package: a.Name, From: dir, Entries: len(entries)}
	rd, err := a.newReader()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		rd.readEntry(e)
	}
	candidates, err := a.study(ctx, rd.list)
	if err != nil {
		return nil, err
	}
	items := make([]corpus.Item, len(candidates))
	m.Useless = len(rd.gone)
	for i := range candidates {
		k := &candidates[i]
		if !k.legal() {
			m.Useless++
			continue
		}
		if k.Cut {
			m.Cut++
		}
		items[i] = corpus.Item{Features: k.features, Cost: cost(k.Steps, k.study.Took)}
	}
	if err := a.take(ctx, candidates, items, m); err != nil {
		return nil, err
	}
	m.Findings, err = a.mergeFindings(from, dir)
	return m, err
}

// load reads the entries of another corpus, and warns of what it cannot read.
func (c *Corpus) load(from *store.Store, place string) ([]store.Entry, error) {
	entries, problems, err := from.Load()
	if err != nil {
		return nil, &load.Error{Place: place, Msg: err.Error()}
	}
	for _, p := range problems {
		c.Out.Warn(place+": "+p.String(), "")
	}
	return entries, nil
}

// take stores the candidates that show more than the corpus does.
func (a *Admission) take(ctx context.Context, candidates []kept, items []corpus.Item, m *event.Merged) error {
	var add []store.Entry
	have := map[corpus.Feature]bool{}
	var list []corpus.Feature
	for i := range a.kept {
		for _, f := range a.kept[i].features {
			have[f] = true
			list = append(list, f)
		}
	}
	for _, i := range corpus.Distill(items, list) {
		k := &candidates[i]
		cut, res, err := a.Prune(ctx, k.Steps)
		if err != nil {
			return err
		}
		e := a.Entry(cut, originMerged, len(res.Sides))
		add = append(add, e)
		a.kept = append(a.kept, newKept(Stored{ID: store.ID(e.Statements), Steps: cut}, res))
		for _, f := range k.features {
			if _, ok := f.Side(); ok && !have[f] {
				m.Sides++
			}
			have[f] = true
		}
	}
	m.Added = len(add)
	if err := a.Store.Put(add...); err != nil {
		return &load.Error{Place: a.Name, Msg: err.Error()}
	}
	return nil
}

// mergeFindings takes the findings with a new signature, and counts them.
func (a *Admission) mergeFindings(from *store.Store, dir string) (int, error) {
	theirs, problems, err := from.Findings()
	if err != nil {
		return 0, &load.Error{Place: dir, Msg: err.Error()}
	}
	for _, p := range problems {
		a.Out.Warn(dir+": "+p.String(), "")
	}
	ours, problems, err := a.Store.Findings()
	if err != nil {
		return 0, err
	}
	a.Problems(problems)
	known := map[string]bool{}
	for _, f := range ours {
		known[f.Signature] = true
	}
	n := 0
	for _, f := range theirs {
		if known[f.Signature] {
			continue
		}
		if err := a.Store.PutFinding(f); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
