package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/store"
	"foray.test/coverage"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
)

// learned returns the state that one run has learned about the branch sides of s.
func (s *subject) learned(res *coordinator.Result) *report.State {
	state := &report.State{Package: s.target.Path, Version: s.version, Runs: 1, Sequences: res.Counts.Sequences, Files: s.found.Files}
	state.Add(s.found.Conditions, res.Covered, tried(s.found.Conditions, res))
	state.Merge(&report.State{Calls: s.calls(res)})
	state.NoteImpossible(s.found.Conditions, s.found.Files, res.Solved.Impossible)
	return state
}

// own returns the conditions of the package itself: they come first.
func (s *subject) own() []coverage.Condition {
	list := s.found.Conditions
	if i := slices.IndexFunc(list, func(c coverage.Condition) bool { return c.Package != s.target.Path }); i >= 0 {
		list = list[:i]
	}
	return list
}

// calls returns how the calls of a run ended.
func (s *subject) calls(res *coordinator.Result) []report.Calls {
	var list []report.Calls
	for _, c := range res.Ops {
		op := &s.table.Ops[c.Op]
		if !op.API {
			continue
		}
		if c.Normal > 0 {
			list = append(list, report.Calls{Operation: operationName(op), End: event.EndReturned, Sequences: c.Normal})
		}
		if c.Failed > 0 {
			list = append(list, report.Calls{Operation: operationName(op), End: event.EndFailed, Sequences: c.Failed})
		}
	}
	for _, r := range res.Refusals {
		list = append(list, report.Calls{Operation: operationName(&s.table.Ops[r.Op]), End: event.EndIllegal, Rule: r.Rule, Reason: r.Reason, Sequences: r.Runs})
	}
	return list
}

// tried returns, by number, the state of each side that is on the frontier or was
// when the search began. A worker reports its own state: another may have taken a
// side since.
func tried(conds []coverage.Condition, res *coordinator.Result) map[int]report.Side {
	m := map[int]report.Side{}
	for _, side := range coverage.Frontier(conds, res.Covered) {
		m[side] = report.Side{Status: engine.SideUntried}
	}
	for _, side := range flipped(conds, res) {
		m[side] = report.Side{Status: engine.SideFlipped}
	}
	for _, f := range res.Frontier {
		side := int(f.Side)
		if res.AimedFrom != nil && res.AimedFrom.Has(side) {
			continue // a call that broke took it, which a worker that starts later does not know
		}
		known := report.Side{Status: f.Status, Edit: f.Edit, Runs: f.Runs, Price: f.Price, Witnesses: f.Witnesses}
		if f.Status != engine.SideFlipped && res.Covered.Has(side) {
			known.Status, known.Price, known.Witnesses = engine.SideFlipped, 0, 0
		}
		m[side] = known
	}
	return m
}

// frontierAtStart returns the sides that were on the frontier when a worker first
// aimed at it; none if none did.
func frontierAtStart(conds []coverage.Condition, res *coordinator.Result) []int {
	if res.AimedFrom == nil {
		return nil
	}
	return coverage.Frontier(conds, res.AimedFrom)
}

// flipped returns the sides of the frontier at the start that were taken since.
func flipped(conds []coverage.Condition, res *coordinator.Result) []int {
	return slices.DeleteFunc(frontierAtStart(conds, res), func(side int) bool { return !res.Covered.Has(side) })
}

// frontierOf counts the sides of the frontier by their state.
func frontierOf(conds []coverage.Condition, res *coordinator.Result, state *report.State) event.Frontier {
	f := event.Frontier{Start: len(frontierAtStart(conds, res)), Flipped: len(flipped(conds, res)), Status: map[string]int{}}
	for i := range state.Conditions {
		for _, side := range state.Conditions[i].Sides {
			if side.Status != "" {
				f.Status[side.Status]++
			}
		}
	}
	return f
}

// remember merges the state of a run with that of earlier ones, and saves it. It reports
// whether it did.
func (s *subject) remember(state *report.State) bool {
	old := &report.State{Package: state.Package}
	return s.keep(s.store.LoadState(old), func() { state.Merge(old) }, func() error { return s.store.SaveState(state) })
}

// keep merges the state of a run with the stored one, and saves it. It reports whether it did.
// loadErr is the error of reading the stored state. A state that cannot be read is set aside, and
// one that cannot be written is lost, both with a warning: the corpus takes its sides again.
func (s *subject) keep(loadErr error, merge func(), save func() error) bool {
	switch {
	case loadErr == nil:
		merge()
	case !errors.Is(loadErr, fs.ErrNotExist):
		s.warn(loadErr)
		if store.IsNewer(loadErr) {
			return false // a later foray's
		}
	}
	if !s.claimed {
		return false // the process with the lock saves
	}
	err := save()
	if err != nil {
		s.warn(err)
	}
	return err == nil
}

// warn tells what is wrong with the files of the package.
func (s *subject) warn(err error) { s.out.Warn(s.target.Path+": "+err.Error(), "") }

// noteImpossible notes sides in the stored state, if a run has left one and none is under way.
func (s *subject) noteImpossible(witnesses map[int]int) error {
	unlock, err := s.store.TryLock()
	if err != nil {
		return nil // the run that has the lock solves for them, too
	}
	defer unlock()
	state := &report.State{Package: s.target.Path}
	if err := s.store.LoadState(state); errors.Is(err, fs.ErrNotExist) || store.IsNewer(err) {
		return nil
	} else if err != nil {
		return err
	}
	state.NoteImpossible(s.found.Conditions, s.found.Files, witnesses)
	return s.store.SaveState(state)
}

// maxUnconfirmed bounds the sequences that a run leaves to the next: each may end a process.
const maxUnconfirmed = 16

// leave saves the state of a run, with sequences whose findings there was no time to confirm: the
// next run begins with them. It says so, if there are any.
func (r *recorder) leave(state *report.State, list []seq.Sequence) string {
	for _, steps := range list[:min(len(list), maxUnconfirmed)] {
		state.Unconfirmed = append(state.Unconfirmed, r.s.table.String(steps))
	}
	next := "them"
	switch {
	case len(list) == 1:
		next = "it"
	case len(list) > maxUnconfirmed:
		next = fmt.Sprintf("%d of them", maxUnconfirmed)
	}
	switch saved := r.s.remember(state); {
	case len(list) == 0:
		return ""
	case saved:
		return noTime(list) + "; the next run begins with " + next
	}
	return noTime(list) + "; the next run does not know of " + next
}

// noTime tells of findings of which there was no time to confirm any.
func noTime(list []seq.Sequence) string {
	return "no time was left to confirm " + text.Plural(len(list), "finding")
}

// before returns the state that earlier runs have left.
func (s *subject) before() *report.State {
	state := &report.State{Package: s.target.Path}
	if err := s.store.LoadState(state); err != nil && !errors.Is(err, fs.ErrNotExist) && !store.IsNewer(err) {
		s.warn(err) // it is set aside now
	}
	return state
}

// fileSums returns the checksums of the files that a package was built from. They are named
// as in the state of s.
func (s *subject) fileSums(p *load.Package) []report.File {
	var files []report.File
	for i, name := range p.GoFiles {
		files = append(files, report.File{Name: report.FileName(s.target.Path, p.Path, name), Sum: report.Sum(p.Sources[i])})
	}
	return files
}
