package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"

	"golang.org/x/term"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/coordinator"
)

// schema is the version of the JSON output.
const schema = 1

// maxSuspects is how many suspects of a package are shown: a tool that cries
// wolf is uninstalled. The rest is counted, and all are stored.
const maxSuspects = 5

// output prints, as text for people or as JSON, one object a line.
type output struct {
	options  *options
	stdout   io.Writer
	stderr   io.Writer
	enc      *json.Encoder // nil for text
	printer  *printer
	suspects int // shown or held back, of the package at hand
}

func newOutput(o *options, stdout, stderr io.Writer) *output {
	out := &output{options: o, stdout: stdout, stderr: stderr}
	if o.json {
		out.enc = json.NewEncoder(stdout)
		out.enc.SetEscapeHTML(false)
		return out
	}
	out.printer = &printer{w: stdout}
	if f, ok := stdout.(*os.File); ok {
		out.printer.live = term.IsTerminal(int(f.Fd()))
	}
	return out
}

func (o *output) event(v any) {
	// A reader that went away needs no more output; the run's results are stored.
	_ = o.enc.Encode(v)
}

// errors prints the errors joined in err, each with its hint, and counts them.
func (o *output) errors(err error) int {
	if err == nil {
		return 0
	}
	list := []error{err}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		list = j.Unwrap()
	}
	if o.printer != nil {
		o.printer.clear()
	}
	for _, err := range list {
		printError(o.stderr, err)
	}
	return len(list)
}

func (o *output) warn(msg string) {
	if o.printer != nil {
		o.printer.clear()
	}
	fmt.Fprintf(o.stderr, "foray: warning: %s\n", msg)
}

// verbose tells what takes time, if asked to or if someone is watching.
func (o *output) verbose(msg string) {
	switch {
	case o.options.verbose:
		if o.printer != nil {
			o.printer.clear()
		}
		fmt.Fprintf(o.stderr, "foray: %s\n", msg)
	case o.printer != nil && o.printer.live:
		fmt.Fprintf(o.printer.w, "\r\x1b[K%s", msg)
		o.printer.drawn = true
	}
}

func (o *output) begin(s *subject, entries int) {
	o.suspects = 0
	if o.printer == nil {
		return
	}
	o.printer.last, o.printer.sides, o.printer.total = 0, s.found.Sides, entries
	calls := 0
	for i := range s.table.Ops {
		if s.table.Ops[i].API {
			calls++
		}
	}
	o.printer.println("fuzz: %s: %d operations, %d of them calls, %d conditions; seed %d, %s", s.name(), len(s.table.Ops), calls, len(s.found.Conditions), o.options.seed, plural(o.options.parallel, "worker"))
}

func (o *output) progress(s coordinator.Snapshot) {
	if o.printer != nil {
		o.printer.Progress(s)
	}
}

// findingEvent is the JSON form of a finding.
type findingEvent struct {
	Schema        int    `json:"schema"`
	Event         string `json:"event"`
	Tier          string `json:"tier"`
	Kind          string `json:"kind"`
	Operation     string `json:"operation"`
	Signature     string `json:"signature"`
	Message       string `json:"message"`
	Document      string `json:"document,omitempty"`
	Steps         int    `json:"steps"`
	OriginalSteps int    `json:"original_steps"`
	Flaky         bool   `json:"flaky"`
	Package       string `json:"package"`
	File          string `json:"file"`
	Sequence      string `json:"sequence"`
	Test          string `json:"test"`
}

func (o *output) finding(r *recorder, f coordinator.Finding, file, test string) {
	t := r.s.table
	if o.enc != nil {
		o.event(findingEvent{
			Schema: schema, Event: "finding", Tier: f.Verdict.Tier.String(), Kind: f.Verdict.Kind,
			Operation: t.Ops[f.Verdict.Op].Short, Signature: f.Verdict.Signature,
			Message: f.Verdict.Message, Document: f.Verdict.Document,
			Steps: f.Steps.Calls(t), OriginalSteps: f.Original.Calls(t), Flaky: f.Flaky,
			Package: r.s.name(), File: file, Sequence: t.String(f.Steps), Test: test,
		})
		return
	}
	if f.Verdict.Tier == engine.Suspect {
		if o.suspects++; o.suspects > maxSuspects && !o.options.verbose {
			return
		}
	}
	o.printer.finding(t, f, file, r.s.rerun(o.options))
}

// packageDone prints what is known of a package at the end of its run.
func (o *output) packageDone(f *fuzzing, s *subject, res *coordinator.Result, r *recorder) {
	if o.enc != nil {
		o.event(packageEvent(s, res, r))
		return
	}
	p := o.printer
	p.println("%s", progressLine(res.Snapshot, s.found.Sides, len(r.entries)))
	if o.suspects > maxSuspects && !o.options.verbose {
		p.println("%d more suspects are not shown; -v shows them, and all are stored in %s", o.suspects-maxSuspects, s.dir)
	}
	o.operationTable(s, res)
	p.println("coverage: %d of %d branch sides (%.1f%%), %d on the frontier", res.Covered.Count(), s.found.Sides, percent(res.Covered.Count(), s.found.Sides), len(s.frontier(res)))
	p.println("ended: %s. The next sequence takes a new branch side with a probability of about %.1g (Good-Turing)", res.Stopped, res.Counts.Discovery())
	if res.Unconfirmed > 0 {
		p.println("%s did not show again in fresh processes and are not reported", plural(res.Unconfirmed, "finding"))
	}
	p.println("corpus: %s in %s", plural(len(r.entries)+res.Entries, "entry"), s.dir)
	p.println("")
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// memberRow is what became of one function or method.
type memberRow struct {
	Member string `json:"member"`
	Tried  uint64 `json:"tried"`
	Legal  uint64 `json:"legal"`
	Failed uint64 `json:"failed"`  // returned a non-nil error
	Broken uint64 `json:"illegal"` // panicked
	Why    string `json:"why,omitempty"`
}

// members lists what became of every exported function and method, the tried
// ones first.
func members(s *subject, res *coordinator.Result) []memberRow {
	rows := map[string]*memberRow{}
	for _, m := range s.found.Members {
		rows[m] = &memberRow{Member: m}
	}
	for _, c := range res.Ops {
		op := &s.table.Ops[c.Op]
		if row := rows[op.Member]; row != nil && op.API {
			row.Tried += c.Runs
			row.Legal += c.Normal
			row.Failed += c.Failed
			row.Broken += c.Broken
		}
	}
	why := map[string]string{}
	for _, e := range s.found.Excluded {
		why[e.Member] = e.Reason
	}
	for _, d := range s.worker.Dropped {
		why[s.table.Ops[d.Op].Member] = "does not compile: " + d.Reason
	}
	for _, id := range res.Banned {
		if m := s.table.Ops[id].Member; m != "" {
			why[m] = "set aside: it ended too many processes"
		}
	}
	var list []memberRow
	for m, row := range rows {
		row.Why = why[m]
		if row.Tried == 0 && row.Why == "" {
			row.Why = "not tried"
		}
		list = append(list, *row)
	}
	sort.Slice(list, func(i, j int) bool {
		if (list[i].Tried > 0) != (list[j].Tried > 0) {
			return list[i].Tried > 0
		}
		return list[i].Member < list[j].Member
	})
	return list
}

// operationTable prints how often members were called, those of interest only
// unless asked for all: never legal, or never possible.
func (o *output) operationTable(s *subject, res *coordinator.Result) {
	rows := members(s, res)
	legal := 0
	var odd []memberRow
	for _, r := range rows {
		if r.Legal > 0 {
			legal++
		}
		if r.Legal == 0 || o.options.verbose {
			odd = append(odd, r)
		}
	}
	o.printer.println("operations: %d of %d exported functions and methods returned normally at least once", legal, len(rows))
	const most = 40
	if len(odd) == 0 {
		return
	}
	o.printer.println("  %-40s %10s %10s %10s %10s", "", "tried", "legal", "error", "illegal")
	for i, r := range odd {
		if i == most && !o.options.verbose {
			o.printer.println("  … %d more; -v shows all", len(odd)-most)
			break
		}
		o.printer.println("%s", strings.TrimRight(fmt.Sprintf("  %-40s %10d %10d %10d %10d  %s", r.Member, r.Tried, r.Legal, r.Failed, r.Broken, r.Why), " "))
	}
}

// frontier returns the sides not taken of conditions reached.
func (s *subject) frontier(res *coordinator.Result) []int {
	if s.found.Sides == 0 {
		return nil
	}
	return coverage.Frontier(s.found.Conditions, res.Covered)
}

func packageEvent(s *subject, res *coordinator.Result, r *recorder) any {
	rows := members(s, res)
	legal := 0
	for _, row := range rows {
		if row.Legal > 0 {
			legal++
		}
	}
	return map[string]any{
		"schema": schema, "event": "package", "package": s.name(),
		"operations": len(s.table.Ops), "members": len(rows), "members_legal": legal, "member_rows": rows,
		"sequences": res.Counts.Sequences, "steps": res.Counts.Steps, "distinct_values": res.Counts.Values, "distinct_sequences": res.Counts.Distinct,
		"sides": s.found.Sides, "sides_covered": res.Covered.Count(), "corpus_entries": len(r.entries) + res.Entries,
		"ended": res.Stopped, "discovery": res.Counts.Discovery(), "unconfirmed": res.Unconfirmed, "restarts": res.Deaths,
	}
}

// summary prints the end of the whole run.
func (o *output) summary(f *fuzzing, elapsed time.Duration) {
	t := &f.total
	if o.enc == nil {
		if t.packages > 1 {
			o.printer.println("fuzz: %d packages, %d sequences, findings: %d error, %d suspect, in %v", t.packages, t.counts.Sequences, t.findings[engine.Error], t.findings[engine.Suspect], elapsed.Round(100*time.Millisecond))
		}
		return
	}
	o.event(map[string]any{
		"schema": schema, "event": "summary", "packages": t.packages,
		"sequences": t.counts.Sequences, "operations": t.counts.Steps, "distinct_values": t.counts.Values,
		"cpu_seconds": round(t.cpu), "wall_seconds": round(elapsed),
		"conditions": t.conditions, "sides": t.sides, "sides_covered": t.covered, "frontier": t.frontier,
		"corpus_entries": t.entries,
		"findings":       map[string]int{"error": t.findings[engine.Error], "suspect": t.findings[engine.Suspect]},
		"illegal":        t.counts.Illegal, "seed": f.options.seed,
	})
}

func round(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
