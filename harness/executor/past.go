package executor

import (
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A pastRun is the record of a sequence that an executor keeps if it executes past panics.
type pastRun struct {
	steps  seq.Sequence // the steps that ran
	passed []int32      // the numbers of those that panicked
}

func (r *pastRun) reset() { r.steps, r.passed = r.steps[:0], r.passed[:0] }

// goesOn reports whether the sequence may go on after st, which has just panicked: its
// caller must be to blame. The slots of st begin at base; they have no values. The
// arguments of st may be broken from now on.
//
// RANDEX in [Pacheco09 §8.2.3] goes on after all exceptions, most of them the caller's
// fault. Here any other is a finding, and a finding ends its sequence.
func (x *Executor) goesOn(st seq.Step, base int) bool {
	if !x.panicked.set || x.panicked.goexit || x.panicked.failed != nil {
		return false
	}
	if v := x.judge.panicked(append(x.ran.steps, st), false); v == nil || v.Tier != engine.Illegal {
		return false
	}
	x.panicked.set = false
	x.avoid(base)
	x.ran.passed = append(x.ran.passed, int32(len(x.ran.steps)))
	return true
}

// tell notes the steps that panicked in an outcome. The package ought to put right the
// values that such a call leaves behind, but has not promised that.
func (r *pastRun) tell(out *engine.Outcome) {
	out.Past = len(r.passed)
	v := out.Verdict
	if out.Past == 0 || v == nil || v.Tier == engine.Illegal {
		return
	}
	v.Past = slices.Clone(r.passed)
	v.Settle(v.Ruling(), engine.Ruling{Tier: engine.Suspect, Rule: "panic before", Reason: "a call before it panicked, and its caller is to blame for that; " + v.Reason})
}
