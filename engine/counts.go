package engine

import (
	"cmp"
	"slices"

	"foray.test/engine/seq"
)

// Counts are totals since the engine began.
type Counts struct {
	Sequences uint64 // executed sequences: composed ones and those aimed at the frontier
	Aimed     uint64 // … of them at the frontier
	Distinct  uint64 // … of them not executed before, as far as a lossy set can tell
	Steps     uint64 // executed steps of composed sequences
	Replayed  uint64 // steps executed to minimize and prune
	Values    uint64 // distinct values, as far as a lossy set can tell
	Illegal   uint64 // sequences that ended at a broken precondition, and calls that were refused
	Findings  uint64 // sequences that ended in a finding, repeats included
	Abandoned uint64 // runs given up because a call did not come back
	LastNew   uint64 // the sequence that last took a new branch side
	Once      uint64 // branch sides seen in exactly one of the Sampled sequences
	Sampled   uint64
	Seeds     uint64 // sequences of the package's tests that were begun
	WithUse   uint64 // composed sequences that might take up what these tests do
}

// OpCounts tells how the runs of an operation ended.
type OpCounts struct {
	Op     seq.OpID
	Runs   uint64
	Normal uint64
	Failed uint64 // returned a non-nil error
	Broken uint64 // panicked
	Cost   uint64 // beyond the usual, in panics
	Stalls uint64 // sequences with it that were abandoned because they stalled
	Holds  uint32 // how often it was backed off for that, in this process and earlier ones
	Limits
}

// Limits say which numbers an operation is given, because of what it did when given others.
type Limits struct {
	Few    bool `json:",omitempty"` // small ones: it left many goroutines behind
	Brief  bool `json:",omitempty"` // short durations: it waited as long as it was told to
	Steady bool `json:",omitempty"` // no short durations: its goroutines took the processor
}

// Join returns both limits.
func (l Limits) Join(m Limits) Limits {
	return Limits{l.Few || m.Few, l.Brief || m.Brief, l.Steady || m.Steady}
}

// A Refusal counts the sequences that were illegal by one rule and ended in one operation.
type Refusal struct {
	Op     seq.OpID // the operation whose call broke a precondition
	Rule   string   // see Verdict.Rule
	Reason string   // of the first of these verdicts
	Runs   uint64
}

// Refusals counts illegal sequences by operation and rule.
type Refusals map[refusalKey]*Refusal

type refusalKey struct {
	op   seq.OpID
	rule string
}

// Add counts r.
func (l Refusals) Add(r Refusal) {
	key := refusalKey{r.Op, r.Rule}
	if was := l[key]; was != nil {
		was.Runs += r.Runs
		return
	}
	l[key] = &r
}

// List returns the refusals by operation and rule.
func (l Refusals) List() []Refusal {
	var list []Refusal
	for _, r := range l {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Refusal) int { return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Rule, b.Rule)) })
	return list
}

// Refusals returns why sequences were illegal.
func (e *Engine) Refusals() []Refusal { return e.schedule.refusals.List() }

// OpCounts returns the counts of all operations that ran, in order.
func (e *Engine) OpCounts() []OpCounts {
	var list []OpCounts
	for i := range e.schedule.stats {
		if st := &e.schedule.stats[i]; st.Runs > 0 {
			list = append(list, OpCounts{
				Op: seq.OpID(i), Runs: st.Runs, Normal: st.Normal, Failed: st.Failed, Broken: st.Broken, Cost: st.extraCost, Stalls: st.stalls, Holds: st.backoffs,
				Limits: Limits{st.numbers == few, st.brief, st.steady},
			})
		}
	}
	return list
}
