package engine

import "foray.test/engine/seq"

// finish ends the current sequence: it takes in what the run showed, keeps what
// is new, and follows up a verdict.
func (e *Engine) finish() {
	c := &e.cur
	c.composing = false
	e.counts.Sequences++
	e.counts.Steps += uint64(len(c.steps))
	e.touched ^= e.executed.Touch(c.hash)
	if !c.broken && !e.params.Undirected {
		e.takeDigests()
	}
	endless := e.frontier != nil && e.frontier.tracer.Out()
	out := e.exec.End(c.steps, c.fresh)
	if e.executed.Add(c.hash) {
		e.counts.Distinct++
	}
	costly := out.Allocated > tameBytes || c.slow
	if costly {
		e.tameHuge()
	}
	e.sample(out.Hits)
	if endless {
		e.cover(out.Hits)
		e.schedule.endless(c.steps[len(c.steps)-1].Op)
		e.frontier.now.fuel = e.frontier.composeFuel()
		e.frontier.outOfFuel(c.steps)
		return
	}
	if out.Verdict != nil {
		e.takeVerdict(out, c.steps)
		return
	}
	if out.Past > 0 {
		// No entry: those who read it again may not execute past panics.
		e.cover(out.Hits)
		return
	}
	e.keepNew(c.steps, out, costly)
}

// cover counts the sides of a run as taken, though perhaps by no entry.
func (e *Engine) cover(hits []byte) {
	if e.covered.AddHits(hits) > 0 {
		e.counts.LastNew = e.counts.Sequences
	}
}

// keepNew keeps s, pruned, if it took sides that no entry takes. Those of a run that
// is not to be kept count as taken.
func (e *Engine) keepNew(s seq.Sequence, out Outcome, costly bool) (Entry, bool) {
	c := &e.cur
	c.newSides = e.kept.AppendNew(c.newSides[:0], out.Hits)
	if len(c.newSides) == 0 {
		return Entry{}, false
	}
	e.cover(out.Hits)
	if out.Rank < 0 {
		return Entry{}, false
	}
	e.kept.AddHits(out.Hits)
	en := Entry{Steps: s.Clone(), Sides: append([]int32(nil), c.newSides...), Rank: out.Rank}
	e.salvage = func() { e.takeEntry(en, costly) }
	en.Steps = e.pruneEntry(en)
	e.salvage = nil
	e.takeEntry(en, costly)
	return en, true
}

// takeEntry keeps and reports an entry.
func (e *Engine) takeEntry(en Entry, costly bool) {
	for i := range en.Steps {
		e.schedule.yielded(en.Steps[i].Op, sideYield)
	}
	e.keep(en, costly)
	e.sink.Entry(en)
}

// writes reports whether s writes fields or variables: what stands then is no
// ground to build on.
func (e *Engine) writes(s seq.Sequence) bool {
	for i := range s {
		if k := e.table.Ops[s[i].Op].Kind; k == seq.FieldSet || k == seq.VarSet {
			return true
		}
	}
	return false
}

// tameBytes is what a sequence may allocate before the operations that it gave
// huge numbers get no more of them.
const tameBytes = 4 << 20

func (e *Engine) tameHuge() {
	for _, st := range e.cur.steps {
		for _, a := range st.Args {
			if a.Lit != nil && magnitudeOf(a.Lit.Value) == huge {
				e.DenyHuge(st.Op)
			}
		}
	}
}

// keep adds an entry to those that sequences start from, unless it is costly or writes fields.
func (e *Engine) keep(en Entry, costly bool) {
	if !costly && !e.writes(en.Steps) {
		e.entries = append(e.entries, en)
		e.ranked = e.ranked || en.Rank > 0
	}
}

// pruneEntry cuts the steps of en to what they need to take its sides and have its
// rank, and their literals as well if they are what the sequences to come are made
// from.
func (e *Engine) pruneEntry(en Entry) seq.Sequence {
	keep := func(_ seq.Sequence, out Outcome) bool {
		if out.Verdict != nil || out.Rank < en.Rank {
			return false
		}
		if e.frontier != nil && e.frontier.tracer.Out() {
			return false // it may be endless
		}
		for _, side := range en.Sides {
			if out.Hits[side] == 0 {
				return false
			}
		}
		return true
	}
	e.exec.Want(Nothing)
	r := e.reducer(en.Steps, 1, keep)
	s := r.shorten(r.firstSteps(en.Steps))
	if e.params.VaryOf8 > 0 {
		r := e.reducer(s, entryRuns, keep)
		s = r.minimizeLiterals(s)
	}
	e.exec.Want("")
	return s
}

// entryRuns is the share of Params.MinimizeRuns that one entry gets: there are
// hundreds.
const entryRuns = 8

// cheapBytes is what a run allocates at no notable cost. MinimizeRuns of a run that
// allocates more come to some 100 MB, a tenth of a second.
const cheapBytes = 1 << 16

// usualSteps is how many steps make a run count for more than one.
const usualSteps = 64

// reducer returns what makes s smaller as long as keep holds for what a candidate
// shows, with a budget of runs, one part of so many of Params.MinimizeRuns: spent, no
// candidate will do. The more a run allocates and the longer it takes the fewer there
// are.
func (e *Engine) reducer(s seq.Sequence, share int, keep func(seq.Sequence, Outcome) bool) *reducer {
	out, ran, cost := execute(e.exec, e.table, s, true)
	e.counts.Replayed += uint64(ran)
	runs := e.params.MinimizeRuns / share / int(1+out.Allocated/cheapBytes+cost)
	return &reducer{
		t: e.table, pool: e.pool,
		keep: func(s seq.Sequence) bool {
			if runs -= 1 + len(s)/usualSteps; runs < 0 {
				return false
			}
			for i := range s {
				e.boxNew(s[i].Args)
			}
			out, ran, cost := execute(e.exec, e.table, s, false)
			e.counts.Replayed += uint64(ran)
			runs -= int(min(cost, uint64(e.params.MinimizeRuns))) // steps are timed once they were slow
			return keep(s, out)
		},
		spent: func() bool { return runs <= 0 },
	}
}

// takeVerdict counts a verdict and reports the first of its signature, minimized.
// The branches of a broken run count as taken, but it becomes no entry: nothing
// is to be built on it.
func (e *Engine) takeVerdict(out Outcome, s seq.Sequence) {
	e.cover(out.Hits)
	v := *out.Verdict
	if v.Tier == Illegal {
		e.counts.Illegal++
		e.refusals[refusal{v.Op, v.Document}]++
		return
	}
	e.counts.Findings++
	e.hits[v.Signature]++
	if !v.IsNews(func(s string) bool { return e.known[s] }) {
		return
	}
	e.Know(v.News())
	original := s.Clone()
	f := Finding{Verdict: v, Steps: original, Original: original}
	e.exec.Want(v.Signature)
	e.salvage = func() { e.sink.Finding(f) }
	r := e.reducer(original, 1, func(cand seq.Sequence, got Outcome) bool {
		if got.Verdict == nil || got.Verdict.Signature != v.Signature || got.Verdict.Tier < v.Tier {
			return false
		}
		f.Verdict, f.Steps = *got.Verdict, cand
		return true
	})
	r.direct = true
	f.Steps = r.minimize(original, e.components)
	e.exec.Want("")
	e.salvage = nil
	e.sink.Finding(f)
}

func (e *Engine) boxNew(args []seq.Arg) {
	for _, a := range args {
		if a.Lit != nil && a.Lit.Boxed == nil && a.Lit.Value != nil {
			e.exec.Box(a.Lit)
		}
	}
}
