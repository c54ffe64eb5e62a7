package event

import (
	"maps"
	"slices"

	"foray.test/cmd/internal/text"
)

// Proposals are the inputs that concolic execution has proposed. They were run natively; the
// other figures are those of the interpreter.
type Proposals struct {
	Runs     int            `json:"runs"`
	Strayed  int            `json:"strayed"` // runs that took another path than solved for
	Unsat    int            `json:"unsat"`
	Unknown  int            `json:"unknown"`
	Lost     map[string]int `json:"lost"` // runs that were aborted, by reason
	Timeouts int            `json:"timeouts"`
	Inputs   []SolvedInput  `json:"inputs"`
	Same     int            `json:"same"`    // proposals whose native runs showed nothing new
	Refused  int            `json:"refused"` // … that foray cannot call
}

// Solved is what concolic execution of one function came to.
type Solved struct {
	Package  string   `json:"package"`
	Function string   `json:"function"`
	Strategy string   `json:"strategy"`
	Seed     uint64   `json:"seed"`
	Taken    int      `json:"sides_covered"` // of the control flow that the function reaches in its package
	Sides    int      `json:"sides"`
	Untaken  []string `json:"untaken"` // places of the other sides
	Reason   string   `json:"reason"`  // why the function was not solved for; empty if it was
	Proposals
}

// SolvedEntries is what solving for the literals of the corpus came to.
type SolvedEntries struct {
	Package     string `json:"package"`
	Entries     int    `json:"entries"`
	Interpreted int    `json:"interpreted"` // of them: the others have no literals to solve for
	Near        int    `json:"near"`        // … that come to a branch of which none takes the other side
	Seed        uint64 `json:"seed"`
	// Impossible are the sides that no literals take along the path of any entry that comes to
	// the condition.
	Impossible []Impossible `json:"impossible"`
	// Left are the sides not taken of conditions that some run has come to.
	Left []LeftSide `json:"left"`
	Proposals
}

// A ConditionSide is a side of a condition.
type ConditionSide struct {
	ID    string `json:"id"` // of the condition
	Place string `json:"place"`
	Text  string `json:"text"`
	Side  string `json:"side"`
}

// Impossible is a side that no literals take along its witnesses.
type Impossible struct {
	ConditionSide
	Witnesses int `json:"witnesses"`
}

// LeftSide is a side that solving has not taken, with the reason.
type LeftSide struct {
	ConditionSide
	Reason string `json:"reason"`
}

// A SolvedInput is a call that took new branch sides, or failed, when it ran natively.
type SolvedInput struct {
	Code     string `json:"code"`
	NewSides int    `json:"new_sides"`
	ID       string `json:"id"`      // of the entry, if it became one
	Tier     string `json:"tier"`    // if it fails
	Message  string `json:"message"` // … how
}

// illegal is the tier of calls for which the caller is to blame.
const illegal = "illegal"

func (*Solved) name() string { return "solved" }

func (e *Solved) text(p *Printer) {
	if e.Reason != "" {
		if p.Verbose {
			p.Printf("%s: not solved: %s", e.Function, e.Reason)
		}
		return
	}
	p.Printf("%s: %d of %s in %s; %s", e.Function, e.Taken, text.Plural(e.Sides, "side"), text.Plural(e.Runs, "run"), text.Plural(len(e.Inputs), "input"))
	e.inputs(p)
	e.losses(p)
	if p.Verbose {
		for _, place := range e.Untaken {
			p.Printf("    not taken: %s", place)
		}
	}
}

func (*SolvedEntries) name() string { return "solved_entries" }

func (e *SolvedEntries) text(p *Printer) {
	p.Printf("entries: %d of %d come to a condition with a side not taken; %s, %s", e.Near, e.Entries, text.Plural(e.Runs, "run"), text.Plural(len(e.Inputs), "input"))
	e.inputs(p)
	e.losses(p)
	if n := len(e.Impossible); n > 0 {
		p.Printf("    %s impossible along the entries", text.Plural(n, "side"))
	}
	if p.Verbose {
		reasons := map[string]int{}
		for _, side := range e.Left {
			reasons[side.Reason]++
		}
		for _, reason := range slices.Sorted(maps.Keys(reasons)) {
			p.Printf("    left %s: %s", text.Plural(reasons[reason], "side"), reason)
		}
		for _, side := range e.Impossible {
			p.Printf("    impossible along %s: %s %s →%s", text.Plural(side.Witnesses, "entry"), side.Place, text.OneLine(side.Text, 50), side.Side)
		}
	}
}

// inputs prints the inputs that showed something.
func (e *Proposals) inputs(p *Printer) {
	misuse := 0
	for _, in := range e.Inputs {
		comment := text.Plural(in.NewSides, "new side")
		if in.Tier == illegal {
			misuse++
			comment = "a mistake of the caller: " + text.OneLine(in.Message, 100)
		} else if in.Tier != "" {
			comment = "fails (" + in.Tier + "): " + text.OneLine(in.Message, 100)
		}
		if in.Tier != illegal || p.Verbose {
			p.Printf("%s\n        // %s", text.Indent(in.Code, "    "), comment)
		}
	}
	if misuse > 0 && !p.Verbose {
		p.Printf("    %s more that fail by a mistake of the caller", text.Plural(misuse, "input"))
	}
}

// losses prints the runs and proposals that led nowhere.
func (e *Proposals) losses(p *Printer) {
	for _, reason := range slices.Sorted(maps.Keys(e.Lost)) {
		p.Printf("    lost %d of %s: %s", e.Lost[reason], text.Plural(e.Runs, "run"), reason)
	}
	if p.Verbose {
		p.Printf("    %s strayed, %d flips unsatisfiable, %d not answered; %d proposals showed nothing new natively, %d cannot be called", text.Plural(e.Strayed, "run"), e.Unsat, e.Unknown, e.Same, e.Refused)
	}
	if e.Timeouts > 0 {
		p.Printf("    %s: equal runs may differ", text.Plural(e.Timeouts, "timeout"))
	}
}

// SolveSummary sums up the functions of a package.
type SolveSummary struct {
	Package   string         `json:"package"`
	Functions int            `json:"functions"` // exported ones without receivers
	Solved    int            `json:"solved"`
	Lossless  int            `json:"lossless"`     // … of which no run was aborted
	Reasons   map[string]int `json:"reasons"`      // functions that were not solved for, or lost runs
	Before    int            `json:"sides_before"` // taken natively, by the corpus
	After     int            `json:"sides_after"`
	Sides     int            `json:"sides"`
	Added     int            `json:"added"` // entries
	Findings  int            `json:"findings"`
}

func (*SolveSummary) name() string { return "solve" }

func (e *SolveSummary) text(p *Printer) {
	p.Printf("solve: %s: %d of %s, %d without losing a run", e.Package, e.Solved, text.Plural(e.Functions, "function"), e.Lossless)
	for _, reason := range slices.Sorted(maps.Keys(e.Reasons)) {
		p.Printf("    %d: %s", e.Reasons[reason], reason)
	}
	findings := when(e.Findings > 0, ", %s with a finding: foray fuzz confirms and keeps them", text.Plural(e.Findings, "input"))
	p.Printf("solve: %s: from %d to %d of %s taken natively, %d new entries%s", e.Package, e.Before, e.After, text.Plural(e.Sides, "side"), e.Added, findings)
}
