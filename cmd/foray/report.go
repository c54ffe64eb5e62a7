package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"foray.test/cmd/internal/load"
	"foray.test/corpus/store"
	"foray.test/coverage"
	"foray.test/coverage/report"
	"foray.test/harness/build"
)

const reportDoc = `Report tells what the runs of fuzz on each package have come to: which sides of
its conditions no run took and, for those that were searched for, by what edits
they were found, or why they stay.

  foray report container/list
  foray report -html report.html ./...

It runs nothing. Sides that were taken without being searched for are counted
only; -v lists them, and -json has them all.

A side is flipped (it was on the frontier, and was found), unstable (equal runs
differ there), no influence (no argument was seen to change anything there),
constant (only the number of visits varied, never the operands), tried (without
success so far), untried, or unreached, as is its whole condition.`

func runReport(ctx context.Context, o *options, out *output) (int, error) {
	targets, cache, listErr := findTargets(ctx, o, out)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	errs := out.errors(listErr)
	var pages []page
	var unknown []string
	for _, target := range targets {
		p, err := readPage(target, o, cache)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			unknown = append(unknown, target.Path)
		case err != nil:
			errs += out.errors(err)
		default:
			out.changed(p)
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 && errs == 0 {
		what := some(unknown, o.verbose)
		return exitUsage, &load.Error{Place: what, Msg: "nothing has run yet", Hint: "foray fuzz " + strings.Join(o.args, " ") + " comes first"}
	}
	if len(unknown) > 0 {
		out.warn(fmt.Sprintf("nothing has run yet on %s: %s", plural(len(unknown), "package"), some(unknown, o.verbose)), "")
	}
	for _, p := range pages {
		out.page(p)
	}
	if o.html != "" && len(pages) > 0 {
		errs += out.errors(writeHTML(o.html, pages))
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// page is a package with what is known of it.
type page struct {
	report.Page
	name string // as the user names it
}

// readPage reads what is known of a package, and its source. The error is
// [fs.ErrNotExist] if nothing is.
func readPage(target *build.Target, o *options, cache string) (page, error) {
	s := newSubject(target, o)
	p := page{name: s.name()}
	var err error
	if s.dir, err = s.storeDir(o, cache); err != nil {
		return p, err
	}
	if _, err := os.Stat(s.dir); err != nil {
		return p, err // opening it would make it
	}
	st, err := store.Open(s.dir)
	if err != nil {
		return p, &load.Error{Place: o.relative(s.dir), Msg: err.Error()}
	}
	p.State = &report.State{Package: target.Path}
	if err := st.LoadState(p.State); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
		return p, &load.Error{Place: p.name, Msg: err.Error(), Hint: "foray fuzz " + p.name + " finds out again"}
	}
	p.Sources = map[string][]byte{}
	for _, name := range target.GoFiles {
		if data, err := os.ReadFile(name); err == nil { // one that is gone is told as changed
			p.Sources[filepath.Base(name)] = data
		}
	}
	p.Changed = p.State.Changed(p.Sources)
	return p, nil
}

func writeHTML(file string, pages []page) error {
	var list []report.Page
	for _, p := range pages {
		list = append(list, p.Page)
	}
	var b bytes.Buffer
	if err := report.HTML(&b, list); err != nil {
		return fmt.Errorf("-html: %w", err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		return &load.Error{Place: "-html", Msg: err.Error()}
	}
	return nil
}

// changed warns of source that is not what ran.
func (o *output) changed(p page) {
	if len(p.Changed) > 0 {
		o.warn(fmt.Sprintf("%s: changed since the last run, so that lines may be off: %s", p.name, strings.Join(p.Changed, ", ")), "")
	}
}

// What stands for the status of sides that were not searched for.
const (
	statusTaken     = "taken"
	statusUnreached = "unreached"
)

// statusOf returns the status of a side of c, be it searched for or not.
func statusOf(c *report.Condition, s *report.Side) string {
	switch {
	case s.Status != "":
		return s.Status
	case s.Taken:
		return statusTaken
	}
	return statusUnreached
}

// page prints what is known of a package.
func (o *output) page(p page) {
	if o.enc != nil {
		o.pageEvents(p)
		return
	}
	o.sideTable(p)
	t := p.Totals()
	o.printer.println("%s: %d of %d branch sides taken (%.1f%%), %d on the frontier, %d unreached; %s, %s\n",
		p.name, t.Taken, t.Sides, percent(t.Taken, t.Sides), t.Frontier, t.Unreached(), plural(p.Runs, "run"), plural(int(p.Sequences), "sequence"))
}

// sideTable prints the sides that were not taken or took some finding, with -v all.
func (o *output) sideTable(p page) {
	tw := tabwriter.NewWriter(o.printer.w, 0, 0, 2, ' ', 0)
	defer tw.Flush()
	header := "place\tfunction\tcondition\tside\tstatus\tedit\truns"
	for i := range p.Conditions {
		c := &p.Conditions[i]
		for j := range c.Sides {
			side := &c.Sides[j]
			status := statusOf(c, side)
			if status == statusTaken && !o.options.verbose {
				continue
			}
			if header != "" {
				fmt.Fprintln(tw, header)
				header = ""
			}
			fmt.Fprintf(tw, "%s:%d\t%s\t%s\t→%s\t%s\t%s\t%d\n", c.File, c.Line, c.Func, oneLine(c.Text, 50), oneLine(side.Name, 30), status, side.Edit, side.Runs)
		}
	}
}

// sideEvent is the JSON form of a side in a report.
type sideEvent struct {
	Schema    int           `json:"schema"`
	Event     string        `json:"event"`
	Package   string        `json:"package"`
	ID        string        `json:"id"` // of the condition
	File      string        `json:"file"`
	Line      int           `json:"line"`
	Function  string        `json:"function"`
	Kind      coverage.Kind `json:"kind"`
	Text      string        `json:"text"`
	Side      string        `json:"side"`
	Taken     bool          `json:"taken"`
	Status    string        `json:"status"`
	Edit      string        `json:"edit"`
	Runs      uint64        `json:"runs"`
	Witnesses int           `json:"witnesses"`
}

// reportEvent is the JSON form of the totals of a package in a report, after its sides.
type reportEvent struct {
	Schema       int           `json:"schema"`
	Event        string        `json:"event"`
	Package      string        `json:"package"`
	Runs         int           `json:"runs"`
	Sequences    uint64        `json:"sequences"`
	Conditions   int           `json:"conditions"`
	Sides        int           `json:"sides"`
	SidesCovered int           `json:"sides_covered"`
	Frontier     int           `json:"frontier"`
	Unreached    int           `json:"unreached"`
	Functions    []functionRow `json:"functions"`
	Changed      []string      `json:"changed"`
}

func (o *output) pageEvents(p page) {
	for i := range p.Conditions {
		c := &p.Conditions[i]
		for j := range c.Sides {
			side := &c.Sides[j]
			o.event(sideEvent{
				Schema: schema, Event: "side", Package: p.name, ID: c.ID, File: c.File, Line: c.Line, Function: c.Func, Kind: c.Kind, Text: c.Text,
				Side: side.Name, Taken: side.Taken, Status: statusOf(c, side), Edit: side.Edit, Runs: side.Runs, Witnesses: side.Witnesses,
			})
		}
	}
	t := p.Totals()
	o.event(reportEvent{
		Schema: schema, Event: "report", Package: p.name, Runs: p.Runs, Sequences: p.Sequences,
		Conditions: t.Conditions, Sides: t.Sides, SidesCovered: t.Taken, Frontier: t.Frontier, Unreached: t.Unreached(),
		Functions: functionRows(p.State), Changed: append([]string{}, p.Changed...),
	})
}
