package engine

import (
	"slices"

	"foray.test/coverage"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// An attempt is the present attempt at a side.
type attempt struct {
	side int // noSide between attempts
	cond int32
	left int // runs
	edit int // under way
	outs int // runs that used up their fuel
	opts RunOptions
	w    *witness
	base seq.Sequence // that is edited: the witness, or a sequence that came nearer
	aim  *mutators.Aim
	best score
}

const noSide = -1

// newAim returns an aim at nothing yet.
func (f *frontier) newAim(s seq.Sequence) *mutators.Aim {
	a := f.template
	a.Witness, a.MaxSteps = s, max(2*len(s), maxAimedSteps)
	return &a
}

// attempt makes an attempt of at most so many runs at a side.
func (f *frontier) attempt(side, runs int) {
	t := &f.targets[side]
	cond := f.ofSide[side]
	list := f.witnesses.byCond[cond]
	w := list[int(t.witness)%len(list)]
	f.now = attempt{side: side}
	if !w.perturbed {
		f.perturb(w)
	}
	if !f.archive.covered.Has(side) {
		f.now = attempt{side: side, cond: cond, left: runs, opts: RunOptions{Fuel: fuelFor(w), Trace: TraceVisits}, w: w, best: farthest}
		if f.start(t.from(w)); f.now.best.away {
			t.pass()
		} else {
			f.edit(t, int(t.witness) < len(list))
		}
		f.charge(t)
		t.runs += uint64(runs - max(f.now.left, 0))
	}
	f.now.side = noSide
}

// charge counts the attempt that is over. It makes the next one dearer, and more so if no
// position is known that changes the operands: then edits are guesses.
func (f *frontier) charge(t *target) {
	n := &f.now
	t.attempts++
	t.price++
	if n.w == nil || opaque(&f.conds[n.cond]) {
		return
	}
	if inf := n.w.influence[n.cond]; inf == nil || len(inf.operands) == 0 {
		t.price += guessPrice
	}
}

// edit edits until the attempt is over: by the edits that propose a fixed list, unless
// they have been through this witness, and by random ones. A sequence that came nearer
// by a random edit goes through the fixed lists again.
func (f *frontier) edit(t *target, fixed bool) {
	n := &f.now
	for {
		if fixed && !f.fixedEdits(t) {
			t.base = n.base
			return
		}
		if !f.randomEdits() {
			t.pass()
			return
		}
		fixed = true
	}
}

// from returns the sequence that the next attempt at t edits: the nearest one of the
// attempt before, if that was cut off, or a witness.
func (t *target) from(w *witness) seq.Sequence {
	if t.base != nil {
		return t.base
	}
	return w.steps
}

// pass makes the next attempt at t start from the next witness.
func (t *target) pass() {
	t.witness++
	t.cursor, t.base = cursor{}, nil
}

// start runs s and makes it the base of edits.
func (f *frontier) start(s seq.Sequence) {
	f.rerun(s)
	f.adopt(s, f.scoreNow())
}

// adopt makes s, the sequence that ran last, the base of edits.
func (f *frontier) adopt(s seq.Sequence, sc score) {
	n := &f.now
	n.base, n.best = s, sc
	a := f.newAim(s)
	a.Condition, a.Want = &f.conds[n.cond], n.side
	a.Visits, a.Nearby = f.visits()
	a.Positions = f.positions(s)
	a.Probe = f.probe
	n.aim = a
}

// trimmed returns a copy of s, the sequence that ran last, and runs it. If s is much
// longer than its base, the steps that its score does not need are removed: of a
// repeated call, one often does.
func (f *frontier) trimmed(s seq.Sequence, sc score) seq.Sequence {
	n := &f.now
	s = s.Clone()
	if len(s) <= len(n.base)+muchLonger {
		return s
	}
	s = Shorten(f.archive.table, s, func(cand seq.Sequence) bool {
		n.left--
		return n.left > 0 && f.run(cand, n.opts, n.side, n.edit) == nothing && !sc.less(f.scoreNow())
	})
	f.rerun(s)
	return s
}

// probe runs s within the attempt, without going on from it.
func (f *frontier) probe(s seq.Sequence) (own, nearby []coverage.Visit) {
	n := &f.now
	if n.left--; n.left < 0 {
		return nil, nil
	}
	switch f.run(s, n.opts, n.side, n.edit) {
	case nothing:
		return f.visits()
	case gained:
		f.rerun(s)
		return f.visits()
	}
	return nil, nil
}

// rerun runs a sequence again that was kept: that has run others since.
func (f *frontier) rerun(s seq.Sequence) {
	f.trace(s, f.now.opts)
}

// positions returns where s is to be edited: first the positions that influence the
// operands, then those that influence whether the condition is visited. The influence
// learnt of the witness holds as long as the steps are the same; else it returns all.
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
	if opaque(&f.conds[n.cond]) {
		list = f.addAsked(list, s)
	}
	return list
}

// addAsked adds the values that are taken by the steps of s, the sequence that ran last,
// in which the condition is visited. If such a step returns state that an earlier call
// has set, no other value may be at hand to show that the value influences the answer.
func (f *frontier) addAsked(list []mutators.Position, s seq.Sequence) []mutators.Position {
	t, last := f.tracer, -1
	for i := t.Find(f.now.cond, 0); i >= 0; i = t.Find(f.now.cond, i+1) {
		at, _ := slices.BinarySearch(f.begins, i+1)
		step := at - 1
		if step == last || step < 0 || step >= len(s) {
			continue
		}
		last = step
		for j, a := range s[step].Args {
			if p := (mutators.Position{Step: int32(step), Arg: int32(j)}); a.Lit == nil && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

func sameOps(a, b seq.Sequence) bool {
	return slices.EqualFunc(a, b, func(x, y seq.Step) bool { return x.Op == y.Op && len(x.Args) == len(y.Args) })
}

// visits returns the first visits of the condition aimed at, and visits of other
// conditions next to its last one. Those after it decide whether a loop comes to the
// condition again, those before it decide its operands.
func (f *frontier) visits() (own, nearby []coverage.Visit) {
	t, last := f.tracer, -1
	for i := t.Find(f.now.cond, 0); i >= 0; i = t.Find(f.now.cond, i+1) {
		if len(own) < maxTargetVisits {
			own = append(own, t.Visit(i).Clone())
		}
		last = i
	}
	add := func(v coverage.Visit) {
		if v.Condition != f.now.cond && v.Kind != coverage.NoOperands && !slices.ContainsFunc(nearby, func(o coverage.Visit) bool {
			return o.Condition == v.Condition && o.X == v.X && o.Y == v.Y && o.SX == v.SX
		}) {
			nearby = append(nearby, v.Clone())
		}
	}
	for i := last + 1; i < min(last+1+laterVisits, t.Logged()); i++ {
		add(t.Visit(i))
	}
	for i := last - 1; i >= 0 && len(nearby) < nearbyVisits; i-- {
		add(t.Visit(i))
	}
	return own, nearby
}

// fixedEdits runs through the edits that propose a fixed list, from where the attempt
// before stopped. It starts once more from a sequence that came nearer, which may lead
// nearer still. It reports whether it came to the end of all.
func (f *frontier) fixedEdits(t *target) bool {
	n := &f.now
	for c := &t.cursor; c.tried < len(mutators.Edits); c.tried, c.skip = c.tried+1, 0 {
		n.edit = (c.first + c.tried) % len(mutators.Edits)
		edit := &mutators.Edits[n.edit]
		if edit.Random {
			continue
		}
		skip, done := c.skip, false
		base := n.base
		edit.Propose(n.aim, func(s seq.Sequence) bool {
			if skip > 0 {
				skip--
				return true
			}
			c.skip++
			done = f.step(s)
			return !done && &base[0] == &n.base[0]
		})
		if nearer := &base[0] != &n.base[0]; nearer {
			*c = cursor{first: n.edit, tried: -1}
		}
		if done {
			c.tried = max(c.tried, 0)
			return false
		}
	}
	t.cursor = cursor{}
	return true
}

// step runs one proposal, adopting it if it came nearer. It reports whether the
// attempt is over.
func (f *frontier) step(s seq.Sequence) (over bool) {
	n := &f.now
	n.left--
	switch f.run(s, n.opts, n.side, n.edit) {
	case flipped:
		return true
	case gained:
		f.rerun(s)
		fallthrough
	case nothing:
		if sc := f.scoreNow(); sc.less(n.best) {
			f.adopt(f.trimmed(s, sc), sc)
		}
	}
	return n.left <= 0 || n.outs >= maxOuts || f.archive.covered.Has(n.side)
}

// randomEdits draws edits, each as often as it yields, until one comes nearer. It
// reports false if the attempt is over.
func (f *frontier) randomEdits() bool {
	n := &f.now
	base := n.base
	for tries := triesPerRun * n.left; n.left > 0 && tries > 0; tries-- {
		n.edit = f.drawEdit()
		f.spent(proposalWork) // it may propose none
		over := false
		mutators.Edits[n.edit].Propose(n.aim, func(s seq.Sequence) bool {
			tries--
			over = f.step(s)
			return false
		})
		if over {
			return false
		}
		if &base[0] != &n.base[0] {
			return true
		}
	}
	return false
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
		if i := f.template.Source.Choose("edit", len(mutators.Edits)); mutators.Edits[i].Random {
			return i
		}
	}
}
