package event

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/emit"
)

// A Finding is a finding of a run.
type Finding struct {
	Tier          string   `json:"tier"`
	Claim         string   `json:"claim,omitempty"` // its assertion: see engine.Claim
	Kind          string   `json:"kind"`
	Operation     string   `json:"operation"`
	Signature     string   `json:"signature"`
	Message       string   `json:"message"`
	Rule          string   `json:"rule,omitempty"`     // the name of the rule that decided the tier
	Evidence      []string `json:"evidence,omitempty"` // the names of all rules and limits that apply to a crash
	Document      string   `json:"document,omitempty"`
	When          string   `json:"when,omitempty"` // the circumstances in which it fails
	Use           string   `json:"use,omitempty"`  // how the package's own tests use the last call
	Near          string   `json:"near,omitempty"` // the same in a word: see usage.Use
	Odds          float64  `json:"odds,omitempty"` // the probability that it is a bug: see package odds
	Steps         int      `json:"steps"`
	OriginalSteps int      `json:"original_steps"`
	Flaky         bool     `json:"flaky"`
	Unconfirmed   string   `json:"unconfirmed,omitempty"` // why its test does not show it; empty if the test has failed
	Package       string   `json:"package"`
	File          string   `json:"file"`
	Sequence      string   `json:"sequence"`
	Test          string   `json:"test"`
	News          bool     `json:"news"`                    // no earlier run has found it
	Hits          uint64   `json:"hits,omitempty"`          // sequences that ended in it, in earlier runs
	SameCauseAs   string   `json:"same_cause_as,omitempty"` // the signature of an earlier finding
	emit.Snippet           // its code as people see it
	Text          Shown    `json:"-"`
}

// Shown are the parts of a finding that people see beside the fields of its JSON form.
type Shown struct {
	Hidden     bool
	Untried    bool      // with Unconfirmed: its test could not be tried
	Unlikely   bool      // by its Odds, or Lowered
	Lowered    bool      // by a rule that its Odds do not know
	Code       string    // the calls, as Go
	Stack      string    // may be empty
	Origin     string    // its length, and that of the sequence it was minimized from
	Rerun      string    // the command that shows it again
	First      time.Time // when an earlier run found it, unless it is news
	Annotation string    // of a GitHub workflow; may be empty
}

func (*Finding) name() string { return "finding" }

// NewFinding returns the event of a finding in a package at an import path.
func NewFinding(t *seq.Table, f *engine.Finding, path string) *Finding {
	v := &f.Verdict
	e := &Finding{
		Tier: v.Tier.String(), Claim: string(v.Claim), Kind: v.Kind, Operation: t.Ops[v.Op].Short, Signature: v.Signature.String(),
		Message: v.Message, Rule: v.Rule, Evidence: v.Applies, Document: v.Reason, When: f.When, Steps: f.Steps.Calls(t), OriginalSteps: f.Original.Calls(t), Flaky: f.Flaky,
		Sequence: t.String(f.Steps), News: true, Unconfirmed: f.Doubt,
	}
	e.Snippet = code(t, f)
	e.Text.Code, e.Text.Stack, e.Text.Untried = e.Snippet.Text(path), v.Stack, f.Untried
	if v.Kind != engine.KindRace { // both sides of a race are short
		e.Text.Stack = shorten(v.Stack, path)
	}
	return e
}

func (e *Finding) text(p *Printer) {
	s := &e.Text
	if s.Hidden {
		return
	}
	if s.Annotation != "" {
		p.Printf("%s", s.Annotation)
	}
	if !e.News && !p.Verbose {
		e.again(p)
		return
	}
	if e.Unconfirmed != "" {
		if e.Tier == engine.Error.String() || p.Verbose {
			e.doubtful(p)
		}
		return
	}
	p.Printf("%s", p.paintTier(e.Tier, e.head(labels[e.Tier])+when(e.Flaky, ", flaky")+")"))
	for _, part := range []struct{ text, indent string }{
		{e.Message, "    "}, {e.Document, "    "}, {e.odds(), "    "}, {e.Use, "    "}, {e.When, "    "}, {s.Code, "        "}, {s.Stack, "    "}, {s.Origin, "    "}, {"signature " + e.Signature, "    "},
	} {
		if part.text != "" {
			p.Printf("%s", text.Indent(part.text, part.indent))
		}
	}
	if e.File != "" {
		p.Printf("    written to %s", p.Relative(e.File))
	}
	p.Printf("    re-run: %s\n", s.Rerun)
}

// labels are the words that begin a finding, by its tier: only an error fails a run.
var labels = map[string]string{"error": "FAIL", "panic": "PANIC", "suspect": "SUSPECT"}

// head returns the first line of a finding without the closing parenthesis.
func (e *Finding) head(label string) string {
	is := e.Tier + ": " + e.Kind
	if e.Tier == engine.Panic.String() {
		is = e.Kind
	}
	return fmt.Sprintf("--- %s: %s (%s", label, e.Operation, is)
}

// odds tells the odds of a finding, empty if it has none, people have not judged its like, or a rule
// lowered it.
func (e *Finding) odds() string {
	if e.Tier == engine.Suspect.String() || e.Odds == 0 || e.Odds == 1 || e.Text.Lowered {
		return ""
	}
	return fmt.Sprintf("of findings with such calls %.0f in 100 were bugs", 100*e.Odds)
}

// doubtful prints a finding that its test does not show. Without -v only errors are printed: no
// doubtful suspect is worth reading.
func (e *Finding) doubtful(p *Printer) {
	hint := unconfirmedHint
	if e.Text.Untried {
		hint = untriedHint
	}
	p.Printf("%s", e.head("UNCONFIRMED")+")")
	for _, part := range []struct{ text, indent string }{
		{e.Message, "    "}, {e.Document, "    "}, {"fresh processes of foray show it, but " + e.Unconfirmed, "    "}, {e.Text.Code, "        "}, {hint, "    "}, {"signature " + e.Signature + "\n", "    "},
	} {
		if part.text != "" {
			p.Printf("%s", text.Indent(part.text, part.indent))
		}
	}
}

// Hints for a finding that its test does not show, and for one with a test that was not tried.
const (
	unconfirmedHint = "it fails no run; timing or earlier calls may matter: try the calls in a test of your own, with -count=100 and -race"
	untriedHint     = "it fails no run as yet: try the calls in a test of your own, or run foray longer"
)

// mostAgain is how many lines of code an error that is still there is shown with: the run that
// found it may have been another person's.
const mostAgain = 6

// again prints a finding of an earlier run that still fails.
func (e *Finding) again(p *Printer) {
	p.Printf("%s\n%s", p.paintTier(e.Tier, e.head("still there")+")"), text.Indent(e.Message, "    "))
	if code := e.Text.Code; e.Tier == engine.Error.String() && code != "" && strings.Count(strings.TrimSpace(code), "\n") < mostAgain {
		p.Printf("%s", text.Indent(code, "        "))
	}
	since := when(e.Hits > 0, ", %s ended in it since", text.Plural(e.Hits, "sequence"))
	p.Printf("    found %s%s\n    signature %s", e.Text.First.Format(time.DateOnly), since, e.Signature)
	if e.File != "" {
		p.Printf("    written to %s", p.Relative(e.File))
	}
	p.Printf("")
}

// code returns the calls of a finding as Go, with the assertion that fails after them.
func code(t *seq.Table, f *engine.Finding) emit.Snippet {
	s, err := emit.Code(t, f.Steps, &f.Verdict)
	if err != nil {
		return emit.Snippet{Code: emit.Shown(t, f.Steps, &f.Verdict)}
	}
	return s
}

// Code returns the calls of a finding of package path and the check that fails, as Go to paste.
func Code(t *seq.Table, f *engine.Finding, path string) string {
	s := code(t, f)
	return s.Text(path)
}

// Origin tells the length of a finding, and before it was minimized: in calls, or in
// bytes of the input of a fuzz target.
func Origin(t *seq.Table, f *engine.Finding, target bool) string {
	n, was, noun := f.Steps.Calls(t), f.Original.Calls(t), "call"
	if target {
		n, was, noun = f.Steps.TextBytes(), f.Original.TextBytes(), "byte"
	}
	if was > n {
		return fmt.Sprintf("minimized from %s to %d", text.Plural(was, noun), n)
	}
	return text.Plural(n, noun)
}

// maxFrames is how many frames of a stack are printed; the finding's file has all.
const maxFrames = 5

// shorten leaves out frames that do not lead to the cause. Of the frames outside of the
// package it keeps the first, where the panic happened; of a recursion, one.
func shorten(stack, path string) string {
	if stack == "" {
		return ""
	}
	var b strings.Builder
	frames, left := 0, 0
	keep := false
	last := ""
	for line := range strings.Lines(strings.TrimRight(stack, "\n") + "\n") {
		if !strings.HasPrefix(line, "\t") {
			keep = frames < maxFrames && (frames == 0 || strings.HasPrefix(line, path+".")) && line != last
			if !keep {
				left++
				continue
			}
			last = line
			if frames++; left > 0 {
				fmt.Fprintf(&b, "… %s\n", text.Plural(left, "frame"))
				left = 0
			}
		}
		if keep {
			b.WriteString(line)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "… %s\n", text.Plural(left, "frame"))
	}
	return b.String()
}

// Replayed is a stored sequence that fails when it is run again.
type Replayed struct {
	Package     string   `json:"package"`
	Name        string   `json:"name"`
	Tier        string   `json:"tier"`
	Kind        string   `json:"kind"`
	Signature   string   `json:"signature"`
	Message     string   `json:"message"`
	Rule        string   `json:"rule,omitempty"`
	Evidence    []string `json:"evidence,omitempty"`
	Claim       string   `json:"claim,omitempty"`
	Use         string   `json:"use,omitempty"`
	Odds        float64  `json:"odds,omitempty"`
	New         bool     `json:"new"` // it is an entry, which did not fail
	SameCauseAs string   `json:"same_cause_as,omitempty"`
	Finding     *Finding `json:"-"`
}

func (*Replayed) name() string { return "replayed" }

func (e *Replayed) text(p *Printer) { e.Finding.text(p) }

// Fixed is a stored finding that does not fail any more.
type Fixed struct {
	Package   string `json:"package"`
	Name      string `json:"name"`
	Signature string `json:"signature"`
}

func (*Fixed) name() string { return "fixed" }

func (e *Fixed) text(p *Printer) {
	p.Printf("%s", p.paint(green, fmt.Sprintf("%s: %s does not fail any more", e.Package, e.Name)))
}

// Replay is the end of a replay of one package.
type Replay struct {
	Package      string `json:"package"`
	Entries      int    `json:"entries"`
	Findings     int    `json:"findings"`
	Failing      int    `json:"failing"`
	LessSure     int    `json:"less_sure"` // shown, of a tier that is no failure
	Known        int    `json:"known"`     // failing, and listed as known
	Fixed        int    `json:"fixed"`
	Sides        int    `json:"sides"`
	SidesCovered int    `json:"sides_covered"`
	Group        *Group `json:"-"`
	Dir          string `json:"-"` // of the corpus
}

func (*Replay) name() string { return "replay" }

func (e *Replay) text(p *Printer) {
	e.Group.rest(p, e.Dir)
	status := p.paint(green, "ok")
	if e.Failing > 0 {
		status = p.paint(red, "FAIL")
	}
	sides := when(e.Sides > 0, "; %d of %d branch sides", e.SidesCovered, e.Sides)
	known := when(e.Known > 0, ", %d known", e.Known)
	unsure := when(e.LessSure == 1, ", 1 panic or suspect that fails no run") + when(e.LessSure > 1, ", %d panics or suspects that fail no run", e.LessSure)
	p.Printf("%s\t%s\t%s, %s, %d failing%s%s%s", status, e.Package, text.Plural(e.Entries, "entry"), text.Plural(e.Findings, "finding"), e.Failing, known, unsure, sides)
}

// Explained is a stored finding.
type Explained struct {
	Package   string    `json:"package"`
	Signature string    `json:"signature"`
	Tier      string    `json:"tier"`
	Claim     string    `json:"claim,omitempty"`
	Kind      string    `json:"kind"`
	Operation string    `json:"operation"`
	Message   string    `json:"message"`
	Rule      string    `json:"rule,omitempty"`
	Evidence  []string  `json:"evidence,omitempty"`
	Document  string    `json:"document"`
	Sequence  string    `json:"sequence"`
	Code      string    `json:"code,omitempty"` // empty if an earlier release stored it
	Stack     string    `json:"stack"`
	Hits      uint64    `json:"hits"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
	Flaky     bool      `json:"flaky"`
	File      string    `json:"file"`
	Known     bool      `json:"known"`
	KnownAt   string    `json:"-"` // the line of the list, if it is known
}

func (*Explained) name() string { return "explained" }

func (e *Explained) text(p *Printer) {
	p.Printf("%s\n    %s", e.Signature, e.Message)
	if e.Document != "" {
		p.Printf("    %s: %s", e.Tier, e.Document)
	} else {
		p.Printf("    %s: whatever its arguments are", e.Tier)
	}
	if e.Rule != "" {
		p.Printf("    rule: %s", e.Rule)
	}
	if len(e.Evidence) > 0 {
		p.Printf("    all that apply: %s", strings.Join(e.Evidence, ", "))
	}
	if e.Flaky {
		p.Printf("    flaky: not every fresh process showed it")
	}
	p.Printf("%s", text.Indent(cmp.Or(e.Code, e.Sequence), "        "))
	if e.Stack != "" {
		p.Printf("%s", text.Indent(e.Stack, "    "))
	}
	p.Printf("    found %s, last seen %s; %s ended in it", e.First.Format(time.DateOnly), e.Last.Format(time.DateOnly), text.Plural(e.Hits, "sequence"))
	if e.Known {
		p.Printf("    known: %s", e.KnownAt)
	}
	p.Printf("    written to %s\n", p.Relative(e.File))
}
