package coordinator

import (
	"context"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// Races runs sequences whose last steps two goroutines run at once, see
// [engine.Fork], in workers built with the race detector, and reports the races of
// the package: the first of each signature, minimized, and confirmed in fresh
// processes. After limit the rest of the list is left out.
func Races(ctx context.Context, c Config, list []seq.Sequence, limit time.Duration, report func(Finding)) error {
	c.Spawn.Race = true
	k := newConfirmer(c)
	defer k.close()
	known := map[string]bool{}
	for _, s := range c.Known {
		known[s] = true
	}
	began := time.Now()
	var p *worker.Process
	defer func() {
		if p != nil {
			k.put(p)
		}
	}()
	for _, s := range list {
		fork := engine.Fork(c.Table, s)
		if fork == 0 {
			continue
		}
		if time.Since(began) > limit || ctx.Err() != nil {
			break
		}
		if p == nil {
			var err error
			if p, err = c.Spawn.Start(ctx); err != nil {
				return err
			}
		}
		ex, err := k.exec(ctx, p, s, trial{deadline: deathTime, fork: fork})
		if err != nil {
			k.put(p)
			p = nil
		}
		if v := ex.verdict; v != nil && !known[v.Signature] {
			known[v.Signature] = true
			if f, ok := k.confirmRace(engine.Finding{Verdict: *v, Steps: s, Original: s}); ok {
				report(f)
			}
		}
	}
	return ctx.Err()
}

// confirmRace minimizes a race, and runs it in fresh processes. It reports false if
// none showed it.
func (k *confirmer) confirmRace(f engine.Finding) (Finding, bool) {
	began := time.Now()
	races := func(s seq.Sequence) *engine.Verdict {
		fork := engine.Fork(k.config.Table, s)
		if fork == 0 {
			return nil
		}
		if v := k.once(s, trial{deadline: deathTime, fork: fork}); shows(v, f.Verdict.Signature) {
			return v
		}
		return nil
	}
	engine.Minimize(k.config.Table, k.config.Pool, f.Steps, nil, func(s seq.Sequence) bool {
		if k.over(began) {
			return false
		}
		v := races(s)
		if v != nil {
			f.Verdict, f.Steps = *v, s
		}
		return v != nil
	})
	shown := 0
	for range confirmRuns {
		if races(f.Steps) != nil {
			shown++
		}
	}
	return Finding{Finding: f, Flaky: shown < confirmRuns}, shown > 0
}

// raced judges the end of a process in which two goroutines ran s.
func (k *confirmer) raced(p *worker.Process, s seq.Sequence, fork int) execution {
	<-p.Exited()
	d := p.Death(false)
	if d.ExitCode != worker.ExitRace {
		return execution{} // a hang or a crash: judged where one goroutine runs s
	}
	return execution{verdict: k.config.JudgeRace(s, fork, d.Stderr)}
}
