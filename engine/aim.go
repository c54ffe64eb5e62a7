package engine

import (
	"math"
	"slices"

	"foray.test/coverage"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// turn is one turn at a side.
type turn struct {
	side int
	cond int32
	left int   // runs
	fuel int64 // of each run
	w    *witness
	base seq.Sequence // what is edited: the witness, or what came nearer
	aim  *mutators.Aim
	best score
}

// nearbyVisits is how many distinct conditions visited before the one aimed at
// lend their operands to edits.
const nearbyVisits = 24

// maxTargetVisits bounds the visits of the condition itself that edits look at.
const maxTargetVisits = 8

// newAim returns an aim at nothing yet.
func (f *frontier) newAim(s seq.Sequence) *mutators.Aim {
	e := f.e
	return &mutators.Aim{
		Index: f.index, Source: e.src, Components: e.components, Literals: e.pool,
		Witness: s, Want: -1, MaxSteps: max(2*len(s), maxAimedSteps), MaxStringBytes: e.params.StringBytes * aimedStringFactor,
		Allowed: func(id seq.OpID) bool {
			return e.schedule.allowed(id, e.src) && !e.doubtful[id] && !e.schedule.isWrite(id)
		},
	}
}

// aimedStringFactor is how many times longer the strings of aimed sequences may
// get than those of composition: some sides want a text repeated.
const aimedStringFactor = 4

// maxAimedSteps is how long a sequence may get: some sides want a call a hundred
// times over.
const maxAimedSteps = 256

// aim takes a turn of at most so many runs at a side.
func (f *frontier) aim(side, runs int) {
	t := &f.targets[side]
	cond := f.ofSide[side]
	list := f.byCond[cond]
	w := list[int(t.witness)%len(list)]
	if !w.perturbed {
		f.perturb(w)
		if f.e.covered.Has(side) {
			return
		}
	}
	f.now = turn{side: side, cond: cond, left: runs, fuel: f.fuelFor(w), w: w, best: farthest}
	f.tracer.Fuel(f.now.fuel)
	f.tracer.Trace(TraceVisits)
	if f.start(w.steps); !f.now.best.away {
		if int(t.witness) >= len(list) || f.fixedEdits(t) {
			f.randomEdits()
			t.witness++
		}
	}
	f.tracer.Trace(TraceNothing)
	t.turns++
	t.runs += uint64(runs - max(f.now.left, 0))
}

// start runs s and makes it what is edited.
func (f *frontier) start(s seq.Sequence) {
	f.replay(s)
	f.adopt(s, f.scoreNow())
}

// adopt makes s, the sequence that ran last, what is edited.
func (f *frontier) adopt(s seq.Sequence, sc score) {
	n := &f.now
	n.base, n.best = s, sc
	a := f.newAim(s)
	a.Condition, a.Want = &f.conds[n.cond], n.side
	a.Visits, a.Nearby = f.visits()
	a.Positions = f.positions(s)
	n.aim = a
}

// positions returns where s is to be edited: what influences the operands first,
// then what influences whether the condition is visited, then all. What was learnt
// of the witness holds for what was made of it as long as the steps are the same.
func (f *frontier) positions(s seq.Sequence) []mutators.Position {
	n := &f.now
	inf := n.w.influence[n.cond]
	if inf == nil || !sameOps(s, n.w.steps) || len(inf.operands)+len(inf.visits) == 0 {
		return mutators.AllPositions(s)
	}
	list := slices.Clone(inf.operands)
	for _, p := range inf.visits {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

func sameOps(a, b seq.Sequence) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Op != b[i].Op || len(a[i].Args) != len(b[i].Args) {
			return false
		}
	}
	return true
}

// visits returns the visits of the condition aimed at and the last ones of other
// conditions before them, one for each pair of operands.
func (f *frontier) visits() (own, nearby []coverage.Visit) {
	all := f.tracer.Visits()
	last := -1
	for i := range all {
		if all[i].Condition == f.now.cond {
			if len(own) < maxTargetVisits {
				own = append(own, all[i].Clone())
			}
			last = i
		}
	}
	for i := last - 1; i >= 0 && len(nearby) < nearbyVisits; i-- {
		v := all[i]
		if v.Condition == f.now.cond || v.Kind == coverage.NoOperands {
			continue
		}
		if !slices.ContainsFunc(nearby, func(o coverage.Visit) bool {
			return o.Condition == v.Condition && o.X == v.X && o.Y == v.Y && o.SX == v.SX
		}) {
			nearby = append(nearby, v.Clone())
		}
	}
	return own, nearby
}

// scoreNow says how near the run that ended came to the side aimed at. Operands
// of the condition say it best. A bool from elsewhere has none: then the last
// operands before it do, and how much was done to make it.
func (f *frontier) scoreNow() score {
	c := &f.conds[f.now.cond]
	s := farthest
	all := f.tracer.Visits()
	for i := range all {
		if all[i].Condition != f.now.cond {
			continue
		}
		got := score{distance: math.MaxUint64}
		if d, ok := coverage.Distance(c, f.now.side, all[i]); ok {
			got.distance = d
		} else {
			got.depth, got.distance = f.callee(all[:i])
		}
		if got.less(s) {
			s = got
		}
	}
	return s
}

// callee scores the visits that led to a bool: the distance of the last one with
// operands from its other side, and how often that condition was visited on end.
func (f *frontier) callee(before []coverage.Visit) (depth, distance uint64) {
	for i := len(before) - 1; i >= max(0, len(before)-nearbyVisits); i-- {
		v := before[i]
		if v.Kind == coverage.NoOperands {
			continue
		}
		c := &f.conds[v.Condition]
		d := uint64(math.MaxUint64)
		for side := c.First; side < c.First+len(c.Sides); side++ {
			if got, ok := coverage.Distance(c, side, v); ok && int32(side) != v.Side {
				d = min(d, got)
			}
		}
		n := uint64(0)
		for j := i; j >= 0 && n < maxDepthSeen; j-- {
			if before[j].Condition == v.Condition {
				n++
			}
		}
		return math.MaxUint64 - n, d
	}
	return math.MaxUint64, math.MaxUint64
}

// maxDepthSeen bounds how many visits of a callee's condition count as progress.
const maxDepthSeen = 64

// fixedEdits runs through the edits that propose a fixed list, from where the turn
// before stopped. It reports whether it came to the end of all.
func (f *frontier) fixedEdits(t *target) bool {
	for ; t.cursor.edit < len(mutators.Edits); t.cursor = (cursor{edit: t.cursor.edit + 1}) {
		edit := &mutators.Edits[t.cursor.edit]
		if edit.Random {
			continue
		}
		skip, done := t.cursor.skip, false
		base := f.now.base
		edit.Propose(f.now.aim, func(s seq.Sequence) bool {
			if skip > 0 {
				skip--
				return true
			}
			t.cursor.skip++
			done = f.step(s, t.cursor.edit)
			return !done && &base[0] == &f.now.base[0]
		})
		if done {
			return false
		}
		if &base[0] != &f.now.base[0] { // nearer: what it compares now is worth more
			t.cursor = cursor{edit: -1}
		}
	}
	t.cursor = cursor{}
	return true
}

// step runs one proposal, adopting it if it came nearer. It reports whether the
// turn is over.
func (f *frontier) step(s seq.Sequence, edit int) (over bool) {
	n := &f.now
	n.left--
	switch f.run(s, n.side, edit) {
	case flipped:
		return true
	case gained:
		// Keeping it has run others since; what it came to is asked again.
		f.tracer.Fuel(n.fuel)
		f.tracer.Trace(TraceVisits)
		f.replay(s)
		fallthrough
	case nothing:
		if sc := f.scoreNow(); sc.less(n.best) {
			f.adopt(s.Clone(), sc)
		}
	}
	return n.left <= 0 || f.e.covered.Has(n.side)
}

// randomEdits draws edits for what is left of the turn, each as often as it yields.
func (f *frontier) randomEdits() {
	for tries := 4 * f.now.left; f.now.left > 0 && tries > 0; tries-- {
		i := f.drawEdit()
		over := false
		mutators.Edits[i].Propose(f.now.aim, func(s seq.Sequence) bool {
			tries--
			over = f.step(s, i)
			return false
		})
		if over {
			return
		}
	}
}

// drawEdit draws an edit that draws, of two the one that has yielded more a run.
func (f *frontier) drawEdit() int {
	i, j := f.anyRandomEdit(), f.anyRandomEdit()
	if f.edits[i].perRun() < f.edits[j].perRun() {
		return j
	}
	return i
}

func (s *editStats) perRun() float64 { return float64(s.Sides+1) / float64(s.Runs+1) }

func (f *frontier) anyRandomEdit() int {
	for {
		if i := f.e.src.Choose("edit", len(mutators.Edits)); mutators.Edits[i].Random {
			return i
		}
	}
}
