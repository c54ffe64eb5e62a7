package main

import (
	"context"
	"errors"
	"io/fs"

	"foray.test/cmd/internal/load"
	"foray.test/corpus"
	"foray.test/corpus/store"
)

const mergeDoc = `Merge takes into the corpus of a package what other corpora of it show more: branch
sides and classes of values that it has not got, the smallest entries first, and
findings that it has not. The others stay as they are.

  foray corpus merge -pkg ./queue ~/nightly

A DIR is what -outdir named, the fuzz cache of another machine, or the directory of
one corpus, which holds entries.`

const originMerged = "merge"

func runMerge(ctx context.Context, o *options, out *output) (int, error) {
	if err := o.wants(1, 1<<20, "directories"); err != nil {
		return exitUsage, err
	}
	s, err := corpusOf(ctx, o, out)
	if err != nil {
		return exitUsage, err
	}
	a, err := openAdmission(ctx, s, o, out)
	if err != nil {
		return exitUsage, err
	}
	defer a.close()
	errs := 0
	for _, dir := range o.args {
		from, err := s.corpusIn(dir)
		if err == nil {
			err = a.mergeFrom(ctx, from, dir, out)
		}
		if ctx.Err() != nil {
			return exitUsage, errors.New("interrupted")
		}
		errs += out.errors(err)
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// corpusIn opens another corpus of the package, in or below dir, to look at.
func (s *subject) corpusIn(dir string) (*store.Store, error) {
	for _, place := range []string{
		store.Dir("", s.target.Path, "", dir), // -outdir
		store.Dir(dir, s.target.Path, s.version, ""),
		dir,
	} {
		st, err := store.View(place)
		if !errors.Is(err, fs.ErrNotExist) {
			return st, err
		}
	}
	return nil, &load.Error{Place: dir, Msg: "no corpus of " + s.target.Path, Hint: "the directory of a corpus holds entries; -pkg names the package"}
}

// merged is what became of a corpus that was merged.
type merged struct {
	entries  int // that it has
	cut      int // of them only in part callable here
	useless  int // of them that break or cannot be called
	added    int
	sides    int // that are new
	findings int // likewise
}

// mergeFrom takes what from has more.
func (a *admission) mergeFrom(ctx context.Context, from *store.Store, dir string, out *output) error {
	entries, problems, err := from.Load()
	if err != nil {
		return &load.Error{Place: dir, Msg: err.Error()}
	}
	for _, p := range problems {
		out.warn(dir+": "+p.String(), "")
	}
	m, err := a.merge(ctx, entries, out)
	if err != nil {
		return err
	}
	if m.findings, err = a.mergeFindings(from, dir, out); err != nil {
		return err
	}
	out.merged(a.s, dir, m)
	return nil
}

// merge takes those of some entries that show what the corpus does not.
func (a *admission) merge(ctx context.Context, entries []store.Entry, out *output) (merged, error) {
	m := merged{entries: len(entries)}
	rd, err := newReader(a.s, a.o, out)
	if err != nil {
		return m, err
	}
	for _, e := range entries {
		rd.readEntry(e)
	}
	candidates, err := study(ctx, a.bench, rd.list)
	if err != nil {
		return m, err
	}
	items := make([]corpus.Item, len(candidates))
	m.useless = len(rd.gone)
	for i := range candidates {
		k := &candidates[i]
		if !k.legal() {
			m.useless++
			continue
		}
		if k.cut {
			m.cut++
		}
		items[i] = corpus.Item{Features: k.features, Cost: cost(k.steps, k.study.Took)}
	}
	var add []store.Entry
	seen := a.features()
	for _, i := range corpus.Distill(items, a.features().list()) {
		k := candidates[i]
		cut, res, err := a.bench.Prune(ctx, k.steps)
		if err != nil {
			return m, err
		}
		e := a.s.entry(cut, originMerged, len(res.Sides))
		add = append(add, e)
		a.kept = append(a.kept, newKept(stored{id: store.ID(e.Statements), steps: cut}, res))
		m.sides += seen.add(k.features)
	}
	m.added = len(add)
	if err := a.s.store.Put(add...); err != nil {
		return m, &load.Error{Place: a.s.name(), Msg: err.Error()}
	}
	return m, nil
}

// featureSet is a set of features.
type featureSet map[corpus.Feature]bool

func (s featureSet) list() []corpus.Feature {
	list := make([]corpus.Feature, 0, len(s))
	for f := range s {
		list = append(list, f)
	}
	return list
}

// add adds features and returns how many branch sides among them are new.
func (s featureSet) add(features []corpus.Feature) (sides int) {
	for _, f := range features {
		if _, ok := f.Side(); ok && !s[f] {
			sides++
		}
		s[f] = true
	}
	return sides
}

// features returns what the entries of the corpus show.
func (a *admission) features() featureSet {
	set := featureSet{}
	for i := range a.kept {
		set.add(a.kept[i].features)
	}
	return set
}

// mergeFindings takes the findings whose signature is new.
func (a *admission) mergeFindings(from *store.Store, dir string, out *output) (int, error) {
	theirs, problems, err := from.Findings()
	if err != nil {
		return 0, &load.Error{Place: dir, Msg: err.Error()}
	}
	for _, p := range problems {
		out.warn(dir+": "+p.String(), "")
	}
	ours, problems, err := a.s.store.Findings()
	if err != nil {
		return 0, err
	}
	a.s.tellProblems(problems, a.o, out)
	known := map[string]bool{}
	for _, f := range ours {
		known[f.Signature] = true
	}
	n := 0
	for _, f := range theirs {
		if known[f.Signature] {
			continue
		}
		if err := a.s.store.PutFinding(f); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (o *output) merged(s *subject, dir string, m merged) {
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "merged", "package": s.name(), "from": dir, "entries": m.entries, "added": m.added,
			"cut": m.cut, "useless": m.useless, "sides": m.sides, "findings": m.findings,
		})
		return
	}
	o.printer.println("%s: %d of %s from %s added, with %s that were not there%s", s.name(), m.added, plural(m.entries, "entry"), o.options.relative(dir),
		plural(m.sides, "branch side"), withFindings(m.findings))
	if m.cut+m.useless > 0 {
		o.printer.println("  %d can be called only in part, %d not at all", m.cut, m.useless)
	}
}

func withFindings(n int) string {
	if n == 0 {
		return ""
	}
	return ", and " + plural(n, "finding")
}
