package engine

// An Abandonment says why a run is given up.
type Abandonment uint8

const (
	Stalled Abandonment = iota // its last call waits for ever
	Exited                     // … has ended its goroutine
	Judged                     // a call of an oracle did either: no step is to blame
)

// Abandon gives up the run under way. The call of the engine that made the run is given up with it.
// The caller goes on in its place, with x as the executor. hits are the branch sides that
// the run took.
//
// An abandoned run counts like one that ended. If it was to make a finding or an entry
// smaller, that is reported as small as it has become. The engine keeps all else that it
// has learnt, so that one worker and one seed still have one history.
func (e *Engine) Abandon(x Executor, hits []byte, why Abandonment) {
	now := e.runner.abandon(x)
	switch work := workOf(len(now.steps), 0); now.purpose {
	case composing:
		e.composer.usage.composed(e.composer.use, work, 0)
	case sowing:
		e.composer.usage.seeded(work, 0)
	}
	if e.frontier != nil {
		e.frontier.abandon(now)
	}
	if e.keeper.report(now.job) {
		return
	}
	e.runner.counts.Abandoned++
	e.keeper.cover(hits)
	switch n := len(now.steps); {
	case n == 0 || why == Judged:
	case why == Stalled:
		e.schedule.stats[now.steps[n-1].Op].Runs++ // it ran, though it did not return
		e.schedule.stalled(now.steps)
	default:
		e.schedule.ran(now.steps[n-1].Op, Broken, 0)
	}
}

// Use makes x the executor, where another run than one of the engine's was given up.
func (e *Engine) Use(x Executor) { e.runner.exec = x }
