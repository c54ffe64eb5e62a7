package engine

import "foray.test/engine/seq"

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
}

// OpCounts tells how the runs of an operation ended.
type OpCounts struct {
	Op     seq.OpID
	Runs   uint64
	Normal uint64
	Failed uint64 // returned a non-nil error
	Broken uint64 // panicked
	Stalls uint64 // sequences with it that were abandoned because they stalled
	Holds  uint32 // how often it was backed off for that, in this process and earlier ones
}

// A Refusal is a reason why sequences that ended in an operation were illegal.
type Refusal struct {
	Op     seq.OpID // its call broke a precondition
	Reason string   // the document of the verdict
	Runs   uint64
}

// refusal is a Refusal without its count.
type refusal struct {
	op     seq.OpID
	reason string
}

// refused counts a refusal.
func (s *schedule) refused(op seq.OpID, reason string) { s.refusals[refusal{op, reason}]++ }

// Refusals returns why sequences were illegal, in no order.
func (e *Engine) Refusals() []Refusal {
	var list []Refusal
	for r, n := range e.schedule.refusals {
		list = append(list, Refusal{r.op, r.reason, n})
	}
	return list
}

// OpCounts returns the counts of all operations that ran, in order.
func (e *Engine) OpCounts() []OpCounts {
	var list []OpCounts
	for i := range e.schedule.stats {
		if st := &e.schedule.stats[i]; st.Runs > 0 {
			list = append(list, OpCounts{
				Op: seq.OpID(i), Runs: st.Runs, Normal: st.Normal, Failed: st.Failed, Broken: st.Broken, Stalls: st.stalls, Holds: st.backoffs,
			})
		}
	}
	return list
}
