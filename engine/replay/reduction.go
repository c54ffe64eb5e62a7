package replay

import "foray.test/engine/seq"

// A Reduction is a search for a shorter sequence that runs candidates in processes. Its
// Keep is the predicate of [engine.Minimize], [engine.Shorten] and [engine.Join]:
//
//	r := replay.Reduction[engine.Verdict]{Steps: s, Try: run, MaxRuns: 2000}
//	engine.Minimize(table, pool, s, r.Keep)
//	// r.Steps is the result, r.Shown the verdict of its run
type Reduction[T any] struct {
	Steps seq.Sequence // the last candidate that was accepted; before that, the original
	Shown T            // the result of its run
	// Try runs a candidate, and reports whether it still has the effect to keep.
	Try     func(candidate seq.Sequence) (T, bool)
	MaxRuns int         // 0 means no bound
	Over    func() bool // reports whether the time is up; nil means never
	runs    int
}

// Keep runs a candidate and reports whether it is accepted. It accepts none once the
// budget is spent.
func (r *Reduction[T]) Keep(candidate seq.Sequence) bool {
	if r.MaxRuns > 0 && r.runs >= r.MaxRuns || r.Over != nil && r.Over() {
		return false
	}
	r.runs++
	shown, ok := r.Try(candidate)
	if ok {
		r.Steps, r.Shown = candidate, shown
	}
	return ok
}
