// Package coordinator is the outer loop of a run. It starts workers, watches and replaces
// them, shares entries and findings between them, and has findings confirmed. The workers
// decide which sequences to run.
//
// One goroutine owns the state; processes and confirmations report to it.
package coordinator

import (
	"context"
	"maps"
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
	Seed       uint64
	Params     engine.Params
	// The run ends after Duration or Sequences, the earlier of those that are not zero,
	// and, if Plateau is set, on a plateau: see [engine.Plateau].
	Duration  time.Duration
	Sequences uint64
	Plateau   bool
	Entries   []seq.Sequence // kept by earlier runs
	Seeds     []seq.Sequence // of the package's tests: each is run once, and kept if it is worth it
	Seen      []wire.Seen    // literals that those tests use
	Known     []string       // findings not to report again: see engine.Verdict.DedupKey
	Dropped   []seq.OpID     // operations that the worker was built without
	// Spare never restricts an operation, however many workers it ends: the run is about
	// a single one.
	Spare bool
	// Explore, if set, has one worker run all sequences of the scope instead of composing.
	Explore *engine.Scope
	Report  Reporter

	confirmTime time.Duration // for confirmations at the end; zero means confirmTime
}

// A Reporter is told of events, from one goroutine.
type Reporter interface {
	Progress(Snapshot)
	Entry(engine.Entry)
	Finding(engine.Finding)
	Warn(msg string)
	Note(msg string) // details
}

// Snapshot is the state of a run.
type Snapshot struct {
	Elapsed   time.Duration
	Counts    engine.Counts // over all workers
	Covered   *coverage.Set // read only, until the reporter returns
	Entries   int
	Findings  [3]int // confirmed, by tier
	Pending   int    // findings that wait for confirmation
	Deaths    int    // workers that died or hung
	Aiming    bool   // some worker aims at the frontier
	Explored  engine.Explored
	HeapBytes uint64 // over all workers
	Workers   int
}

// Result is the outcome of a run.
type Result struct {
	Snapshot
	Ops         []engine.OpCounts           // by operation
	Frontier    []engine.Side               // the state of the sides of the frontier, in order
	AimedFrom   *coverage.Set               // the sides covered when a worker first aimed at the frontier; nil if none did
	CPU         time.Duration               // of the workers
	ConfirmCPU  time.Duration               // of the processes that confirm findings
	Running     time.Duration               // in which workers ran sequences
	Judging     time.Duration               // … of that contracts
	Unconfirmed int                         // findings that no fresh process showed
	Hits        map[engine.Signature]uint64 // sequences that ended in that finding, known ones included
	Refusals    []engine.Refusal            // why sequences were illegal, by operation and rule
	Banned      []seq.OpID                  // operations that were disabled, as they ended workers too often
	Stopped     string                      // why the run ended: "time", "sequences", "plateau", "interrupted", "no worker left"
}

// Run runs until the budget is spent or ctx is done. Even then it confirms and reports
// the findings so far.
func Run(ctx context.Context, c Config) (*Result, error) {
	r := newRun(c)
	defer r.confirms.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer r.analysis.builds.Wait()
	defer cancel()
	workers := max(c.Parallel, 1)
	if c.Explore != nil {
		workers = 1
	}
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
	explored explored
	slow     bool // a call that was taken for hanging returned, given more time
	stopping bool
}

func newRun(c Config) *run {
	r := &run{
		config: c, began: time.Now(), events: make(chan event), confirms: confirm.NewQueue(c.Config, c.confirmTime),
		policy: restrict.New(c.Table), archive: newArchive(c.Sides, c.Entries), findings: newFindings(c.Known),
		totals:   totals{ops: make([]engine.OpCounts, len(c.Table.Ops)), hits: map[engine.Signature]uint64{}, refusals: engine.Refusals{}},
		analysis: analysis{built: make(chan build, 1), frontier: map[int32]engine.Side{}},
	}
	if c.Sequences > 0 || c.Explore != nil && c.Duration == 0 {
		r.confirms.Counted()
	} else {
		r.confirms.Bound(max(c.Parallel, 1))
	}
	r.policy.Disable(c.Dropped...)
	return r
}

// Times of the outer loop.
const (
	tickEvery       = 50 * time.Millisecond
	stopTime        = 3 * time.Second  // for the last reports of workers
	confirmTime     = 7 * time.Second  // for pending confirmations at the end
	interruptedTime = 4 * time.Second  // … if someone waits at the terminal
	countedTime     = 10 * time.Minute // … if sequences end the run, so that no clock decides
)

// loop handles events until no worker is left, and returns why it ended.
func (r *run) loop(ctx context.Context) (reason string) {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	interrupted := ctx.Done()
	var stopTimer <-chan time.Time
	stop := func(why string) {
		if reason == "" {
			reason, stopTimer = why, time.After(stopTime)
			r.stop()
		}
	}
	for r.alive() > 0 {
		select {
		case ev := <-r.events:
			r.take(ctx, ev)
			if !r.stopping && r.alive() == 0 {
				reason = "sequences"
				if slices.ContainsFunc(r.slots, func(w *slot) bool { return !w.done }) {
					reason = "no worker left"
				}
			}
		case res := <-r.confirms.Results():
			r.confirmed(res)
		case b := <-r.analysis.built:
			r.takeAnalysis(ctx, b)
		case <-ticker.C:
			r.watch()
			r.buildEarly(ctx)
			r.config.Report.Progress(r.snapshot())
			if why := r.stopReason(); why != "" {
				stop(why)
			}
		case <-interrupted:
			interrupted = nil
			stop("interrupted")
		case <-stopTimer:
			for _, w := range r.slots {
				if w.proc != nil {
					w.proc.Kill()
				}
			}
		}
	}
	r.stopping = true
	return reason
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
	if r.config.Duration > 0 && elapsed >= r.config.Duration {
		return "time"
	}
	if r.config.Plateau && engine.Plateau(r.counts().Sequences, elapsed, r.archive.lastNew, r.archive.lastNewAt) {
		return "plateau"
	}
	return ""
}

// drainTime returns how long a run that ended for a reason waits for confirmations, and
// whether they are to hurry.
func (c *Config) drainTime(reason string) (limit time.Duration, hurry bool) {
	limit = max(confirmTime, 3*c.Patience)
	switch reason {
	case "interrupted":
		limit = interruptedTime
	case "sequences":
		limit = max(countedTime, limit)
	}
	if c.confirmTime > 0 {
		limit = c.confirmTime
	}
	return limit, reason != "sequences"
}

// drain waits for pending confirmations after the run ended for a reason.
func (r *run) drain(ctx context.Context, reason string) {
	patience, hurry := r.config.drainTime(reason)
	r.confirms.Unbound()
	if hurry {
		r.confirms.Hurry()
	}
	interrupted := ctx.Done()
	if reason == "interrupted" {
		interrupted = nil
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for len(r.findings.pending) > 0 {
		select {
		case res := <-r.confirms.Results():
			r.confirmed(res)
		case <-interrupted:
			interrupted = nil
			r.confirms.Hurry()
			limit.Reset(interruptedTime)
		case <-limit.C:
			for _, signature := range slices.Sorted(maps.Keys(r.findings.pending)) {
				r.config.Report.Warn("not confirmed in time and not reported: " + signature)
			}
			return
		}
	}
}

// result returns the outcome of a run that ended for a reason.
func (r *run) result(reason string) *Result {
	res := &Result{
		Snapshot: r.snapshot(), Frontier: r.analysis.sides(), AimedFrom: r.analysis.from, CPU: r.totals.cpu, ConfirmCPU: r.confirms.CPU(),
		Running: r.totals.running, Judging: r.totals.judging, Unconfirmed: r.findings.unconfirmed,
		Hits: r.totals.hits, Refusals: r.totals.refusals.List(), Banned: r.policy.Disabled()[len(r.config.Dropped):], Stopped: reason,
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
		Findings: r.findings.byTier, Pending: len(r.findings.pending), Deaths: r.totals.deaths, Workers: r.alive(), Aiming: r.analysis.from != nil,
		Explored: r.explored.Explored,
	}
	s.Counts.LastNew = r.archive.lastNew
	for _, w := range r.slots {
		s.HeapBytes += w.last.HeapBytes
	}
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
