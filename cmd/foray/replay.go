package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

const replayDoc = `Replay runs what earlier runs have stored again: the entries of the corpus and
the findings. It exits 1 if an entry fails that did not, or a finding of tier
error still does.`

func runReplay(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	o, err := parseFlags("replay", replayDoc, args, stderr, "replay")
	if err != nil {
		return exitUsage, err
	}
	out := newOutput(o, stdout, stderr)
	targets, listErr := findTargets(ctx, o)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	cache, err := goCache(ctx)
	if err != nil {
		return exitUsage, err
	}
	errs, fails := out.errors(listErr), 0
	for _, target := range targets {
		n, err := replayOne(ctx, target, o, out, cache)
		fails += n
		errs += out.errors(err)
	}
	switch {
	case fails > 0:
		return exitFindings, nil
	case errs > 0:
		return exitUsage, nil
	}
	return exitClean, nil
}

// stored is a sequence from the store with what was known of it.
type stored struct {
	name    string
	steps   seq.Sequence
	finding *store.Finding // nil for an entry
}

// replayOne runs the corpus of one package and returns how many fail.
func replayOne(ctx context.Context, target *build.Target, o *options, out *output, cache string) (int, error) {
	s, err := prepare(ctx, target, o, out.verbose)
	if err != nil {
		return 0, err
	}
	if err := s.openStore(o, cache); err != nil {
		return 0, err
	}
	list, err := s.stored(out)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "foray-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	c := coordinator.Config{Spawn: s.spawn(dir), Table: s.table, Pool: s.pool, Sides: s.sides(), JudgeDeath: s.judgeDeath}
	sequences := make([]seq.Sequence, len(list))
	entries := 0
	for i := range list {
		sequences[i] = list[i].steps
		if list[i].finding == nil {
			entries++
		}
	}
	fails, fixed := 0, 0
	covered, err := coordinator.Replay(ctx, c, sequences, func(i int, r coordinator.Replayed) {
		was := list[i]
		switch {
		case r.Error != nil:
			out.warn(fmt.Sprintf("%s: %s: %v", target.Path, was.name, r.Error))
		case r.Verdict != nil && r.Verdict.Tier != engine.Illegal:
			if r.Verdict.Tier == engine.Error || was.finding == nil {
				fails++
			}
			out.replayed(s, was, *r.Verdict)
		case was.finding != nil:
			fixed++
			out.fixed(s, was)
		}
	})
	if err != nil {
		return fails, err
	}
	out.replayDone(s, entries, len(list)-entries, fails, fixed, covered.Count())
	return fails, nil
}

// stored reads the package's entries and findings.
func (s *subject) stored(out *output) ([]stored, error) {
	entries, problems, err := s.store.Load()
	if err != nil {
		return nil, err
	}
	findings, more, err := s.store.Findings()
	if err != nil {
		return nil, err
	}
	for _, p := range append(problems, more...) {
		out.warn(s.target.Path + ": " + p.String())
	}
	parser, err := seq.NewParser(s.table)
	if err != nil {
		return nil, err
	}
	var list []stored
	add := func(st stored, statements string) {
		steps, dropped, err := parser.ParseLenient(statements)
		switch {
		case err != nil || len(steps) == 0:
			out.warn(fmt.Sprintf("%s: %s: nothing of it can be called any more", s.target.Path, st.name))
			return
		case len(dropped) > 0:
			out.warn(fmt.Sprintf("%s: %s: %s left out: %s", s.target.Path, st.name, plural(len(dropped), "statement"), dropped[0].Reason))
		}
		st.steps = steps
		list = append(list, st)
	}
	for _, e := range entries {
		add(stored{name: fmt.Sprintf("entry %.12s", e.ID)}, e.Statements)
	}
	for i := range findings {
		add(stored{name: "finding " + findings[i].Signature, finding: &findings[i]}, findings[i].Statements)
	}
	return list, nil
}

func (o *output) replayed(s *subject, was stored, v engine.Verdict) {
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "replayed", "package": s.name(), "name": was.name, "tier": v.Tier.String(), "kind": v.Kind,
			"signature": v.Signature, "message": v.Message, "new": was.finding == nil,
		})
		return
	}
	file := ""
	if was.finding != nil {
		file = s.store.TestFile(was.finding.Signature)
	}
	f := coordinator.Finding{Finding: engine.Finding{Verdict: v, Steps: was.steps, Original: was.steps}}
	o.printer.finding(s.table, f, file, s.rerun(o.options))
}

func (o *output) fixed(s *subject, was stored) {
	if o.enc != nil {
		o.event(map[string]any{"schema": schema, "event": "fixed", "package": s.name(), "name": was.name, "signature": was.finding.Signature})
		return
	}
	o.printer.println("%s: %s does not fail any more", s.name(), was.name)
}

func (o *output) replayDone(s *subject, entries, findings, fails, fixed, covered int) {
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "replay", "package": s.name(), "entries": entries, "findings": findings,
			"failing": fails, "fixed": fixed, "sides": s.found.Sides, "sides_covered": covered,
		})
		return
	}
	status := "ok"
	if fails > 0 {
		status = "FAIL"
	}
	o.printer.println("%s\t%s\t%d entries, %d findings, %d failing; %d of %d branch sides", status, s.name(), entries, findings, fails, covered, s.found.Sides)
}
