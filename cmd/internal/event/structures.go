package event

import (
	"maps"
	"slices"

	"foray.test/cmd/internal/text"
)

// Structures is what solving for a function on structures came to. All figures are those of
// the interpreter.
type Structures struct {
	Package      string          `json:"package"`
	Function     string          `json:"function"`
	Precondition string          `json:"precondition"` // empty if there is none
	Objects      int             `json:"objects"`      // of a type, at most
	Paths        int             `json:"paths"`        // on structures that meet the precondition
	Completions  int             `json:"completions"`  // runs of the precondition
	Unfinished   int             `json:"unfinished"`   // branches left since they took too many of those
	Cut          bool            `json:"cut"`          // there may be more paths
	Taken        int             `json:"sides_covered"`
	Sides        int             `json:"sides"`
	Lost         map[string]int  `json:"lost"` // runs that were aborted, by reason
	Tests        []StructureTest `json:"tests"`
	File         string          `json:"file"`  // with the tests, if one was written
	Seeds        string          `json:"seeds"` // with the receivers, if one was written
}

// A StructureTest is one input.
type StructureTest struct {
	Code  string `json:"code"`
	Panic string `json:"panic"`
}

func (*Structures) name() string { return "structures" }

func (e *Structures) text(p *Printer) {
	p.Printf("%s: %d of %s on %s with up to %s of a type; %s", e.Function, e.Taken, text.Plural(e.Sides, "side"), text.Plural(e.Paths, "path"),
		text.Plural(e.Objects, "object"), text.Plural(len(e.Tests), "test"))
	for _, t := range e.Tests {
		p.Printf("%s%s\n", text.Indent(t.Code, "    "), when(t.Panic != "", " // panics: %s", text.OneLine(t.Panic, 100)))
	}
	if e.Precondition == "" {
		p.Printf("    no precondition: all structures are valid; a method RepOK() bool says which are")
	}
	for _, reason := range slices.Sorted(maps.Keys(e.Lost)) {
		p.Printf("    lost %s: %s", text.Plural(e.Lost[reason], "run"), reason)
	}
	if e.Cut {
		p.Printf("    the budget was used up: -runs raises it")
	}
	if e.Unfinished > 0 {
		p.Printf("    %s left: %s took too many runs to find a structure", text.Plural(e.Unfinished, "choice"), e.Precondition)
	}
	for _, file := range []string{e.File, e.Seeds} {
		if file != "" {
			p.Printf("wrote %s", file)
		}
	}
}
