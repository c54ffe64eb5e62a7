package engine

import (
	"slices"

	"foray.test/coverage"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// A witness is a kept sequence that reaches conditions with a side not taken.
type witness struct {
	steps     seq.Sequence
	spent     int64 // fuel
	perturbed bool
	influence map[int32]*influence // by condition
}

// influence lists the positions of a witness whose change changes a condition:
// what it compares, or only how often it is visited. A repeated step changes the
// visits of everything, so these are told apart.
type influence struct {
	operands, visits []mutators.Position
}

// findWitnesses looks at what was kept since it last did.
func (f *frontier) findWitnesses() {
	for f.taken < len(f.e.entries) {
		f.taken++ // before it runs: it may not come to its end
		f.addWitness(f.e.entries[f.taken-1].Steps)
	}
}

// addWitness runs s twice, which also tells what is not stable, and files it under
// the conditions that it reaches, the same way both times, and that have sides left to
// take. A condition is unstable as long as no witness is stable there.
func (f *frontier) addWitness(s seq.Sequence) {
	f.tracer.Fuel(distantFuel)
	f.tracer.Trace(TraceHashes)
	f.replay(s)
	if f.tracer.Out() {
		f.tracer.Trace(TraceNothing)
		return
	}
	sums := slices.Clone(f.tracer.Sums())
	f.replay(s)
	f.tracer.Trace(TraceNothing)
	w := &witness{steps: s, spent: f.tracer.Spent(), influence: map[int32]*influence{}}
	again := f.tracer.Sums()
	filed := false
	for i := range f.conds {
		if sums[i].Visits == 0 && again[i].Visits == 0 {
			continue
		}
		if sums[i] != again[i] {
			f.unstable[i] = len(f.byCond[i]) == 0
			continue
		}
		if f.open(&f.conds[i]) {
			filed = f.file(i, w) || filed
			f.unstable[i] = false
		}
	}
	if filed {
		f.witnesses = append(f.witnesses, w)
	}
}

// open reports whether c has a side that is not taken.
func (f *frontier) open(c *coverage.Condition) bool {
	for side := c.First; side < c.First+len(c.Sides); side++ {
		if !f.e.covered.Has(side) {
			return true
		}
	}
	return false
}

// file adds w to the witnesses of a condition: shorter ones first, at most so many.
func (f *frontier) file(cond int, w *witness) bool {
	list := f.byCond[cond]
	at, _ := slices.BinarySearchFunc(list, w, func(a, b *witness) int { return len(a.steps) - len(b.steps) })
	if at >= maxWitnesses {
		return false
	}
	list = slices.Insert(list, at, w)
	f.byCond[cond] = list[:min(len(list), maxWitnesses)]
	return true
}

func (f *frontier) replay(s seq.Sequence) {
	_, ran := f.execute(s)
	f.spent(ran)
	f.e.counts.Replayed += uint64(ran)
}

// perturb changes each position of w a few ways and notes what that changes where:
// influence by perturbation. One run answers for all conditions at once, and
// control flow is seen as well as data: the two reasons that [Pacheco09 §8.4]
// gives for the influencing variables that its tracer missed.
func (f *frontier) perturb(w *witness) {
	w.perturbed = true
	f.tracer.Fuel(f.fuelFor(w))
	f.tracer.Trace(TraceHashes)
	f.replay(w.steps)
	sums := slices.Clone(f.tracer.Sums())
	for i := range f.conds {
		if sums[i].Visits > 0 {
			w.influence[int32(i)] = &influence{}
		}
	}
	a := f.newAim(w.steps)
	for _, p := range mutators.AllPositions(w.steps) {
		mutators.Perturb(a, p, func(s seq.Sequence) bool {
			if r := f.run(s, -1, fromPerturbing); r != nothing {
				return true // its hashes are not at hand
			}
			changed := f.tracer.Sums()
			for i, inf := range w.influence {
				switch was, is := &sums[i], &changed[i]; {
				case is.Visits == 0:
					inf.visits = addPosition(inf.visits, p)
				case is.Set != was.Set || is.Visits == was.Visits && is.Hash != was.Hash:
					inf.operands = addPosition(inf.operands, p)
				case is.Visits != was.Visits:
					inf.visits = addPosition(inf.visits, p)
				}
			}
			return true
		})
	}
	f.tracer.Trace(TraceNothing)
}

func addPosition(list []mutators.Position, p mutators.Position) []mutators.Position {
	if n := len(list); n > 0 && list[n-1] == p {
		return list
	}
	return append(list, p)
}
