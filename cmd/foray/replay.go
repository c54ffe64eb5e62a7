package main

import (
	"context"
	"errors"
	"fmt"

	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

const replayDoc = `Replay runs what earlier runs have stored again: the entries of the corpus and
the findings. It exits 1 if an entry fails that did not, or a finding of tier
error still does.`

func runReplay(ctx context.Context, o *options, out *output) (int, error) {
	targets, cache, listErr := findTargets(ctx, o, out)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	errs, fails := out.errors(listErr), 0
	for _, target := range targets {
		n, err := replayOne(ctx, target, o, out, cache)
		fails += n
		if ctx.Err() != nil {
			errs += out.errors(errors.New("interrupted"))
			break
		}
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

// replayOne runs the corpus of one package and returns how many fail.
func replayOne(ctx context.Context, target *build.Target, o *options, out *output, cache string) (int, error) {
	s, err := prepare(ctx, target, o, out)
	if err != nil {
		return 0, err
	}
	if err := s.openStore(o, cache); err != nil {
		return 0, err
	}
	dir, err := o.temps.make()
	if err != nil {
		return 0, err
	}
	defer o.temps.remove(dir)
	spawn := s.spawn(dir)
	list, drift, err := s.entries(o, out)
	if err != nil {
		return 0, err
	}
	rests, err := drift.settle(ctx, spawn)
	if err != nil {
		return 0, err
	}
	list = append(list, rests...)
	entries := len(list)
	findings, err := s.findings(o, out)
	if err != nil {
		return 0, err
	}
	list = append(list, findings...)
	out.quiet()
	out.suspects = 0
	sequences := make([]seq.Sequence, len(list))
	for i := range list {
		sequences[i] = list[i].steps
	}
	fails, fixed := 0, 0
	covered, err := coordinator.Replay(ctx, s.config(spawn), sequences, func(i int, r coordinator.Replayed) {
		was := list[i]
		switch {
		case r.Error != nil:
			out.warn(fmt.Sprintf("%s: %s: %v", target.Path, was.name, r.Error), "")
		case r.Verdict != nil && r.Verdict.Tier != engine.Illegal:
			if r.Verdict.Tier == engine.Error || was.finding == nil {
				fails++
			}
			out.replayed(s, was, *r.Verdict)
		case was.finding != nil && !was.cut:
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

func (o *output) replayed(s *subject, was stored, v engine.Verdict) {
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "replayed", "package": s.name(), "name": was.name, "tier": v.Tier.String(), "kind": v.Kind,
			"signature": v.Signature, "message": v.Message, "new": was.finding == nil,
		})
		return
	}
	if o.holdBack(v.Tier) {
		return
	}
	f := shown{Finding: coordinator.Finding{Finding: engine.Finding{Verdict: v, Steps: was.steps, Original: was.steps}}, path: s.target.Path, rerun: s.rerun(o.options, "")}
	if was.finding != nil {
		f.file = o.options.relative(s.store.TestFile(was.finding.Signature))
	}
	o.printer.finding(s.table, f)
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
	o.heldBack(s)
	status := "ok"
	if fails > 0 {
		status = "FAIL"
	}
	sides := ""
	if s.found.Sides > 0 {
		sides = fmt.Sprintf("; %d of %d branch sides", covered, s.found.Sides)
	}
	o.printer.println("%s\t%s\t%s, %s, %d failing%s", status, s.name(), plural(entries, "entry"), plural(findings, "finding"), fails, sides)
}
