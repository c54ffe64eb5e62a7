package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"foray.test/engine"
)

// Proving is the last stage of a confirmation: fresh processes have shown a finding, and now
// its emitted test must fail. Building tests takes seconds, so those that wait are tried
// together, by one goroutine beside the run.
type proving struct {
	waiting []engine.Finding
	tried   map[int]engine.Finding // by the trial under way, those without a result
	trying  bool                   // there is such a trial
	tries   int                    // trials so far
	beside  bool                   // … and it began before the search ended
	// Findings in doubt are tried once more when the search is over: by then workers use neither
	// processors nor space.
	again   []engine.Finding
	began   time.Time          // the trial under way, or the last one
	took    time.Duration      // the last one
	leave   context.CancelFunc // ends the trial under way; nil unless it gives way to the search
	spent   time.Duration      // by trials that gave way to the search
	results chan proof
	ended   sync.WaitGroup
}

// proof is the result of one finding of a trial, or the end of the trial.
type proof struct {
	index   int
	finding engine.Finding
	over    bool
}

// open reports whether some finding has no result.
func (p *proving) open() bool { return p.count() > 0 }

func (p *proving) count() int { return len(p.waiting) + len(p.tried) + len(p.again) }

// left returns the findings without a result.
func (p *proving) left() []engine.Finding {
	list := slices.Clone(p.waiting)
	for _, i := range slices.Sorted(maps.Keys(p.tried)) {
		list = append(list, p.tried[i])
	}
	return append(list, p.again...)
}

// untried is the doubt about a finding whose test was not tried.
const untried = "there was no time to try its test"

// prove has the test of a finding tried, and the finding reported.
func (r *run) prove(f engine.Finding) {
	r.proofs.waiting = append(r.proofs.waiting, f)
	r.proveWaiting()
}

// proveWaiting has the tests of all that wait tried, those of the surest findings first, unless
// others are, or too much time went there.
func (r *run) proveWaiting() {
	p := &r.proofs
	if p.trying || len(p.waiting) == 0 || !r.mayProve() {
		return
	}
	p.began, p.trying = time.Now(), true
	list, ctx, giveWay := p.waiting, r.proofContext, !r.stopping && !r.ending && p.tries > 0
	p.tries++
	slices.SortStableFunc(list, func(a, b engine.Finding) int { return cmp.Compare(b.Verdict.Tier, a.Verdict.Tier) })
	p.waiting, p.tried, p.beside = nil, map[int]engine.Finding{}, !r.stopping
	for i, f := range list {
		p.tried[i] = f
		list[i].Doubt, list[i].Untried, list[i].Returns = "", false, false
	}
	if giveWay {
		ctx, p.leave = context.WithCancel(ctx)
	}
	p.ended.Go(func() {
		send := func(res proof) {
			select {
			case p.results <- res:
			case <-r.proofContext.Done(): // nobody waits any more
			}
		}
		r.config.Report.Prove(ctx, list, giveWay, func(i int) { send(proof{index: i, finding: list[i]}) })
		send(proof{over: true})
	})
}

// mayProve reports whether tests may be tried now.
func (r *run) mayProve() bool {
	return r.stopping || r.ending || r.proofs.spent <= time.Duration(proveShare*float64(time.Since(r.began)))
}

// proved reports a finding with the result of its test, unless it is to be tried once more.
func (r *run) proved(res proof) {
	p := &r.proofs
	if res.over {
		r.endTrial()
		return
	}
	f := res.finding
	delete(p.tried, res.index)
	switch {
	case f.Doubt != "" && f.Returns: // it was a slow call
		r.slow = true
		r.findings.unconfirmed++
	case f.Doubt == "" || !p.beside:
		r.report(f)
	case f.Untried && r.ending && p.leave != nil: // the trial was ended, or may have been
		p.waiting = append(p.waiting, f)
	default:
		p.again = append(p.again, f)
	}
}

// endTrial begins the next trial.
func (r *run) endTrial() {
	p := &r.proofs
	p.took = time.Since(p.began)
	r.config.Report.Note(fmt.Sprintf("trying tests took %v", p.took.Round(10*time.Millisecond)))
	if p.leave != nil {
		p.leave()
		p.leave, p.spent = nil, p.spent+p.took
	}
	p.trying, p.tried = false, nil
	if r.stopping {
		p.waiting, p.again = append(p.waiting, p.again...), nil
	}
	r.proveWaiting()
}

// hurryProofs ends a trial that gives way to the search. It begins anew, and faster.
func (r *run) hurryProofs() {
	if r.proofs.leave != nil {
		r.proofs.leave()
	}
}

// proveAgain has the findings in doubt tried when no worker is left.
func (r *run) proveAgain() {
	r.config.Spawn.Clean()
	r.hurryProofs()
	p := &r.proofs
	p.waiting, p.again = append(p.waiting, p.again...), nil
	r.proveWaiting()
}

// giveUpProofs reports findings that have no result, as not confirmed: of a signature the surest.
func (r *run) giveUpProofs() {
	p := &r.proofs
	list := p.left()
	slices.SortStableFunc(list, func(a, b engine.Finding) int { return cmp.Compare(b.Verdict.Tier, a.Verdict.Tier) })
	for _, f := range list {
		if r.findings.toldAsMore(&f.Verdict) {
			continue
		}
		if f.Doubt == "" {
			f.Doubt, f.Untried = untried, true
		}
		if f.Untried { // also what a trial that gave way did not come to
			r.findings.left = append(r.findings.left, f)
		}
		r.report(f)
	}
	p.tried, p.waiting, p.again = nil, nil, nil
}

// toldAsMore reports whether a finding of that signature was reported with that tier or a higher
// one, also as unconfirmed.
func (f *findings) toldAsMore(v *engine.Verdict) bool {
	return max(f.tiers[v.Signature], f.doubted[v.Signature]) >= v.Tier
}

// report counts and reports a finding.
func (r *run) report(found engine.Finding) {
	f, v := &r.findings, &found.Verdict
	if found.Doubt != "" {
		if f.toldAsMore(v) {
			return
		}
		f.doubted[v.Signature] = v.Tier
		f.unconfirmed++
		if found.Untried {
			f.untried[v.Tier]++
		}
		r.config.Report.Finding(found)
		return
	}
	switch was := f.tiers[v.Signature]; {
	case was > v.Tier:
		return // it is reported as more
	case was > engine.Illegal: // it is more than that
		f.byTier[was]--
	}
	f.tiers[v.Signature] = v.Tier
	f.byTier[v.Tier]++
	f.deaths = f.deaths || v.Late || v.Kind != engine.KindPanic && v.Kind != engine.KindContract
	r.config.Report.Finding(found)
}
