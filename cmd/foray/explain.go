package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/load"
	"foray.test/corpus/store"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

const explainDoc = `Explain shows what was decided and why. Of a package: for each operation what its
documentation and its body say of when it may be called, and what has come of its
calls so far: those that returned, those that failed, and those that were illegal,
with the reason. A call fails if it returns an error, or if what panicked was a
function that it was given.

  foray explain ./queue
  foray explain -ops Get ./queue

Of a finding, named by its signature or a part of it: its tier, the sentence that
this leans on, its calls, and how many sequences have ended in it.

  foray explain 'panic:index:(*Queue).Get' ./queue

It runs nothing.`

func runExplain(ctx context.Context, o *options, out *output) (int, error) {
	var signatures []string
	o.args = slices.DeleteFunc(o.args, func(arg string) bool {
		kind, _, ok := strings.Cut(arg, ":")
		if ok = ok && slices.Contains(engine.Kinds, kind); ok {
			signatures = append(signatures, arg)
		}
		return ok
	})
	if len(o.args) == 0 {
		o.args = []string{"."}
	}
	targets, cache, listErr := findTargets(ctx, o, out)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	errs := out.errors(listErr)
	for _, target := range targets {
		s := newSubject(target, o)
		err := s.openStore(o, cache)
		if err == nil && len(signatures) > 0 {
			err = explainFindings(s, signatures, o, out)
		} else if err == nil {
			err = explainPackage(ctx, s, o, out)
		}
		errs += out.errors(err)
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// explainFindings shows the stored findings of which a text is the signature, or
// else of whose signature it is part.
func explainFindings(s *subject, signatures []string, o *options, out *output) error {
	findings, problems, err := s.store.Findings()
	if err != nil {
		return err
	}
	s.tellProblems(problems, o, out)
	known, bad := readKnown(s.target.Dir)
	for _, err := range bad {
		out.warn(s.target.Path+": "+err.Error(), "")
	}
	slices.SortFunc(findings, func(a, b store.Finding) int { return cmp.Compare(a.Signature, b.Signature) })
	for _, text := range signatures {
		is := func(f store.Finding) bool { return f.Signature == text }
		if !slices.ContainsFunc(findings, is) {
			is = func(f store.Finding) bool { return strings.Contains(f.Signature, text) }
		}
		found := false
		for _, f := range findings {
			if is(f) {
				found = true
				out.explainFinding(s, f, known)
			}
		}
		switch line := known.lines[text]; {
		case found:
		case line > 0:
			out.warn(fmt.Sprintf("%s: %s is known, line %d of %s, and not stored", s.target.Path, text, line, knownFile), "")
		default:
			return &load.Error{Place: s.target.Path, Msg: "no finding " + text + " is stored", Hint: "foray fuzz " + s.name() + " prints the signature of each finding"}
		}
	}
	return nil
}

// explainedEvent is the JSON form of a stored finding.
type explainedEvent struct {
	Schema    int       `json:"schema"`
	Event     string    `json:"event"`
	Package   string    `json:"package"`
	Signature string    `json:"signature"`
	Tier      string    `json:"tier"`
	Kind      string    `json:"kind"`
	Operation string    `json:"operation"`
	Message   string    `json:"message"`
	Document  string    `json:"document"`
	Sequence  string    `json:"sequence"`
	Stack     string    `json:"stack"`
	Hits      uint64    `json:"hits"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
	Flaky     bool      `json:"flaky"`
	File      string    `json:"file"`
	Known     bool      `json:"known"`
}

func (o *output) explainFinding(s *subject, f store.Finding, known known) {
	line := known.lines[f.Signature]
	if o.enc != nil {
		o.event(explainedEvent{
			Schema: schema, Event: "explained", Package: s.name(), Signature: f.Signature, Tier: f.Tier, Kind: f.Kind, Operation: f.Operation,
			Message: f.Message, Document: f.Document, Sequence: f.Statements, Stack: f.Stack, Hits: f.Hits, First: f.First, Last: f.Last,
			Flaky: f.Flaky, File: s.store.TestFile(f.Signature), Known: line > 0,
		})
		return
	}
	p := o.printer
	p.println("%s\n    %s", f.Signature, f.Message)
	p.println("    %s: %s", f.Tier, cmp.Or(f.Document, "whatever it was given"))
	if f.Flaky {
		p.println("    flaky: not every fresh process showed it")
	}
	p.println("%s", indent(f.Statements, "        "))
	if f.Stack != "" {
		p.println("%s", indent(f.Stack, "    "))
	}
	p.println("    found %s, last seen %s; %s ended in it", f.First.Format(time.DateOnly), f.Last.Format(time.DateOnly), plural(int(f.Hits), "sequence"))
	if line > 0 {
		p.println("    known: line %d of %s", line, knownFile)
	}
	p.println("    written to %s\n", o.options.relative(s.store.TestFile(f.Signature)))
}

// explainPackage shows what is known of the operations of a package.
func explainPackage(ctx context.Context, s *subject, o *options, out *output) error {
	out.stage("loading " + s.target.Path)
	_, err := s.find(ctx, o)
	out.quiet()
	if err != nil {
		return err
	}
	state := &report.State{Package: s.target.Path}
	if err := s.store.LoadState(state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		out.warn(s.target.Path+": "+err.Error(), "")
	}
	if out.enc == nil {
		out.printer.println("package %s, %s so far\n", s.name(), plural(int(state.Sequences), "sequence"))
	}
	seen := map[string]bool{}
	for i := range s.table.Ops {
		op := &s.table.Ops[i]
		name := cmp.Or(op.Member, op.Short)
		calls := slices.DeleteFunc(slices.Clone(state.Calls), func(c report.Calls) bool { return c.Operation != name })
		decisions := decisions(s.table, op)
		if seen[name] || !op.API && !slices.ContainsFunc(calls, func(c report.Calls) bool { return c.End == endIllegal }) {
			continue
		}
		seen[name] = true
		out.explainOperation(s, name, decisions, calls)
	}
	for _, e := range s.found.Excluded {
		out.explainOperation(s, e.Member, []string{"not called: " + e.Reason}, nil)
	}
	return nil
}

func (o *output) explainOperation(s *subject, name string, decisions []string, calls []report.Calls) {
	if o.enc != nil {
		o.event(map[string]any{"schema": schema, "event": "operation", "package": s.name(), "operation": name, "decisions": decisions, "calls": calls})
		return
	}
	if len(decisions) == 0 && !slices.ContainsFunc(calls, func(c report.Calls) bool { return c.End != endReturned }) && !o.options.verbose {
		return
	}
	o.printer.println("%s", name)
	for _, d := range decisions {
		o.printer.println("    %s", d)
	}
	for _, c := range calls {
		text := fmt.Sprintf("%10d %s", c.Sequences, c.End)
		if c.Reason != "" {
			text += ": " + c.Reason
		}
		o.printer.println("%s", text)
	}
	o.printer.println("")
}

// decisions returns what documentation and body of an operation say, a sentence
// each, and what follows from it.
func decisions(t *seq.Table, op *seq.Operation) []string {
	list := []string{}
	add := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	pre := &op.Pre
	guard := strings.Contains(pre.Sentence, catalog.Guarded)
	add(pre.Panics && guard, "guard: %s: that panic is illegal", pre.Sentence)
	add(pre.Panics && !guard, "documented: \"%s\": a panic is illegal", pre.Sentence)
	add(len(pre.Messages) > 0, "it panics by itself: %q: such a panic is illegal", pre.Messages)
	for i, ok := range pre.NilOK {
		if !ok && (i == 0 && op.Kind == seq.Method || i >= len(op.Params) || !t.Types[op.Params[i]].IsPointer()) {
			continue // as everyone expects
		}
		name := fmt.Sprintf("argument %d", i)
		if i < len(op.Names) && op.Names[i] != "" {
			name = op.Names[i]
		}
		add(ok, "nil for %s is dealt with", name)
		add(!ok, "nil for %s is not expected: a nil dereference is illegal then", name)
	}
	add(op.ReturnsError, "it returns errors: what stands beside one is not to be used")
	for _, id := range op.Requires {
		c := &t.Ops[id]
		add(true, "%s of the tests: a call that it does not allow is illegal%s", c.Short, prefixed(": ", c.Doc))
	}
	add(op.Callback, "any caller may hold its receiver, the zero value too: no panic is excused by that")
	add(pre.Blocks, "it may wait by design: that is no hang")
	add(op.Zero, "it is the zero value of a type that has a constructor: what goes wrong with it is illegal")
	add(len(op.Ignore) > 0, "contracts that are not held: %s", strings.Join(op.Ignore, ", "))
	add(op.Forwards != "", "it hands its arguments on to %s", op.Forwards)
	return list
}

// prefixed returns text with a prefix, nothing if there is none.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
