package engine

import (
	"slices"

	"foray.test/coverage"
	"foray.test/engine/seq"
)

// Counts returns the totals so far.
func (e *Engine) Counts() Counts { return e.runner.counts }

// Hits returns, by signature, how many sequences ended in a finding, known ones
// included. It is the engine's: read only, between runs.
func (e *Engine) Hits() map[Signature]uint64 { return e.archive.hits }

// Covered returns the branch sides taken so far. It is the engine's: read only,
// between runs.
func (e *Engine) Covered() *coverage.Set { return e.archive.covered }

// Novel reports whether a run with these hits takes sides that no entry does.
func (e *Engine) Novel(hits []byte) bool { return e.archive.isNew(hits) }

// Representatives returns components that make distinct values: of each type that
// operations want the shortest, at most perType and max in all.
func (e *Engine) Representatives(perType, max int) []seq.Sequence {
	return e.archive.representatives(func(t seq.TypeID) bool { return len(e.composer.wanted[t]) > 0 }, perType, max)
}

// Aims reports whether the engine aims at the frontier.
func (e *Engine) Aims() bool { return e.frontier != nil }

// Frontier tells how attempts at the sides of the frontier went, in order; nothing
// without a tracer.
func (e *Engine) Frontier() []Side {
	if e.frontier == nil {
		return nil
	}
	return e.frontier.sides()
}

// Resume tells the engine of the attempts of earlier processes, so that the sides
// with the lowest price come first, and of the sides taken, though perhaps by no entry.
func (e *Engine) Resume(sides []Side, covered []int32) {
	for _, side := range covered {
		e.archive.covered.Add(int(side))
	}
	for _, s := range sides {
		if f := e.frontier; f != nil && int(s.Side) < len(f.targets) {
			t := &f.targets[s.Side]
			t.attempts, t.price, t.runs, t.started = s.Turns, s.Price, s.Runs, true
		}
	}
}

// Add runs an entry that another engine or an earlier run kept. It keeps the entry if
// that takes sides that are new here, and the makers of new values as components. It
// skips an entry that calls an operation that is backed off or disabled. An entry that fails is reported
// as a finding: the package has changed, or the entry was written by hand. It returns the
// entry as it is kept, without sides if it is not.
func (e *Engine) Add(s seq.Sequence) Entry {
	en := Entry{Steps: s}
	if !e.schedule.welcomes(s) {
		return en
	}
	out := e.composer.replayEntry(replaying, s, RunOptions{})
	en.Costly = out.costly()
	if out.Verdict != nil {
		e.keeper.takeVerdict(*out.Verdict, out.shows(e.composer.steps()), 0)
		return en
	}
	if e.composer.broken || out.Rank < 0 || !e.archive.isNew(out.Hits) {
		return en
	}
	if e.frontier != nil {
		e.frontier.credit(out.Hits, -1, fromElsewhere)
	}
	e.archive.covered.AddHits(out.Hits)
	e.archive.resumed = e.archive.resumed || e.runner.counts.Sequences == 0
	en.Sides, en.Rank, en.Spent = e.archive.claim(out.Hits), out.Rank, out.Spent
	e.archive.add(en)
	return en
}

// Restore keeps an entry as the Add of an earlier process of the same build returned it,
// without running it. It makes no components. No sequence starts from one that calls a disabled
// operation.
func (e *Engine) Restore(en Entry) {
	if e.schedule.backedOff(en.Steps) {
		return
	}
	for _, side := range en.Sides {
		e.archive.covered.Add(int(side))
		e.archive.kept.Add(int(side))
	}
	e.archive.resumed = true
	e.archive.costliest = max(e.archive.costliest, en.Spent)
	if !e.schedule.disables(en.Steps) {
		e.archive.add(en)
	}
}

// Seed runs a sequence of the package's tests, and takes its outcome in as if it had been
// composed. It skips one with a call that the schedule does not tolerate now. The clock
// decides nothing: tests may be slow by design.
func (e *Engine) Seed(s seq.Sequence) {
	e.composer.usage.known = true
	c := &e.runner.counts
	c.Seeds++
	if !e.schedule.toleratesAll(s) {
		return
	}
	before, covered := c.Replayed, e.archive.covered.Count()
	out := e.composer.replayEntry(sowing, s, RunOptions{Untimed: true})
	e.schedule.leftBehind(s, &out)
	if e.archive.isNew(out.Hits) || out.Verdict != nil {
		e.keeper.take(Entry{Steps: e.composer.steps(), Seed: true, Costly: out.costly()}, out, 0)
	}
	e.composer.usage.seeded(workOf(int(c.Replayed-before), 0), float64(e.archive.covered.Count()-covered))
}

// SeedDue reports whether the next unit of work is a sequence of the package's tests, if one
// is left. Once composition is quiet all are due: it promises no more, and aiming waits.
func (e *Engine) SeedDue() bool {
	u := &e.composer.usage
	return u.balance.due() || u.start > 0 || e.Quiet()
}

// Know tells the engine of a finding that is reported already: see [Verdict.DedupKey].
func (e *Engine) Know(dedupKey string) { e.archive.known[dedupKey] = true }

// Recall tells the engine how runs of operations in earlier processes ended, as far
// as their sequences did not come to an end. Without runs it only says how often an
// operation is to be taken as backed off before.
func (e *Engine) Recall(list []OpCounts) {
	for _, c := range list {
		e.schedule.recall(c)
	}
}

// NoHuge lists the operations that get no huge numbers any more, because they
// allocated much when they did.
func (e *Engine) NoHuge() []seq.OpID {
	var list []seq.OpID
	for i := range e.schedule.stats {
		if e.schedule.stats[i].numbers == noHuge {
			list = append(list, seq.OpID(i))
		}
	}
	return list
}

// DenyHuge gives an operation no huge numbers from now on.
func (e *Engine) DenyHuge(op seq.OpID) { e.schedule.limit(op, noHuge) }

// Restrict gives an operation only small literals from now on: it ended a process.
func (e *Engine) Restrict(op seq.OpID) { e.schedule.limit(op, smallOnly) }

// Disable takes an operation out of composition: it ended the process too often.
// No sequence starts from entries that call it, and no attempt.
func (e *Engine) Disable(op seq.OpID) {
	e.schedule.disable(op)
	if f := e.frontier; f != nil {
		f.witnesses.seen = e.archive.removeCalls(op, f.witnesses.seen)
		f.removeCalls(op)
	} else {
		e.archive.removeCalls(op, 0)
	}
	for t, makers := range e.composer.makers {
		e.composer.makers[t] = slices.DeleteFunc(makers, func(id seq.OpID) bool { return id == op })
	}
}

// KeepApart keeps objects from being put into themselves in most sequences from now on: some that
// were have ended processes that walked them. The higher n, which is at least 1, the fewer
// sequences do so.
func (e *Engine) KeepApart(n int) {
	e.schedule.apart, e.schedule.loopOneIn = e.composer.ops, 1<<(loopDoublings*min(n, maxApart))
}
