package event

import (
	"cmp"
	"fmt"
	"time"

	"foray.test/cmd/internal/text"
	"foray.test/engine"
	"foray.test/engine/coordinator"
	"foray.test/engine/seq"
)

// Values of [Explored.Abstract].
const (
	Full  = "full"
	Shape = "shape"
)

// Explored tells what an exhaustive search has run.
type Explored struct {
	Abstract    string    `json:"abstract"`          // which states are equal: Full or Shape
	Calls       int       `json:"calls"`             // bound of a sequence
	Values      int       `json:"values"`            // literals for each parameter
	Objects     int       `json:"objects,omitempty"` // values of each type that calls take; 0 means all
	Depth       int       `json:"depth"`             // all sequences of so many calls were run
	Complete    bool      `json:"complete"`          // nothing within the bounds was left but calls of LeftOut
	Operations  int       `json:"operations"`        // that are called
	States      uint64    `json:"states"`
	Open        uint64    `json:"open"` // states that are yet to be extended
	Transitions uint64    `json:"transitions"`
	Illegal     uint64    `json:"illegal"`
	Failures    uint64    `json:"failures"`
	Lost        uint64    `json:"lost"`
	Skipped     uint64    `json:"skipped"`
	Unstable    uint64    `json:"unstable"`
	Large       uint64    `json:"large"`
	LeftOut     []LeftOut `json:"left_out"`
	Expected    *Expected `json:"expected,omitempty"` // of a search that stopped early
}

// Expected estimates a search of all sequences within the bound of calls.
type Expected struct {
	States      float64 `json:"states"`
	Transitions float64 `json:"transitions"`
	PerSecond   float64 `json:"per_second"` // transitions that were run
	Seconds     float64 `json:"seconds"`    // of all at that rate
	Fits        int     `json:"fits"`       // calls of a search that ends within Unasked and the bound of states
}

// Unasked is how long a search goes on without being asked to.
const Unasked = time.Hour

// expect adds the estimate of a search that stopped early.
func (e *Explored) expect(s engine.Scope, x *coordinator.Expected) {
	n := len(x.Depths)
	if e.Depth == e.Calls || n == 0 || x.PerSecond == 0 {
		return
	}
	all := x.Depths[n-1]
	e.Expected = &Expected{x.States[n-1], all, x.PerSecond, all / x.PerSecond, x.Calls(Unasked.Seconds()*x.PerSecond, float64(s.States))}
}

// text says what is to be expected, and which search would end.
func (x *Expected) text(calls int, stopped string) string {
	fits := "fewer -values or -ops may fit"
	if x.Fits > 0 {
		fits = fmt.Sprintf("-depth %d fits", x.Fits)
	}
	if stopped == "too long" {
		fits += ", -force goes on"
	}
	return fmt.Sprintf("expected: about %.2g transitions and %.2g states of at most %s, %s at %.0f a second: %s",
		x.Transitions, x.States, text.Plural(calls, "call"), text.Long(x.Seconds), x.PerSecond, fits)
}

// LeftOut is an operation that was not called, or not in all ways.
type LeftOut struct {
	Operation string `json:"operation"`
	Why       string `json:"why"`
}

// NewExplored returns the event part of a search within a scope. why says why operations
// could not be called at all.
func NewExplored(t *seq.Table, s engine.Scope, res *coordinator.Result, why map[seq.OpID]string) *Explored {
	p := &res.Explored
	e := &Explored{
		Abstract: Full,
		Calls:    s.Calls, Values: s.Values, Objects: s.Objects, Depth: p.Depth, States: p.States, Open: p.Open, Transitions: p.Transitions,
		Illegal: p.Illegal, Failures: p.Failures, Lost: p.Lost, Skipped: p.Skipped, Unstable: p.Unstable, Large: p.Large, LeftOut: []LeftOut{},
	}
	if s.Shape {
		e.Abstract = Shape
	}
	e.Operations = len(t.OpsThat(func(op *seq.Operation) bool { return op.API }))
	for _, l := range p.LeftOut {
		e.LeftOut = append(e.LeftOut, LeftOut{t.Ops[l.Op].Short, cmp.Or(why[l.Op], l.Why)})
		if t.Ops[l.Op].API {
			e.Operations--
		}
	}
	e.Complete = p.Done && p.Lost+p.Skipped+p.Unstable == 0
	e.expect(s, &res.Expected)
	return e
}

// ExploreProgress returns the state of an exhaustive search.
func ExploreProgress(s coordinator.Snapshot) string {
	p := &s.Explored
	line := fmt.Sprintf("explore: elapsed: %ds, calls: %d, states: %d (%d open), transitions: %d (%.0f/sec), findings: %d, new entries: %d",
		int(s.Elapsed.Seconds()), p.Depth+1, p.States, p.Open, p.Transitions, perSecond(p.Transitions, s.Elapsed),
		found(s.Findings), s.Entries)
	if p.Done {
		line = fmt.Sprintf("explore: elapsed: %ds, findings: %d, new entries: %d", int(s.Elapsed.Seconds()), found(s.Findings), s.Entries)
	}
	return line + when(s.Deaths > 0, ", restarts: %d", s.Deaths)
}

// text prints the sequences that were run, the operations left out, and where the run stopped.
func (e *Explored) text(p *Printer, stopped string) {
	for _, l := range e.LeftOut {
		p.Printf("left out: %s: %s", l.Operation, l.Why)
	}
	for _, c := range []struct {
		n    uint64
		what string
	}{
		{e.Skipped, "states were not extended: they take an operation that was left out later"},
		{e.Unstable, "states did not repeat themselves: what follows from them is chance"},
		{e.Large, "states were too large to be compared: each counts as another"},
	} {
		if c.n > 0 {
			p.Printf("note: %d %s", c.n, c.what)
		}
	}
	lost := when(e.Lost > 0, ", %d that did not come to their end", e.Lost)
	all := "explored: all sequences"
	if e.Abstract == Shape {
		all = "explored by shape, so not all: sequences"
	}
	values := " and " + text.Plural(e.Values, "literal") + " of each parameter"
	if e.Objects > 0 {
		values = ", " + text.Plural(e.Values, "literal") + " of each parameter and " + text.Plural(e.Objects, "value") + " of each type"
	}
	over := fmt.Sprintf("over %s%s: %s, %s, %s%s\n", text.Plural(e.Operations, "operation"), values,
		text.Plural(int(e.States), "state"), text.Plural(int(e.Transitions), "transition"), text.Plural(int(e.Failures), "failure"), lost)
	switch {
	case e.Depth == e.Calls:
		p.Printf("%s of at most %s %s", all, text.Plural(e.Calls, "call"), over)
	default:
		p.Printf("stopped: %s; %s to extend: not all sequences of %s", ended(stopped), text.Plural(int(e.Open), "state"), text.Plural(e.Depth+1, "call"))
		if e.Expected != nil {
			p.Printf("%s", e.Expected.text(e.Calls, stopped))
		}
		p.Printf("%s of at most %s %s", all, text.Plural(e.Depth, "call"), over)
	}
}
