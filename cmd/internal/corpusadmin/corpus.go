// Package corpusadmin looks after the stored corpus of a package: it reads entries and
// findings as far as they can still be called, adds, merges, moves and distills entries.
//
//	a, err := c.Open(ctx) // runs the entries of corpus c
//	…
//	defer a.Close()
//	added, err := a.Add(ctx, "moved.txt")
//
// Sequences run on a [Bench]. Functions return the events that a command prints; warnings
// go to Corpus.Out as they occur.
package corpusadmin

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/store"
	"foray.test/engine"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
)

// A Corpus is the stored corpus of a package that is ready to run.
type Corpus struct {
	Path  string // the import path
	Name  string // the package as the user names it, with its version
	Dir   string // of the store
	Store *store.Store
	Table *seq.Table
	// NewBench returns a bench with a process of its own.
	NewBench func() Bench
	// Partial says that the table holds only chosen operations, or none for the types of
	// tests. Sequences with others are then no sign that the package has changed.
	Partial bool
	Out     *event.Printer
}

// A Bench runs sequences: see [replay.Bench].
type Bench interface {
	Study(context.Context, seq.Sequence) (replay.Study, error)
	StudyAll(ctx context.Context, list []seq.Sequence, visit func(i int, st replay.Study)) error
	Prune(context.Context, seq.Sequence) (seq.Sequence, replay.Study, error)
	Join(ctx context.Context, a, b seq.Sequence, most int) (seq.Sequence, replay.Study, bool, error)
	Alike(ctx context.Context, a, b seq.Sequence) (bool, error)
	Close()
}

// Origins of entries.
const (
	OriginComposed = "composed"
	OriginValue    = "value" // kept for the value that it makes
	OriginImported = "imported"
	OriginTest     = "test"   // a sequence of the package's own tests, perhaps cut
	OriginSolved   = "solved" // for an input that constraints of a path led to
	originAdded    = "added"
	originDrift    = "drift"
	originMerged   = "merge"
	originMoved    = "move"
)

// A Stored is a sequence from the store.
type Stored struct {
	Name    string
	ID      string // of an entry
	Steps   seq.Sequence
	Finding *store.Finding // nil for an entry
	Value   bool           // an entry kept for the value it makes
	Cut     bool           // a part of it cannot be called any more, or not as it was
	Why     string         // why it was cut, or why nothing of it can be called
}

// Sequences returns the sequences of some.
func Sequences(list []Stored) []seq.Sequence {
	sequences := make([]seq.Sequence, len(list))
	for i := range list {
		sequences[i] = list[i].Steps
	}
	return sequences
}

// Restore gives v, by which the sequence fails in a fresh process, the tier of the finding if
// other sequences decided it. Those show what the package keeps, or are runs with other literals.
func (st Stored) Restore(v *engine.Verdict) {
	f := st.Finding
	if f == nil || f.Signature != v.Signature.String() {
		return
	}
	tier, ok := engine.ParseTier(f.Tier)
	switch {
	case !ok:
	case f.Claim == string(engine.ClaimKept):
		v.Inherit(&engine.Verdict{Claim: engine.ClaimKept, Tier: tier, Rule: f.Rule, Reason: f.Document, Evidence: f.Document})
	case engine.ByOtherLiterals(f.Rule):
		v.Settle(v.Ruling(), engine.Ruling{Tier: tier, Rule: f.Rule, Reason: f.Document})
	}
}

// Entries reads the entries of the corpus. Entries that do not fit the package any more
// are run and replaced by their rest: see settle. A corpus that is only viewed stays as it is.
func (c *Corpus) Entries(ctx context.Context) ([]Stored, error) {
	rd, err := c.newReader()
	if err != nil {
		return nil, err
	}
	changes := !c.Partial && !c.Store.Viewed()
	entries, problems, err := c.Store.Load()
	if err == nil && changes && rd.restore(entries) {
		entries, _, err = c.Store.Load()
	}
	if err != nil {
		return nil, err
	}
	c.Problems(problems)
	for _, e := range entries {
		rd.readEntry(e)
	}
	if !changes {
		return rd.list, nil
	}
	return rd.settle(ctx)
}

// Findings reads the findings of the corpus, as far as they can be called, and warns of the
// others.
func (c *Corpus) Findings() ([]Stored, error) {
	findings, problems, err := c.Store.Findings()
	if err != nil {
		return nil, err
	}
	c.Problems(problems)
	rd, err := c.newReader()
	if err != nil {
		return nil, err
	}
	for i := range findings {
		rd.read(Stored{Name: "finding " + findings[i].Signature, Finding: &findings[i]}, findings[i].Statements, nil)
	}
	if !c.Partial {
		rd.warnOfFindings()
	}
	return rd.list, nil
}

// Problems warns of files that the store cannot use: of the first few, or all with -v.
func (c *Corpus) Problems(problems []store.Problem) {
	const most = 3
	for i, p := range problems {
		if i == most && !c.Out.Verbose {
			c.Out.Warn(fmt.Sprintf("%s: %s like these; -v names them", c.Path, text.Plural(len(problems)-i, "more file")), "")
			return
		}
		if p.Moved != "" {
			p.Moved = c.Out.Relative(filepath.Join(c.Dir, filepath.FromSlash(p.Moved)))
		}
		c.Out.Warn(c.Path+": corpus: "+p.String(), "")
	}
}

// Entry returns the file of a sequence.
func (c *Corpus) Entry(steps seq.Sequence, origin string, sides int) store.Entry {
	return store.Entry{Statements: c.Table.String(steps), Origin: origin, Sides: sides, Calls: c.Table.Calls(steps)}
}

// reader reads statements as far as they can still be called.
type reader struct {
	*Corpus
	parser *seq.Parser
	list   []Stored
	gone   []Stored // sequences of which nothing can be called
}

func (c *Corpus) newReader() (*reader, error) {
	parser, err := seq.NewParser(c.Table)
	return &reader{Corpus: c, parser: parser}, err
}

func (rd *reader) readEntry(e store.Entry) {
	rd.read(Stored{Name: entryName(e.ID), ID: e.ID, Value: e.Origin == OriginValue}, e.Statements, e.Calls)
}

func entryName(id string) string { return fmt.Sprintf("entry %.12s", id) }

// read reads the statements of st. calls are the signatures that they were stored with.
func (rd *reader) read(st Stored, statements string, calls []string) {
	st.Steps, st.Why = rd.parse(statements, calls)
	st.Cut = st.Why != ""
	if st.Cut && !rd.Partial {
		rd.Out.Note(rd.Path + ": " + st.Name + ": " + st.Why)
	}
	if len(st.Steps) == 0 {
		rd.gone = append(rd.gone, st)
		return
	}
	rd.list = append(rd.list, st)
}

// parse returns the statements that can still be called, and why others cannot.
func (rd *reader) parse(statements string, calls []string) (steps seq.Sequence, why string) {
	steps, dropped, err := rd.parser.ParseLenient(statements)
	if err != nil {
		return nil, err.Error()
	}
	steps, changed := rd.Table.SignatureChanges(steps, calls)
	if dropped = append(dropped, changed...); len(dropped) > 0 {
		return steps, dropped[0].Text + ": " + dropped[0].Reason
	}
	if len(steps) == 0 {
		why = "no statement"
	}
	return steps, why
}

// warnOfFindings tells in one line which findings cannot be run as they were.
func (rd *reader) warnOfFindings() {
	var parts []string
	var first Stored
	if len(rd.gone) > 0 {
		first = rd.gone[0]
		parts = append(parts, text.Plural(len(rd.gone), "finding")+" cannot be called any more")
	}
	cut := 0
	for _, st := range rd.list {
		if st.Cut {
			if cut++; first.Name == "" {
				first = st
			}
		}
	}
	if cut > 0 {
		parts = append(parts, text.Plural(cut, "finding")+" only in part")
	}
	if len(parts) > 0 {
		rd.Out.Warn(fmt.Sprintf("%s: findings: %s (%s: %s)", rd.Path, strings.Join(parts, ", "), first.Name, first.Why),
			"the package has changed; the files are kept")
	}
}

// cost is the cost of keeping and running an entry. Each entry costs as much as eight
// steps, as does a millisecond: below that, all are fast and the clock says more of the
// machine than of the entry.
func cost(steps seq.Sequence, took time.Duration) int {
	const entry, perMS = 8, 8
	return entry + len(steps) + perMS*int(took.Milliseconds())
}
