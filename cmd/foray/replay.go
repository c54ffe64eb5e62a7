package main

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/known"
	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/worker"
	"foray.test/harness/build"
)

const replayDoc = `Replay runs what earlier runs have stored again: the findings and the entries of
the corpus. It shows the findings that are fixed first, and then those that still
fail. It exits 1 if an entry that used to return panics or hangs, or if a finding of
tier error still fails; with -strict, of tier panic, too. Findings that testdata/foray/known
lists are counted, and no failure. So are entries that break a contract as suspects: the
run that kept them need not have looked. -v shows those.

Findings named by their signature, or the beginning of it, run alone:

  foray replay 'panic:index:(*Queue).Get' ./queue`

// replayOptions are the options of foray replay.
type replayOptions struct {
	*common
	format string // text or github
}

func newReplay(fs *flag.FlagSet, c *common) runner {
	o := &replayOptions{common: c}
	c.readFlags(fs)
	c.strictFlag(fs)
	c.likelyFlag(fs)
	formatFlag(fs, &o.format)
	c.verboseFlag(fs, "build steps, every suspect")
	return o.run
}

func (o *replayOptions) run(ctx context.Context) (int, error) {
	if err := o.setFormat(o.format); err != nil {
		return exitUsage, err
	}
	fails := 0
	signatures := o.takeSignatures()
	code, err := o.eachPackage(ctx, func(target *build.Target) error {
		n, err := replayOne(ctx, target, o.common, signatures)
		fails += n
		return err
	})
	if fails > 0 {
		return exitFindings, err
	}
	return code, err
}

// replayOne runs the corpus of one package and returns how many fail. If there are
// signatures, it runs the findings that they name.
func replayOne(ctx context.Context, target *build.Target, o *common, signatures []string) (int, error) {
	s, err := openSubject(ctx, target, o)
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
	if len(signatures) > 0 {
		entries = nil
		if findings, err = s.named(findings, signatures); err != nil {
			return 0, err
		}
	}
	o.out.Quiet()
	p := &replayed{s: s, known: s.readKnown(), listed: map[string]bool{}, list: slices.Concat(findings, entries), findings: len(findings), end: event.Replay{
		Package: s.name(), Entries: len(entries), Findings: len(findings), Sides: s.found.Sides, Group: event.NewGroup(o.verbose || len(signatures) > 0, true), Dir: s.dir,
	}}
	covered, err := replay.All(ctx, s.config(spawn), corpusadmin.Sequences(p.list), p.take)
	if err != nil {
		return p.end.Failing, err
	}
	p.flush()
	p.end.SidesCovered = covered.Count()
	o.out.Print(&p.end)
	if len(p.list) == 0 {
		if aside, err := s.store.Quarantined(); err == nil && len(aside) > 0 {
			o.out.Warn(s.target.Path+": nothing was run: "+text.Plural(len(aside), "file")+" of its corpus cannot be used", "foray corpus stat -v "+s.name()+" says why")
		}
	}
	return p.end.Failing, nil
}

// named returns the findings with a signature, or with a part of one if none has it.
func (s *subject) named(findings []corpusadmin.Stored, signatures []string) ([]corpusadmin.Stored, error) {
	var list []corpusadmin.Stored
	for _, text := range signatures {
		found := withSignature(findings, text, func(st corpusadmin.Stored) string { return st.Finding.Signature })
		if len(found) == 0 {
			return nil, s.noFinding(text)
		}
		list = append(list, found...)
	}
	return list, nil
}

// replayed takes the results of a replay: first those of findings, in which fixed ones are
// printed at once and the others after them, and then those of entries.
type replayed struct {
	s        *subject
	known    known.List
	list     []corpusadmin.Stored
	findings int // the first of list
	failing  []*event.Replayed
	shown    map[string]bool // signatures of findings that still fail
	listed   map[string]bool // … of those that are known
	end      event.Replay
}

// take takes the result of sequence i.
func (p *replayed) take(i int, r replay.Shown) {
	if i >= p.findings {
		p.flush()
	}
	was := p.list[i]
	switch v := r.Verdict; {
	case r.Error != nil:
		p.s.out.Warn(fmt.Sprintf("%s: %s: %v", p.s.target.Path, was.Name, r.Error), "")
	case v != nil && v.Tier != engine.Illegal:
		was.Restore(v)
		signature := v.Signature.String()
		if p.known.Lines[signature] > 0 {
			p.listed[signature] = true
			p.end.Known = len(p.listed)
			return
		}
		if was.Finding == nil && p.shown[signature] {
			return // the finding has been shown, with fewer calls
		}
		group, doubtful := p.end.Group, was.Finding == nil && v.Kind == engine.KindContract && v.Tier == engine.Suspect
		f := engine.Finding{Verdict: *v, Steps: was.Steps, Original: was.Steps}
		p.s.weigh(&f)
		switch {
		case doubtful:
			group = event.NewGroup(p.s.verbose, true) // it is shown with -v only
			p.end.LessSure++
		case p.s.fails(f.Verdict.Tier) || was.Finding == nil:
			p.end.Failing++
		default:
			p.end.LessSure++
		}
		e := p.s.replayed(group, was, f)
		if was.Finding != nil || doubtful { // an entry that fails is told at once
			group.Hold(e.Finding)
		}
		if was.Finding == nil {
			p.s.out.Print(e)
			return
		}
		if p.shown == nil {
			p.shown = map[string]bool{}
		}
		p.shown[signature] = true
		p.failing = append(p.failing, e)
	case was.Finding != nil && !was.Cut:
		p.end.Fixed++
		p.s.out.Print(&event.Fixed{Package: p.s.name(), Name: was.Name, Signature: was.Finding.Signature})
	}
}

// flush prints the findings that still fail.
func (p *replayed) flush() {
	for _, e := range p.failing {
		p.s.out.Print(e)
	}
	p.failing = nil
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
func (s *subject) replayed(g *event.Group, was corpusadmin.Stored, f engine.Finding) *event.Replayed {
	place := g.Add(s.table, &f)
	e := event.NewFinding(s.table, &f, s.target.Path)
	s.compareTests(e, &f)
	e.Text.Hidden, e.Text.Origin, e.Text.Rerun = place.Hidden, event.Origin(s.table, &f, false), s.rerun("")
	if s.out.GitHub {
		e.Text.Annotation = event.Annotation(s.table, &f, s.target.Path, s.target.Dir)
	}
	if was.Finding != nil {
		e.File = s.store.TestFile(was.Finding.Signature)
	}
	return &event.Replayed{
		Package: s.name(), Name: was.Name, Tier: e.Tier, Kind: e.Kind, Signature: e.Signature, Message: e.Message,
		Rule: e.Rule, Evidence: e.Evidence, Claim: e.Claim, Use: e.Use, Odds: e.Odds, New: was.Finding == nil, SameCauseAs: place.SameCauseAs, Finding: e,
	}
}
