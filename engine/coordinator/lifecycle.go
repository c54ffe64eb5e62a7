package coordinator

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/draw"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// A slot is the place of one worker. Its processes follow each other.
type slot struct {
	index         int
	starts        int
	quota         uint64    // sequences it may still compose; 0 means no bound
	sequences     uint64    // composed by all its processes
	done          bool      // it ended by itself and is not wanted again
	aims          bool      // its processes are of the analysis build
	waits         bool      // … which is not there yet
	composes      bool      // there was nothing to aim at
	startFailures int       // processes in a row that ended before they composed a sequence
	deaths        int       // since an analysis build was to be had
	seeds         [][]byte  // sequences of tests that none of its processes has begun
	ended         time.Time // when a process of its ended, until the next one has reported; else zero
	incarnation
}

// An incarnation is the state of the process in a slot. It begins anew with the next.
type incarnation struct {
	proc     *worker.Process // nil if there is none
	started  time.Time
	last     wire.Stats // its last report
	leaves   bool       // … was its very last
	attempts []int32    // sides of attempts that the last report does not have
	dog      *worker.Watchdog
	aborted  bool // it hangs and was asked for the stack of its call
	portion
}

// An event is a message from a worker, or its end if the message is nil.
type event struct {
	slot *slot
	proc *worker.Process
	msg  *wire.Message
}

func (r *run) start(ctx context.Context, w *slot) error {
	p, err := r.process(ctx, w.aims)
	if err != nil {
		return err
	}
	w.incarnation = incarnation{proc: p, started: time.Now(), dog: p.Watchdog()}
	entries, known := r.archive.beginning(w.aims, w.starts)
	seed := draw.Stream(draw.Stream(r.config.Seed, w.index), w.starts)
	w.starts++
	go func() {
		for m := range p.Messages() {
			r.events <- event{w, p, m}
		}
		<-p.Exited()
		r.events <- event{w, p, nil}
	}()
	p.Send(&wire.Message{Start: &wire.Start{
		Explore: r.config.Explore,
		Seed:    seed, Sequences: w.quota, Params: r.params(), UntilQuiet: r.untilQuiet(w),
		Learn: wire.Learn{
			Entries: entries, Known: slices.Sorted(maps.Keys(r.findings.told)),
			Disable: slices.Clone(r.policy.Disabled()), Restrict: slices.Clone(r.policy.Restricted()), NoHuge: slices.Clone(r.noHuge),
			Oracles: slices.Clone(r.policy.Oracles()), Apart: r.policy.Apart(), Backoff: r.backoffs(), Seeds: w.seeds, Seen: r.config.Seen,
		},
		Known: known, Frontier: r.analysis.sides(), Covered: r.archive.covered.AppendMissing(nil, coverage.NewSet(r.config.Sides)),
	}})
	r.deal()
	return nil
}

// dropSeed drops the next sequence of tests if it begins with the steps that ended a process.
func (w *slot) dropSeed(steps []byte) {
	if len(w.seeds) == 0 {
		return
	}
	_, count := binary.Uvarint(w.seeds[0])
	if bytes.HasPrefix(w.seeds[0][count:], steps) {
		w.seeds = w.seeds[1:]
	}
}

// watch looks for workers that hang, and asks those for the stack of the call.
func (r *run) watch() {
	for _, w := range r.slots {
		if w.proc == nil || w.aborted || r.waitsForShare(w) {
			continue
		}
		if w.leaves {
			if hangs, _ := w.dog.Hangs(worker.Limits{Compute: worker.LeaveTime, Wait: worker.LeaveTime, Total: worker.LeaveTime}); hangs {
				w.proc.Kill()
			}
			continue
		}
		if hangs, idle := w.dog.Hangs(r.limits(w)); hangs {
			w.aborted = true
			go w.proc.Abort(idle, true)
		}
	}
}

// limits returns how long a worker may stand still. In a run that repeats itself that neither
// depends on what confirming has shown, nor on how busy the machine is.
func (r *run) limits(w *slot) worker.Limits {
	compute, wait, total := worker.CallCPU, worker.HangAfter, worker.HangAfter
	if w.proc.Shared().Length.Load() != 0 {
		wait = worker.IdleAfter
	}
	switch {
	case r.repeats():
		compute, wait = wire.UntimedPatience*compute, wire.UntimedPatience*wait
		total = worker.Starved * compute
	case r.slow:
		compute = slowCPU
	}
	patience := r.config.Patience
	return worker.Limits{Compute: max(compute, patience), Wait: wait, Total: max(total, 2*patience)}
}

// epitaph says how a worker's process ended.
func (w *slot) epitaph(p *worker.Process, sequences uint64) string {
	text := fmt.Sprintf("worker %d ended (%s) after %v and %d sequences", w.index, p.State(), time.Since(w.started).Round(time.Millisecond), sequences)
	if w.last.Recycle {
		text += fmt.Sprintf(": it has left %d goroutines, and has %d MB", w.last.Goroutines, w.last.HeapBytes>>20)
		if w.last.Spins {
			text += "; a goroutine computes on and on"
		}
	}
	return text
}

// ended handles the end of a worker's process and starts the next one.
func (r *run) ended(ctx context.Context, w *slot, p *worker.Process) {
	w.ended = time.Now()
	r.totals.ends++
	reason, code := p.ExitReason(), p.State().ExitCode()
	running := p.Shared().Length.Load() != 0
	corrupt := errors.Is(reason.ProtocolErr, wire.ErrCorrupt) // perhaps its last reports, after which it has left
	died := !reason.Killed && (code != 0 && !w.leaves || reason.Hung || running || corrupt)
	counts := p.Shared().Counts
	if w.startFailures++; counts.Sequences > 0 {
		w.startFailures = 0
	}
	w.seeds = w.seeds[min(counts.Seeds, uint64(len(w.seeds))):]
	if died && running {
		counts.Sequences++ // the sequence that it died in
		w.dropSeed(p.Shared().Begun())
	}
	if w.quota > 0 {
		w.quota -= min(counts.Sequences, w.quota)
		w.done = w.done || w.quota == 0
	}
	r.config.Report.Note(w.epitaph(p, counts.Sequences))
	r.totals.add(&w.last, counts, r.policy)
	r.analysis.countAttempts(w.attempts)
	heeded := w.started
	if r.exploration != nil {
		r.exploration.Again(w.dealt)
	}
	w.incarnation = incarnation{}
	w.sequences += counts.Sequences
	if died {
		r.totals.deaths++
		r.died(w, p, reason, heeded)
	}
	if reason.Files {
		r.filled(w, p, heeded)
	}
	p.Dispose()
	r.totals.cpu += p.CPU()
	if r.stopping || w.done || ctx.Err() != nil {
		return
	}
	if w.startFailures == maxStartFailures {
		r.config.Report.Warn(fmt.Sprintf("worker %d is gone: %d processes in a row died before their first sequence", w.index, maxStartFailures))
		return
	}
	r.replace(ctx, w)
	r.prepare(ctx, w.aims)
}

// died follows up a death. The process was started at the given time.
func (r *run) died(w *slot, p *worker.Process, reason worker.ExitReason, started time.Time) {
	if r.analysis.spawn != nil || r.awaits() {
		w.deaths++
		w.aims = w.aims || w.sequences >= aimAfterSequences || w.deaths >= aimAfterDeaths || r.resumed()
	}
	if reason.ProtocolErr == nil {
		r.followDeath(p, started)
		return
	}
	// The sequence that ran at the end need not have spoilt the reports.
	r.config.Report.Warn(fmt.Sprintf("worker %d: %v: replaced", w.index, reason.ProtocolErr))
	if s, err := p.Running(r.config.Table, r.config.Pool.Literals); err == nil && len(s) > 0 {
		r.restrict(p.Death().Cause(s), started)
	}
}

// filled follows up the end of a process whose calls made too many files. The operation that
// ran then is the likeliest to have made them.
func (r *run) filled(w *slot, p *worker.Process, started time.Time) {
	s, err := p.Running(r.config.Table, r.config.Pool.Literals)
	r.config.Report.Warn(fmt.Sprintf("worker %d: its calls make files without bound: replaced", w.index))
	if err == nil && len(s) > 0 {
		r.restrict(restrict.Death{Steps: s, Costly: true}, started)
	}
}

// restrict restricts operations after the death of a process. A process heeds the
// restrictions from before its start, and soon those made later.
func (r *run) restrict(d restrict.Death, started time.Time) {
	if r.config.Spare {
		return
	}
	d.At, d.Ran = time.Now(), r.totals.ops
	if d.Heeded = d.At.Add(-heedTime); started.After(d.Heeded) {
		d.Heeded = started
	}
	r.change(r.policy.Died(d))
}

// change has all workers heed a change of the restrictions. Those that start later do not
// begin with entries that call disabled operations.
func (r *run) change(c restrict.Change) {
	r.archive.dropCalls(r.config.Table, r.config.Pool.Literals, c.Disable)
	if !c.Empty() {
		r.tell(nil, wire.Learn{Disable: c.Disable, Restrict: c.Restrict, Backoff: c.Backoff, Oracles: c.Oracles, Apart: c.Apart})
	}
}

// calling returns the sequences of list that call a member, or all if it is no operation. It
// also returns those that could, with calls of it added: contracts call what no step calls.
func (r *run) calling(list []seq.Sequence, member string) (calls, added []seq.Sequence) {
	t := r.config.Table
	ops := t.OpsThat(func(op *seq.Operation) bool { return op.Member == member })
	if member == "" || len(ops) == 0 {
		return list, nil
	}
	for _, s := range list {
		if slices.ContainsFunc(s, func(st seq.Step) bool { return slices.Contains(ops, st.Op) }) {
			calls = append(calls, s)
		}
		if with := withCalls(t, s, ops); len(with) > len(s) {
			added = append(added, with)
		}
	}
	return calls, added
}

// withCalls returns s with calls of ops after each step, on the objects that it made or took.
// An op that takes more than such an object, alone or twice, is not called.
func withCalls(t *seq.Table, s seq.Sequence, ops []seq.OpID) seq.Sequence {
	after := make([]seq.Sequence, len(s)) // the calls by step
	slot := int32(0)
	for i := range s {
		for _, ty := range t.Ops[s[i].Op].Results {
			calls := callsOn(t, ops, ty, slot)
			for j := i; j < len(s) && len(calls) > 0; j++ {
				if j == i || s[j].Takes(slot) {
					after[j] = append(after[j], calls...)
				}
			}
			slot++
		}
	}
	out := s
	for i := len(s) - 1; i >= 0; i-- {
		out = seq.Insert(t, out, i+1, after[i])
	}
	return out
}

// callsOn returns the calls of those of ops that take nothing but slot, of type ty.
func callsOn(t *seq.Table, ops []seq.OpID, ty seq.TypeID, slot int32) (calls seq.Sequence) {
	for _, id := range ops {
		op := &t.Ops[id]
		if len(op.Params) > 0 && !slices.ContainsFunc(op.Params, func(want seq.TypeID) bool { return want != ty }) {
			calls = append(calls, seq.Step{Op: id, Args: slices.Repeat([]seq.Arg{seq.Slot(int(slot))}, len(op.Params))})
		}
	}
	return calls
}

// alive returns how many workers run, or wait for the analysis build.
func (r *run) alive() int {
	n := 0
	for _, w := range r.slots {
		if w.proc != nil || w.waits {
			n++
		}
	}
	return n
}

// killAll ends all workers and waits for them.
func (r *run) killAll() {
	r.killSlots()
	for r.alive() > 0 {
		if ev := <-r.events; ev.msg == nil {
			ev.proc.Dispose()
			ev.slot.proc = nil
		}
	}
}

// params returns the parameters of the workers' engines. No step is timed in a run that
// must repeat itself.
func (r *run) params() engine.Params {
	p := r.config.Params
	p.Untimed = p.Untimed || r.repeats()
	return p
}

// untilQuiet reports whether w ends when its composing is quiet, for a worker that aims.
func (r *run) untilQuiet(w *slot) bool {
	if r.awaits() {
		return !w.composes
	}
	return r.analysis.spawn != nil
}
