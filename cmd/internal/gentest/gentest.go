// Package gentest writes stored sequences of a package as Go tests: findings as tests that
// fail until the bug is fixed, the corpus as regression tests.
//
//	place, err := gentest.NewPlace(target, "", "")
//	…
//	g := gentest.Generator{Place: place, …}
//	done, err := g.Write(ctx, findings, entries)
//
// It tries the tests before it writes them, in fresh processes, and leaves out those that do
// not compile or that the processes do not agree on.
package gentest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/known"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/regression"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/harness/build"
	"foray.test/harness/emit"
)

// The files of tests, and their first line.
const (
	failFile       = "foray_fail_test.go"
	regressionFile = "foray_regression_test.go"
	mark           = build.GenMark
)

// The kinds of tests.
const (
	kindFailing    = "failing"
	kindRegression = "regression"
)

// A Generator writes the tests of one package.
type Generator struct {
	*Place
	Name       string // of the package, as the user has it
	Version    string
	Table      *seq.Table
	Config     replay.Config
	Conditions []coverage.Condition
	Temp       string // a directory
	Flags      []string
	Unconfined bool           // the tests may write anywhere: see [build.Trial]
	Failing    bool           // write the tests of findings
	Regression bool           // write the tests of the corpus
	Suspects   bool           // write the tests of suspects, too
	Known      map[string]int // lines of the list of known findings by signature; these get no test
	Most       int            // regression test functions; 0 sets no bound
	Out        *event.Printer
	files      map[string][]byte // by base name
	done       event.Generated
}

// ErrNothing says that there is nothing to write tests of.
var ErrNothing = errors.New("nothing is stored to write tests from")

// names returns the files to be written.
func (g *Generator) names() []string {
	var names []string
	if g.Failing {
		names = append(names, failFile)
	}
	if g.Regression {
		names = append(names, regressionFile)
	}
	return names
}

// MayWrite reports as an error that somebody else has written one of the files, or that none can
// be written. It takes no time, and what comes then does.
func (g *Generator) MayWrite() error {
	for _, name := range g.names() {
		if err := g.mayWrite(name); err != nil {
			return err
		}
	}
	return g.writable()
}

// Write writes the files with a test of some finding or entry.
func (g *Generator) Write(ctx context.Context, findings, entries []corpusadmin.Stored) (*event.Generated, error) {
	g.done = event.Generated{Package: g.Name}
	g.files = map[string][]byte{} // a new file hides the old one
	for _, name := range g.names() {
		g.files[name] = nil
	}
	if !(g.Failing && (len(findings) > 0 || len(g.earlier()) > 0) || g.Regression && len(entries) > 0) {
		return nil, ErrNothing
	}
	if g.Failing {
		if err := g.failing(ctx, findings); err != nil {
			return nil, err
		}
	}
	if g.Regression && len(entries) > 0 {
		if err := g.regressions(ctx, entries); err != nil {
			return nil, err
		}
	}
	for i := range g.done.Files {
		f := &g.done.Files[i]
		put := g.Place.write
		if f.Tests == 0 {
			put = g.Place.remove
		}
		file, err := put(f.File, g.files[f.File])
		if err != nil {
			return nil, &load.Error{Place: g.target.Path, Msg: err.Error()}
		}
		f.Package, f.File = g.Name, g.Out.Relative(file)
		g.done.Tests += f.Tests
		g.done.Assertions += f.Assertions
	}
	g.done.Dropped = len(g.done.Drops)
	return &g.done, nil
}

func (g *Generator) drop(kind, name, why string, quiet bool) {
	g.done.Drops = append(g.done.Drops, event.Drop{Package: g.Name, Kind: kind, Name: name, Why: why, Quiet: quiet})
}

// candidate is a test that is being tried.
type candidate struct {
	name string // of the stored sequence
	test string // the name of the test
	why  string // the reason to drop it
	// fixed is set for a test of a finding that is expected to pass.
	fixed bool
}

// failing makes the file of tests of findings. Those that are fixed stay, also those that only
// the file of an earlier gen has. If all have been silenced since, that file goes.
func (g *Generator) failing(ctx context.Context, findings []corpusadmin.Stored) error {
	g.replaying(0, len(findings))
	var list []findingTest
	var cands []candidate
	seen := map[string]bool{} // signatures
	add := func(name string, t findingTest) {
		if !seen[t.signature] {
			seen[t.signature] = true
			list, cands = append(list, t), append(cands, candidate{name: name, fixed: t.fixed})
		}
	}
	_, err := replay.All(ctx, g.Config, corpusadmin.Sequences(findings), func(i int, r replay.Shown) {
		g.replaying(i+1, len(findings))
		was := &findings[i]
		if why := g.silenced(was); why != "" {
			seen[was.Finding.Signature] = true
			g.drop(kindFailing, was.Name, why, true)
			return
		}
		t, err := g.failingTest(was, r)
		if err != nil {
			g.drop(kindFailing, was.Name, err.Error(), false)
			return
		}
		add(was.Name, t)
	})
	if err != nil {
		return err
	}
	for _, t := range g.earlier() {
		add("finding "+t.signature+" of "+failFile, t)
	}
	if _, err := os.Stat(filepath.Join(g.dir, failFile)); err == nil && len(list) == 0 {
		g.done.Files = append(g.done.Files, event.TestFile{Kind: kindFailing, File: failFile})
		return nil
	}
	g.dropConflicts(list, cands)
	source := func(keep []int) ([]byte, []string, error) {
		return merge(g.target.Name, pick(list, keep), g.declared(), g.terms())
	}
	keep, err := g.settle(ctx, kindFailing, failFile, cands, source)
	if err == nil && len(keep) > 0 {
		g.done.Files = append(g.done.Files, event.TestFile{Kind: kindFailing, File: failFile, Tests: len(keep), Functions: len(keep), Assertions: len(keep)})
	}
	return err
}

// silenced says why a stored sequence gets no test, whatever it does now, or "".
func (g *Generator) silenced(was *corpusadmin.Stored) string {
	switch f := was.Finding; {
	case f == nil:
	case g.Known[f.Signature] > 0:
		return "it is listed in " + known.File
	case !g.Suspects && f.Tier == engine.Suspect.String():
		return "it is a suspect, which -suspects writes"
	}
	return ""
}

// dropConflicts marks the tests to be dropped that cannot be in one file with the others. An
// older foray has written them, so that tests of findings that are not fixed come first.
func (g *Generator) dropConflicts(list []findingTest, cands []candidate) {
	var kept []findingTest
	for _, fixed := range []bool{false, true} {
		for i, t := range list {
			if t.fixed != fixed {
				continue
			}
			if _, _, err := merge(g.target.Name, append(kept, t), nil, nil); err != nil {
				cands[i].why = "its test does not fit the others: " + err.Error()
				g.drop(kindFailing, cands[i].name, cands[i].why, false)
				continue
			}
			kept = append(kept, t)
		}
	}
}

// terms returns the build constraints that hold where the package is built.
func (g *Generator) terms() []string {
	var list []string
	for i := range g.Table.Ops {
		list = append(list, g.Table.Ops[i].Build...)
	}
	if g.raise() {
		list = append(list, emit.Language)
	}
	return emit.Terms(list)
}

// replaying tells that finding i of n is replayed, if there is one.
func (g *Generator) replaying(i, n int) {
	if i < n {
		g.Out.Stage(fmt.Sprintf("replaying finding %d of %d of %s", i+1, n, g.target.Path))
	}
}

// earlier returns the tests that an earlier gen has written and nothing stored is known of. They
// are taken for fixed.
func (g *Generator) earlier() []findingTest {
	data, err := os.ReadFile(filepath.Join(g.dir, failFile))
	if err != nil || !bytes.HasPrefix(data, []byte(mark)) {
		return nil
	}
	list, err := split(data)
	if err != nil {
		return nil // a file that does not parse is written anew
	}
	for i := range list {
		list[i].fixed = true
	}
	return list
}

// failingTest returns the test of a finding that was run again. If it does not fail any more,
// that is the test which was stored with it.
func (g *Generator) failingTest(was *corpusadmin.Stored, r replay.Shown) (findingTest, error) {
	if r.Error != nil {
		return findingTest{}, r.Error
	}
	if r.Verdict == nil || r.Verdict.Tier == engine.Illegal {
		if was.Finding == nil || was.Finding.Test == "" {
			return findingTest{}, errors.New("it does not fail any more")
		}
		return findingTest{was.Finding.Signature, []byte(was.Finding.Test), true}, nil
	}
	e := emit.Finding{Sequence: was.Steps, Verdict: *r.Verdict, Options: emit.Options{Package: g.target.Name, Version: g.Version, Raise: g.raise()}}
	if r.Verdict.Tier == engine.Suspect {
		e.Options.Comment = "A suspect: the package may not be meant to be called like this."
	}
	src, err := emit.File(g.Table, []emit.Finding{e})
	return findingTest{signature: r.Verdict.Signature.String(), source: src}, err
}

// maxCaseText is how many bytes of text a test is given, unless all tests are wanted. Of 33 tests of
// a decoder of images 8 are longer, by far.
const maxCaseText = 1000

// record runs the entries of the corpus and makes tests of them. It returns the branch sides
// that the corpus takes.
func (g *Generator) record(ctx context.Context, entries []corpusadmin.Stored) (list []emit.Regression, cands []candidate, corpus *coverage.Set, err error) {
	// Short entries first: a longer one need not show the same again.
	slices.SortStableFunc(entries, func(a, b corpusadmin.Stored) int { return len(a.Steps) - len(b.Steps) })
	rec := replay.NewRecorder(ctx, g.Config)
	corpus = coverage.NewSet(g.Config.Sides)
	b := regression.NewBuilder(g.Table, rec.Run)
	if g.Most > 0 {
		b.MaxText = maxCaseText
	}
	for _, e := range entries {
		if run, ok := rec.Run(e.Steps); ok {
			addSides(corpus, run.Sides)
			b.Learn(e.Steps, run)
		}
	}
	for i, e := range entries {
		g.Out.Stage(fmt.Sprintf("recording entry %d of %d of %s", i+1, len(entries), g.target.Path))
		for _, s := range b.Parts(e.Steps) {
			t, err := b.Test(s)
			if err != nil {
				g.drop(kindRegression, e.Name, err.Error(), err == regression.ErrTwice || err == regression.ErrNothing)
				continue
			}
			list = append(list, emit.Regression{Test: t, Reason: g.reason(t.Fresh)})
			cands = append(cands, candidate{name: e.Name})
		}
	}
	for _, s := range b.Idle() {
		member := g.Table.Ops[s[len(s)-1].Op].Member
		if t, err := b.Test(s); err == nil {
			list = append(list, emit.Regression{Test: t, Reason: "shows a call of " + member + " that no test before it does"})
			cands = append(cands, candidate{name: "a call of " + member})
		}
	}
	return list, cands, corpus, errors.Join(rec.Close(), ctx.Err())
}

// regressions makes the file of regression tests of the corpus.
func (g *Generator) regressions(ctx context.Context, entries []corpusadmin.Stored) error {
	list, cands, corpus, err := g.record(ctx, entries)
	if err != nil {
		return err
	}
	if list, cands, err = g.withoutFindings(ctx, list, cands); err != nil {
		return err
	}
	list, cands = g.chosen(list, cands)
	o := emit.RegressionOptions{Package: g.target.Name, Taken: g.declared(), Raise: g.raise()}
	source := func(keep []int) ([]byte, []string, error) {
		src, names, err := emit.Regressions(g.Table, pick(list, keep), o)
		if err == nil {
			src, err = newImportNamer(o.Taken).rename(src)
		}
		return src, names, err
	}
	keep, err := g.settle(ctx, kindRegression, regressionFile, cands, source)
	if err != nil || len(keep) == 0 {
		return err
	}
	file := event.TestFile{Kind: kindRegression, File: regressionFile, Tests: len(keep), Functions: len(testFunctions(g.files[regressionFile])), SidesCorpus: corpus.Count()}
	taken := coverage.NewSet(g.Config.Sides)
	for _, k := range keep {
		file.Assertions += list[k].Assertions()
		addSides(taken, list[k].Sides)
	}
	file.Sides = taken.Count()
	g.done.Files = append(g.done.Files, file)
	return nil
}

// withoutFindings leaves out the tests whose calls show a finding: they would assert a wrong
// result.
func (g *Generator) withoutFindings(ctx context.Context, list []emit.Regression, cands []candidate) (right []emit.Regression, rightCands []candidate, err error) {
	sequences := make([]seq.Sequence, len(list))
	for i := range list {
		sequences[i] = list[i].Steps
	}
	_, err = replay.All(ctx, g.Config, sequences, func(i int, r replay.Shown) {
		if v := r.Verdict; v != nil && v.Tier != engine.Illegal {
			g.drop(kindRegression, cands[i].name, "it shows a finding: "+v.Signature.String(), false)
			return
		}
		right, rightCands = append(right, list[i]), append(rightCands, cands[i])
	})
	return right, rightCands, err
}

// chosen leaves out tests beyond those that g.Most functions can show.
func (g *Generator) chosen(list []emit.Regression, cands []candidate) ([]emit.Regression, []candidate) {
	if g.Most == 0 {
		return list, cands
	}
	keep := choose(g.Table, list, emit.Groups(g.Table, list), g.Most)
	var kept []emit.Regression
	var keptCands []candidate
	taken := coverage.NewSet(g.Config.Sides)
	for i := range list {
		if slices.Contains(keep, i) {
			if t := &list[i]; len(t.Fresh) > 0 { // more, now that some tests before it are gone
				t.Fresh = slices.DeleteFunc(slices.Clone(t.Sides), func(side int32) bool { return taken.Has(int(side)) })
				t.Reason = g.reason(t.Fresh)
			}
			addSides(taken, list[i].Sides)
			kept, keptCands = append(kept, list[i]), append(keptCands, cands[i])
			continue
		}
		g.drop(kindRegression, cands[i].name, fmt.Sprintf("others show more: -n %d", g.Most), true)
	}
	return kept, keptCands
}

func addSides(set *coverage.Set, sides []int32) {
	for _, side := range sides {
		set.Add(int(side))
	}
}

// reason says why there is a test: it names the first branch side that no earlier test
// takes, and counts the others.
func (g *Generator) reason(fresh []int32) string {
	if len(fresh) == 0 {
		return ""
	}
	conds := g.Conditions
	side := int(fresh[0])
	i := slices.IndexFunc(conds, func(c coverage.Condition) bool { return c.First <= side && side < c.First+len(c.Sides) })
	if i < 0 {
		return ""
	}
	c := &conds[i]
	why := fmt.Sprintf("makes %q %s in %s", text.OneLine(c.Text, 60), c.Sides[side-c.First], c.Func)
	if c.Kind != coverage.Bool && c.Kind != coverage.CommaOK {
		why = fmt.Sprintf("takes the side %q of %s %q in %s", c.Sides[side-c.First], c.Kind, text.OneLine(c.Text, 60), c.Func)
	}
	if n := len(fresh) - 1; n > 0 {
		return why + " and takes " + text.Plural(n, "more branch side") + " that no test before it does"
	}
	return why + ", as no test before it does"
}
