package event

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"foray.test/cmd/internal/text"
	"foray.test/corpus/store"
)

// Corpora counts the contents of some corpora.
type Corpora []Corpus

// A Corpus counts the contents of a corpus.
type Corpus struct {
	Package      string         `json:"package"`
	Dir          string         `json:"dir"`
	Entries      int            `json:"entries"`
	Steps        int            `json:"steps"`
	Bytes        int64          `json:"bytes"`
	Sides        int            `json:"sides"`
	SidesCovered int            `json:"sides_covered"`
	Findings     FindingsByTier `json:"findings"`
	Quarantine   int            `json:"quarantine"`
	Generations  int            `json:"generations"`
}

func (Corpora) name() string  { return "" }
func (*Corpus) name() string  { return "corpus" }
func (*Corpus) text(*Printer) {}
func (c Corpora) before() (list []Event) {
	for i := range c {
		list = append(list, &c[i])
	}
	return list
}

func (c Corpora) text(p *Printer) {
	if len(c) == 0 {
		return
	}
	tw := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "package\tentries\tsteps\tbytes\tsides\tfindings\tquarantine\tgenerations")
	for _, e := range c {
		sides := "?"
		if e.Sides > 0 {
			sides = fmt.Sprintf("%d of %d", e.SidesCovered, e.Sides)
		}
		findings := strconv.Itoa(e.Findings.Total())
		if unsure := e.Findings.unsure(""); unsure != "" {
			findings += " (" + unsure + ")"
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%s\t%s\t%d\t%d\n", e.Package, e.Entries, e.Steps, e.Bytes, sides, findings, e.Quarantine, e.Generations)
	}
	tw.Flush()
}

// An Entry is a stored sequence or an input of a fuzz target.
type Entry struct {
	File    string `json:"file"`
	ID      string `json:"id,omitempty"` // of an entry of foray
	Origin  string `json:"origin,omitempty"`
	Sides   int    `json:"sides,omitempty"`
	Target  string `json:"target,omitempty"` // of an input: the FuzzXxx, if its directory tells
	Comment string `json:"comment,omitempty"`
	Code    string `json:"code"`
}

func (*Entry) name() string { return "entry" }

func (e *Entry) text(p *Printer) {
	p.Printf("// %s%s%s%s\n%s", p.Relative(e.File), when(e.Origin != "", ", %s", e.Origin),
		when(e.Sides > 0, ", %s", text.Plural(e.Sides, "branch side")), when(e.Comment != "", ", %s", e.Comment), e.Code)
}

// Outcomes of adding an entry.
const (
	IsAdded    = "added"
	IsKnown    = "known"
	IsReplaced = "replaced"
)

// Added is what became of a file that was added to a corpus.
type Added struct {
	Package       string `json:"package"`
	File          string `json:"file"`
	What          string `json:"what"`
	ID            string `json:"id"`
	Other         string `json:"other"` // the entry that shows the same
	Steps         int    `json:"steps"`
	OriginalSteps int    `json:"original_steps"` // before it was cut
}

func (*Added) name() string { return "added" }

func (e *Added) text(p *Printer) {
	cut := when(e.Steps < e.OriginalSteps, ", cut from %s to %d", text.Plural(e.OriginalSteps, "step"), e.Steps)
	file := p.Relative(e.File)
	switch e.What {
	case IsKnown:
		p.Printf("%s: not added: entry %.12s shows the same%s", file, e.Other, cut)
	case IsReplaced:
		p.Printf("%s: entry %.12s, in place of %.12s, which is larger%s", file, e.ID, e.Other, cut)
	default:
		p.Printf("%s: entry %.12s%s", file, e.ID, cut)
	}
}

// Merged is what became of another corpus that was merged.
type Merged struct {
	Package  string `json:"package"`
	From     string `json:"from"`
	Entries  int    `json:"entries"`
	Added    int    `json:"added"`
	Cut      int    `json:"cut"`      // callable only in part
	Useless  int    `json:"useless"`  // that break or cannot be called
	Sides    int    `json:"sides"`    // that are new
	Findings int    `json:"findings"` // that are new
}

func (*Merged) name() string { return "merged" }

func (e *Merged) text(p *Printer) {
	findings := when(e.Findings > 0, ", and %s", text.Plural(e.Findings, "finding"))
	p.Printf("%s: %d of %s from %s added, with %s that were not there%s", e.Package, e.Added, text.Plural(e.Entries, "entry"), p.Relative(e.From),
		text.Plural(e.Sides, "branch side"), findings)
	if e.Cut+e.Useless > 0 {
		p.Printf("  %d can be called only in part, %d not at all", e.Cut, e.Useless)
	}
}

// Moved is what became of the entries of a package at another path.
type Moved struct {
	Package string `json:"package"`
	From    string `json:"from"`
	Entries int    `json:"entries"`
	Whole   int    `json:"whole"`
	Part    int    `json:"part"`
	Failing int    `json:"failing"`
	Useless int    `json:"useless"`
}

func (*Moved) name() string { return "moved" }

func (e *Moved) text(p *Printer) {
	p.Printf("%s: %s of %s: %d whole, %d in part; %d show nothing here and stay", e.Package, text.Plural(e.Entries, "entry"), e.From, e.Whole, e.Part, e.Useless)
	p.failing(e.Package, e.Failing, "")
}

// failing warns of entries that fail.
func (p *Printer) failing(pkg string, n int, more string) {
	if n > 0 {
		p.Warn(fmt.Sprintf("%s: failing entries: %d%s", pkg, n, more), "foray replay -v "+pkg+" shows how they fail")
	}
}

// Distilled is what became of a corpus that was distilled.
type Distilled struct {
	Package      string            `json:"package"`
	Entries      int               `json:"entries"`
	Kept         int               `json:"kept"`
	Cut          int               `json:"cut"` // entries that are new, being cut or joined
	Left         int               `json:"left"`
	Failing      int               `json:"failing"`
	Steps        int               `json:"steps"`
	StepsKept    int               `json:"steps_kept"`
	Sides        int               `json:"sides"`
	ValueClasses int               `json:"value_classes"`
	DryRun       bool              `json:"dry_run"`
	Departures   []store.Departure `json:"-"`
}

func (*Distilled) name() string { return "distilled" }

func (e *Distilled) text(p *Printer) {
	for _, l := range e.Departures {
		p.Note(fmt.Sprintf("entry %.12s: %s", l.ID, l.Reason))
	}
	verb := "kept"
	if e.DryRun {
		verb = "would be kept"
	}
	p.Printf("%s: %d of %s %s, %d of %s: %s and %s as before", e.Package, e.Kept, text.Plural(e.Entries, "entry"), verb,
		e.StepsKept, text.Plural(e.Steps, "step"), text.Plural(e.Sides, "branch side"), text.Plural(e.ValueClasses, "value class"))
	p.failing(e.Package, e.Failing, ", all kept")
}

// Pruned tells of entries in quarantine that were deleted.
type Pruned struct {
	Package string `json:"package"`
	Entries int    `json:"entries"`
	Lost    int    `json:"lost"` // always 0
}

func (*Pruned) name() string { return "pruned" }

func (e *Pruned) text(p *Printer) {
	p.Printf("%s: %s deleted", e.Package, text.Plural(e.Entries, "entry"))
}

// Undone tells of entries that came back from quarantine.
type Undone struct {
	Package string `json:"package"`
	Entries int    `json:"entries"`
	Lost    int    `json:"lost"` // that are not in quarantine any more
}

func (*Undone) name() string { return "undone" }

func (e *Undone) text(p *Printer) {
	p.Printf("%s: %s back", e.Package, text.Plural(e.Entries, "entry"))
	if e.Lost > 0 {
		p.Warn(fmt.Sprintf("%s: %s not brought back: no longer in quarantine", e.Package, text.Plural(e.Lost, "entry")), "")
	}
}

// ImportedInputs tells of raw inputs that a fuzz target has got.
type ImportedInputs struct {
	Package      string `json:"package"`
	Target       string `json:"target"`
	Dir          string `json:"dir"`
	Added        int    `json:"added"`
	Known        int    `json:"known"`
	Large        int    `json:"large"`
	Suppressions int    `json:"suppressions"`
	MaxBytes     int    `json:"-"` // of an input
}

func (*ImportedInputs) name() string { return "imported" }

func (e *ImportedInputs) text(p *Printer) {
	more := when(e.Suppressions > 0, ", and %s", text.Plural(e.Suppressions, "suppression"))
	p.Printf("%s.%s: %s added to %s, %d were there%s", e.Package, e.Target, text.Plural(e.Added, "input"), p.Relative(e.Dir), e.Known, more)
	p.large(e.Large, e.MaxBytes)
}

// large warns of inputs that are too large.
func (p *Printer) large(n, maxBytes int) {
	if n > 0 {
		p.Warn(fmt.Sprintf("%s left out that would take more than %d KiB", text.Plural(n, "input"), maxBytes>>10), "")
	}
}

// ImportedValues tells of values of a type that became entries.
type ImportedValues struct {
	Package  string `json:"package"`
	Type     string `json:"type"`
	Dir      string `json:"dir"`
	Added    int    `json:"added"`
	Known    int    `json:"known"`
	Large    int    `json:"large"`
	Short    int    `json:"short"` // inputs that end before the value does
	Cut      int    `json:"cut"`   // values of which some part cannot be written as Go
	Bad      int    `json:"bad"`   // values that do not run
	MaxBytes int    `json:"-"`     // of an input
}

func (*ImportedValues) name() string { return "imported" }

func (e *ImportedValues) text(p *Printer) {
	p.Printf("%s.%s: %s added to %s, %d were there", e.Package, e.Type, text.Plural(e.Added, "value"), p.Relative(filepath.Join(e.Dir, "entries")), e.Known)
	for _, left := range []struct {
		n   int
		why string
	}{
		{e.Short, "left out: the data ends before the value does"},
		{e.Bad, "left out: no operation makes such a value"},
		{e.Cut, "taken in part: no operation makes the rest; foray list -v lists the operations"},
	} {
		if left.n > 0 {
			p.Warn(text.Plural(left.n, "input")+" "+left.why, "")
		}
	}
	p.large(e.Large, e.MaxBytes)
}

// Exported tells of raw inputs of a fuzz target that were written.
type Exported struct {
	Package  string `json:"package"`
	Target   string `json:"target"`
	Dir      string `json:"dir"`
	Written  int    `json:"written"`
	Known    int    `json:"known"`
	Crashers int    `json:"crashers"` // among them
}

func (*Exported) name() string { return "exported" }

func (e *Exported) text(p *Printer) {
	more := when(e.Crashers > 0, ", %d of them crashers", e.Crashers)
	p.Printf("%s.%s: %s written to %s, %d were there%s", e.Package, e.Target, text.Plural(e.Written, "input"), e.Dir, e.Known, more)
}

// Generated tells of the test files that gen has written for a package.
type Generated struct {
	Package    string     `json:"package"`
	Dropped    int        `json:"dropped"`
	Tests      int        `json:"tests"`
	Assertions int        `json:"assertions"`
	Files      []TestFile `json:"-"`
	Drops      []Drop     `json:"-"`
}

// A TestFile is a file of tests.
type TestFile struct {
	Package     string `json:"package"`
	Kind        string `json:"kind"` // "failing" or "regression"
	File        string `json:"file"`
	Tests       int    `json:"tests"` // 0 if the file was removed, as no test is left
	Functions   int    `json:"functions"`
	Assertions  int    `json:"assertions"`
	Sides       int    `json:"sides"` // that the tests take …
	SidesCorpus int    `json:"sides_corpus"`
}

// A Drop is a stored sequence without a test.
type Drop struct {
	Package string `json:"package"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Why     string `json:"why"`
	Quiet   bool   `json:"-"` // nothing is lost by it
}

// name returns nothing if no test was written, which is told as an error.
func (e *Generated) name() string {
	if len(e.Files) == 0 {
		return ""
	}
	return "summary"
}

func (*TestFile) name() string  { return "file" }
func (*TestFile) text(*Printer) {}
func (*Drop) name() string      { return "drop" }
func (*Drop) text(*Printer)     {}

func (e *Generated) before() []Event {
	var list []Event
	for i := range e.Files {
		list = append(list, &e.Files[i])
	}
	for i := range e.Drops {
		list = append(list, &e.Drops[i])
	}
	return list
}

func (e *Generated) text(p *Printer) {
	whys, count := []string{}, map[string]int{}
	for _, d := range e.Drops {
		if d.Quiet || d.Kind == "regression" && len(e.Files) > 0 { // the last line counts them
			p.Note(e.Package + ": no test of " + d.Name + ": " + d.Why)
		} else {
			p.Printf("gen: %s: no test of %s: %s", e.Package, d.Name, d.Why)
		}
		why, _, _ := strings.Cut(d.Why, ":")
		if count[why]++; count[why] == 1 {
			whys = append(whys, why)
		}
	}
	if len(e.Files) == 0 {
		return
	}
	dropped := ""
	for i, why := range whys {
		whys[i] = fmt.Sprintf("%d: %s", count[why], why)
		dropped = fmt.Sprintf("; left out %d (%s)", len(e.Drops), strings.Join(whys[:i+1], ", "))
	}
	if len(whys) == 1 {
		dropped = "; left out " + whys[0]
	}
	var files []string
	for _, f := range e.Files {
		if f.Tests == 0 {
			p.Printf("gen: %s: removed %s: no test is left", e.Package, f.File)
			continue
		}
		about := text.Plural(f.Functions, "test") + when(f.Functions < f.Tests, " of %d cases", f.Tests)
		if f.Kind == "regression" {
			about += ", " + text.Plural(f.Assertions, "assertion") + when(f.SidesCorpus > 0, ", %d of %d branch sides", f.Sides, f.SidesCorpus)
		}
		files = append(files, fmt.Sprintf("%s (%s)", f.File, about))
	}
	if len(files) > 0 {
		p.Printf("gen: %s: wrote %s%s", e.Package, strings.Join(files, ", "), dropped)
	}
}
