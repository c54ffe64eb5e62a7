package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"foray.test/coverage/report"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/coordinator"
	"foray.test/harness/catalog"
)

// schema is the version of the JSON output.
const schema = 1

// maxSuspects is how many suspects of a package are shown: a tool that cries
// wolf is uninstalled. The rest is counted, and all are stored.
const maxSuspects = 5

// output prints, as text for people or as JSON, one object a line.
type output struct {
	options *options
	stdout  io.Writer
	stderr  io.Writer
	enc     *json.Encoder // nil for text
	printer *printer
	now     *stage
	// Of the package at hand:
	suspects int // shown or held back
	causes   causes
}

func newOutput(o *options, p *process) *output {
	w := &watched{p.stdout, p.stop}
	out := &output{options: o, stdout: w, stderr: p.stderr}
	if o.json {
		out.enc = json.NewEncoder(w)
		out.enc.SetEscapeHTML(false)
		return out
	}
	out.printer = newPrinter(w, p.stdout)
	return out
}

// watched is a writer that ends the run if no one reads.
type watched struct {
	io.Writer
	stop func()
}

// Write implements [io.Writer].
func (w *watched) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if err != nil {
		w.stop()
	}
	return n, err
}

func (o *output) event(v any) {
	o.quiet()
	// A reader that went away needs no more output; the run's results are stored.
	_ = o.enc.Encode(v)
}

// errors prints the errors joined in err, each with its hint, and counts them.
func (o *output) errors(err error) int {
	if err == nil {
		return 0
	}
	o.quiet()
	return printError(o.stderr, err)
}

// warn prints a warning and, if there is one, a hint.
func (o *output) warn(msg, hint string) {
	o.quiet()
	fmt.Fprintf(o.stderr, "foray: warning: %s\n", msg)
	if hint != "" {
		fmt.Fprintf(o.stderr, "  hint: %s\n", hint)
	}
}

// verbose prints what only -v tells.
func (o *output) verbose(msg string) {
	if o.options.verbose {
		o.quiet()
		fmt.Fprintf(o.stderr, "foray: %s\n", msg)
	}
}

// interrupted tells that a run is about to end early. It is called from a
// goroutine of its own.
func (o *output) interrupted() {
	fmt.Fprint(o.stderr, "\nforay: interrupted; keeping what was found (a second interrupt ends it at once)\n")
}

func (o *output) begin(s *subject, entries int) {
	o.reset()
	o.quiet()
	if o.printer == nil {
		return
	}
	p := o.printer
	p.last, p.sides, p.total = 0, s.found.Sides, entries
	calls := 0
	for i := range s.table.Ops {
		if s.table.Ops[i].API {
			calls++
		}
	}
	switch {
	case s.listed > 0:
		p.println("fuzz: %s.%s: %s (%s), %s to begin with, %s; seed %d, %s", s.name(), s.fuzz, plural(len(s.table.Ops), "operation"), plural(calls, "call"),
			plural(entries, "input"), plural(len(s.found.Conditions), "condition"), o.options.seed.n, plural(int(o.options.parallel), "worker"))
		return
	case s.fuzz != "":
		p.println("fuzz: %s.%s: %s to begin with, %s; seed %d, %s", s.name(), signature(s.table), plural(entries, "input"),
			plural(len(s.found.Conditions), "condition"), o.options.seed.n, plural(int(o.options.parallel), "worker"))
		return
	}
	p.println("fuzz: %s: %s (%s), %s; seed %d, %s", s.name(), plural(len(s.table.Ops), "operation"), plural(calls, "call"),
		plural(len(s.found.Conditions), "condition"), o.options.seed.n, plural(int(o.options.parallel), "worker"))
}

func (o *output) progress(s coordinator.Snapshot) {
	if o.printer != nil {
		o.printer.Progress(s)
	}
}

// reset forgets the findings of the package before.
func (o *output) reset() { o.suspects, o.causes = 0, causes{} }

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
	News          bool   `json:"news"`                    // no earlier run has found it
	Hits          uint64 `json:"hits,omitempty"`          // sequences that ended in it, in earlier runs
	SameCauseAs   string `json:"same_cause_as,omitempty"` // the signature of one that came before
}

func (o *output) finding(r *recorder, f confirm.Finding, file, test string) {
	t := r.s.table
	old := r.before(&f.Verdict)
	cause, first := o.causes.add(t, f)
	if o.enc != nil {
		e := findingEvent{
			Schema: schema, Event: "finding", Tier: f.Verdict.Tier.String(), Kind: f.Verdict.Kind,
			Operation: t.Ops[f.Verdict.Op].Short, Signature: f.Verdict.Signature,
			Message: f.Verdict.Message, Document: f.Verdict.Document,
			Steps: f.Steps.Calls(t), OriginalSteps: f.Original.Calls(t), Flaky: f.Flaky,
			Package: r.s.name(), File: file, Sequence: t.String(f.Steps), Test: test, News: old == nil,
		}
		if !first {
			e.SameCauseAs = cause.signature
		}
		if old != nil {
			e.Hits = old.Hits
		}
		o.event(e)
		return
	}
	if o.holdBack(f.Verdict.Tier, cause, first) {
		return
	}
	o.annotate(r.s, f)
	if file != "" {
		file = o.options.relative(file)
	}
	if old != nil && !o.options.verbose {
		o.printer.stillThere(t, f, old, file)
		return
	}
	rerun := r.s.rerun(o.options, file)
	switch f.Verdict.Kind {
	case engine.KindRace:
		rerun = r.s.rerunBy(o.options, "fuzz", "-fuzztime", "1x")
	case engine.KindLeak:
		rerun = r.s.rerunBy(o.options, "fuzz", "-leaks", "-fuzztime", "1x")
	}
	o.printer.finding(t, shown{f, r.s.target.Path, r.s.fuzz != "" && r.s.listed == 0, &o.options.seed, file, rerun})
}

// holdBack counts a finding and reports whether it is not to be shown: one that
// shares its cause with another, or one suspect too many.
func (o *output) holdBack(tier engine.Tier, c *cause, first bool) bool {
	if o.options.verbose {
		return false
	}
	if !first {
		return true
	}
	if tier == engine.Suspect {
		o.suspects++
		c.heldBack = o.suspects > maxSuspects
	}
	return c.heldBack
}

// heldBack tells of the findings that were not shown.
func (o *output) heldBack(s *subject) {
	o.moreWays()
	if n := o.suspects - maxSuspects; n > 0 {
		o.printer.println("%s not shown; -v shows all, and all are stored in %s", plural(n+o.causes.hidden(), "more suspect"), o.options.relative(s.dir))
	}
}

// packageDone prints what is known of a package at the end of its run.
func (o *output) packageDone(d *done) {
	s, res := d.s, d.res
	if o.enc != nil {
		o.frontier(d)
		o.event(newPackageEvent(d))
		return
	}
	p := o.printer
	p.println("%s", progressLine(res.Snapshot, s.found.Sides, len(d.r.entries)))
	o.heldBack(s)
	if n := len(d.r.knownSeen); n > 0 {
		p.println("known: %s, of those in %s; %s ended in them", plural(n, "finding"), o.options.relative(d.r.known.file), plural(int(d.r.knownHits), "sequence"))
	}
	if n := len(d.r.muted); n > 0 {
		p.println("suppressed: %s, by what go-fuzz had left", plural(n, "finding"))
	}
	if s.fuzz == "" {
		o.operationTable(s, res)
	}
	if s.found.Sides > 0 {
		p.println("coverage: %d of %d branch sides (%.1f%%), %d on the frontier", res.Covered.Count(), s.found.Sides, percent(res.Covered.Count(), s.found.Sides), d.state.Totals().Frontier)
		if res.AimedFrom != nil {
			p.println("frontier: %v", d.aims)
		}
		p.println("estimate: the next sequence takes a new branch side with probability %s (Good-Turing)", discovery(res.Counts))
	}
	if res.Unconfirmed > 0 {
		p.println("unconfirmed: %s did not show again in fresh processes", plural(res.Unconfirmed, "finding"))
	}
	p.println("corpus: %s in %s", plural(d.entries(), "entry"), o.options.relative(d.r.corpus))
	p.println("ended: %s\n", reason(res.Stopped))
}

// reason says in words why a run ended.
func reason(stopped string) string {
	switch stopped {
	case "time":
		return "the time was up"
	case "sequences":
		return "all sequences were run"
	case "plateau":
		return "nothing new came for as long as it took to get there"
	}
	return stopped
}

// discovery prints a probability; that of what was never seen is no number.
func discovery(c engine.Counts) string {
	if p := c.Discovery(); p > 0 {
		return fmt.Sprintf("%.1g", p)
	}
	return fmt.Sprintf("below %.1g", 1/float64(c.Sampled))
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
	legal, left := 0, 0
	var odd []memberRow
	for _, r := range rows {
		switch {
		case r.Legal > 0:
			legal++
		case r.Why == catalog.NotChosen:
			left++
		}
		if r.Legal == 0 && r.Why != catalog.NotChosen || o.options.verbose {
			odd = append(odd, r)
		}
	}
	p := o.printer
	text := "operations: %d of %d exported functions and methods returned normally at least once"
	if left > 0 {
		text += fmt.Sprintf("; %d were %s", left, catalog.NotChosen)
	}
	p.println(text, legal, len(rows))
	if len(odd) == 0 {
		return
	}
	const most = 40
	more := 0
	if len(odd) > most && !o.options.verbose {
		odd, more = odd[:most], len(odd)-most
	}
	tw := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := 0
	for _, r := range odd {
		width = max(width, utf8.RuneCountInString(r.Member))
	}
	fmt.Fprintf(tw, "  %-*s\ttried\tlegal\terror\tpanic\t\n", width, "")
	for _, r := range odd {
		why := r.Why
		if why != "" {
			why = "  " + why
		}
		fmt.Fprintf(tw, "  %-*s\t%d\t%d\t%d\t%d\t%s\n", width, r.Member, r.Tried, r.Legal, r.Failed, r.Broken, why)
	}
	tw.Flush()
	if more > 0 {
		p.println("  … %d more; -v shows all", more)
	}
}

// frontierEvent is the JSON form of what became of a side of the frontier.
type frontierEvent struct {
	Schema    int    `json:"schema"`
	Event     string `json:"event"`
	Package   string `json:"package"`
	ID        string `json:"id"` // of the condition
	File      string `json:"file"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	Text      string `json:"text"`
	Status    string `json:"status"`
	Edit      string `json:"edit"`
	Runs      uint64 `json:"runs"`
	Witnesses int    `json:"witnesses"`
}

// frontier prints what became of the sides that are or were on the frontier.
func (o *output) frontier(d *done) {
	for i := range d.state.Conditions {
		c := &d.state.Conditions[i]
		for _, side := range c.Sides {
			if side.Status == "" {
				continue
			}
			o.event(frontierEvent{
				Schema: schema, Event: "frontier", Package: d.s.name(), ID: c.ID, File: c.File, Line: c.Line,
				Side: side.Name, Text: c.Text, Status: side.Status, Edit: side.Edit, Runs: side.Runs, Witnesses: side.Witnesses,
			})
		}
	}
}

// functionRow counts the sides of one function.
type functionRow struct {
	Name    string `json:"name"`
	Sides   int    `json:"sides"`
	Covered int    `json:"covered"`
}

func functionRows(state *report.State) []functionRow {
	rows := []functionRow{}
	for _, f := range state.Functions() {
		rows = append(rows, functionRow{f.Name, f.Sides, f.Taken})
	}
	return rows
}

// packageEvent is the JSON form of what is known of a package at the end of its run.
type packageEvent struct {
	Schema            int    `json:"schema"`
	Event             string `json:"event"`
	Package           string `json:"package"`
	Target            string `json:"target,omitempty"`
	Sequences         uint64 `json:"sequences"`
	DistinctSequences uint64 `json:"distinct_sequences"`
	Steps             uint64 `json:"steps"`
	DistinctValues    uint64 `json:"distinct_values"`
	Sides             int    `json:"sides"`
	SidesCovered      int    `json:"sides_covered"`
	LastNewSide       uint64 `json:"last_new_side"` // the sequence that last took one, 0 if none did
	frontierCounts
	CorpusEntries int     `json:"corpus_entries"`
	Ended         string  `json:"ended"`
	Discovery     float64 `json:"discovery"`
	Unconfirmed   int     `json:"unconfirmed"`
	Known         int     `json:"known"`       // findings that the package's authors know of, and that have shown
	StillThere    int     `json:"still_there"` // findings of earlier runs that show still
	Fixed         int     `json:"fixed"`       // … and that do not any more
	// Hits tells by signature how many sequences of this run ended in a finding.
	Hits         map[string]uint64 `json:"hits"`
	Restarts     int               `json:"restarts"`
	Abandoned    uint64            `json:"abandoned"` // sequences given up in a call that waits
	Operations   int               `json:"operations"`
	Members      int               `json:"members"`
	MembersLegal int               `json:"members_legal"`
	MemberRows   []memberRow       `json:"member_rows"`
	Functions    []functionRow     `json:"functions"`
}

// frontierCounts is the JSON form of aims.
type frontierCounts struct {
	Start   int            `json:"frontier_start"`
	Flipped int            `json:"frontier_flipped"`
	Status  map[string]int `json:"frontier_status"`
}

func newFrontierCounts(a aims) frontierCounts {
	if a.status == nil {
		a.status = map[string]int{}
	}
	return frontierCounts{a.start, a.flipped, a.status}
}

func newPackageEvent(d *done) packageEvent {
	s, res := d.s, d.res
	rows := members(s, res)
	legal := 0
	for _, row := range rows {
		if row.Legal > 0 {
			legal++
		}
	}
	return packageEvent{
		Schema: schema, Event: "package", Package: s.name(), Target: s.fuzz,
		Sequences: res.Counts.Sequences, DistinctSequences: res.Counts.Distinct, Steps: res.Counts.Steps, DistinctValues: res.Counts.Values,
		Sides: s.found.Sides, SidesCovered: res.Covered.Count(), LastNewSide: res.Counts.LastNew,
		frontierCounts: newFrontierCounts(d.aims), CorpusEntries: d.entries(),
		Ended: res.Stopped, Discovery: res.Counts.Discovery(), Unconfirmed: res.Unconfirmed,
		Known: len(d.r.knownSeen) + len(d.r.muted), StillThere: d.r.still, Fixed: d.r.fixed, Hits: res.Hits, Restarts: res.Deaths, Abandoned: res.Counts.Abandoned,
		Operations: len(s.table.Ops), Members: len(rows), MembersLegal: legal, MemberRows: rows, Functions: functionRows(d.state),
	}
}

// summaryEvent is the last line of the JSON output.
type summaryEvent struct {
	Schema         int     `json:"schema"`
	Event          string  `json:"event"`
	Packages       int     `json:"packages"`
	Sequences      uint64  `json:"sequences"`
	Aimed          uint64  `json:"aimed"`      // … of them at the frontier
	Operations     uint64  `json:"operations"` // executed steps
	DistinctValues uint64  `json:"distinct_values"`
	CPUSeconds     float64 `json:"cpu_seconds"`         // of the workers
	ConfirmCPU     float64 `json:"confirm_cpu_seconds"` // to minimize and confirm findings
	RunSeconds     float64 `json:"run_seconds"`         // that workers ran sequences
	ContractTime   float64 `json:"contract_seconds"`    // … of that contracts
	WallSeconds    float64 `json:"wall_seconds"`
	Conditions     int     `json:"conditions"`
	Sides          int     `json:"sides"`
	SidesCovered   int     `json:"sides_covered"`
	Frontier       int     `json:"frontier"`
	frontierCounts
	CorpusEntries int            `json:"corpus_entries"`
	Findings      findingsByTier `json:"findings"`
	Known         int            `json:"known"` // findings that are listed as known, and have shown
	Fixed         int            `json:"fixed"` // findings of earlier runs that do not show any more
	Illegal       uint64         `json:"illegal"`
	Seed          uint64         `json:"seed"`
}

type findingsByTier struct {
	Error   int `json:"error"`
	Suspect int `json:"suspect"`
}

// summary prints the end of the whole run.
func (o *output) summary(f *fuzzing, elapsed time.Duration) {
	o.quiet()
	t := &f.total
	if o.enc == nil {
		if f.left > 0 {
			o.printer.println("fuzz: interrupted before %s", plural(f.left, "package"))
		}
		if t.packages > 1 {
			o.printer.println("fuzz: %s, %s, findings: %d error, %d suspect, in %v", plural(t.packages, "package"), plural(int(t.counts.Sequences), "sequence"), t.findings[engine.Error], t.findings[engine.Suspect], elapsed.Round(100*time.Millisecond))
		}
		return
	}
	o.event(summaryEvent{
		Schema: schema, Event: "summary", Packages: t.packages,
		Sequences: t.counts.Sequences, Aimed: t.counts.Aimed, Operations: t.counts.Steps, DistinctValues: t.counts.Values,
		CPUSeconds: seconds(t.cpu), ConfirmCPU: seconds(t.confirmCPU), RunSeconds: seconds(t.running), ContractTime: seconds(t.judging), WallSeconds: seconds(elapsed),
		Conditions: t.conditions, Sides: t.sides, SidesCovered: t.covered, Frontier: t.frontier, frontierCounts: newFrontierCounts(t.aims),
		CorpusEntries: t.entries,
		Findings:      findingsByTier{t.findings[engine.Error], t.findings[engine.Suspect]},
		Known:         t.known, Fixed: t.fixed, Illegal: t.counts.Illegal, Seed: f.options.seed.n,
	})
}

func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
