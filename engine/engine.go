package engine

import (
	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A Sink takes an engine's entries and findings. Its methods are called between sequences; the
// sequences that they get are theirs to keep.
type Sink interface {
	// Entry takes a sequence that took branch sides no other had.
	Entry(Entry)
	// Finding takes the first finding of a dedup key, minimized in this process.
	Finding(Finding)
	// Attempt takes the side that an attempt is to begin at, which may end the process.
	Attempt(side int)
	// Endless takes a sequence that has used up more fuel than any that is known to
	// end: another process is to see whether it ends.
	Endless(seq.Sequence)
}

// A Finding is a verdict with its sequence.
type Finding struct {
	Verdict  Verdict
	Steps    seq.Sequence // minimized
	Original seq.Sequence // as it was found
	When     string       // the circumstances in which it fails, in words; may be empty
	Flaky    bool         // some of the fresh processes that confirmed it did not show it
	Untried  bool         // with Doubt: its test could not be tried
	Doubt    string       // why it does not count as confirmed though they did; empty if it does
	Returns  bool         // with Doubt: in its test the call that was to hang returned
}

// Config holds the parts and parameters of an engine.
type Config struct {
	Table    *seq.Table
	Pool     *Pool
	Executor Executor
	Source   *draw.Source
	Sides    int // number of branch sides
	Params   Params
	Sink     Sink
	// Tracer, if there is one, and the conditions it tells of, make the engine aim
	// at the frontier besides composing.
	Tracer     Tracer
	Conditions []coverage.Condition
	// Explore, if set, makes the engine run all sequences of the scope in place of
	// composing some.
	Explore *Scope
}

// An Engine composes and runs sequences. It is not safe for concurrent use. With
// equal configurations and entries two engines have equal histories.
type Engine struct {
	runner   *runner
	composer *composer
	archive  *archive
	keeper   *keeper
	schedule *schedule
	frontier *frontier // nil without a tracer
	explorer *explorer // nil unless it explores
	values   uint64    // that were made when the last composed sequence ended
	params   Params
}

// New returns an engine.
func New(c Config) *Engine {
	p := c.Params.orDefault()
	e := &Engine{
		runner: newRunner(c.Table, c.Executor, c.Tracer), archive: newArchive(c.Table, c.Pool.Index, c.Sides),
		schedule: newSchedule(c.Table, Impossible(c.Table)), params: p,
	}
	e.runner.untimed = p.Untimed
	e.composer = newComposer(c.Table, c.Pool, p, e.runner, e.archive, e.schedule, c.Source)
	e.keeper = &keeper{runner: e.runner, archive: e.archive, schedule: e.schedule, pool: c.Pool, params: p, sink: c.Sink}
	if c.Tracer != nil && len(c.Conditions) > 0 {
		e.frontier = newFrontier(e, c, p, e.composer)
	}
	if c.Explore != nil {
		e.explorer = newExplorer(e, &c)
	}
	return e
}

// Run executes n sequences.
func (e *Engine) Run(n int) {
	for end := e.runner.counts.Sequences + uint64(n); e.runner.counts.Sequences < end; {
		e.Step(int(end - e.runner.counts.Sequences))
	}
}

// Step composes and executes one sequence, or makes an attempt of at most max runs at a
// side of the frontier. If the engine explores it executes the next sequence, if there is
// one.
func (e *Engine) Step(max int) {
	if e.explorer != nil {
		e.explorer.step()
		return
	}
	if f := e.frontier; f != nil && f.due() && f.attemptNext(max) {
		return
	}
	fuel := int64(0)
	if e.frontier != nil {
		fuel = e.archive.composeFuel()
	}
	e.composer.compose(fuel)
	e.finish(fuel)
}

// finish ends the sequence that was composed and takes in its outcome.
func (e *Engine) finish(fuel int64) {
	out, s := e.composer.end(), e.composer.steps()
	costly := out.costly() || e.composer.slow
	e.schedule.leftBehind(s, &out)
	if costly {
		e.schedule.limitHuge(s)
	}
	e.archive.rare.sample(out.Hits, &e.runner.counts)
	isNew, took := e.archive.isNew(out.Hits), 0
	if isNew {
		took = e.keeper.cover(out.Hits)
	}
	e.share(workOf(len(s), out.Spent), took)
	if out.OutOfFuel {
		e.schedule.endless(s[len(s)-1].Op)
		e.frontier.outOfFuel(s)
		return
	}
	if isNew || out.Verdict != nil {
		e.keeper.take(Entry{Steps: s, Costly: costly}, out, fuel)
	}
}

// share takes in the work of a composed sequence that took so many new sides.
func (e *Engine) share(work float64, took int) {
	c := &e.runner.counts
	gain := float64(took) + float64(c.Values-e.values)/valuesPerSide
	e.values = c.Values
	if e.composer.use {
		c.WithUse++
	}
	e.composer.usage.composed(e.composer.use, work, gain)
	if e.frontier != nil {
		e.frontier.others(work, gain)
	}
}

// run implements host.
func (e *Engine) run(p purpose, s seq.Sequence, o RunOptions) trial {
	return e.runner.try(job{purpose: p}, s, o)
}

// take implements host. The contracts are held only now, against the entry: few attempts
// leave one.
func (e *Engine) take(s seq.Sequence, out Outcome, fuel int64) bool {
	en := e.keeper.take(Entry{Steps: s}, out, fuel)
	if en == nil {
		return false
	}
	if out := e.composer.replayEntry(replaying, en.Steps, RunOptions{Fuel: fuel}); out.Verdict != nil {
		e.keeper.cover(out.Hits)
		e.keeper.takeVerdict(*out.Verdict, out.shows(en.Steps), fuel)
	}
	return true
}

// Quiet reports that aiming at the frontier promises more than composing alone:
// composition has not taken a new side for some time, or has gone on for long.
func (e *Engine) Quiet() bool {
	after := uint64(max(e.params.QuietAfter, 0))
	if e.archive.resumed {
		after = (after + resumedShare - 1) / resumedShare
	}
	c := &e.runner.counts
	return after > 0 && (c.Sequences-c.LastNew >= after || c.Sequences >= loudAfter*after)
}
