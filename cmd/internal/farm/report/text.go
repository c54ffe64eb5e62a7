package report

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/text"
)

// Line returns the state of a farm in one line. Sequences and findings come with the results of jobs.
func Line(v *farm.View) string {
	var sequences uint64
	covered, sides, entries := 0, 0, 0
	for _, t := range v.Targets {
		if t.Known != nil {
			sequences += t.Known.Sequences
			covered += t.Known.SidesCovered
			sides += t.Known.Sides
			entries += t.Known.Entries
		}
	}
	line := fmt.Sprintf("targets: %d, jobs: %d running, %d waiting, %d done", len(v.Targets), v.Owner.Queue.Running, v.Owner.Queue.Waiting, v.Runs)
	if v.Runs == 0 {
		return line
	}
	return line + fmt.Sprintf("; of those done: sequences: %d, findings: %s, sides: %d/%d, entries: %d", sequences, counted(v), covered, sides, entries)
}

// Text writes the state of a farm for people: its targets, the findings, and problems. all
// includes findings that may be misuse.
func Text(w io.Writer, v *farm.View, all bool) {
	var rows [][2]string
	for i := range v.Targets {
		rows = append(rows, [2]string{v.Targets[i].Name, targetText(&v.Targets[i])})
	}
	text.Rows(w, rows)
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Tier != "suspect" || all {
			fmt.Fprintln(w, FindingText(v, f))
		}
	}
	for _, p := range v.Problems {
		fmt.Fprintf(w, "problem: %s: %s\n", p.Place, p.Msg)
	}
	for i := range v.Poison {
		fmt.Fprintf(w, "parked: %v: %s\n", &v.Poison[i].Job.Target, v.Poison[i].Problem)
	}
	if n := len(Open(v)); n > 0 {
		fmt.Fprintf(w, "tests of %s: foray farm report -format patch | git apply\n", text.Plural(n, "open finding"))
	}
	fmt.Fprintf(w, "farm: %s, %s, findings: %s\n", text.Plural(len(v.Targets), "target"), text.Plural(v.Runs, "job"), counted(v))
}

func targetText(t *farm.TargetView) string {
	k := t.Known
	switch {
	case k == nil:
		return "no turn yet"
	case k.Problem != "":
		return "cannot run: " + k.Problem
	}
	return fmt.Sprintf("%d of %d sides, %s, %s, fuzzed for %v", k.SidesCovered, k.Sides, text.Plural(k.Entries, "entry"),
		text.Plural(t.Open, "open error"), time.Duration(k.Seconds*float64(time.Second)).Round(time.Second))
}

// FindingText returns a finding in three lines, and one that says which commit brought it.
func FindingText(v *farm.View, f *ledger.Finding) string {
	flaky := ""
	if f.Flaky {
		flaky = ", flaky"
	}
	s := fmt.Sprintf("--- %s: %s: %s (%s: %s%s)\n    %s\n    signature %s",
		f.State, v.Name(f.Target), f.Operation, f.Tier, f.Kind, flaky, text.OneLine(cmp.Or(f.Reason, f.Message), 200), f.Signature)
	if f.Bisection != nil {
		s += "\n    " + text.OneLine(f.Bisection.String(), 200)
	}
	return s
}
