package executor

import (
	"foray.test/coverage/probe"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// A requirement is a condition on the calls of an operation, stated by the tests of the
// package. Its adapter takes their arguments, and panics if they may not be made.
type requirement struct {
	check   seq.OpID
	adapter Adapter
}

// A refusal says why the last step appended did not run.
type refusal struct {
	set   bool
	at    int // how many steps there were, with it
	check seq.OpID
	value any // the panic value of its adapter
}

// allowed reports whether a step may run, which the journal has. The sides and fuel that
// the check takes are not the sequence's. If it ends the process, the journal has it as
// one step more.
func (x *Executor) allowed(op *opInfo, st seq.Step) bool {
	in := x.in[:len(st.Args)]
	for i, a := range st.Args {
		switch {
		case a.Lit != nil:
			in[i] = a.Lit.Boxed
		case x.voids && x.state[a.Slot].void:
			return true // it does not run anyway
		default:
			in[i] = x.vals[a.Slot]
		}
	}
	if x.around != nil {
		return x.meets(op, st, in)
	}
	// The counters are put back by no deferred call: one that comes back too late must
	// not touch those of another run.
	x.asking = append(x.asking[:0], probe.Hits[:]...)
	ok := x.meets(op, st, in)
	copy(probe.Hits[:], x.asking)
	return ok
}

// meets reports whether a step meets all that is required of it.
func (x *Executor) meets(op *opInfo, st seq.Step, in []any) bool {
	for _, r := range op.requires {
		if x.judge.banned[r.check] {
			continue
		}
		x.journal.calling(seq.Step{Op: r.check, Args: st.Args}, true)
		value, ok := x.holds(r, in)
		x.journal.called()
		if !ok && !x.outOfFuel() {
			x.refused = refusal{set: true, check: r.check, value: value}
			return false
		}
	}
	return true
}

// refuse takes back the step that was not allowed; n is the length of the journal before
// it. A requirement that panics by itself is reported once, and ends the sequence then.
func (x *Executor) refuse(n int) engine.StepOutcome {
	r := &x.refused
	r.at = int(x.step) + 1
	if _, says := r.value.(string); !says && (x.judge.every || !x.judge.toldOf[r.check]) {
		return engine.StepOutcome{Status: engine.Broken}
	}
	x.step--
	x.journal.cut(n)
	return engine.StepOutcome{Status: engine.Refused, RefusedBy: r.check}
}

// refusedLast reports whether the last step of s is one that was refused.
func (x *Executor) refusedLast(s seq.Sequence) bool { return x.refused.set && x.refused.at == len(s) }

// holds runs one requirement. It returns the panic value, if the requirement panicked.
func (x *Executor) holds(r requirement, in []any) (value any, ok bool) {
	if ok = x.judge.fueled(r.adapter, in, nil); !ok {
		value, x.panicked.set = x.panicked.value, false
	}
	return value, ok
}

// allows reports whether a contract may make a call.
func (j *judge) allows(op seq.OpID, args []any) bool {
	for _, r := range j.x.ops[op].requires {
		if j.banned[r.check] {
			continue
		}
		if _, ok := j.x.holds(r, args); !ok {
			return false
		}
	}
	return true
}

// refused judges the step of s that did not run. A requirement that panics by itself is
// reported once; full says that s is to show every finding.
func (j *judge) refused(s seq.Sequence, full bool) *engine.Verdict {
	r := j.x.refused
	v := contract.Refused(j.x.table, s, r.check, r.value)
	if v.Tier == engine.Suspect && !full && !j.every {
		if j.toldOf[r.check] {
			v.Settle(engine.Ruling{Rule: v.Rule, Reason: v.Reason}, engine.Ruling{})
		}
		j.toldOf[r.check] = true
	}
	return v
}
