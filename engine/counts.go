package engine

import "foray.test/engine/seq"

// OpCounts is what became of an operation's runs.
type OpCounts struct {
	Op     seq.OpID
	Runs   uint64
	Normal uint64
	Failed uint64 // returned a non-nil error
	Broken uint64 // panicked
	Stalls uint64 // sequences with it that were abandoned because they stalled
	Holds  uint32 // how often it was held back for that, in this process and earlier ones
}

// A Refusal is a reason why sequences were illegal that ended in an operation.
type Refusal struct {
	Op     seq.OpID // whose call broke a precondition
	Reason string   // the document of the verdict
	Runs   uint64
}

// refusal is a Refusal without its count.
type refusal struct {
	op     seq.OpID
	reason string
}

// Refusals returns why sequences were illegal, in no order.
func (e *Engine) Refusals() []Refusal {
	var list []Refusal
	for r, n := range e.refusals {
		list = append(list, Refusal{r.op, r.reason, n})
	}
	return list
}

// OpCounts returns the counts of all operations that ran, in order.
func (e *Engine) OpCounts() []OpCounts {
	var list []OpCounts
	for i := range e.schedule.stats {
		if st := &e.schedule.stats[i]; st.Runs > 0 {
			list = append(list, OpCounts{Op: seq.OpID(i), Runs: st.Runs, Normal: st.Normal, Failed: st.Failed, Broken: st.Broken, Stalls: st.stalls, Holds: st.holds})
		}
	}
	return list
}
