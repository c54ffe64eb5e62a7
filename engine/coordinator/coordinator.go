// Package coordinator is the outer loop of a run. It starts workers, watches and replaces
// them, shares entries and findings between them, and has findings confirmed. The workers
// decide which sequences to run.
//
// One goroutine owns the state; processes and confirmations report to it.
package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/replay"
	"foray.test/engine/restrict"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// Config says how long to run, and with which workers.
type Config struct {
	replay.Config
	Parallel int // workers; 0 means 1
	// Analysis, if set, builds the analysis build and returns how to start a worker over
	// it. Such a worker aims at the frontier. It replaces a worker once composition there
	// is quiet. Conditions are those of both builds.
	Analysis   func(context.Context) (worker.Spawn, error)
	Conditions []coverage.Condition
	// Prices are those of sides that earlier runs have aimed at in vain: see [engine.Side].
	Prices map[int32]uint32
	Seed   uint64
	Params engine.Params
	// The run ends after Duration or Sequences, the earlier of those that are not zero,
	// and, if Plateau is set, on a plateau: see [engine.Plateau]. With a Duration, it also
	// ends if it has taken no side of a condition after two seconds.
	Duration  time.Duration
	Sequences uint64
	Plateau   bool
	Entries   []seq.Sequence // kept by earlier runs
	Seeds     []seq.Sequence // of the package's tests: each is run once, and kept if it is worth it
	Seen      []wire.Seen    // literals that those tests use
	// Late, if set, brings more seeds while the run goes on, and is closed when there are no
	// more. A run that ends on a plateau waits for that.
	Late <-chan Late
	// Solve, if set, proposes sequences that are to take sides which no sequence has taken. A
	// run asks it now and then, from another goroutine, and goes on meanwhile. A run that a
	// count of sequences ends does not ask: a clock would decide when.
	Solve   func(context.Context, Unsolved) Late
	Known   []string   // findings not to report again: see engine.Verdict.DedupKey
	Dropped []seq.OpID // operations that the worker was built without
	// Spare never restricts an operation, however many workers it ends: the run is about
	// a single one.
	Spare bool
	// Explore, if set, has the workers run all sequences of the scope instead of composing.
	Explore *engine.Scope
	// Unasked, if set, ends such a run once a forecast says that it would go on for longer.
	Unasked time.Duration
	Report  Reporter
	// Proves says that Report tries the tests of findings, those of hangs for [replay.HangTime].
	Proves bool
	// Weigh, if set, settles a confirmed finding by facts that workers do not have, before it
	// is counted and reported.
	Weigh func(*engine.Finding)

	confirmTime time.Duration // for confirmations at the end; zero means confirmTime
}

// Late are sequences and literals that are not known at the start: of the package's tests,
// or solved for.
type Late struct {
	Seeds []seq.Sequence
	Seen  []wire.Seen
	Note  string // for the reporter
	// Impossible has sides that no literals take along the path of any entry that was solved
	// for, with the number of these. It is nil if it is not known.
	Impossible map[int]int
}

// A Reporter is told of events, from one goroutine.
type Reporter interface {
	Progress(Snapshot)
	Entry(engine.Entry)
	Finding(engine.Finding)
	Warn(msg string)
	Note(msg string) // details
	// Prove tries the tests of findings that fresh processes have shown. It sets Doubt and
	// Flaky of each, and then calls done with its index, perhaps from several goroutines. It
	// is called from another goroutine than the rest, one call at a time.
	Prove(ctx context.Context, list []engine.Finding, giveWay bool, done func(i int))
}

// Snapshot is the state of a run.
type Snapshot struct {
	Elapsed    time.Duration
	Counts     engine.Counts // over all workers
	Covered    *coverage.Set // read only, until the reporter returns
	Entries    int
	Findings   [engine.Tiers]int // confirmed, by tier
	Pending    int               // findings that wait for confirmation
	Deaths     int               // workers that died or hung
	Aiming     bool              // some worker aims at the frontier
	Confirming bool              // the search is over, and findings wait for confirmation
	Explored   engine.Explored
}

// Result is the outcome of a run.
type Result struct {
	Snapshot
	Ops       []engine.OpCounts // by operation
	Frontier  []engine.Side     // the state of the sides of the frontier, in order
	AimedFrom *coverage.Set     // the sides covered when a worker first aimed at the frontier; nil if none did
	Times
	Unconfirmed int            // findings that no fresh process showed, or whose test did not fail
	Late        int            // … of them those that are in Left
	Left        []seq.Sequence // of findings that there was no time to confirm, the surest first
	// Undecided counts, by tier, the findings of Left, and those whose test could not be tried.
	Undecided   [engine.Tiers]int
	Unexplained int    // processes that ended, with no finding that says why
	AtStart     string // the last line of a process that a goroutine ended which the package starts when it is initialized
	Solved      Solved
	Expected    Expected
	Hits        map[engine.Signature]uint64 // sequences that ended in that finding, known ones included
	Refusals    []engine.Refusal            // why sequences were illegal, by operation and rule
	Banned      []seq.OpID                  // operations that were disabled, as they ended workers too often
	Stopped     string                      // why the run ended: "time", "sequences", "plateau", "no side", "too long", "interrupted", "no worker left"
}

// Times tell where the time of a run went.
type Times struct {
	CPU        time.Duration   // of the workers
	ConfirmCPU time.Duration   // of the processes that confirm findings
	Running    time.Duration   // in which workers ran sequences
	Judging    time.Duration   // … of that contracts
	Restarts   []time.Duration // from the end of each process to the first report of the next
}

// Run runs until the budget is spent or ctx is done. Even then it confirms and reports
// the findings so far.
func Run(ctx context.Context, c Config) (*Result, error) {
	r := newRun(c)
	defer r.confirms.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer r.analysis.builds.Wait()
	defer cancel()
	proofContext, cancelProofs := context.WithCancel(context.WithoutCancel(ctx))
	r.proofContext = proofContext
	defer r.proofs.ended.Wait()
	defer cancelProofs()
	workers := max(c.Parallel, 1)
	if c.Sequences > 0 {
		workers = int(min(uint64(workers), c.Sequences))
	}
	for i := range workers {
		w := &slot{index: i, quota: share(c.Sequences, workers, i)}
		for j := i; j < len(c.Seeds); j += workers {
			w.seeds = append(w.seeds, seq.AppendBinary(nil, c.Seeds[j]))
		}
		r.slots = append(r.slots, w)
	}
	for _, w := range r.slots {
		if err := r.start(ctx, w); err != nil {
			r.killAll()
			return nil, err
		}
	}
	reason := r.loop(ctx)
	r.expect()
	r.dismissSpares()
	r.tellHeld()
	r.drain(ctx, reason)
	return r.result(reason), nil
}

// share returns how many of the sequences worker i of n composes. Zero is no bound, and
// its shares are zero.
func share(sequences uint64, n, i int) uint64 {
	q := sequences / uint64(n)
	if uint64(i) < sequences%uint64(n) {
		q++
	}
	return q
}

// run is the state of a run, owned by the goroutine of loop.
type run struct {
	config   Config
	began    time.Time
	events   chan event
	slots    []*slot
	confirms *confirm.Queue
	policy   *restrict.Policy
	noHuge   []seq.OpID // operations to give no huge numbers
	archive  archive
	findings findings
	totals   totals
	analysis analysis
	exploring
	spares spares
	phase
	proofs  proving
	solving solving
	// An interrupt does not end proofs: it leaves them some time.
	proofContext context.Context
}

// phase is how far a run has come.
type phase struct {
	slow     bool // a call that was taken for hanging returned, given more time
	ending   bool // the search is over soon
	stopping bool
}

func newRun(c Config) *run {
	r := &run{
		config: c, began: time.Now(), events: make(chan event), confirms: confirm.NewQueue(c.Config, c.confirmTime),
		policy: restrict.New(c.Table), archive: newArchive(c.Sides, c.Entries), findings: newFindings(c.Known),
		totals:   totals{ops: make([]engine.OpCounts, len(c.Table.Ops)), hits: map[engine.Signature]uint64{}, refusals: engine.Refusals{}},
		spares:   spares{started: make(chan spare)},
		analysis: analysis{built: make(chan build, 1), frontier: map[int32]engine.Side{}},
		proofs:   proving{results: make(chan proof)},
		solving:  solving{results: make(chan Late, 1), proposed: make(chan seq.Sequence)},
	}
	for side, price := range c.Prices {
		r.analysis.frontier[side] = engine.Side{Side: side, Status: engine.SideUntried, Price: price}
	}
	if c.Sequences > 0 || c.Explore != nil && c.Duration == 0 {
		r.confirms.Counted()
	} else {
		r.confirms.Bound(max(c.Parallel, 1))
	}
	if c.Proves {
		r.confirms.Proved()
	}
	if c.Explore != nil {
		r.exploration, r.held = engine.NewExploration(*c.Explore), map[int][]heldMessage{}
	}
	r.policy.Disable(c.Dropped...)
	return r
}

// loop handles events until no worker is left, and returns why it ended.
func (r *run) loop(ctx context.Context) (reason string) {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	interrupted := ctx.Done()
	var stopTimer <-chan time.Time
	stop := func(why string) {
		if reason == "" {
			reason, stopTimer = why, time.After(r.stopTime())
			r.stop()
		}
	}
	for r.alive() > 0 {
		select {
		case ev := <-r.events:
			r.take(ctx, ev)
		case res := <-r.confirms.Results():
			r.confirmed(res)
		case res := <-r.proofs.results:
			r.proved(res)
		case b := <-r.analysis.built:
			r.takeAnalysis(ctx, b)
		case s := <-r.spares.started:
			r.takeSpare(s)
		case l, ok := <-r.config.Late:
			if !ok {
				r.config.Late = nil
			}
			r.takeLate(l)
		case l := <-r.solving.results:
			r.takeSolved(l)
		case steps := <-r.solving.proposed:
			r.takeProposed(steps)
		case <-ticker.C:
			if why := r.tick(ctx); why != "" {
				stop(why)
			}
		case <-interrupted:
			interrupted = nil
			stop("interrupted")
		case <-stopTimer:
			r.killSlots()
		}
	}
	r.stopping = true
	if reason == "" {
		reason = r.ranOut(ctx)
	}
	return reason
}

// tick does what no event brings about, and returns why the run is to end, "" if it is not.
func (r *run) tick(ctx context.Context) string {
	r.watch()
	r.buildEarly(ctx)
	r.solve(ctx)
	r.end()
	r.proveWaiting()
	r.tellPace()
	r.config.Report.Progress(r.snapshot())
	return r.stopReason()
}

// ranOut returns why a run ended of which no worker is left.
func (r *run) ranOut(ctx context.Context) string {
	if ctx.Err() != nil { // nothing was started any more
		return "interrupted"
	}
	if slices.ContainsFunc(r.slots, func(w *slot) bool { return !w.done }) {
		return "no worker left"
	}
	return "sequences"
}

func (r *run) killSlots() {
	for _, w := range r.slots {
		if w.proc != nil {
			w.proc.Kill()
		}
	}
}

// takeLate shares late seeds between the workers, and tells all of the literals.
func (r *run) takeLate(l Late) {
	if l.Note != "" {
		r.config.Report.Note(l.Note)
	}
	parts := make([][][]byte, len(r.slots))
	for i, s := range l.Seeds {
		at := (i + r.solving.total.Proposed) % len(parts) // proposals come one by one
		parts[at] = append(parts[at], seq.AppendBinary(nil, s))
	}
	r.config.Seen = append(slices.Clip(r.config.Seen), l.Seen...)
	for i, w := range r.slots {
		w.seeds = append(w.seeds, parts[i]...)
		if w.proc != nil && !r.stopping && len(parts[i])+len(l.Seen) > 0 {
			w.proc.Send(&wire.Message{Learn: &wire.Learn{Seeds: parts[i], Seen: l.Seen}})
		}
	}
}

// stop asks all workers for their last reports.
func (r *run) stop() {
	r.stopping = true
	for _, w := range r.slots {
		w.waits = false
		if w.proc != nil {
			w.proc.Send(&wire.Message{Stop: true})
		}
	}
}

// stopReason returns why the run is to end, "" if it is not.
func (r *run) stopReason() string {
	elapsed := time.Since(r.began)
	c := &r.config
	switch {
	case c.Duration > 0 && elapsed >= c.Duration:
		return "time"
	case c.Late != nil: // there may be more to begin with
	case c.Duration > 0 && elapsed >= sideTime && r.takesNothing():
		return "no side"
	case c.Plateau && !r.solving.underWay() && r.onPlateau():
		return "plateau"
	case elapsed >= min(forecastAfter, c.Unasked) && r.tooLong():
		return "too long"
	}
	return ""
}

// end has what is pending confirmed in the last part of a run with a Duration, beside the
// search: what waited for processor time waits no more, and minimizing hurries.
func (r *run) end() {
	c := &r.config
	if r.ending || c.Duration == 0 || time.Since(r.began) < c.Duration-r.endTime() {
		return
	}
	r.ending = true
	r.confirms.Unbound()
	r.confirms.Hurry()
	r.hurryProofs()
}

// endTime returns how long the last part of a run with a Duration is: longer than trying tests
// has taken.
func (r *run) endTime() time.Duration {
	p := &r.proofs
	took := p.took
	if p.trying {
		took = max(took, time.Since(p.began))
	}
	return min(max(endTime, 3*took/2), r.config.Duration/4)
}

// takesNothing reports whether sequences ran, but took no side and showed nothing.
func (r *run) takesNothing() bool {
	c := &r.config
	return c.Sides > 0 && !c.Spare && c.Explore == nil && r.counts().Sequences >= sideSequences && r.archive.covered.Count() == 0 &&
		len(r.findings.pending)+r.proofs.count() == 0 && r.findings.byTier == [engine.Tiers]int{}
}

// drainTime returns how long a run that ended for a reason, after a time, waits for
// confirmations, and whether they are to hurry.
func (c *Config) drainTime(reason string, elapsed time.Duration) (limit time.Duration, hurry bool) {
	limit = confirmTime
	switch {
	case reason == "interrupted":
		limit = interruptedTime
	case reason == "sequences":
		limit = countedTime
	case c.Duration > 0:
		limit = min(limit, max(c.Duration+lateTime-elapsed, lateTime/3))
	}
	if reason != "interrupted" {
		limit = max(limit, 3*c.Patience)
	}
	if c.confirmTime > 0 {
		limit = c.confirmTime
	}
	return limit, reason != "sequences"
}

// promised reports whether the run is to end at its Duration.
func (r *run) promised() bool { return r.config.Duration > 0 && !r.config.Plateau }

// stopTime returns how long workers that were asked to stop may take.
func (r *run) stopTime() time.Duration {
	if r.promised() {
		return promisedStop
	}
	return stopTime
}

// drain waits for pending confirmations after the run ended for a reason.
func (r *run) drain(ctx context.Context, reason string) {
	patience, hurry := r.config.drainTime(reason, time.Since(r.began))
	r.stopping = true
	r.confirms.Unbound()
	r.proveAgain()
	if hurry {
		r.confirms.Hurry()
	}
	interrupted, extended := ctx.Done(), false
	if reason == "interrupted" {
		interrupted = nil
	}
	results := r.confirms.Results()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		if len(r.findings.pending) == 0 {
			r.settle()
		}
		if len(r.findings.pending) == 0 && !r.proofs.open() {
			return
		}
		select {
		case <-ticker.C:
			s := r.snapshot()
			s.Confirming = true
			r.config.Report.Progress(s)
		case res := <-results:
			r.confirmed(res)
		case res := <-r.proofs.results:
			r.proved(res)
		case <-interrupted:
			interrupted = nil
			r.confirms.Hurry()
			limit.Reset(interruptedTime)
		case <-limit.C:
			r.findings.leave()
			results = nil // those that still come are left
			r.settle()
			if extended || interrupted == nil || !r.proofs.open() || r.promised() {
				r.giveUpProofs()
				return
			}
			extended = true
			limit.Reset(proveTime)
		}
	}
}

// result returns the outcome of a run that ended for a reason.
func (r *run) result(reason string) *Result {
	left, late := r.findings.leftSequences()
	res := &Result{
		Snapshot: r.snapshot(), Frontier: r.analysis.sides(), AimedFrom: r.analysis.from,
		Times:       Times{r.totals.cpu, r.confirms.CPU(), r.totals.running, r.totals.judging, r.totals.restarts},
		Unconfirmed: r.findings.unconfirmed, Late: late, Left: left, Undecided: r.findings.undecided(),
		Solved: r.solving.soFar(), Expected: r.expected, Hits: r.totals.hits, Refusals: r.totals.refusals.List(), Banned: r.policy.Disabled()[len(r.config.Dropped):], Stopped: reason,
		AtStart: r.totals.atStart,
	}
	if n := r.totals.unexplained; n > 0 && !r.findings.deaths {
		res.Unexplained = n
		r.config.Report.Warn(fmt.Sprintf("processes of the package ended (%d), and nothing shows why: fresh processes did not; the last: %s", n, r.totals.lastUnexplained))
	}
	for i, op := range r.totals.ops {
		if op.Runs > 0 {
			op.Op, op.Holds = seq.OpID(i), r.policy.Backoffs(seq.OpID(i))
			res.Ops = append(res.Ops, op)
		}
	}
	return res
}

func (r *run) snapshot() Snapshot {
	s := Snapshot{
		Elapsed: time.Since(r.began), Counts: r.counts(), Covered: r.archive.covered, Entries: r.archive.added,
		Findings: r.findings.byTier, Pending: len(r.findings.pending) + r.proofs.count(), Deaths: r.totals.deaths, Aiming: r.analysis.from != nil,
	}
	if r.exploration != nil {
		s.Explored = r.exploration.Explored
	}
	s.Counts.LastNew = r.archive.lastNew
	return s
}

// counts returns the counts of all workers, past and present.
func (r *run) counts() engine.Counts {
	c := r.totals.counts
	for _, w := range r.slots {
		c = add(c, w.last.Counts)
	}
	return c
}

// tell sends the discoveries of one worker to all others.
func (r *run) tell(but *slot, l wire.Learn) {
	for _, w := range r.slots {
		if w != but && w.proc != nil && !r.stopping {
			w.proc.Send(&wire.Message{Learn: &l})
		}
	}
}
