package engine

import (
	"math/bits"
	"slices"

	"foray.test/coverage"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// A frontier is the phase of branch-directed generation [Pacheco09 §6.2]: it makes
// attempts at the sides of the frontier, those with the lowest price first. An attempt edits a
// witness at its influencing positions, by the operands that the condition compared, and
// runs the edited sequences. A run that takes any new side is kept, whichever side it
// was meant for: at least half of the sides that attempts take are not those aimed at.
//
// All decisions read counts of runs and steps.
type frontier struct {
	host     host
	archive  *archive
	schedule *schedule
	sink     Sink
	tracer   Tracer
	template mutators.Aim // of all aims
	conds    []coverage.Condition
	ofSide   []int32  // the condition of each side
	targets  []target // by side
	weighed  int      // attempts until the weights are computed anew

	witnesses  witnesses
	edits      []editStats      // by mutators.Edits
	secondRuns map[seq.OpID]int // by operation: sequences that ran out of fuel in it
	took       []int32          // scratch: sides
	begins     []int            // by step of the last run: the visits recorded before it
	balance
	now attempt
}

// A host runs the sequences that the frontier proposes, and takes in their outcomes.
type host interface {
	// run runs s, up to a step that breaks or is refused.
	run(p purpose, s seq.Sequence, o RunOptions) trial
	// take takes in an attempt, with so much fuel, that took sides that no entry takes or
	// ended in a verdict. It runs other sequences and reports whether s became an entry.
	take(s seq.Sequence, out Outcome, fuel int64) bool
}

// A target is a side of the frontier, or was one.
type target struct {
	weight   int // the class of the sides behind it: see weigh
	attempts uint32
	price    uint32 // of the next attempt: see charge
	runs     uint64
	witness  uint32 // witnesses that the fixed edits have been through
	cursor   cursor
	base     seq.Sequence // the nearest sequence of an attempt that was cut off; or nil
	started  bool         // it was a side of the frontier
	edit     int          // the edit that flipped it, plus one; or fromPerturbing, fromElsewhere; zero: composition
}

// A cursor is where the edits that propose a fixed list stopped when an attempt was over.
type cursor struct {
	first int // the edit they began with
	tried int // edits that are through
	skip  int // proposals of the next edit that were tried
}

// Origins of a flip that is no edit's.
const (
	fromPerturbing = -1
	fromElsewhere  = -2 // another worker's, which tells of it
)

type editStats struct {
	Runs  uint64 // sequences proposed and run
	Sides uint64 // new sides that they took
}

// newFrontier returns the frontier of an engine that composes by comp.
func newFrontier(h host, c Config, p Params, comp *composer) *frontier {
	f := &frontier{
		host: h, archive: comp.archive, schedule: comp.schedule, sink: c.Sink, tracer: c.Tracer,
		template: mutators.Aim{
			Index: c.Pool.Index, Source: c.Source, Components: comp.archive.components, Literals: c.Pool,
			Want: -1, MaxStringBytes: p.StringBytes * aimedStringFactor,
			Allowed: func(id seq.OpID) bool { return comp.schedule.askEdit(c.Source, id) },
		},
		conds: c.Conditions, ofSide: make([]int32, c.Sides), targets: make([]target, c.Sides),
		witnesses: newWitnesses(len(c.Conditions)), edits: make([]editStats, len(mutators.Edits)), secondRuns: map[seq.OpID]int{},
		balance: balance{owed: -headStart}, now: attempt{side: noSide},
	}
	for side := range f.ofSide {
		f.ofSide[side] = -1
	}
	for i := range f.conds {
		for j := range f.conds[i].Sides {
			f.ofSide[f.conds[i].First+j] = int32(i)
		}
	}
	return f
}

// attemptNext makes an attempt of at most max runs. It reports false if no side is to be
// aimed at. A call may end its goroutine: nothing that an attempt calls is deferred.
func (f *frontier) attemptNext(max int) bool {
	f.findWitnesses()
	if f.weighed--; f.weighed < 0 {
		f.weigh()
	}
	side := f.next()
	if side < 0 {
		return false
	}
	f.sink.Attempt(side)
	f.attempt(side, min(max, attemptRuns))
	return true
}

// abandon takes in that the run under way was abandoned. If it was an attempt's that is
// over, and the next attempt at the side is another witness's.
func (f *frontier) abandon(now inflight) {
	switch now.purpose {
	case composing:
		f.others(workOf(len(now.steps), 0), 0)
	case attempting, tracing:
		f.spent(workOf(len(now.steps), 0))
	}
	if f.now.side != noSide {
		t := &f.targets[f.now.side]
		f.charge(t)
		t.pass()
		f.now.side = noSide
	}
}

// next chooses the side of the next attempt. The lowest price comes first. Then
// come sides of conditions that compare something, since a bool computed elsewhere is often
// set by another side. Last come sides with the most behind them and the shortest witness.
func (f *frontier) next() int {
	best, bestKey := noSide, [4]int{}
	for i := range f.conds {
		c := &f.conds[i]
		if len(f.witnesses.byCond[i]) == 0 || f.witnesses.unstable[i] {
			continue
		}
		if taken := f.taken(c); taken == 0 || taken == len(c.Sides) {
			continue
		}
		for j := range c.Sides {
			side := c.First + j
			t := &f.targets[side]
			if f.archive.covered.Has(side) {
				continue
			}
			t.started = true
			key := [4]int{int(t.price), 0, -t.weight, len(f.witnesses.byCond[i][0].steps)}
			if opaque(c) {
				key[1] = 1
			}
			if best == noSide || slices.Compare(key[:], bestKey[:]) < 0 {
				best, bestKey = side, key
			}
		}
	}
	return best
}

// taken returns how many sides of a condition are taken.
func (f *frontier) taken(c *coverage.Condition) int {
	taken := 0
	for side := c.First; side < c.First+len(c.Sides); side++ {
		if f.archive.covered.Has(side) {
			taken++
		}
	}
	return taken
}

// opaque reports whether a condition is a bool that was computed elsewhere.
func opaque(c *coverage.Condition) bool { return c.Kind == coverage.Bool && c.Op == "" }

// weigh classes the sides of the frontier by how many sides lie behind them with
// conditions that no run has reached [Burnim08 §4]: a flip may lead to those.
func (f *frontier) weigh() {
	f.weighed = weighEvery
	sides := coverage.Frontier(f.conds, f.archive.covered)
	for i, r := range coverage.ReachOf(f.conds, f.archive.covered, sides) {
		f.targets[sides[i]].weight = bits.Len(uint(r.Unreached))
	}
}

// A result classes the outcome of one run of an attempt.
type result uint8

const (
	nothing result = iota
	useless        // it broke or ran out of fuel: nothing to go on from
	gained         // it took some new side and was kept: others have run since
	flipped        // … the side aimed at
)

// run runs s and takes in its new sides. The edit that made s is credited with them.
func (f *frontier) run(s seq.Sequence, o RunOptions, side, edit int) result {
	f.spent(proposalWork)
	if !f.schedule.toleratesAll(s) {
		return useless
	}
	tr := f.host.run(attempting, s, o)
	f.begins = tr.begins
	f.spent(workOf(tr.ran, tr.Spent))
	if edit >= 0 {
		f.edits[edit].Runs++
	}
	broke := tr.OutOfFuel || tr.Verdict != nil
	if !broke && !f.archive.isNew(tr.Hits) {
		return nothing
	}
	r := f.credit(tr.Hits, side, edit)
	kept := f.host.take(s[:tr.ran], tr.Outcome, o.Fuel)
	if tr.OutOfFuel {
		f.now.outs++
		f.outOfFuel(s[:tr.ran])
	}
	switch {
	case broke:
		return useless
	case !kept && r == gained:
		return nothing // nothing has run since
	}
	return r
}

// trace runs s to see how it gets along: nothing that it shows is taken in.
func (f *frontier) trace(s seq.Sequence, o RunOptions) trial {
	tr := f.host.run(tracing, s, o)
	f.begins = tr.begins
	f.spent(workOf(tr.ran, tr.Spent))
	return tr
}

// credit notes which edit took the sides that are new, before they are covered.
func (f *frontier) credit(hits []byte, side, edit int) result {
	f.took = f.archive.covered.AppendNew(f.took[:0], hits)
	r := gained // if not new, then of no entry yet
	for _, s := range f.took {
		if edit >= 0 {
			f.targets[s].edit = edit + 1
			f.edits[edit].Sides++
		} else {
			f.targets[s].edit = edit
		}
		if int(s) == side {
			r = flipped
		}
	}
	if edit != fromElsewhere {
		f.gained(float64(len(f.took)))
	}
	return r
}

// outOfFuel follows up a sequence that used up its fuel: it may be endless and a
// finding, unless it has written fields. For each operation one sequence gets much
// more; if it uses up that too, another process finds out whether it ends. An operation
// that has ended a process needs no such test.
func (f *frontier) outOfFuel(s seq.Sequence) {
	op := s[len(s)-1].Op
	if f.secondRuns[op]++; f.secondRuns[op] > 1 || writes(f.archive.table, s) || f.schedule.stats[op].numbers >= smallOnly {
		return
	}
	s = s.Clone()
	tr := f.host.run(tracing, s, RunOptions{Fuel: longFuel})
	f.spent(workOf(tr.ran, tr.Spent))
	if tr.OutOfFuel {
		f.sink.Endless(s[:tr.ran])
	}
}

// fuelFor bounds the runs around a witness by a multiple of the witness's own fuel.
func fuelFor(w *witness) int64 {
	return min(nearFuelFactor*w.spent+nearFuelBase, max(distantFuel, 2*w.spent))
}

// composeFuel returns the fuel of a composed sequence: enough for each entry.
func (a *archive) composeFuel() int64 { return max(composeFuel, 2*a.costliest) }
