package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// take takes in one event.
func (r *run) take(ctx context.Context, ev event) {
	w := ev.worker
	if ev.msg == nil {
		r.ended(ctx, w, ev.proc)
		return
	}
	switch m := ev.msg; {
	case m.Stats != nil:
		r.takeStats(w, m.Stats)
	case m.Covered != nil:
		r.cover(m.Covered)
	case m.Entry != nil:
		r.takeEntry(w, m.Entry)
	case m.Finding != nil:
		r.takeFinding(m.Finding)
	case m.Turn != nil:
		w.turns = append(w.turns, m.Turn.Side)
	case m.Lost != nil:
		r.takeLost(m.Lost)
	}
}

func (r *run) takeStats(w *workerState, st *wire.Stats) {
	w.counts, w.heap = st.Counts, st.HeapBytes
	w.running, w.judging = st.Running, st.Judging
	w.done = w.done || st.Final
	w.aims = w.aims || st.Quiet
	r.takeSides(st.Frontier)
	w.turns = w.turns[:0]
	w.leaves = st.Final || st.Recycle || st.Quiet
	r.cover(st.Covered)
	w.ops, w.hits, w.refusals = st.Ops, st.Hits, st.Refusals
	var deny []seq.OpID
	for _, id := range st.NoHuge {
		if !slices.Contains(r.noHuge, id) {
			deny = append(deny, id)
		}
	}
	if len(deny) > 0 {
		r.noHuge = append(r.noHuge, deny...)
		r.tell(w, wire.Learn{NoHuge: deny})
	}
}

// held returns what workers that are to start must know of operations that were
// held back.
func (r *run) held() []engine.OpCounts {
	var list []engine.OpCounts
	for i, c := range r.ops {
		if c.Holds > 0 {
			c.Op = seq.OpID(i)
			list = append(list, c)
		}
	}
	return list
}

func (r *run) cover(sides []int32) {
	for _, side := range sides {
		if side >= 0 && int(side) < r.config.Sides && r.covered.Add(int(side)) {
			r.lastNew, r.lastNewAt = r.counts().Sequences, time.Since(r.began)
		}
	}
}

func (r *run) takeEntry(w *workerState, m *wire.Entry) {
	s, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, m.Steps)
	if err != nil {
		r.config.Report.Warn(fmt.Sprintf("worker %d: %v", w.index, err))
		return
	}
	if m.Value {
		if w.aims {
			r.values = append(r.values, m.Steps)
		}
		r.config.Report.Entry(engine.Entry{Steps: s})
		return
	}
	fresh := 0
	for _, side := range m.Sides {
		if side >= 0 && int(side) < r.config.Sides && r.kept.Add(int(side)) {
			fresh++
		}
	}
	r.cover(m.Sides)
	if fresh == 0 {
		return
	}
	r.entries = append(r.entries, m.Steps)
	r.newEntries++
	r.config.Report.Entry(engine.Entry{Steps: s, Sides: m.Sides})
	r.tell(w, wire.Learn{Entries: [][]byte{m.Steps}})
}

// tell lets all workers but one know something.
func (r *run) tell(but *workerState, l wire.Learn) {
	for _, w := range r.workers {
		if w != but && w.proc != nil && !r.stopping {
			w.proc.Send(&wire.Message{Learn: &l})
		}
	}
}

// settle adds what a life of w has counted by signature and reason.
func (r *run) settle(w *workerState) {
	for signature, n := range w.hits {
		r.hits[signature] += n
	}
	for _, f := range w.refusals {
		r.refuse(f.Op, f.Reason, f.Runs)
	}
	w.hits, w.refusals = nil, nil
}

func (r *run) refuse(op seq.OpID, reason string, runs uint64) {
	r.refusals[engine.Refusal{Op: op, Reason: reason}] += runs
}

func (r *run) refusalList() []engine.Refusal {
	var list []engine.Refusal
	for f, n := range r.refusals {
		f.Runs = n
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b engine.Refusal) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Reason, b.Reason))
	})
	return list
}

func (r *run) counts() engine.Counts {
	c := r.past
	for _, w := range r.workers {
		c = add(c, w.counts)
	}
	return c
}

func (r *run) snapshot() Snapshot {
	s := Snapshot{
		Elapsed: time.Since(r.began), Counts: r.counts(), Covered: r.covered, Entries: r.newEntries,
		Findings: r.findings, Pending: len(r.pending), Deaths: r.died, Workers: r.alive(), Aiming: r.aimedFrom != nil,
	}
	s.Counts.LastNew = r.lastNew
	for _, w := range r.workers {
		s.HeapBytes += w.heap
	}
	return s
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
	a.Once += b.Once
	a.Sampled += b.Sampled
	return a
}
