package main

import (
	"context"
	"errors"
	"fmt"

	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/harness/build"
)

const replayDoc = `Replay runs what earlier runs have stored again: the entries of the corpus and
the findings. It exits 1 if an entry fails that did not, or a finding of tier
error still does. Findings that testdata/foray/known lists are counted, and no
failure.`

func runReplay(ctx context.Context, o *options, out *output) (int, error) {
	if err := checkFormat(o); err != nil {
		return exitUsage, err
	}
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
	spawn.AfterPanic = true // as the run may have had that made the findings
	list, err := s.entries(ctx, spawn, o, out)
	if err != nil {
		return 0, err
	}
	entries := len(list)
	findings, err := s.findings(o, out)
	if err != nil {
		return 0, err
	}
	findings = withoutThoseBehind(findings)
	list = append(list, findings...)
	out.quiet()
	out.reset()
	sequences := make([]seq.Sequence, len(list))
	for i := range list {
		sequences[i] = list[i].steps
	}
	known, bad := readKnown(target.Dir)
	for _, err := range bad {
		out.warn(target.Path+": "+err.Error(), "")
	}
	var n replayCounts
	covered, err := replay.All(ctx, s.config(spawn), sequences, func(i int, r replay.Shown) {
		was := list[i]
		switch {
		case r.Error != nil:
			out.warn(fmt.Sprintf("%s: %s: %v", target.Path, was.name, r.Error), "")
		case r.Verdict != nil && r.Verdict.Tier != engine.Illegal:
			if known.lines[r.Verdict.Signature] > 0 {
				n.known++
				return
			}
			if r.Verdict.Tier == engine.Error || was.finding == nil {
				n.fails++
			}
			out.replayed(s, was, *r.Verdict)
		case was.finding != nil && !was.cut:
			n.fixed++
			out.fixed(s, was)
		}
	})
	if err != nil {
		return n.fails, err
	}
	n.entries, n.findings, n.covered = entries, len(list)-entries, covered.Count()
	out.replayDone(s, n)
	return n.fails, nil
}

// replayCounts is what a replay of one package came to.
type replayCounts struct {
	entries, findings int
	fails             int // that count as failures
	known             int // that show, and are listed as known
	fixed             int // findings that do not show any more
	covered           int // branch sides
}

func (o *output) replayed(s *subject, was stored, v engine.Verdict) {
	finding := confirm.Finding{Finding: engine.Finding{Verdict: v, Steps: was.steps, Original: was.steps}}
	cause, first := o.causes.add(s.table, finding)
	if o.enc != nil {
		e := map[string]any{
			"schema": schema, "event": "replayed", "package": s.name(), "name": was.name, "tier": v.Tier.String(), "kind": v.Kind,
			"signature": v.Signature, "message": v.Message, "new": was.finding == nil,
		}
		if !first {
			e["same_cause_as"] = cause.signature
		}
		o.event(e)
		return
	}
	if o.holdBack(v.Tier, cause, first) {
		return
	}
	o.annotate(s, finding)
	f := shown{Finding: finding, path: s.target.Path, rerun: s.rerun(o.options, "")}
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

func (o *output) replayDone(s *subject, n replayCounts) {
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "replay", "package": s.name(), "entries": n.entries, "findings": n.findings,
			"failing": n.fails, "known": n.known, "fixed": n.fixed, "sides": s.found.Sides, "sides_covered": n.covered,
		})
		return
	}
	o.heldBack(s)
	status := "ok"
	if n.fails > 0 {
		status = "FAIL"
	}
	sides := ""
	if s.found.Sides > 0 {
		sides = fmt.Sprintf("; %d of %d branch sides", n.covered, s.found.Sides)
	}
	known := ""
	if n.known > 0 {
		known = fmt.Sprintf(", %d known", n.known)
	}
	o.printer.println("%s\t%s\t%s, %s, %d failing%s%s", status, s.name(), plural(n.entries, "entry"), plural(n.findings, "finding"), n.fails, known, sides)
}
