package engine

import (
	"slices"

	"foray.test/engine/seq"
	"foray.test/mutators"
)

// witnesses are the kept sequences that attempts start from.
type witnesses struct {
	byCond   [][]*witness // by condition, the shortest first
	unstable []bool       // by condition: equal runs of all witnesses so far differ there
	seen     int          // entries that were looked at
	looks    int          // at the next one
}

func newWitnesses(conditions int) witnesses {
	return witnesses{byCond: make([][]*witness, conditions), unstable: make([]bool, conditions)}
}

// removeCalls removes the witnesses that call an operation, and the sequences that attempts
// are to go on from.
func (f *frontier) removeCalls(op seq.OpID) {
	f.witnesses.looks = 0
	for i, list := range f.witnesses.byCond {
		f.witnesses.byCond[i] = slices.DeleteFunc(list, func(w *witness) bool { return calledIn(w.steps, op) })
	}
	for i := range f.targets {
		if t := &f.targets[i]; calledIn(t.base, op) {
			t.base = nil
		}
	}
}

// A witness is a kept sequence that reaches conditions with a side not taken.
type witness struct {
	steps     seq.Sequence
	spent     int64 // fuel
	perturbed bool
	influence map[int32]*influence // by condition
}

// influence lists the positions of a witness that change a condition: its operands, or
// only how often it is visited. A repeated step changes the visits of all conditions,
// so these are told apart.
type influence struct {
	operands, visits []mutators.Position
}

// findWitnesses looks at the entries that were kept since it last did. A run of one may be
// abandoned, though it came to its end before. Then it has another look.
func (f *frontier) findWitnesses() {
	for ws := &f.witnesses; ws.seen < len(f.archive.entries); ws.seen, ws.looks = ws.seen+1, 0 {
		if ws.looks++; ws.looks <= maxLooks {
			f.addWitness(f.archive.entries[ws.seen].Steps)
		}
	}
}

// addWitness runs s twice, which also shows unstable conditions, and files it under
// the conditions that it reaches, the same way both times, and that have sides left to
// take. A condition is unstable as long as no witness is stable there.
func (f *frontier) addWitness(s seq.Sequence) {
	o := RunOptions{Fuel: distantFuel, Trace: TraceHashes}
	if f.trace(s, o).OutOfFuel {
		return
	}
	sums := slices.Clone(f.tracer.Sums())
	w := &witness{steps: s, spent: f.trace(s, o).Spent, influence: map[int32]*influence{}}
	again := f.tracer.Sums()
	for i := range f.conds {
		if sums[i].Visits == 0 && again[i].Visits == 0 {
			continue
		}
		if sums[i] != again[i] {
			f.witnesses.unstable[i] = len(f.witnesses.byCond[i]) == 0
			continue
		}
		if c := &f.conds[i]; f.taken(c) < len(c.Sides) {
			f.witnesses.file(i, w)
			f.witnesses.unstable[i] = false
		}
	}
}

// file adds w to the witnesses of a condition: shorter ones first, at most maxWitnesses.
func (ws *witnesses) file(cond int, w *witness) {
	list := ws.byCond[cond]
	at, _ := slices.BinarySearchFunc(list, w, func(a, b *witness) int { return len(a.steps) - len(b.steps) })
	if at < maxWitnesses {
		list = slices.Insert(list, at, w)
		ws.byCond[cond] = list[:min(len(list), maxWitnesses)]
	}
}

// perturb changes each position of w a few ways and notes which conditions that changes:
// influence by perturbation. One run answers for all conditions at once, and shows control
// flow as well as data. [Pacheco09 §8.4] gives these two reasons for the influencing
// variables that its tracer missed.
func (f *frontier) perturb(w *witness) {
	w.perturbed = true
	o := RunOptions{Fuel: fuelFor(w), Trace: TraceHashes}
	f.trace(w.steps, o)
	sums := slices.Clone(f.tracer.Sums())
	for i := range f.conds {
		if sums[i].Visits > 0 {
			w.influence[int32(i)] = &influence{}
		}
	}
	a := f.newAim(w.steps)
	for _, p := range mutators.AllPositions(w.steps) {
		mutators.Perturb(a, p, func(s seq.Sequence) bool {
			if r := f.run(s, o, noSide, fromPerturbing); r != nothing {
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
}

func addPosition(list []mutators.Position, p mutators.Position) []mutators.Position {
	if n := len(list); n > 0 && list[n-1] == p {
		return list
	}
	return append(list, p)
}
