package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"foray.test/engine/difference"
	"foray.test/engine/seq"
	"foray.test/engine/versions"
	"foray.test/harness/emit"
)

// differenceEvent is the JSON form of a difference.
type differenceEvent struct {
	Schema        int      `json:"schema"`
	Event         string   `json:"event"`
	Package       string   `json:"package"`
	Operation     string   `json:"operation"`
	Class         string   `json:"class"`
	SeenBy        []string `json:"seen_by,omitempty"`
	AlsoAt        []string `json:"also_at,omitempty"`       // operations that differ for the same cause
	SameCauseAs   string   `json:"same_cause_as,omitempty"` // the operation of a difference that came before
	Where         string   `json:"where,omitempty"`
	Steps         int      `json:"steps"`
	OriginalSteps int      `json:"original_steps"`
	Sequence      string   `json:"sequence,omitempty"`
	Old           string   `json:"old"`
	New           string   `json:"new"`
	Test          string   `json:"test"`
}

// diffSummaryEvent is the last line of the JSON output of a comparison.
type diffSummaryEvent struct {
	Schema      int            `json:"schema"`
	Event       string         `json:"event"`
	Package     string         `json:"package"`
	Old         string         `json:"old"`
	New         string         `json:"new"`
	Sequences   uint64         `json:"sequences"`
	Operations  uint64         `json:"operations"`  // executed steps, of one side
	Differences int            `json:"differences"` // causes
	SameCause   int            `json:"same_cause"`  // differences that share one with another
	Classes     map[string]int `json:"classes"`
	Unstable    []string       `json:"unstable"` // operations that do not repeat themselves
	Flaky       int            `json:"flaky"`
	CPUSeconds  float64        `json:"cpu_seconds"`
	WallSeconds float64        `json:"wall_seconds"`
	Ended       string         `json:"ended"`
	Seed        uint64         `json:"seed"`
}

func (r *diffRecorder) begin() {
	r.out.quiet()
	if r.out.enc != nil {
		return
	}
	t := r.c.old.table
	calls := 0
	for i := range t.Ops {
		if t.Ops[i].API {
			calls++
		}
	}
	if r.markdown() {
		r.out.printer.println("## `%s`: %s → %s\n", r.c.old.target.Path, r.c.oldName, r.c.newName)
		return
	}
	r.out.printer.println("diff: %s: %s against %s; %s (%s) in common; seed %d", r.c.old.target.Path, r.c.oldName, r.c.newName,
		plural(len(t.Ops), "operation"), plural(calls, "call"), r.o.seed.n)
}

func (r *diffRecorder) markdown() bool { return r.o.format == "markdown" && r.out.enc == nil }

// Progress implements [versions.Reporter].
func (r *diffRecorder) Progress(s versions.Snapshot) {
	p := r.out.printer
	if p == nil || r.markdown() && !p.live {
		return
	}
	every := progressEvery
	if p.live {
		every = 200 * time.Millisecond
	}
	if s.Elapsed-p.last < every {
		return
	}
	p.last = s.Elapsed
	text := diffProgress(s)
	if p.live {
		p.draw(text)
		return
	}
	p.println("%s", text)
}

func diffProgress(s versions.Snapshot) string {
	text := fmt.Sprintf("diff: elapsed: %ds, sequences: %d (%.0f/sec), differences: %d", int(s.Elapsed.Seconds()), s.Sequences,
		float64(s.Sequences)/max(s.Elapsed.Seconds(), 0.001), s.Differences)
	if s.Unstable > 0 {
		text += fmt.Sprintf(", unstable operations: %d", s.Unstable)
	}
	if s.Pending > 0 {
		text += fmt.Sprintf(", to look at: %d", s.Pending)
	}
	return text
}

// removed tells of an operation that NEW does not have as OLD had it.
func (r *diffRecorder) removed(g gone) {
	r.count++
	r.classes[difference.Removed]++
	e := differenceEvent{
		Schema: schema, Event: "difference", Package: r.c.old.target.Path, Operation: g.Member, Class: difference.Removed,
		Old: g.Old, New: g.New, Test: g.Test,
	}
	if e.New == "" {
		e.New = "removed"
	}
	r.tell(e, "")
}

// Difference implements [versions.Reporter]. The JSON output has all that have the cause
// in common.
func (r *diffRecorder) Difference(d versions.Cause) {
	t := r.c.old.table
	r.count++
	r.classes[d.Class]++
	r.sameCause += len(d.Also)
	e := r.event(&d.Difference)
	for _, f := range d.Also {
		if name := called(t, f.Op); !slices.Contains(e.AlsoAt, name) {
			e.AlsoAt = append(e.AlsoAt, name)
		}
	}
	var keep []int32
	if d.Place == difference.InSlot {
		keep = []int32{int32(d.Index)}
	}
	r.tell(e, emit.Statements(t, d.Steps, keep...))
	if r.out.enc == nil {
		return
	}
	for i := range d.Also {
		also := r.event(&d.Also[i])
		also.SameCauseAs = e.Operation
		r.out.event(also)
	}
}

// event returns the JSON form of a difference.
func (r *diffRecorder) event(d *versions.Difference) differenceEvent {
	t := r.c.old.table
	named := emit.Versions{Old: r.versionName(r.c.old, r.c.oldName), New: r.versionName(r.c.new, r.c.newName)}
	test, err := emit.Difference(t, d.Steps, d.Difference, d.Op, d.Before, d.After, named, emit.Options{Package: r.c.old.target.Name})
	if err != nil {
		r.Note(fmt.Sprintf("%s of %s: no test: %v", d.Class, t.Ops[d.Op].Short, err))
	}
	e := differenceEvent{
		Schema: schema, Event: "difference", Package: r.c.old.target.Path, Operation: called(t, d.Op), Class: d.Class, Where: d.Where(),
		Steps: d.Steps.Calls(t), OriginalSteps: d.Original.Calls(t), Sequence: t.String(d.Steps),
		Old: d.Old.String(), New: d.New.String(), Test: string(test),
	}
	if len(d.SeenBy) > 0 {
		e.SeenBy = names(t, d.SeenBy)
	}
	return e
}

// versionName is what a version is called in a test: not where it was checked out.
func (r *diffRecorder) versionName(s *subject, arg string) string {
	if s.version != "" {
		return s.version
	}
	return arg
}

// tell prints a difference. code is what shows it, for people.
func (r *diffRecorder) tell(e differenceEvent, code string) {
	if r.out.enc != nil {
		r.out.event(e)
		return
	}
	p := r.out.printer
	if r.markdown() {
		p.println("%s", markdown(e, code, r.c))
		return
	}
	p.println("--- DIFF: %s (%s)", e.Operation, e.Class)
	if code != "" {
		p.println("%s", indent(code, "        "))
	}
	where := ""
	if e.Where != "" {
		where = " (" + e.Where + ")"
	}
	width := max(len(r.c.oldName), len(r.c.newName))
	p.println("    %-*s  %s%s", width, r.c.oldName, oneLine(e.Old, 200), where)
	p.println("    %-*s  %s", width, r.c.newName, oneLine(e.New, 200))
	if len(e.SeenBy) > 0 {
		p.println("    seen by %s", some(e.SeenBy, false))
	}
	if len(e.AlsoAt) > 0 {
		p.println("    also seen at: %s", some(e.AlsoAt, r.o.verbose))
	}
	if e.Test != "" {
		p.println("%s", indent(e.Test, "    | "))
	}
	p.println("")
}

// markdown returns a difference as a section of a comment on a pull request.
func markdown(e differenceEvent, code string, c *compared) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", inCode(e.Operation), e.Class)
	if code != "" {
		fmt.Fprintf(&b, "```go\n%s\n```\n\n", strings.TrimRight(code, "\n"))
	}
	fmt.Fprintf(&b, "| version | %s |\n| --- | --- |\n", strings.TrimSpace("result "+e.Where))
	fmt.Fprintf(&b, "| %s | %s |\n| %s | %s |\n", cell(c.oldName), inCode(cell(oneLine(e.Old, 200))), cell(c.newName), inCode(cell(oneLine(e.New, 200))))
	if len(e.SeenBy) > 0 {
		fmt.Fprintf(&b, "\nSeen by %s.\n", some(e.SeenBy, false))
	}
	if len(e.AlsoAt) > 0 {
		fmt.Fprintf(&b, "\nAlso seen at: %s.\n", some(e.AlsoAt, false))
	}
	if e.Test != "" {
		fmt.Fprintf(&b, "\n<details><summary>test that passes on %s only</summary>\n\n```go\n%s```\n\n</details>\n", c.oldName, e.Test)
	}
	return b.String()
}

// cell returns text as it may stand in a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// inCode returns text as Markdown shows it verbatim.
func inCode(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 || text == "" {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// summary prints the end of a comparison.
func (r *diffRecorder) summary(res *versions.Result, elapsed time.Duration) {
	r.out.quiet()
	if r.out.enc != nil {
		r.out.event(diffSummaryEvent{
			Schema: schema, Event: "summary", Package: r.c.old.target.Path, Old: r.c.oldName, New: r.c.newName,
			Sequences: res.Sequences, Operations: res.Steps, Differences: r.count, SameCause: r.sameCause, Classes: r.classes,
			Unstable: names(r.c.old.table, res.Unstable), Flaky: res.Flaky,
			CPUSeconds: seconds(res.CPU), WallSeconds: seconds(elapsed), Ended: res.Stopped, Seed: r.o.seed.n,
		})
		return
	}
	p := r.out.printer
	if !r.markdown() {
		p.println("%s", diffProgress(res.Snapshot))
	}
	if len(res.Unstable) > 0 {
		p.println("left out, since they do not repeat themselves: %s", some(names(r.c.old.table, res.Unstable), r.o.verbose))
	}
	if r.count == 0 {
		p.println("no difference in %s", plural(int(res.Sequences), "sequence"))
	} else {
		p.println("%s in %s", plural(r.count, "difference"), plural(int(res.Sequences), "sequence"))
	}
	if !r.markdown() {
		p.println("ended: %s", reason(res.Stopped))
	}
}

// called returns what an operation is called: an exported function or method by its
// name alone.
func called(t *seq.Table, op seq.OpID) string {
	if m := t.Ops[op].Member; m != "" {
		return m
	}
	return t.Ops[op].Short
}

// names returns what operations are called, each name once.
func names(t *seq.Table, ops []seq.OpID) []string {
	list := []string{}
	for _, id := range ops {
		if name := called(t, id); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
