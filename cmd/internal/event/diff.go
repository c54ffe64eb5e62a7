package event

import (
	"cmp"
	"fmt"
	"strings"

	"foray.test/cmd/internal/text"
	"foray.test/engine/versions"
)

// Versions names the versions that are compared, as the user did, and how.
type Versions struct {
	Old, New string
	Markdown bool
}

// Compared is the beginning of a comparison. It has no JSON form.
type Compared struct {
	Versions
	Commits    [2]string // hash and subject of the versions that are git revisions
	Package    string
	Operations int // that both versions have
	Calls      int
	Seed       uint64
}

func (*Compared) name() string    { return "" }
func (*Compared) before() []Event { return nil }

func (e *Compared) text(p *Printer) {
	old, next := withCommit(e.Old, e.Commits[0]), withCommit(e.New, e.Commits[1])
	if e.Markdown {
		p.Printf("## `%s`: %s → %s\n", e.Package, old, next)
		return
	}
	p.Printf("diff: %s: %s against %s; %s (%s) in common; seed %d", e.Package, old, next,
		text.Plural(e.Operations, "operation"), text.Plural(e.Calls, "call"), e.Seed)
}

// withCommit returns the name of a version with its commit, if it has one.
func withCommit(name, commit string) string {
	if commit == "" {
		return name
	}
	return name + " (" + text.OneLine(commit, 60) + ")"
}

// DiffProgress returns the state of a comparison.
func DiffProgress(s versions.Snapshot) string {
	line := fmt.Sprintf("diff: elapsed: %ds, sequences: %d (%.0f/sec), differences: %d", int(s.Elapsed.Seconds()), s.Sequences, perSecond(s.Sequences, s.Elapsed), s.Differences)
	return line + when(s.Unstable > 0, ", unstable operations: %d", s.Unstable) + when(s.Pending > 0, ", to look at: %d", s.Pending)
}

// A Difference is a difference between two versions.
type Difference struct {
	Package       string   `json:"package"`
	Operation     string   `json:"operation"`
	Class         string   `json:"class"`
	SeenBy        []string `json:"seen_by,omitempty"`
	AlsoAt        []string `json:"also_at,omitempty"`       // operations that differ for the same cause
	SameCauseAs   string   `json:"same_cause_as,omitempty"` // the operation of an earlier difference
	Where         string   `json:"where,omitempty"`
	Steps         int      `json:"steps"`
	OriginalSteps int      `json:"original_steps"`
	Sequence      string   `json:"sequence,omitempty"`
	Old           string   `json:"old"`
	New           string   `json:"new"`
	Test          string   `json:"test"`
	Code          string   `json:"-"` // the calls, as Go
	Versions      Versions `json:"-"`
}

func (*Difference) name() string { return "difference" }

func (e *Difference) text(p *Printer) {
	if e.SameCauseAs != "" {
		return // the earlier one names it
	}
	if e.Versions.Markdown {
		p.Printf("%s", e.markdown())
		return
	}
	p.Printf("--- DIFF: %s (%s)", e.Operation, e.Class)
	if e.Code != "" {
		p.Printf("%s", text.Indent(e.Code, "        "))
	}
	v := e.Versions
	width := max(len(v.Old), len(v.New))
	p.Printf("    %-*s  %s%s", width, v.Old, result(e.Old), when(e.Where != "", " (%s)", e.Where))
	p.Printf("    %-*s  %s", width, v.New, result(e.New))
	if len(e.SeenBy) > 0 {
		p.Printf("    seen by %s", text.Some(e.SeenBy, false))
	}
	if len(e.AlsoAt) > 0 {
		p.Printf("    also seen at: %s", text.Some(e.AlsoAt, p.Verbose))
	}
	if e.Test != "" {
		p.Printf("%s", text.Indent(e.Test, "    | "))
	}
	p.Printf("")
}

// result returns a result on one line. Its spaces stay, since they may be the difference.
func result(value string) string { return text.Cut(strings.ReplaceAll(value, "\n", " "), 200) }

// markdown returns a difference as a section of a comment on a pull request.
func (e *Difference) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", text.Code(e.Operation), e.Class)
	if e.Code != "" {
		fmt.Fprintf(&b, "```go\n%s\n```\n\n", strings.TrimRight(e.Code, "\n"))
	}
	v := e.Versions
	fmt.Fprintf(&b, "| version | %s |\n| --- | --- |\n", cmp.Or(e.Where, "result"))
	fmt.Fprintf(&b, "| %s | %s |\n| %s | %s |\n", cell(v.Old), text.Code(cell(result(e.Old))), cell(v.New), text.Code(cell(result(e.New))))
	if len(e.SeenBy) > 0 {
		fmt.Fprintf(&b, "\nSeen by %s.\n", text.Some(e.SeenBy, false))
	}
	if len(e.AlsoAt) > 0 {
		fmt.Fprintf(&b, "\nAlso seen at: %s.\n", text.Some(e.AlsoAt, false))
	}
	if e.Test != "" {
		fmt.Fprintf(&b, "\n<details><summary>test that passes on %s only</summary>\n\n```go\n%s```\n\n</details>\n", v.Old, e.Test)
	}
	return b.String()
}

// cell returns a text as it may stand in a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// DiffSummary is the end of a comparison.
type DiffSummary struct {
	Package     string            `json:"package"`
	Old         string            `json:"old"`
	New         string            `json:"new"`
	Sequences   uint64            `json:"sequences"`
	Operations  uint64            `json:"operations"`  // executed steps, of one side
	Differences int               `json:"differences"` // causes
	SameCause   int               `json:"same_cause"`  // differences that share one with another
	Classes     map[string]int    `json:"classes"`
	Unstable    []string          `json:"unstable"` // operations that do not repeat themselves
	Flaky       int               `json:"flaky"`
	CPUSeconds  Seconds           `json:"cpu_seconds"`
	WallSeconds Seconds           `json:"wall_seconds"`
	Ended       string            `json:"ended"`
	Seed        uint64            `json:"seed"`
	Markdown    bool              `json:"-"`
	Snapshot    versions.Snapshot `json:"-"`
}

func (*DiffSummary) name() string { return "summary" }

func (e *DiffSummary) text(p *Printer) {
	if !e.Markdown {
		p.Printf("%s", DiffProgress(e.Snapshot))
	}
	if len(e.Unstable) > 0 {
		p.Printf("left out, since they do not repeat themselves: %s", text.Some(e.Unstable, p.Verbose))
	}
	count := "no difference"
	if e.Differences > 0 {
		count = text.Plural(e.Differences, "difference")
	}
	p.Printf("%s in %s", count, text.Plural(e.Sequences, "sequence"))
	if !e.Markdown {
		p.Printf("ended: %s", ended(e.Ended))
	}
}
