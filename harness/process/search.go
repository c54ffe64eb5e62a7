package process

import (
	"math"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

func (w *worker) start(start *wire.Start) {
	w.named = coverage.NewSet(executor.Sides())
	w.told, w.sequences = map[int32]engine.Side{}, start.Sequences
	w.profiler.start() // before the goroutines are counted: that of the profile is no call's
	if start.Params.Untimed {
		w.last.untimed = true
		w.patience.Store(wire.UntimedPatience)
		w.exec.Repeat()
	}
	limitStack(start.Params.StringBytes)
	w.exec.Search()
	tracer, _ := w.executor.(engine.Tracer)
	c := engine.Config{
		Table: w.table, Pool: w.pool, Executor: w.executor, Source: draw.Random(start.Seed),
		Sides: executor.Sides(), Params: start.Params, Sink: w,
		Tracer: tracer, Conditions: w.conditions,
	}
	if start.Explore != nil {
		w.exec.JudgeEveryPanic()
		c.Explore, w.explores = start.Explore, true
	}
	w.engine = engine.New(c)
	w.learn(&start.Learn)
	w.engine.Resume(start.Frontier, start.Covered)
	for _, side := range start.Covered {
		w.named.Add(int(side))
	}
	w.untilQuiet = start.UntilQuiet
	w.restore(start.Known)
	w.addEntries()
	w.report(wire.Stats{})
}

// due reports whether a report is due: the last one of a process does not wait.
func (w *worker) due(now time.Time) bool {
	if w.slowed() {
		return true
	}
	if w.last.untimed {
		return w.engine.Counts().Sequences-w.last.after >= reportSequences
	}
	return now.Sub(w.last.at) >= reportEvery
}

// fuzz composes until it has composed enough or is to stop. It may be called anew
// at any time, by a goroutine that takes over.
func (w *worker) fuzz() error {
	for w.err == nil {
		w.addEntries()
		limit := uint64(math.MaxInt32)
		if w.sequences > 0 {
			limit = w.sequences - min(w.engine.Counts().Sequences, w.sequences)
		}
		if limit == 0 && len(w.seeds) == 0 {
			break
		}
		w.run(limit)
		if w.untilQuiet && len(w.seeds) == 0 && !w.engine.Aims() && w.engine.Quiet() {
			w.profiler.stop()
			w.leaveValues()
			w.report(wire.Stats{Quiet: true})
			return w.err
		}
		now := time.Now()
		w.profiler.tick(now)
		if w.due(now) {
			w.last.at, w.last.after = now, w.engine.Counts().Sequences
			if w.report(wire.Stats{}) {
				w.profiler.stop()
				w.report(wire.Stats{Recycle: true})
				return w.err
			}
		}
		if w.heed() {
			return w.leave()
		}
	}
	return w.leave()
}

// heed obeys an order, if there is one, and all if the worker is to stop. A worker that explores
// and has no states to extend waits for one. It reports whether the worker is to stop.
func (w *worker) heed() (stop bool) {
	if w.explores {
		w.sendExtended()
	}
	for {
		var m *wire.Message
		if w.explores && !w.engine.Extends() {
			m = <-w.commands
		} else {
			select {
			case m = <-w.commands:
			default:
				return false
			}
		}
		switch {
		case m.Learn != nil:
			w.learn(m.Learn)
		case m.Share != nil:
			w.engine.Extend(*m.Share)
		}
		if m.Stop || !w.stops.Load() {
			return m.Stop
		}
	}
}

// sendExtended reports the extensions that are complete.
func (w *worker) sendExtended() {
	if list := w.engine.Extended(); len(list) > 0 {
		w.send(&wire.Message{Extended: list})
	}
}

// run executes a batch of sequences, at most limit, or an attempt at the frontier, and the
// sequences of tests that are due meanwhile. At the limit all of those are.
// After each it leaves the counts where they outlive the process, and names the
// sides that it took at once. So the history of a run does not depend on the last
// report of a worker before it died.
func (w *worker) run(limit uint64) {
	began := time.Now()
	c, most := w.engine.Counts(), uint64(batch)
	if w.explores {
		most = batchExplore
	}
	last := c.Sequences + limit
	for end, sown := c.Sequences+min(limit, most), 0; sown < seedBatch; {
		sows := len(w.seeds) > 0 && (w.engine.SeedDue() || c.Sequences >= last)
		if !sows && c.Sequences >= end || w.explores && !w.engine.Extends() {
			break
		}
		before := c
		if sows {
			w.sow()
			sown++
		} else {
			w.engine.Step(int(last - c.Sequences))
		}
		c = w.engine.Counts()
		w.shared.Counts = c
		if (sows || c.LastNew > before.Sequences) && w.err == nil {
			w.nameCovered()
		}
		if w.slowed() {
			break
		}
	}
	w.running += time.Since(began) // not deferred: that would run in an abandoned goroutine, too
}

// leave says the last word.
func (w *worker) leave() error {
	w.profiler.stop()
	w.leaveValues()
	w.report(wire.Stats{Final: true})
	return w.err
}

func (w *worker) learn(l *wire.Learn) {
	w.untilQuiet = w.untilQuiet || l.UntilQuiet
	for _, id := range l.NoHuge {
		w.engine.DenyHuge(id)
	}
	for _, id := range l.Restrict {
		w.engine.Restrict(id)
	}
	for _, id := range l.Disable {
		w.engine.Disable(id)
		w.exec.Ban(id)
	}
	for _, id := range l.Oracles {
		w.exec.SwitchOff(id)
	}
	if l.Apart > 0 {
		w.engine.KeepApart(l.Apart)
	}
	for _, signature := range l.Known {
		w.engine.Know(signature)
	}
	w.engine.Recall(l.Backoff)
	w.entries = append(w.entries, l.Entries...)
	w.seeds = append(w.seeds, l.Seeds...)
	for _, s := range l.Seen {
		w.see(&s)
	}
}

// addEntries hands the engine the entries that were learnt, and reports how each ran, unless the
// worker is to stop. Each is forgotten before it runs: it may not come to its end.
func (w *worker) addEntries() {
	for len(w.entries) > 0 && !w.stops.Load() {
		b := w.entries[0]
		w.entries = w.entries[1:]
		// A sequence that does not decode was kept under another table.
		if s, err := seq.DecodeBinary(w.table, w.pool.Literals, b); err == nil {
			w.boxAll(s)
			w.sendEntry(w.engine.Add(s), b, true)
		}
	}
}

// restore hands the engine entries that need not run again.
func (w *worker) restore(list []wire.Entry) {
	for i := range list {
		m := &list[i]
		if s, err := seq.DecodeBinary(w.table, w.pool.Literals, m.Steps); err == nil {
			w.boxAll(s)
			e := m.Entry
			e.Steps = s
			w.engine.Restore(e)
		}
	}
}

// sendEntry reports an entry of given steps; again says that the coordinator has it.
func (w *worker) sendEntry(e engine.Entry, steps []byte, again bool) {
	w.send(&wire.Message{Entry: &wire.Entry{Entry: e, Steps: steps, Again: again, At: w.engine.Counts().LastNew}})
}

// see tells the engine of literals that tests use. Those that do not fit the table, and
// parameters of types without literals, are left out.
func (w *worker) see(s *wire.Seen) {
	if int(s.Op) >= len(w.table.Ops) || s.Param < 0 || s.Param >= len(w.table.Ops[s.Op].Params) {
		return
	}
	ty := w.table.Ops[s.Op].Params[s.Param]
	if w.table.Types[ty].Literal == seq.NoLiteral {
		return
	}
	var list []*seq.Literal
	for _, text := range s.Texts {
		if l, err := w.table.ParseLiteral(ty, text); err == nil {
			list = append(list, w.pool.Intern(l))
		}
	}
	w.engine.Seen(s.Op, s.Param, list)
}

// sow has the engine run the next sequence of the package's tests. It is forgotten before it
// runs.
func (w *worker) sow() {
	b := w.seeds[0]
	w.seeds = w.seeds[1:]
	if s, err := seq.DecodeBinary(w.table, w.pool.Literals, b); err == nil {
		w.boxAll(s)
		w.engine.Seed(s)
	}
}

// Entry implements [engine.Sink].
func (w *worker) Entry(e engine.Entry) {
	if w.explores {
		w.sendExtended()
	}
	for _, side := range e.Sides {
		w.named.Add(int(side))
	}
	w.sendEntry(e, seq.AppendBinary(nil, e.Steps), false)
}

// Finding implements [engine.Sink].
func (w *worker) Finding(f engine.Finding) {
	if w.explores {
		w.sendExtended()
	}
	w.send(&wire.Message{Finding: &wire.Finding{Finding: f, Steps: seq.AppendBinary(nil, f.Steps), Original: seq.AppendBinary(nil, f.Original)}})
}

// Attempt implements [engine.Sink].
func (w *worker) Attempt(side int) {
	w.send(&wire.Message{Turn: &wire.Turn{Side: int32(side)}})
}

// Endless implements [engine.Sink].
func (w *worker) Endless(s seq.Sequence) { w.send(&wire.Message{Lost: endless(s)}) }

// endless tells of a sequence that used up its fuel.
func endless(s seq.Sequence) *wire.Lost {
	lost := &wire.Lost{Endless: true}
	for i := range s {
		lost.Steps = seq.AppendStep(lost.Steps, s[i])
	}
	return lost
}

// report adds the totals to st and sends it. It reports whether the process ought to be replaced.
func (w *worker) report(st wire.Stats) bool {
	if w.explores {
		w.sendExtended()
	}
	st.Counts, st.Ops, st.NoHuge, st.Hits = w.engine.Counts(), w.engine.OpCounts(), w.engine.NoHuge(), w.engine.Hits()
	st.Refusals = w.engine.Refusals()
	st.HeapBytes, st.Goroutines = w.load()
	st.Spins = w.exec.Spins()
	st.Running, st.Judging = w.running, w.exec.JudgingTime()
	st.Covered, st.Frontier, st.Faults = w.unnamed(), w.changedSides(), w.exec.Faults()
	w.send(&wire.Message{Stats: &st})
	return st.Spins || w.full(st.HeapBytes, st.Goroutines)
}

// unnamed returns the sides taken that no report has named, which are to be.
func (w *worker) unnamed() []int32 {
	sides := w.engine.Covered().AppendMissing(nil, w.named)
	for _, side := range sides {
		w.named.Add(int(side))
	}
	return sides
}

// nameCovered reports the sides that no report has named.
func (w *worker) nameCovered() {
	if sides := w.unnamed(); len(sides) > 0 {
		w.send(&wire.Message{Covered: sides})
	}
}

// changedSides returns the sides of the frontier that have changed since its last call.
func (w *worker) changedSides() []engine.Side {
	var list []engine.Side
	for _, s := range w.engine.Frontier() {
		if w.told[s.Side] != s {
			w.told[s.Side] = s
			list = append(list, s)
		}
	}
	return list
}

// leaveValues reports, at the end, sequences that make distinct values: the next
// run begins with them as components.
func (w *worker) leaveValues() {
	for _, s := range w.engine.Representatives(valuesPerType, valuesInAll) {
		w.send(&wire.Message{Entry: &wire.Entry{Steps: seq.AppendBinary(nil, s), Value: true}})
	}
}
