package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/known"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/store"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/worker"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
)

const explainDoc = `Explain shows what foray has decided, and why. For each operation of a package, it
shows when the documentation and the body allow a call, and how its calls ended:
how many returned, failed, or were illegal, with the reason, and how many ended in a
finding, with its signature. A call fails if it returns an error, or if a function
that is its argument panics. It also shows at how many places the tests of the package
call the operation, with which values never, and whether a test catches its panic.

  foray explain ./queue
  foray explain -ops Get ./queue

With -ops or -v it shows more of the use: the calls that the tests made when foray
fuzz ran them, the bounds of arguments and results, relations of lengths, and the call
that mostly came before on the same receiver. Types that have methods are shown with
the calls that made their values.

For a finding, named by its signature or the beginning of it, it shows the tier, the
sentence that the tier rests on, the calls, and how many sequences ended in it.

  foray explain 'panic:index:(*Queue).Get' ./queue

It runs nothing.`

func newExplain(fs *flag.FlagSet, c *common) runner {
	c.operationFlags(fs)
	c.allowFlag(fs)
	c.viewFlags(fs)
	c.verboseFlag(fs, "operations of which nothing is known, and those that only make\nvalues, too")
	return c.explain
}

func (c *common) explain(ctx context.Context) (int, error) {
	signatures := c.takeSignatures()
	return c.eachPackage(ctx, func(target *build.Target) error {
		s := newSubject(target, c)
		if err := s.openStore(); err != nil {
			return err
		}
		if len(signatures) > 0 {
			return s.explainFindings(signatures)
		}
		return s.explainPackage(ctx)
	})
}

// takeSignatures removes the signatures of findings from the arguments and returns them. If
// nothing else is there, the argument is the current directory.
func (c *common) takeSignatures() []string {
	var signatures []string
	c.args = slices.DeleteFunc(c.args, func(arg string) bool {
		kind, _, ok := strings.Cut(arg, ":")
		if ok = ok && slices.Contains(engine.Kinds, kind); ok {
			signatures = append(signatures, arg)
		}
		return ok
	})
	if len(c.args) == 0 {
		c.args = []string{"."}
	}
	return signatures
}

// noFinding says that no finding has a signature.
func (s *subject) noFinding(signature string) error {
	return &load.Error{Place: s.target.Path, Msg: "no finding " + signature + " is stored", Hint: "foray fuzz " + s.name() + " prints the signature of each finding"}
}

// explainFindings prints the stored findings with a signature. If there is none, it
// prints those with the text in their signature.
func (s *subject) explainFindings(signatures []string) error {
	findings, problems, err := s.store.Findings()
	if err != nil {
		return err
	}
	s.corpus(worker.Spawn{}).Problems(problems)
	listed := s.readKnown()
	slices.SortFunc(findings, func(a, b store.Finding) int { return cmp.Compare(a.Signature, b.Signature) })
	for _, text := range signatures {
		found := withSignature(findings, text, func(f store.Finding) string { return f.Signature })
		for _, f := range found {
			s.explainFinding(f, listed)
		}
		switch line := listed.Lines[text]; {
		case len(found) > 0:
		case line > 0:
			s.out.Warn(fmt.Sprintf("%s: %s is known, line %d of %s, and not stored", s.target.Path, text, line, known.File), "")
		default:
			return s.noFinding(text)
		}
	}
	return nil
}

// withSignature returns the findings with a signature, or with a part of one if none has it.
func withSignature[T any](findings []T, text string, signature func(T) string) []T {
	not := func(f T) bool { return signature(f) != text }
	if list := slices.DeleteFunc(slices.Clone(findings), not); len(list) > 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(findings), func(f T) bool { return !strings.Contains(signature(f), text) })
}

func (s *subject) explainFinding(f store.Finding, listed known.List) {
	line := listed.Lines[f.Signature]
	s.out.Print(&event.Explained{
		Package: s.name(), Signature: f.Signature, Tier: f.Tier, Claim: f.Claim, Kind: f.Kind, Operation: f.Operation,
		Message: f.Message, Rule: f.Rule, Evidence: f.Evidence, Document: f.Document, Sequence: f.Statements, Code: f.Code, Stack: f.Stack, Hits: f.Hits, First: f.First, Last: f.Last,
		Flaky: f.Flaky, File: s.store.TestFile(f.Signature), Known: line > 0, KnownAt: fmt.Sprintf("line %d of %s", line, known.File),
	})
}

// callEnds returns, by operation, how its calls ended: what state has, and the stored findings.
func (s *subject) callEnds(state *report.State) (map[string][]report.Calls, error) {
	findings, problems, err := s.store.Findings()
	if err != nil {
		return nil, err
	}
	s.corpus(worker.Spawn{}).Problems(problems)
	names, ends := map[string]string{}, map[string][]report.Calls{}
	for i := range s.table.Ops {
		names[s.table.Ops[i].Short] = operationName(&s.table.Ops[i])
	}
	for _, c := range state.Calls {
		ends[c.Operation] = append(ends[c.Operation], c)
	}
	slices.SortFunc(findings, func(a, b store.Finding) int { return cmp.Compare(a.Signature, b.Signature) })
	for _, f := range findings {
		name := names[f.Operation]
		ends[name] = append(ends[name], report.Calls{Operation: name, End: f.Tier, Reason: f.Signature, Sequences: f.Hits})
	}
	return ends, nil
}

// explainPackage prints the decisions on the operations of a package, and how their
// calls ended.
func (s *subject) explainPackage(ctx context.Context) error {
	s.out.Stage("loading " + s.target.Path)
	defer s.out.Quiet()
	pkg, err := s.find(ctx)
	if err != nil {
		return err
	}
	used, stamp := s.profileNow(ctx, pkg), sourceStamp(s.target)
	s.out.Quiet()
	state := &report.State{Package: s.target.Path}
	if err := s.store.LoadState(state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.warn(err)
	}
	s.out.Printf("package %s, %s so far\n", s.name(), text.Plural(state.Sequences, "sequence"))
	ends, err := s.callEnds(state)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range s.table.Ops {
		op := &s.table.Ops[i]
		name := operationName(op)
		calls := ends[name]
		if seen[name] || !op.API && (!s.verbose || !slices.ContainsFunc(calls, func(c report.Calls) bool { return c.End == event.EndIllegal })) {
			continue
		}
		seen[name] = true
		e := &event.Decisions{Package: s.name(), Operation: name, Decisions: event.DecisionsOf(s.table, op), Calls: calls, Brief: s.ops == nil && !s.verbose}
		if e.Profile = used.Member(s.table, name); e.Profile != nil {
			e.Use = e.Profile.Lines(stamp)
		}
		s.out.Print(e)
	}
	s.explainTypes(used, stamp)
	for _, e := range s.found.Excluded {
		if e.Reason == catalog.NotChosen {
			continue // the user knows
		}
		s.out.Print(&event.Decisions{Package: s.name(), Operation: e.Member, Decisions: []string{"not called: " + e.Reason}})
	}
	return nil
}
