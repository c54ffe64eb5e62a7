package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// totals add up the processes that ended.
type totals struct {
	counts           engine.Counts
	ops              []engine.OpCounts // by operation
	hits             map[engine.Signature]uint64
	refusals         engine.Refusals
	running, judging time.Duration
	cpu              time.Duration
	told             time.Duration   // the processor time of the last line that told the pace
	ends, deaths     int             // of processes; those that died ended, too
	restarts         []time.Duration // from the end of a process to the first report of the next
	unexplained      int             // deaths that nothing shows again
	lastUnexplained  string
	atStart          string // the last line of a process that a goroutine of the package's initialization ended
	stalls           int    // processes that were ended while they ran no sequence
	faults           []string
}

// fault tells a panic of a law once.
func (t *totals) fault(to Reporter, text string) {
	if !slices.Contains(t.faults, text) {
		t.faults = append(t.faults, text)
		to.Warn("a law panicked, and is not held any more; please report this fault of foray: " + text)
	}
}

// stall notes that a process was ended because it did not go on, while it ran no sequence.
func (t *totals) stall(how string) {
	if t.stalls++; t.stalls > maxStalls {
		t.unexplain(how)
	}
}

// unexplain notes that a process ended, and that no sequence shows why.
func (t *totals) unexplain(how string) { t.unexplained, t.lastUnexplained = t.unexplained+1, how }

// tellPace tells, with each second of processor time that the workers have taken, how many
// sequences they have run.
func (r *run) tellPace() {
	cpu, sequences := r.totals.cpu, r.totals.counts.Sequences
	for _, w := range r.slots {
		if w.proc != nil {
			took, _ := w.proc.CPUNow()
			cpu, sequences = cpu+took, sequences+w.proc.Shared().Counts.Sequences
		}
	}
	if cpu >= r.totals.told+paceEvery {
		r.totals.told = cpu.Truncate(paceEvery)
		r.config.Report.Note(fmt.Sprintf("workers took %.2f s of processor time for %d sequences", cpu.Seconds(), sequences))
	}
}

// paceEvery is the processor time between two lines that tell the pace of a run.
const paceEvery = time.Second

// add adds a process, by its last report and its counts at the end.
func (t *totals) add(last *wire.Stats, counts engine.Counts, p *restrict.Policy) {
	t.counts = add(t.counts, counts)
	t.running, t.judging = t.running+last.Running, t.judging+last.Judging
	for _, op := range last.Ops {
		if int(op.Op) >= len(t.ops) {
			continue
		}
		p.Stalled(op.Op, op.Holds)
		o := &t.ops[op.Op]
		o.Runs += op.Runs
		o.Normal += op.Normal
		o.Failed += op.Failed
		o.Broken += op.Broken
		o.Cost += op.Cost
		o.Limits = o.Limits.Join(op.Limits)
		o.Stalls += op.Stalls
	}
	for signature, n := range last.Hits {
		t.hits[signature] += n
	}
	for _, f := range last.Refusals {
		t.refusals.Add(f)
	}
}

// backoffs returns the counts of operations that were backed off or cost much. A worker that starts
// backs them off again, calls them as seldom, and gives them the same numbers.
func (r *run) backoffs() []engine.OpCounts {
	var list []engine.OpCounts
	for i, c := range r.totals.ops {
		if c.Op, c.Holds = seq.OpID(i), r.policy.Backoffs(seq.OpID(i)); c.Holds > 0 || c.Cost > 0 || c.Limits != (engine.Limits{}) {
			list = append(list, c)
		}
	}
	return list
}

// take handles one event.
func (r *run) take(ctx context.Context, ev event) {
	w := ev.slot
	if ev.msg == nil {
		r.ended(ctx, w, ev.proc)
		return
	}
	if r.holds(w, ev.msg) {
		return
	}
	switch m := ev.msg; {
	case m.Stats != nil:
		r.takeStats(w, m.Stats)
	case m.Covered != nil:
		r.cover(w, m.Covered, w.last.Counts.Sequences)
	case m.Entry != nil:
		r.takeEntry(w, m.Entry)
	case m.Finding != nil:
		r.takeFinding(m.Finding)
	case m.Turn != nil:
		w.attempts = append(w.attempts, m.Turn.Side)
	case m.Lost != nil:
		r.takeLost(m.Lost)
	case m.Extended != nil:
		r.takeExtended(w, m.Extended)
	}
}

func (r *run) takeStats(w *slot, st *wire.Stats) {
	if !w.ended.IsZero() {
		r.totals.restarts, w.ended = append(r.totals.restarts, time.Since(w.ended)), time.Time{}
	}
	for _, text := range st.Faults {
		r.totals.fault(r.config.Report, text)
	}
	w.last = *st
	w.done = w.done || st.Final
	w.aims = w.aims || st.Quiet
	w.leaves = st.Final || st.Recycle || st.Quiet
	r.analysis.takeSides(st.Frontier)
	w.attempts = w.attempts[:0]
	r.cover(w, st.Covered, st.Counts.LastNew)
	var noHuge []seq.OpID
	for _, id := range st.NoHuge {
		if !slices.Contains(r.noHuge, id) {
			noHuge = append(noHuge, id)
		}
	}
	if len(noHuge) > 0 {
		r.noHuge = append(r.noHuge, noHuge...)
		r.tell(w, wire.Learn{NoHuge: noHuge})
	}
}

func add(a, b engine.Counts) engine.Counts {
	a.Sequences += b.Sequences
	a.Aimed += b.Aimed
	a.Distinct += b.Distinct
	a.Steps += b.Steps
	a.Replayed += b.Replayed
	a.Values += b.Values
	a.Illegal += b.Illegal
	a.Abandoned += b.Abandoned
	a.Findings += b.Findings
	// Each process samples anew, and would count the sides of the others once again.
	if b.Sampled > a.Sampled {
		a.Once, a.Sampled = b.Once, b.Sampled
	}
	a.Seeds += b.Seeds
	a.WithUse += b.WithUse
	return a
}
