package coordinator

import (
	"context"
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
	tried   []engine.Finding // by the goroutine, if there is one
	// Findings in doubt are tried once more when the search is over: by then workers use neither
	// processors nor space.
	again   []engine.Finding
	began   time.Time          // the trial under way, or the last one
	leave   context.CancelFunc // ends the trial under way; nil unless it is beside the search
	spent   time.Duration      // by trials beside the search
	final   bool               // there was one shortly before the end of the search
	results chan []engine.Finding
	ended   sync.WaitGroup
}

// open reports whether some finding has no result.
func (p *proving) open() bool { return p.count() > 0 }

func (p *proving) count() int { return len(p.waiting) + len(p.tried) + len(p.again) }

// proveTime bounds how long a run that is over waits for tests.
const proveTime = 30 * time.Second

// untried is the doubt about a finding whose test was not tried.
const untried = "there was no time to try its test"

// prove has the test of a finding tried, and the finding reported.
func (r *run) prove(f engine.Finding) {
	r.proofs.waiting = append(r.proofs.waiting, f)
	r.proveWaiting()
}

// proveShare bounds the time of a run in which tests are tried beside the search: building
// them uses as much of the processors as searching. The first trial is free, and so is one
// shortly before the end.
const proveShare = 0.2

// proveWaiting has the tests of all that wait tried, unless others are, or too much time
// went there.
func (r *run) proveWaiting() {
	p := &r.proofs
	if len(p.tried) > 0 || len(p.waiting) == 0 || !r.stopping && !r.mayProve() {
		return
	}
	p.began = time.Now()
	p.tried, p.waiting = p.waiting, nil
	list, ctx, beside := append([]engine.Finding(nil), p.tried...), r.proofContext, !r.stopping
	if beside {
		p.final = r.ending
		ctx, p.leave = context.WithCancel(ctx)
	}
	p.ended.Go(func() {
		r.config.Report.Prove(ctx, list, beside)
		p.results <- list
	})
}

// mayProve reports whether tests may be tried beside the search now.
func (r *run) mayProve() bool {
	p := &r.proofs
	return r.ending && !p.final || p.spent <= time.Duration(proveShare*float64(time.Since(r.began)))
}

// proved reports findings with the results of their tests.
func (r *run) proved(list []engine.Finding) {
	p := &r.proofs
	beside := p.leave != nil
	if beside {
		p.leave()
		p.leave, p.spent = nil, p.spent+time.Since(p.began)
	}
	p.tried = nil
	for _, f := range list {
		if f.Doubt != "" && beside {
			f.Doubt, f.Untried = "", false
			p.again = append(p.again, f)
			continue
		}
		r.report(f)
	}
	if r.stopping {
		p.waiting, p.again = append(p.waiting, p.again...), nil
	}
	r.proveWaiting()
}

// proveAgain has the findings in doubt tried when no worker is left. A trial that has given
// way to the search until now begins anew.
func (r *run) proveAgain() {
	r.config.Spawn.Clean()
	p := &r.proofs
	if p.leave != nil {
		p.leave()
	}
	p.waiting, p.again = append(p.waiting, p.again...), nil
	r.proveWaiting()
}

// giveUp reports findings that have no result, as not confirmed.
func (p *proving) giveUp(report func(engine.Finding)) {
	for _, f := range slices.Concat(p.tried, p.waiting, p.again) {
		f.Doubt, f.Untried = untried, true
		report(f)
	}
	p.tried, p.waiting, p.again = nil, nil, nil
}

// report counts and reports a finding.
func (r *run) report(found engine.Finding) {
	f, v := &r.findings, &found.Verdict
	if found.Doubt != "" {
		f.unconfirmed++
		if found.Untried {
			f.untried++
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

// endProofs waits for the goroutine that tries tests.
func (r *run) endProofs(cancel context.CancelFunc) {
	cancel()
	r.proofs.ended.Wait()
}
