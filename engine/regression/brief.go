package regression

import (
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Bounds on the texts of a test.
const (
	longText   = 40  // bytes: shorter ones are read at a glance
	leastCut   = 4   // bytes that one cut saves
	maxCutRuns = 200 // for one sequence
)

// brief returns s with shorter texts, and its run: all calls end as they did, and take all branch
// sides that they took. A text may be a whole file that the tests of the package read.
func (b *Builder) brief(s seq.Sequence, run Run) (seq.Sequence, Run) {
	left := maxCutRuns
	keep := func(cand seq.Sequence) bool {
		if left--; left < 0 {
			return false
		}
		again, ok := b.record(cand)
		if !ok || !run.like(again) {
			return false
		}
		run = again
		return true
	}
	same := func(l *seq.Literal) *seq.Literal { return l }
	for i := range s {
		for j, a := range s[i].Args {
			if a.Lit != nil && len(a.Lit.Text()) > longText {
				s = engine.ShortenText(s, i, j, leastCut, same, keep)
			}
		}
	}
	return s, run
}

// like reports whether another run finished as many steps as r, and took all branch sides of r.
func (r *Run) like(other Run) bool {
	if len(other.Steps) != len(r.Steps) || finished(other) != finished(*r) {
		return false
	}
	return !slices.ContainsFunc(r.Sides, func(side int32) bool { return !slices.Contains(other.Sides, side) })
}
