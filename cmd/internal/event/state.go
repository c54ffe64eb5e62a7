package event

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"foray.test/cmd/internal/profile"
	"foray.test/cmd/internal/text"
	"foray.test/coverage"
	"foray.test/coverage/report"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// A Side is a side of a condition in a report.
type Side struct {
	Package    string        `json:"package"`
	ID         string        `json:"id"` // of the condition
	File       string        `json:"file"`
	Line       int           `json:"line"`
	Function   string        `json:"function"`
	Kind       coverage.Kind `json:"kind"`
	Text       string        `json:"text"`
	Side       string        `json:"side"`
	Taken      bool          `json:"taken"`
	Status     string        `json:"status"`
	Edit       string        `json:"edit"`
	Runs       uint64        `json:"runs"`
	Witnesses  int           `json:"witnesses"`
	Impossible int           `json:"impossible"` // witnesses, if a solver found no literals along any that take the side
}

func (*Side) name() string  { return "side" }
func (*Side) text(*Printer) {}

// Report is the state of the branch sides of a package.
type Report struct {
	Package      string        `json:"package"`
	Runs         int           `json:"runs"`
	Sequences    uint64        `json:"sequences"`
	Conditions   int           `json:"conditions"`
	Sides        int           `json:"sides"`
	SidesCovered int           `json:"sides_covered"`
	Frontier     int           `json:"frontier"`
	Unreached    int           `json:"unreached"`
	Functions    []Function    `json:"functions"`
	Changed      []string      `json:"changed"`
	State        *report.State `json:"-"`
}

func (*Report) name() string { return "report" }

// NewReport returns the report of a package. changed are the files that differ from those
// that ran.
func NewReport(name string, state *report.State, changed []string) *Report {
	t := state.Totals()
	return &Report{
		Package: name, Runs: state.Runs, Sequences: state.Sequences,
		Conditions: t.Conditions, Sides: t.Sides, SidesCovered: t.Taken, Frontier: t.Frontier, Unreached: t.Unreached(),
		Functions: Functions(state), Changed: append([]string{}, changed...), State: state,
	}
}

// status returns the status of a side, also of one that was not searched for.
func status(s *report.Side) string {
	switch {
	case s.Status != "":
		return s.Status
	case s.Taken:
		return "taken"
	}
	return "unreached"
}

func (e *Report) before() []Event {
	var list []Event
	for i := range e.State.Conditions {
		c := &e.State.Conditions[i]
		for j := range c.Sides {
			s := &c.Sides[j]
			list = append(list, &Side{
				Package: e.Package, ID: c.ID, File: c.File, Line: c.Line, Function: c.Func, Kind: c.Kind, Text: c.Text,
				Side: s.Name, Taken: s.Taken, Status: status(s), Edit: s.Edit, Runs: s.Runs, Witnesses: s.Witnesses, Impossible: s.Impossible,
			})
		}
	}
	return list
}

// text prints the sides that were not taken; with -v all.
func (e *Report) text(p *Printer) {
	tw := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	header := "place\tfunction\tcondition\tside\tstatus\tedit\truns\n"
	unreached := map[[2]string]bool{}
	var functions []string
	for _, f := range e.State.Functions() {
		if f.Taken == 0 && !p.Verbose {
			unreached[[2]string{f.File, f.Name}] = true
			functions = append(functions, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Name))
		}
	}
	for i := range e.State.Conditions {
		c := &e.State.Conditions[i]
		if unreached[[2]string{c.File, c.Func}] {
			continue
		}
		for j := range c.Sides {
			s := &c.Sides[j]
			shown := status(s) + when(s.Remark() != "", "; %s", s.Remark())
			side := "→" + text.OneLine(s.Name, 30)
			switch {
			case p.Verbose:
			case s.Taken || !c.Reached() && j > 0:
				continue
			case !c.Reached():
				side = "all"
			}
			fmt.Fprintf(tw, "%s%s:%d\t%s\t%s\t%s\t%s\t%s\t%d\n", header, c.File, c.Line, c.Func, text.OneLine(c.Text, 50), side, shown, s.Edit, s.Runs)
			header = ""
		}
	}
	tw.Flush()
	if len(functions) > 0 {
		p.Printf("%s unreached: %s", text.Plural(len(functions), "function"), text.Some(functions, false))
	}
	runs := text.Plural(e.Runs, "run") + ", " + text.Plural(e.Sequences, "sequence")
	if e.Sides == 0 {
		p.Printf("%s: no branches; %s\n", e.Package, runs)
		return
	}
	p.Printf("%s: %d of %d branch sides taken (%.1f%%), %d on the frontier, %d unreached; %s\n",
		e.Package, e.SidesCovered, e.Sides, text.Percent(e.SidesCovered, e.Sides), e.Frontier, e.Unreached, runs)
}

// What came of calls, as [report.Calls] has it. Of calls that ended in a finding it is the tier.
const (
	EndReturned = "returned"
	EndFailed   = "failed"
	EndIllegal  = "illegal"
)

// Decisions are the facts known of an operation, and the outcomes of its calls.
type Decisions struct {
	Package   string         `json:"package"`
	Operation string         `json:"operation"`
	Decisions []string       `json:"decisions"`
	Calls     []report.Calls `json:"calls"`
	// Use tells the use that tests make of it, and Profile has the counts.
	Use     []string           `json:"use,omitempty"`
	Profile *profile.Operation `json:"profile,omitempty"`
	Brief   bool               `json:"-"` // the first line of Use is shown
}

func (*Decisions) name() string { return "operation" }

func (e *Decisions) text(p *Printer) {
	if len(e.Decisions)+len(e.Use) == 0 && !slices.ContainsFunc(e.Calls, func(c report.Calls) bool { return c.End != EndReturned }) && !p.Verbose {
		return
	}
	p.Printf("%s", plain(e.Operation))
	use := e.Use
	if e.Brief {
		use = use[:min(len(use), 1)]
	}
	for _, line := range slices.Concat(e.Decisions, use) {
		p.Printf("    %s", line)
	}
	for _, c := range e.Calls {
		p.Printf("%10d %s%s%s", c.Sequences, c.End, when(c.Reason != "", ": %s", c.Reason), when(c.Rule != "", " (rule %s)", c.Rule))
	}
	p.Printf("")
}

// TypeUse is the use that tests make of a type.
type TypeUse struct {
	Package string        `json:"package"`
	Type    string        `json:"type"`
	Use     []string      `json:"use"`
	Profile *profile.Type `json:"profile"`
}

func (*TypeUse) name() string { return "type" }

func (e *TypeUse) text(p *Printer) {
	p.Printf("type %s", e.Type)
	for _, line := range e.Use {
		p.Printf("    %s", line)
	}
	p.Printf("")
}

// DecisionsOf returns what the documentation and the body of an operation say, a sentence
// each, and what follows from it.
func DecisionsOf(t *seq.Table, op *seq.Operation) []string {
	list := []string{}
	add := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	pre := &op.Pre
	add(pre.Panics && pre.Guard, "guard: %s: that panic is illegal", pre.Sentence)
	add(pre.Panics && !pre.Guard, "documented: \"%s\": a panic is illegal", pre.Sentence)
	for _, message := range pre.Messages {
		add(true, "it panics by itself, with %q: such a panic is illegal", message)
	}
	for i, ok := range pre.NilOK {
		if !ok && (i == 0 && op.Kind == seq.Method || i >= len(op.Params) || !t.Types[op.Params[i]].IsPointer()) {
			continue // as everyone expects
		}
		name := fmt.Sprintf("argument %d", i)
		if i < len(op.Names) && op.Names[i] != "" {
			name = op.Names[i]
		}
		add(ok, "nil for %s is dealt with", name)
		add(!ok, "nil for %s is not expected: a nil dereference is illegal then", name)
	}
	add(op.ReturnsError, "it returns errors: results beside an error are not used")
	for _, id := range op.Requires {
		c := &t.Ops[id]
		add(true, "%s of the tests: a call that it does not allow is illegal%s", c.Short, when(c.Doc != "", ": %s", c.Doc))
	}
	add(op.Callback, "any caller may hold its receiver, also a zero value: no panic is excused by that")
	add(pre.Blocks, "it may wait by design: that is no hang")
	add(op.Zero, "it is the zero value of a type that has a constructor: failures with it are illegal")
	add(len(op.Ignore) > 0, "contracts that are not checked: %s", strings.Join(op.Ignore, ", "))
	add(op.Forwards != "", "it hands its arguments on to %s", op.Forwards)
	return list
}

// A Listing is the operations of a package, and what foray leaves out.
type Listing struct {
	Package     string
	Table       *seq.Table
	Excluded    []seq.Excluded
	Unreachable []catalog.Unreachable
}

func (*Listing) name() string { return "" }

// An Operation is an operation of a listing.
type Operation struct {
	Package      string   `json:"package"`
	Operation    string   `json:"operation"`
	Name         string   `json:"name"`
	Call         bool     `json:"call"`
	Member       string   `json:"member"`
	Text         string   `json:"text"`
	Params       []string `json:"params"`
	Results      []string `json:"results"`
	Precondition string   `json:"precondition"`
}

func (*Operation) name() string  { return "operation" }
func (*Operation) text(*Printer) {}

// Excluded is a member that is not called.
type Excluded struct {
	Package string `json:"package"`
	Member  string `json:"member"`
	Reason  string `json:"reason"`
}

func (*Excluded) name() string  { return "excluded" }
func (*Excluded) text(*Printer) {}

// Unreachable is a type that no operation makes.
type Unreachable struct {
	Package string   `json:"package"`
	Type    string   `json:"type"`
	Reason  string   `json:"reason"`
	Wanted  []string `json:"wanted"`
}

func (*Unreachable) name() string  { return "unreachable" }
func (*Unreachable) text(*Printer) {}

func (e *Listing) before() []Event {
	var list []Event
	for i := range e.Table.Ops {
		op := &e.Table.Ops[i]
		list = append(list, &Operation{
			Package: e.Package, Operation: op.Short, Name: op.Name, Call: op.API, Member: op.Member, Text: op.Template,
			Params: typeNames(e.Table, op.Params), Results: typeNames(e.Table, op.Results), Precondition: op.Pre.Sentence,
		})
	}
	for _, x := range e.Excluded {
		list = append(list, &Excluded{e.Package, x.Member, x.Reason})
	}
	for _, u := range e.Unreachable {
		list = append(list, &Unreachable{e.Package, u.Type, u.Reason, u.Wanted})
	}
	return list
}

func typeNames(t *seq.Table, ids []seq.TypeID) []string {
	names := []string{}
	for _, id := range ids {
		names = append(names, t.Types[id].Name)
	}
	return names
}

func (e *Listing) text(p *Printer) {
	p.Printf("package %s\n\ncalls:", e.Package)
	var values, outside []string
	for i := range e.Table.Ops {
		switch op := &e.Table.Ops[i]; {
		case op.Kind == seq.Check:
		case op.Outside():
			outside = append(outside, "  "+Signature(e.Table, op))
		case !op.API:
			values = append(values, plain(op.Short))
		case op.Pre.Sentence != "":
			p.Printf("  %s   // %s", Signature(e.Table, op), text.OneLine(op.Pre.Sentence, 80))
		default:
			p.Printf("  %s", Signature(e.Table, op))
		}
	}
	if len(outside) > 0 {
		p.Printf("\ncalls of other packages, as tests make them:\n%s", strings.Join(outside, "\n"))
	}
	if p.Verbose && len(values) > 0 {
		p.Printf("\noperations that only make values:")
		for _, short := range values {
			p.Printf("  %s", text.OneLine(short, 100))
		}
	} else if len(values) > 0 {
		p.Printf("\nand %s that only make values", text.Plural(len(values), "operation"))
	}
	var unreachable, excluded [][2]string
	for _, u := range e.Unreachable {
		unreachable = append(unreachable, [2]string{u.Type, u.Reason + "; wanted by " + text.Some(u.Wanted, p.Verbose)})
	}
	for _, x := range e.Excluded {
		excluded = append(excluded, [2]string{x.Member, x.Reason})
	}
	p.rows("\ntypes and what makes them:", e.makers(p.Verbose))
	p.rows("\ntypes that nothing makes:", unreachable)
	p.rows("\nexcluded:", excluded)
	p.Printf("")
}

var hole = regexp.MustCompile(`\$(\d+)`)

// plain returns the name of an operation as Go: with variables where the arguments stand.
func plain(short string) string {
	return strings.ReplaceAll(hole.ReplaceAllString(short, "v$1"), "$*", "…")
}

// rows prints a table with its title, nothing if it is empty.
func (p *Printer) rows(title string, rows [][2]string) {
	if len(rows) > 0 {
		p.Printf("%s", title)
		text.Rows(p.stdout, rows)
	}
}

// makers returns the types with the operations that make them.
func (e *Listing) makers(all bool) [][2]string {
	makers := map[string][]string{}
	for i := range e.Table.Ops {
		op := &e.Table.Ops[i]
		for _, name := range typeNames(e.Table, op.Results) {
			if list := makers[name]; len(list) == 0 || list[len(list)-1] != plain(op.Short) {
				makers[name] = append(list, plain(op.Short))
			}
		}
	}
	var rows [][2]string
	for name, list := range makers {
		rows = append(rows, [2]string{name, text.Some(list, all)})
	}
	slices.SortFunc(rows, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return rows
}

// Signature returns an operation as Go declares it, without the receiver: it is part of
// the name.
func Signature(t *seq.Table, op *seq.Operation) string {
	params, results := typeNames(t, op.Params), typeNames(t, op.Results)
	if op.Kind == seq.Method && len(params) > 0 {
		params = params[1:]
	}
	if n := len(params); op.Variadic && n > 0 {
		params[n-1] = "..." + params[n-1]
	}
	return op.Short + seq.SignatureText(params, results)
}
