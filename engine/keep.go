package engine

import "foray.test/engine/seq"

// A keeper follows up outcomes: it prunes sequences that take new sides to
// entries, minimizes those that end in a new finding, and reports both.
type keeper struct {
	runner   *runner
	archive  *archive
	schedule *schedule
	pool     *Pool
	params   Params
	sink     Sink
}

// cover counts the sides of a run as taken, though perhaps by no entry. It returns how
// many are new.
func (k *keeper) cover(hits []byte) int {
	took := k.archive.covered.AddHits(hits)
	if took > 0 {
		k.runner.counts.LastNew = k.runner.counts.Sequences
	}
	return took
}

// take takes in a run of the steps of en, with so much fuel, that ended in a verdict or took
// sides that no entry takes. It returns the entry that they became, or nil. A run that ran
// out of fuel leaves none. Nor does one that executed past panics, because readers of the
// entry may not.
func (k *keeper) take(en Entry, out Outcome, fuel int64) *Entry {
	k.cover(out.Hits)
	switch {
	case out.Verdict != nil:
		k.takeVerdict(*out.Verdict, out.shows(en.Steps), fuel)
		return nil
	case out.OutOfFuel || out.Past > 0 || out.Rank < 0:
		return nil
	}
	en.Steps, en.Sides, en.Rank = en.Steps.Clone(), k.archive.claim(out.Hits), out.Rank
	k.prune(&en, fuel)
	k.keep(en)
	return &en
}

// keep keeps and reports an entry.
func (k *keeper) keep(en Entry) {
	for i := range en.Steps {
		k.schedule.yielded(en.Steps[i].Op, sideYield)
	}
	k.archive.add(en)
	k.sink.Entry(en)
}

// report reports the entry or the finding of a reduction that was abandoned, as small as
// it has become. It reports whether there is one.
func (k *keeper) report(j job) bool {
	switch {
	case j.entry != nil:
		k.keep(*j.entry)
	case j.finding != nil:
		k.sink.Finding(*j.finding)
	}
	return j.purpose == reducing
}

// takeVerdict counts a verdict and reports the first of its dedup key, minimized. The
// sides of the run count as taken, but it becomes no entry: nothing is to be built on it.
func (k *keeper) takeVerdict(v Verdict, s seq.Sequence, fuel int64) {
	if v.Tier == Illegal {
		k.runner.counts.Illegal++
		k.schedule.refusals.Add(Refusal{v.Op, v.Rule, v.Reason, 1})
		return
	}
	k.runner.counts.Findings++
	k.archive.hits[v.Signature]++
	if !v.IsNew(func(key string) bool { return k.archive.known[key] }) || k.archive.wordings.Enough(&v) {
		return
	}
	k.archive.known[v.DedupKey()] = true
	original := s.Clone()
	f := &Finding{Verdict: v, Steps: original, Original: original}
	k.minimize(f, fuel)
	k.sink.Finding(*f)
}

// minimize makes the sequence of a finding smaller, as long as it shows the same
// signature, no less surely.
func (k *keeper) minimize(f *Finding, fuel int64) {
	v := f.Verdict
	r := k.reducer(job{purpose: reducing, finding: f}, f.Steps, RunOptions{Want: v.Signature, Fuel: fuel}, 1, func(cand seq.Sequence, out Outcome) bool {
		if out.Verdict == nil || out.Verdict.Signature != v.Signature {
			return false
		}
		if out.Verdict.Inherit(&v); out.Verdict.Tier < f.Verdict.Tier {
			return false
		}
		f.Verdict, f.Steps = *out.Verdict, cand
		return true
	})
	r.direct = k.schedule.harmless
	f.Steps = r.minimize(f.Original, k.archive.components)
	spent, most := 0, k.params.MinimizeRuns/circumstanceShare
	around := circumstances(k.runner.table, k.pool, f.Steps, func(cand seq.Sequence) (fails, ok bool) {
		if spent += 1 + len(cand)/usualSteps; spent > most {
			return false, false
		}
		t := k.runner.try(job{purpose: reducing, finding: f}, cand, RunOptions{Want: v.Signature, Fuel: fuel})
		spent += int(min(t.cost, uint64(most)))
		return t.Verdict != nil && t.Verdict.Signature == v.Signature, true
	})
	if f.When = around.when; around.position {
		f.Verdict.excusePosition(f.When)
	}
	f.Verdict.excuseText(around)
}

// prune cuts the steps of an entry to those that take its sides and have its rank, and
// their literals as well if sequences are made by editing them. A run that uses up its
// fuel takes sides, but it may be endless.
func (k *keeper) prune(en *Entry, fuel int64) {
	keep := func(cand seq.Sequence, out Outcome) bool {
		if out.Verdict != nil || out.OutOfFuel || out.Rank < en.Rank {
			return false
		}
		for _, side := range en.Sides {
			if out.Hits[side] == 0 {
				return false
			}
		}
		en.Steps = cand
		return true
	}
	j, o := job{purpose: reducing, entry: en}, RunOptions{Want: Nothing, Fuel: fuel, Untimed: en.Seed}
	r := k.reducer(j, en.Steps, o, 1, keep)
	en.Steps = r.shorten(r.firstSteps(en.Steps))
	if k.params.VaryOf8 > 0 {
		r := k.reducer(j, en.Steps, o, entryRuns, keep)
		en.Steps = r.minimizeLiterals(en.Steps)
	}
}

// reducer returns a reducer for s, for which show must hold, limited to
// Params.MinimizeRuns/share runs. Runs that allocate much or take long count for more, unless
// they are untimed.
func (k *keeper) reducer(j job, s seq.Sequence, o RunOptions, share int, show func(seq.Sequence, Outcome) bool) *reducer {
	runs := k.params.MinimizeRuns / share / seedRuns
	if !o.Untimed {
		metered := o
		metered.Meter = true
		t := k.runner.try(j, s, metered)
		runs = k.params.MinimizeRuns / share / int(1+t.Allocated/cheapBytes+t.cost)
	}
	return &reducer{
		t: k.runner.table, pool: k.pool,
		keep: func(s seq.Sequence) bool {
			if runs -= 1 + len(s)/usualSteps; runs < 0 || k.schedule.disables(s) {
				return false
			}
			t := k.runner.try(j, s, o)
			runs -= int(min(t.cost, uint64(k.params.MinimizeRuns))) // steps are timed once they were slow
			return show(s, t.Outcome)
		},
		spent: func() bool { return runs <= 0 },
	}
}
