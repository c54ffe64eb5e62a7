package main

import (
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/known"
	"foray.test/cmd/internal/usage"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// kinds returns the kinds of calls that the tests of the package make.
func (s *subject) kinds() *usage.Kinds {
	if s.tests == nil {
		s.tests = s.found.Usage.Kinds(s.table)
	}
	return s.tests
}

// compareTests sets how the tests of the package use the last call of a finding, and whether
// its calls are particular.
func (s *subject) compareTests(e *event.Finding, steps seq.Sequence) {
	e.Particular = engine.Particular(s.table, steps)
	if s.fuzz == "" {
		u := s.kinds().Use(steps)
		e.Use, e.Text.Near = u.String(), int(u)
	}
}

// weigh lowers a finding by facts that workers do not have. A person has judged another
// crash in the same function false, or a function panics by itself as a test expects.
func (s *subject) weigh(f *engine.Finding) {
	v := &f.Verdict
	if s.judged == nil {
		k, _ := known.Read(s.target.Dir) // who begins the run warns of bad lines
		s.judged = k.False
	}
	if v.Kind != engine.KindContract && s.judged[v.Signature.Where] {
		v.Settle(v.Ruling(), engine.Ruling{Tier: engine.Suspect, Rule: "judged", Reason: known.File + " calls a finding in " + v.Signature.Where + " false"})
	}
	if v.Claim == engine.ClaimCrash && v.Signature.Class == engine.ClassExplicit && s.kinds().Catches(f.Steps) {
		v.Settle(v.Ruling(), engine.Ruling{Tier: engine.Suspect, Rule: "expected", Reason: "a test of the package expects " + s.table.Ops[v.Op].Short + " to panic"})
	}
}

// readKnown reads the list of known findings of a package, and warns of lines that it cannot read.
func (s *subject) readKnown() known.List {
	k, bad := known.Read(s.target.Dir)
	for _, err := range bad {
		s.out.Warn(s.target.Path+": "+err.Error(), "")
	}
	return k
}
