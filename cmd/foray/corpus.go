package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"foray.test/corpus/store"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// stored is a sequence from the store with what was known of it.
type stored struct {
	name    string
	id      string // of an entry
	steps   seq.Sequence
	finding *store.Finding // nil for an entry
	value   bool           // an entry kept for the value it makes
	cut     bool           // some of it cannot be called any more, or not as it was
	why     string         // what of it, if so, or why none of it can
}

// entries reads the entries of the package. What is left of those that the package
// does not fit any more is run, as spawn says, and settled: see drift.
func (s *subject) entries(ctx context.Context, spawn worker.Spawn, o *options, out *output) ([]stored, error) {
	rd, err := newReader(s, o, out)
	if err != nil {
		return nil, err
	}
	if !rd.partial {
		rd.restore()
	}
	entries, problems, err := s.store.Load()
	if err != nil {
		return nil, err
	}
	s.tellProblems(problems, o, out)
	for _, e := range entries {
		rd.readEntry(e)
	}
	if rd.partial { // which says nothing of what it leaves out
		return rd.list, nil
	}
	return newDrift(rd).settle(ctx, spawn)
}

// findings reads the findings of the package.
func (s *subject) findings(o *options, out *output) ([]stored, error) {
	findings, problems, err := s.store.Findings()
	if err != nil {
		return nil, err
	}
	s.tellProblems(problems, o, out)
	rd, err := newReader(s, o, out)
	if err != nil {
		return nil, err
	}
	for i := range findings {
		rd.read(stored{name: "finding " + findings[i].Signature, finding: &findings[i]}, findings[i].Statements, nil)
	}
	rd.tellFindings()
	return rd.list, nil
}

// tellProblems names files that the store did not find as they should be: each
// with -v, else the first few.
func (s *subject) tellProblems(problems []store.Problem, o *options, out *output) {
	const most = 3
	for i, p := range problems {
		if i == most && !o.verbose {
			out.warn(fmt.Sprintf("%s: %s like these; -v names them", s.target.Path, plural(len(problems)-i, "more file")), "")
			return
		}
		if p.Moved != "" {
			p.Moved = o.relative(filepath.Join(s.dir, filepath.FromSlash(p.Moved)))
		}
		out.warn(s.target.Path+": corpus: "+p.String(), "")
	}
}

// reader reads statements as far as they can still be called.
type reader struct {
	s      *subject
	out    *output
	parser *seq.Parser
	list   []stored
	gone   []stored // of which nothing is left
	// A run that takes only some operations says nothing of what it leaves out.
	partial bool
}

func newReader(s *subject, o *options, out *output) (*reader, error) {
	parser, err := seq.NewParser(s.table)
	return &reader{s: s, out: out, parser: parser, partial: o.ops != nil || o.skip != nil}, err
}

func (rd *reader) readEntry(e store.Entry) {
	rd.read(stored{name: fmt.Sprintf("entry %.12s", e.ID), id: e.ID, value: e.Origin == originValue}, e.Statements, e.Calls)
}

// read reads statements that were stored when calls had the signatures they have
// there.
func (rd *reader) read(st stored, statements string, calls []string) {
	st.steps, st.why = rd.parse(statements, calls)
	st.cut = st.why != ""
	if st.cut && !rd.partial {
		rd.out.verbose(rd.s.target.Path + ": " + st.name + ": " + st.why)
	}
	if len(st.steps) == 0 {
		rd.gone = append(rd.gone, st)
		return
	}
	rd.list = append(rd.list, st)
}

// parse returns what can still be called of statements, and if that is not all why.
func (rd *reader) parse(statements string, calls []string) (steps seq.Sequence, why string) {
	steps, dropped, err := rd.parser.ParseLenient(statements)
	if err != nil {
		return nil, err.Error()
	}
	steps, changed := rd.s.table.SignatureChanges(steps, calls)
	if dropped = append(dropped, changed...); len(dropped) > 0 {
		return steps, dropped[0].Text + ": " + dropped[0].Reason
	}
	if len(steps) == 0 {
		why = "no statement"
	}
	return steps, why
}

// tellFindings tells in one line which findings cannot be run as they were.
func (rd *reader) tellFindings() {
	var parts []string
	var first stored
	if len(rd.gone) > 0 {
		first = rd.gone[0]
		parts = append(parts, plural(len(rd.gone), "finding")+" cannot be called any more")
	}
	cut := 0
	for _, st := range rd.list {
		if st.cut {
			if cut++; first.name == "" {
				first = st
			}
		}
	}
	if cut > 0 {
		parts = append(parts, plural(cut, "finding")+" only in part")
	}
	if len(parts) > 0 && !rd.partial {
		rd.out.warn(fmt.Sprintf("%s: findings: %s (%s: %s)", rd.s.target.Path, strings.Join(parts, ", "), first.name, first.why),
			"the package has changed; the files are kept")
	}
}
