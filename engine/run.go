package engine

import "foray.test/engine/seq"

// A purpose says why a sequence runs.
type purpose uint8

const (
	idle       purpose = iota // none runs
	composing                 // composition extends it as it runs
	exploring                 // it is the next of an exhaustive search
	attempting                // an attempt proposed it
	tracing                   // the frontier wants to know how it gets along
	replaying                 // it is an entry
	sowing                    // it is one of the package's tests
	reducing                  // it may stand for a longer entry or finding
)

// A job is the purpose of a run. A reduction names the entry or the finding that it makes
// smaller. Should the run be abandoned, that is reported as it is.
type job struct {
	purpose purpose
	entry   *Entry
	finding *Finding
}

// An inflight is the record of the run under way that [Engine.Abandon] reads.
type inflight struct {
	job
	steps seq.Sequence // that began, the one that runs included
}

// A runner runs all sequences of an engine. Only its begin sets the record of the run
// under way, so that a run of any purpose may be abandoned at any step.
type runner struct {
	table   *seq.Table
	exec    Executor
	tracer  Tracer // nil unless the executor is one
	untimed bool   // see Params
	counts  Counts
	run     Run
	now     inflight
	begins  []int // see trial
}

func newRunner(t *seq.Table, x Executor, tr Tracer) *runner {
	return &runner{table: t, exec: x, tracer: tr}
}

// begin begins a run without steps.
func (r *runner) begin(j job, o RunOptions) {
	r.now.job, r.now.steps = j, r.now.steps[:0]
	o.Untimed = o.Untimed || r.untimed
	r.run = r.exec.Begin(o)
}

// append runs one step.
func (r *runner) append(st seq.Step) StepOutcome {
	r.now.steps = append(r.now.steps, st)
	return r.run.Append(st)
}

// retract takes back the last step, which was refused.
func (r *runner) retract() { r.now.steps = r.now.steps[:len(r.now.steps)-1] }

// end ends the run. Its steps stay at hand until the next one begins.
func (r *runner) end(fresh []int32) Outcome {
	out := r.run.End(r.now.steps, fresh)
	r.over()
	return out
}

// over counts the run under way, which has come to its end or will not.
func (r *runner) over() {
	n, c := uint64(len(r.now.steps)), &r.counts
	switch r.now.purpose {
	case composing, exploring:
		c.Sequences++
		c.Steps += n
	case attempting:
		c.Sequences++
		c.Aimed++
		c.Steps += n
	case tracing, replaying, sowing, reducing:
		c.Replayed += n
	}
	r.now.job = job{}
}

// abandon gives up the run under way, and returns it. x runs the next ones.
func (r *runner) abandon(x Executor) inflight {
	given := r.now
	if given.purpose == idle {
		given.steps = nil
	}
	r.over()
	r.exec, r.run = x, nil
	return given
}

// A trial is the result of running a whole sequence.
type trial struct {
	Outcome
	ran    int    // steps, the one that broke or was refused included
	cost   uint64 // of the calls, in panics
	begins []int  // by step: the visits recorded before it, if visits are traced; valid until the next run
}

// try runs s, up to a step that breaks or is refused. A reduction is judged by all slots,
// all else by none: a run of the frontier is judged when it is kept.
func (r *runner) try(j job, s seq.Sequence, o RunOptions) trial {
	r.box(s)
	r.begin(j, o)
	r.begins = r.begins[:0]
	var t trial
	for i := range s {
		if r.tracer != nil && o.Trace == TraceVisits {
			r.begins = append(r.begins, r.tracer.Logged())
		}
		out := r.append(s[i])
		t.cost += uint64(out.Cost)
		if out.Status >= Broken {
			break
		}
	}
	t.ran, t.begins = len(r.now.steps), r.begins
	var fresh []int32
	if j.purpose == reducing {
		fresh = allSlots(s[:t.ran].Slots(r.table))
	}
	t.Outcome = r.end(fresh)
	return t
}

// box boxes the literals of s that are not yet.
func (r *runner) box(s seq.Sequence) {
	for i := range s {
		for _, a := range s[i].Args {
			if a.Lit != nil && a.Lit.Boxed == nil {
				r.exec.Box(a.Lit)
			}
		}
	}
}

// allSlots returns the slots from 0 to n-1.
func allSlots(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// Execute runs all of s and judges every slot. It stops at a step that breaks or is
// refused; ran counts the steps that ran, that one included.
func Execute(x Executor, t *seq.Table, s seq.Sequence, o RunOptions) (out Outcome, ran int) {
	tr := newRunner(t, x, nil).try(job{purpose: reducing}, s, o)
	return tr.Outcome, tr.ran
}
