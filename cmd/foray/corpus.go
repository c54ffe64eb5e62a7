package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"foray.test/corpus/store"
	"foray.test/engine/seq"
)

// stored is a sequence from the store with what was known of it.
type stored struct {
	name    string
	steps   seq.Sequence
	finding *store.Finding // nil for an entry
	cut     bool           // some of it cannot be called any more
}

// entries reads the entries of the package.
func (s *subject) entries(o *options, out *output) ([]stored, error) {
	entries, problems, err := s.store.Load()
	if err != nil {
		return nil, err
	}
	s.tellProblems(problems, o, out)
	rd, err := newReader(s, o, out)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		rd.read(stored{name: fmt.Sprintf("entry %.12s", e.ID)}, e.Statements)
	}
	rd.tell("corpus", "entry")
	return rd.list, nil
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
		rd.read(stored{name: "finding " + findings[i].Signature, finding: &findings[i]}, findings[i].Statements)
	}
	rd.tell("findings", "finding")
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
	s         *subject
	out       *output
	parser    *seq.Parser
	list      []stored
	gone, cut int
	first     string
	// A run that takes only some operations says nothing of what it leaves out.
	silent bool
}

func newReader(s *subject, o *options, out *output) (*reader, error) {
	parser, err := seq.NewParser(s.table)
	return &reader{s: s, out: out, parser: parser, silent: o.ops != nil || o.skip != nil}, err
}

func (rd *reader) read(st stored, statements string) {
	steps, dropped, err := rd.parser.ParseLenient(statements)
	why := ""
	switch {
	case err != nil:
		why = err.Error()
	case len(dropped) > 0:
		why = dropped[0].Reason
	case len(steps) == 0:
		why = "no statement"
	}
	if why != "" {
		why = st.name + ": " + why
		if rd.gone+rd.cut == 0 {
			rd.first = why
		}
		if !rd.silent {
			rd.out.verbose(rd.s.target.Path + ": " + why)
		}
	}
	if err != nil || len(steps) == 0 {
		rd.gone++
		return
	}
	if st.cut = len(dropped) > 0; st.cut {
		rd.cut++
	}
	st.steps = steps
	rd.list = append(rd.list, st)
}

// tell tells in one line what could not be used.
func (rd *reader) tell(what, noun string) {
	if rd.silent || rd.gone+rd.cut == 0 {
		return
	}
	var parts []string
	if rd.gone > 0 {
		parts = append(parts, plural(rd.gone, noun)+" cannot be called any more")
	}
	if rd.cut > 0 {
		parts = append(parts, plural(rd.cut, noun)+" only in part")
	}
	rd.out.warn(fmt.Sprintf("%s: %s: %s (%s)", rd.s.target.Path, what, strings.Join(parts, ", "), rd.first),
		"the package has changed; the files are kept")
}
