// Package coordinator is the outer loop of a run: it starts workers, watches and
// replaces them, hands what one has found to the others, and has findings confirmed.
// What to compose is the workers' matter.
//
// One goroutine owns the state; processes and confirmations report to it.
package coordinator

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/replay"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

// Config says what to run, and in which workers.
type Config struct {
	replay.Config
	Parallel int // workers; 0 means 1
	// Analysis, if set, builds the analysis build and returns how to start a worker
	// over it: in such a process the frontier is aimed at. Workers whose composition
	// is quiet are replaced by one. Conditions are those of both builds.
	Analysis   func(context.Context) (worker.Spawn, error)
	Conditions []coverage.Condition
	Seed       uint64
	Params     engine.Params
	// The run ends after Duration or Sequences, whichever is not zero and comes
	// first, and, if Plateau is set, once it is on one: see [engine.Plateau].
	Duration  time.Duration
	Sequences uint64
	Plateau   bool
	Entries   []seq.Sequence // kept by earlier runs
	Known     []string       // findings not to report again: see engine.Verdict.News
	Dropped   []seq.OpID     // operations that the worker was built without
	// Spare says that no operation is tamed or left alone, however many workers
	// it ends: there is one, and it is what the run is about.
	Spare  bool
	Report Reporter

	patience time.Duration // for what is being confirmed at the end; zero means confirmTime
}

// A Reporter is told what happens, from one goroutine.
type Reporter interface {
	Progress(Snapshot)
	Entry(engine.Entry)
	Finding(confirm.Finding)
	Warn(msg string)
	Note(msg string) // for who wants to know it all
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
	HeapBytes uint64 // over all workers
	Workers   int
}

// Result is what a run came to.
type Result struct {
	Snapshot
	Ops         []engine.OpCounts // by operation
	Frontier    []engine.Side     // what became of the sides of the frontier, in order
	AimedFrom   *coverage.Set     // the sides covered when a worker first aimed at the frontier; nil if none did
	CPU         time.Duration     // of the workers
	ConfirmCPU  time.Duration     // of the processes that findings were confirmed in
	Running     time.Duration     // that workers ran sequences
	Judging     time.Duration     // … of that contracts
	Unconfirmed int               // findings that no fresh process showed
	Hits        map[string]uint64 // by signature: sequences that ended in that finding, known ones included
	Refusals    []engine.Refusal  // why sequences were illegal, by operation and reason
	Banned      []seq.OpID        // operations that ended workers too often
	Stopped     string            // why the run ended: "time", "sequences", "plateau", "interrupted", "no worker left"
}

// Run runs until the budget is spent or ctx is done, in which case what was found
// is still confirmed and reported.
func Run(ctx context.Context, c Config) (*Result, error) {
	r := newRun(c)
	defer r.confirms.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer r.builds.Wait()
	defer cancel()
	workers := max(c.Parallel, 1)
	if c.Sequences > 0 {
		workers = int(min(uint64(workers), c.Sequences))
	}
	for i := range workers {
		r.workers = append(r.workers, &workerState{index: i, quota: share(c.Sequences, workers, i)})
	}
	for _, w := range r.workers {
		if err := r.start(ctx, w); err != nil {
			r.killAll()
			return nil, err
		}
	}
	reason := r.loop(ctx)
	r.drain(ctx, reason)
	return r.result(reason), nil
}

func newRun(c Config) *run {
	r := &run{
		config: c, began: time.Now(), events: make(chan event), confirms: confirm.NewQueue(c.Config, c.patience),
		covered: coverage.NewSet(c.Sides), kept: coverage.NewSet(c.Sides), frontier: map[int32]engine.Side{}, built: make(chan analysis, 1),
		known: map[string]bool{}, suspects: map[string]bool{}, pending: map[string]bool{}, unshown: map[string]int{},
		hits: map[string]uint64{}, refusals: map[engine.Refusal]uint64{},
		ops: make([]engine.OpCounts, len(c.Table.Ops)), deaths: make([]int, len(c.Table.Ops)), tamedAt: map[seq.OpID]time.Time{},
	}
	for _, s := range c.Known {
		r.known[s] = true
	}
	for _, s := range c.Entries {
		r.entries = append(r.entries, seq.AppendBinary(nil, s))
	}
	r.banned = append(r.banned, c.Dropped...)
	return r
}

// share is what worker i of n composes of so many sequences; zero of zero, which
// is no bound.
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
	workers  []*workerState
	confirms *confirm.Queue

	covered, kept *coverage.Set
	entries       [][]byte
	values        [][]byte // what workers left that went over to the analysis build
	newEntries    int
	known         map[string]bool // see engine.Verdict.News
	suspects      map[string]bool // signatures reported as such
	findings      [3]int
	pending       map[string]bool // signatures of findings that are being confirmed
	unconfirmed   int
	slow          bool                      // what was taken for hanging has come to its end, given more time
	unshown       map[string]int            // by signature: findings that no fresh process showed
	hits          map[string]uint64         // by signature, of workers that ended
	refusals      map[engine.Refusal]uint64 // … by operation and reason, with Runs zero
	died          int
	deaths        []int // by operation
	banned, tamed []seq.OpID
	noHuge        []seq.OpID
	tamedAt       map[seq.OpID]time.Time
	writeDeaths   int
	ownPanics     bool // func literals that panic are left alone
	ops           []engine.OpCounts
	past          engine.Counts // of workers that ended
	running       time.Duration // that workers ran sequences
	judging       time.Duration // … of that contracts
	cpu           time.Duration
	lastNew       uint64 // sequences when a side was last new
	lastNewAt     time.Duration
	stopping      bool

	builds    sync.WaitGroup
	built     chan analysis
	building  bool          // the analysis build has been asked for
	aiming    *worker.Spawn // of the analysis build; nil until it is there
	aimedFrom *coverage.Set
	frontier  map[int32]engine.Side
}

// Times of the outer loop.
const (
	tickEvery       = 50 * time.Millisecond
	stopPatience    = 3 * time.Second // for workers to say their last word
	confirmTime     = 7 * time.Second // for what is still to be confirmed at the end
	interruptedTime = 4 * time.Second // … if someone waits at the terminal
	countedTime     = 1 * time.Minute // … if sequences end the run, for then no clock is to
)

// loop takes what happens until no worker is left, and says why it ended.
func (r *run) loop(ctx context.Context) (reason string) {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	interrupted := ctx.Done()
	var patience <-chan time.Time
	stop := func(why string) {
		if reason != "" {
			return
		}
		reason = why
		r.stopping = true
		patience = time.After(stopPatience)
		for _, w := range r.workers {
			w.waits = false
			if w.proc != nil {
				w.proc.Send(&wire.Message{Stop: true})
			}
		}
	}
	for r.alive() > 0 {
		select {
		case ev := <-r.events:
			r.take(ctx, ev)
			if !r.stopping && r.alive() == 0 {
				reason = "sequences"
				if r.gone() {
					reason = "no worker left"
				}
			}
		case res := <-r.confirms.Results():
			r.confirmed(res)
		case a := <-r.built:
			r.takeAnalysis(ctx, a)
		case <-ticker.C:
			r.watch()
			r.buildEarly(ctx)
			r.config.Report.Progress(r.snapshot())
			if why := r.spent(); why != "" {
				stop(why)
			}
		case <-interrupted:
			interrupted = nil
			stop("interrupted")
		case <-patience:
			patience = nil
			for _, w := range r.workers {
				if w.proc != nil {
					w.proc.Kill()
				}
			}
		}
	}
	r.stopping = true
	return reason
}

// result is what the run came to, which ended for a reason.
func (r *run) result(reason string) *Result {
	for _, w := range r.workers {
		r.settle(w)
	}
	res := &Result{
		Snapshot: r.snapshot(), Frontier: r.sides(), AimedFrom: r.aimedFrom, CPU: r.cpu, ConfirmCPU: r.confirms.CPU(),
		Running: r.running, Judging: r.judging,
		Unconfirmed: r.unconfirmed, Hits: r.hits, Refusals: r.refusalList(), Banned: r.banned[len(r.config.Dropped):], Stopped: reason,
	}
	for i := range r.ops {
		if r.ops[i].Runs > 0 {
			r.ops[i].Op = seq.OpID(i)
			res.Ops = append(res.Ops, r.ops[i])
		}
	}
	return res
}

// drainTime returns how long a run that ended for a reason waits for confirmations,
// and whether they are to hurry.
func (c *Config) drainTime(ended string) (limit time.Duration, hurry bool) {
	limit = max(confirmTime, 3*c.Patience)
	switch ended {
	case "interrupted":
		limit = interruptedTime
	case "sequences":
		limit = max(countedTime, limit)
	}
	if c.patience > 0 {
		limit = c.patience
	}
	return limit, ended != "sequences"
}

// drain waits for the confirmations under way.
func (r *run) drain(ctx context.Context, ended string) {
	patience, hurry := r.config.drainTime(ended)
	if hurry {
		r.confirms.Hurry()
	}
	interrupted := ctx.Done()
	if ended == "interrupted" {
		interrupted = nil
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for len(r.pending) > 0 {
		select {
		case res := <-r.confirms.Results():
			r.confirmed(res)
		case <-interrupted:
			interrupted = nil
			r.confirms.Hurry()
			limit.Reset(interruptedTime)
		case <-limit.C:
			for _, signature := range slices.Sorted(maps.Keys(r.pending)) {
				r.config.Report.Warn("not confirmed in time and not reported: " + signature)
			}
			return
		}
	}
}

// spent says why the run is to end, if it is.
func (r *run) spent() string {
	elapsed := time.Since(r.began)
	if r.config.Duration > 0 && elapsed >= r.config.Duration {
		return "time"
	}
	if r.config.Plateau && engine.Plateau(r.counts().Sequences, elapsed, r.lastNew, r.lastNewAt) {
		return "plateau"
	}
	return ""
}
