package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"text/tabwriter"

	"foray.test/cmd/internal/load"
	"foray.test/corpus/store"
	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/harness/build"
)

const statDoc = `Stat counts what the corpus of each package holds. It runs and changes nothing.

  foray corpus stat ./...

Sides are the branch sides taken by the runs so far, of all. Quarantine is what
was set aside, each file with its reason. Generations are what distilling has
left and distill -prune would delete.`

func statFlags(fs *flag.FlagSet, o *options) { corpusFlags(fs, o) }

// statEvent is what there is to say of a corpus, in its JSON form.
type statEvent struct {
	Schema       int       `json:"schema"`
	Event        string    `json:"event"`
	Package      string    `json:"package"`
	Dir          string    `json:"dir"`
	Entries      int       `json:"entries"`
	Steps        int       `json:"steps"`
	Bytes        int64     `json:"bytes"`
	Sides        int       `json:"sides"`
	SidesCovered int       `json:"sides_covered"`
	Findings     tierCount `json:"findings"`
	Quarantine   int       `json:"quarantine"`
	Generations  int       `json:"generations"`
}

// tierCount counts findings.
type tierCount struct {
	Error   int `json:"error"`
	Suspect int `json:"suspect"`
}

func runStat(ctx context.Context, o *options, out *output) (int, error) {
	var list []statEvent
	var unknown []string
	code, err := eachPackage(ctx, o, out, func(target *build.Target, cache string) error {
		e, err := statOf(target, o, out, cache)
		if errors.Is(err, fs.ErrNotExist) {
			unknown = append(unknown, target.Path)
			return nil
		}
		if err == nil {
			list = append(list, e)
		}
		return err
	})
	if err != nil {
		return code, err
	}
	if len(list) == 0 && len(unknown) > 0 && code == exitClean {
		return exitUsage, &load.Error{Place: some(unknown, o.verbose), Msg: "nothing is stored yet", Hint: "foray fuzz " + strings.Join(o.args, " ") + " comes first"}
	}
	if len(unknown) > 0 {
		out.verbose(fmt.Sprintf("nothing is stored of %s: %s", plural(len(unknown), "package"), some(unknown, true)))
	}
	out.stats(list)
	return code, nil
}

// statOf counts what the corpus of a package holds. The error is [fs.ErrNotExist] if
// there is none.
func statOf(target *build.Target, o *options, out *output, cache string) (statEvent, error) {
	s := newSubject(target, o)
	e := statEvent{Schema: schema, Event: "corpus", Package: s.name()}
	if err := s.viewStore(o, cache); err != nil {
		return e, err
	}
	e.Dir = s.dir
	st, err := s.store.Stat()
	if err != nil {
		return e, err
	}
	entries, problems, err := s.store.Load()
	if err != nil {
		return e, err
	}
	s.tellProblems(problems, o, out)
	for _, entry := range entries {
		e.Steps += strings.Count(entry.Statements, "\n")
	}
	findings, _, err := s.store.Findings()
	if err != nil {
		return e, err
	}
	for _, f := range findings {
		if f.Tier == engine.Error.String() {
			e.Findings.Error++
		} else {
			e.Findings.Suspect++
		}
	}
	e.Entries, e.Bytes, e.Quarantine, e.Generations = len(entries), st.Bytes, st.Quarantined, st.Generations
	state := &report.State{Package: target.Path}
	if err := s.store.LoadState(state); err == nil {
		t := state.Totals()
		e.Sides, e.SidesCovered = t.Sides, t.Taken
	} else if !errors.Is(err, fs.ErrNotExist) {
		out.warn(s.name()+": "+err.Error(), "")
	}
	return e, nil
}

// viewStore opens the package's corpus to look at. The error is [fs.ErrNotExist] if
// there is none.
func (s *subject) viewStore(o *options, goCache string) error {
	var err error
	if s.dir, err = s.storeDir(o, goCache); err != nil {
		return err
	}
	s.store, err = store.View(s.dir)
	return err
}

// stats prints what there is to say of some corpora.
func (o *output) stats(list []statEvent) {
	if o.enc != nil {
		for _, e := range list {
			o.event(e)
		}
		return
	}
	if len(list) == 0 {
		return
	}
	tw := tabwriter.NewWriter(o.printer.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "package\tentries\tsteps\tbytes\tsides\tfindings\tquarantine\tgenerations")
	for _, e := range list {
		sides := "?"
		if e.Sides > 0 {
			sides = fmt.Sprintf("%d of %d", e.SidesCovered, e.Sides)
		}
		findings := strconv.Itoa(e.Findings.Error + e.Findings.Suspect)
		if e.Findings.Suspect > 0 {
			findings += fmt.Sprintf(" (%s)", plural(e.Findings.Suspect, "suspect"))
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%s\t%s\t%d\t%d\n", e.Package, e.Entries, e.Steps, e.Bytes, sides, findings, e.Quarantine, e.Generations)
	}
	tw.Flush()
}
