package main

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"foray.test/engine/worker"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

const replayDoc = `Replay runs what earlier runs have stored again: the entries of the corpus and
the findings. It exits 1 if an entry fails that did not, or a finding of tier
error still does. Findings that testdata/foray/known lists are counted, and no
failure.`

// replayOptions are the options of foray replay.
type replayOptions struct {
	*common
	format string // text or github
}

func newReplay(fs *flag.FlagSet, c *common) runner {
	o := &replayOptions{common: c}
	c.storeFlags(fs)
	formatFlag(fs, &o.format)
	c.verboseFlag(fs, "build steps, every suspect")
	return o.run
}

func (o *replayOptions) run(ctx context.Context) (int, error) {
	if err := o.setFormat(o.format); err != nil {
		return exitUsage, err
	}
	fails := 0
	code, err := o.eachPackage(ctx, func(target *build.Target, cache string) error {
		n, err := replayOne(ctx, target, o.common, cache)
		fails += n
		return err
	})
	if fails > 0 {
		return exitFindings, err
	}
	return code, err
}

// replayOne runs the corpus of one package and returns how many fail.
func replayOne(ctx context.Context, target *build.Target, o *common, cache string) (int, error) {
	s, err := openSubject(ctx, target, o, cache)
	if err != nil {
		return 0, err
	}
	dir, err := o.temps.make()
	if err != nil {
		return 0, err
	}
	defer o.temps.remove(dir)
	spawn := s.spawn(dir)
	spawn.AfterPanic = true // the run that made the findings may have had it
	entries, findings, err := s.readStored(ctx, spawn)
	if err != nil {
		return 0, err
	}
	o.out.Quiet()
	list := slices.Concat(entries, findings)
	sequences := make([]seq.Sequence, len(list))
	for i := range list {
		sequences[i] = list[i].Steps
	}
	known := s.readKnown()
	n := &event.Replay{
		Package: s.name(), Entries: len(entries), Findings: len(findings), Sides: s.found.Sides,
		Group: event.NewGroup(o.verbose), Dir: s.dir,
	}
	covered, err := replay.All(ctx, s.config(spawn), sequences, func(i int, r replay.Shown) { s.printReplayed(n, known, list[i], r) })
	if err != nil {
		return n.Failing, err
	}
	n.SidesCovered = covered.Count()
	o.out.Print(n)
	return n.Failing, nil
}

// printReplayed prints the result of running a stored sequence again, and counts it in n.
func (s *subject) printReplayed(n *event.Replay, known known, was corpusadmin.Stored, r replay.Shown) {
	switch {
	case r.Error != nil:
		s.out.Warn(fmt.Sprintf("%s: %s: %v", s.target.Path, was.Name, r.Error), "")
	case r.Verdict != nil && r.Verdict.Tier != engine.Illegal:
		if known.lines[r.Verdict.Signature.String()] > 0 {
			n.Known++
			return
		}
		if r.Verdict.Tier == engine.Error || was.Finding == nil {
			n.Failing++
		}
		s.out.Print(s.replayed(n.Group, was, *r.Verdict))
	case was.Finding != nil && !was.Cut:
		n.Fixed++
		s.out.Print(&event.Fixed{Package: s.name(), Name: was.Name, Signature: was.Finding.Signature})
	}
}

// readStored reads the entries of a package, and the findings that one goroutine can show.
func (s *subject) readStored(ctx context.Context, spawn worker.Spawn) (entries, findings []corpusadmin.Stored, err error) {
	c := s.corpus(spawn)
	if entries, err = c.Entries(ctx); err == nil {
		findings, err = c.Findings()
	}
	return entries, withoutFoundAfterRun(findings), err
}

// replayed returns the event of a stored sequence that fails.
func (s *subject) replayed(g *event.Group, was corpusadmin.Stored, v engine.Verdict) *event.Replayed {
	f := engine.Finding{Verdict: v, Steps: was.Steps, Original: was.Steps}
	place := g.Add(s.table, &f)
	e := event.NewFinding(s.table, &f, s.target.Path)
	e.Text.Hidden, e.Text.Origin, e.Text.Rerun = place.Hidden, event.Origin(s.table, &f, false), s.rerun("")
	if s.out.GitHub {
		e.Text.Annotation = event.Annotation(s.table, &f, s.target.Path, s.target.Dir)
	}
	if was.Finding != nil {
		e.File = s.store.TestFile(was.Finding.Signature)
	}
	return &event.Replayed{
		Package: s.name(), Name: was.Name, Tier: e.Tier, Kind: e.Kind, Signature: e.Signature, Message: e.Message,
		New: was.Finding == nil, SameCauseAs: place.SameCauseAs, Finding: e,
	}
}
