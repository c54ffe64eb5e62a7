package engine

import "foray.test/engine/seq"

// OpCounts is what became of an operation's runs.
type OpCounts struct {
	Op     seq.OpID
	Runs   uint64
	Normal uint64
	Failed uint64 // returned a non-nil error
	Broken uint64 // panicked
}

// OpCounts returns the counts of all operations that ran, in order.
func (e *Engine) OpCounts() []OpCounts {
	var list []OpCounts
	for i := range e.schedule.stats {
		if st := &e.schedule.stats[i]; st.Runs > 0 {
			list = append(list, OpCounts{Op: seq.OpID(i), Runs: st.Runs, Normal: st.Normal, Failed: st.Failed, Broken: st.Broken})
		}
	}
	return list
}
