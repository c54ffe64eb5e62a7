package executor

import (
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A pastRun is what an executor that executes past panics keeps of a sequence.
type pastRun struct {
	steps  seq.Sequence // that ran
	passed []int32      // of them those that panicked
}

func (r *pastRun) reset() { r.steps, r.passed = r.steps[:0], r.passed[:0] }

// goesOn reports whether the sequence may go on behind st, which has just panicked and
// whose slots begin at base: if its caller is to blame. What it was to make is no
// value, and what it was given may be broken from now on.
//
// RANDEX in [Pacheco09 §8.2.3] goes on behind all exceptions. There most are the
// caller's, for any other is a finding here, which is where a sequence ends.
func (x *Executor) goesOn(st seq.Step, base int) bool {
	if !x.panicked.set || x.panicked.goexit || x.panicked.failed != nil {
		return false
	}
	if v := x.judge.panicked(append(x.ran.steps, st)); v == nil || v.Tier != engine.Illegal {
		return false
	}
	x.panicked.set = false
	x.avoid(base)
	x.ran.passed = append(x.ran.passed, int32(len(x.ran.steps)))
	return true
}

// tell notes in an outcome what panicked. What such a call leaves behind is its
// package's to put right, but nobody has promised that.
func (r *pastRun) tell(out *engine.Outcome) {
	out.Past = len(r.passed)
	v := out.Verdict
	if out.Past == 0 || v == nil || v.Tier == engine.Illegal {
		return
	}
	v.Past = slices.Clone(r.passed)
	if v.Tier == engine.Error {
		v.Tier, v.Document = engine.Suspect, "a call before it panicked, and its caller is to blame for that; "+v.Document
	}
}
