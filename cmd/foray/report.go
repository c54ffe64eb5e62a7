package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/store"
	"foray.test/coverage/report"
	"foray.test/harness/build"
)

const reportDoc = `Report shows the branch coverage of all runs of fuzz on each package: the sides of
conditions that no run took and, for sides that fuzz has searched for, why it has
not found them.

  foray report container/list
  foray report -html report.html ./...

It runs nothing. Functions that no run reached are named. -v lists all sides, also
those that were taken, and the edits that found them.

The page of -html shows the source, the findings, and plots of the latest runs.

A side is flipped (it was on the frontier, and was found), unstable (equal runs
differ there), no influence (no argument was seen to change anything there),
constant (only the number of visits varied, never the operands), tried (without
success so far), untried, or unreached, as is its whole condition. It is
impossible along its witnesses if solving found no literals of the entries that
come to the condition that take it; others may.`

// reportOptions are the options of foray report.
type reportOptions struct {
	*common
	html string
}

func newReport(fs *flag.FlagSet, c *common) runner {
	o := &reportOptions{common: c}
	c.viewFlags(fs)
	fs.StringVar(&o.html, "html", "", "write the source, with the sides not taken, to `file` as well, as a\npage of HTML")
	c.verboseFlag(fs, "all sides")
	return o.run
}

func (o *reportOptions) run(ctx context.Context) (int, error) {
	var pages []report.Page
	var events []event.Event
	var unknown []string
	code, err := o.eachPackage(ctx, func(target *build.Target) error {
		p, name, err := readPage(target, o.common)
		if errors.Is(err, fs.ErrNotExist) {
			unknown = append(unknown, target.Path)
			return nil
		}
		if err != nil {
			return err
		}
		if len(p.Changed) > 0 {
			o.out.Warn(fmt.Sprintf("%s: changed since the last run, so that lines may be off: %s", name, strings.Join(p.Changed, ", ")), "")
		}
		pages, events = append(pages, p), append(events, event.NewReport(name, p.State, p.Changed))
		return nil
	})
	if err != nil {
		return code, err
	}
	if len(pages) == 0 && code == exitClean {
		return exitUsage, &load.Error{Place: text.Some(unknown, o.verbose), Msg: "nothing has run yet", Hint: "foray fuzz " + strings.Join(o.args, " ") + " comes first"}
	}
	if len(unknown) > 0 {
		o.out.Warn(fmt.Sprintf("nothing has run yet on %s: %s", text.Plural(len(unknown), "package"), text.Some(unknown, o.verbose)), "")
	}
	for _, e := range events {
		o.out.Print(e)
	}
	if o.html != "" && len(pages) > 0 && o.out.Errors(writeHTML(o.html, pages)) > 0 {
		code = exitUsage
	}
	return code, nil
}

// readPage reads the state and the source of a package, and returns its name. The error is
// [fs.ErrNotExist] if nothing has run.
func readPage(target *build.Target, o *common) (p report.Page, name string, err error) {
	s := newSubject(target, o)
	name = s.name()
	if s.dir, err = s.storeDir(); err != nil {
		return p, name, err
	}
	if _, err := os.Stat(s.dir); err != nil {
		return p, name, err // opening it would make it
	}
	st, err := store.Open(s.dir)
	if err != nil {
		return p, name, &load.Error{Place: o.out.Relative(s.dir), Msg: err.Error()}
	}
	p.State = &report.State{Package: target.Path}
	if err := st.LoadState(p.State); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return p, name, err
		}
		hint := "foray fuzz " + name + " finds out again"
		if store.IsNewer(err) {
			hint = "report with that foray, or fuzz into another -outdir"
		}
		return p, name, &load.Error{Place: name, Msg: err.Error(), Hint: hint}
	}
	p.Sources = map[string][]byte{}
	read := func(of string, names []string) {
		for _, name := range names {
			if data, err := target.ReadFile(name); err == nil { // a missing file counts as changed
				p.Sources[report.FileName(target.Path, of, name)] = data
			}
		}
	}
	read(target.Path, target.GoFiles)
	for _, d := range target.Siblings {
		read(d.Path, d.GoFiles)
	}
	p.Changed = p.State.Changed(p.Sources)
	findings, problems, err := st.Findings()
	if err != nil {
		return p, name, err
	}
	for _, err := range problems {
		o.out.Warn(name+": "+fmt.Sprint(err), "")
	}
	for _, f := range findings {
		p.Findings = append(p.Findings, report.Finding{Signature: f.Signature, Tier: f.Tier, Message: f.Message, Stack: f.Stack})
	}
	return p, name, nil
}

func writeHTML(file string, pages []report.Page) error {
	var b bytes.Buffer
	if err := report.HTML(&b, pages); err != nil {
		return fmt.Errorf("-html: %w", err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		return &load.Error{Place: "-html", Msg: err.Error(), Hint: "it names a file in a directory that is there"}
	}
	return nil
}
