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
	// Findings in doubt are tried once more when the run is over: by then workers use neither
	// processors nor space.
	again   []engine.Finding
	last    time.Time // when tests were last tried
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

// proveEvery is how long a run searches between trials of tests: building them uses as much
// of the processors as searching. On a red-black tree, with
// seven findings in six seconds, trials at once left 10,581 of 137,592 sequences and 97,317 of
// 246,217; trials every ten seconds 82,249 of 190,696 and 186,848 of 257,070.
const proveEvery = 10 * time.Second

// proveWaiting has the tests of all that wait tried, unless others are, or were a while ago.
// The first is tried at once.
func (r *run) proveWaiting() {
	p := &r.proofs
	if len(p.tried) > 0 || len(p.waiting) == 0 || !r.stopping && time.Since(p.last) < proveEvery {
		return
	}
	p.last = time.Now()
	p.tried, p.waiting = p.waiting, nil
	list := append([]engine.Finding(nil), p.tried...)
	p.ended.Go(func() {
		r.config.Report.Prove(r.proofContext, list)
		p.results <- list
	})
}

// proved reports findings with the results of their tests.
func (r *run) proved(list []engine.Finding) {
	p := &r.proofs
	p.tried = nil
	for _, f := range list {
		if f.Doubt != "" && !r.stopping {
			f.Doubt, f.Untried = "", false
			p.again = append(p.again, f)
			continue
		}
		r.report(f)
	}
	r.proveWaiting()
}

// proveAgain has the findings in doubt tried when no worker is left.
func (r *run) proveAgain() {
	r.config.Spawn.Clean()
	p := &r.proofs
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
