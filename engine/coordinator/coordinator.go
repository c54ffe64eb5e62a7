// Package coordinator is the outer loop: it starts worker processes, watches and
// restarts them, hands what one has found to the others, and confirms findings in
// fresh processes. What to compose is the workers' matter.
//
// One goroutine owns the state; processes and confirmations report to it.
package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/draw"
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
	Unconfirmed int               // findings that no fresh process showed
	Hits        map[string]uint64 // by signature: sequences that ended in that finding, known ones included
	Refusals    []engine.Refusal  // why sequences were illegal, by operation and reason
	Banned      []seq.OpID        // operations that ended workers too often
	Stopped     string            // why the run ended: "time", "sequences", "plateau", "interrupted", "no worker left"
}

// Run runs until the budget is spent or ctx is done, in which case what was found
// is still confirmed and reported.
func Run(ctx context.Context, c Config) (*Result, error) {
	r := &run{
		config: c, began: time.Now(),
		events:  make(chan event),
		covered: coverage.NewSet(c.Sides), kept: coverage.NewSet(c.Sides),
		ops: make([]engine.OpCounts, len(c.Table.Ops)), deaths: make([]int, len(c.Table.Ops)),
		frontier: map[int32]engine.Side{}, built: make(chan analysis, 1),
		known: map[string]bool{}, suspects: map[string]bool{}, pending: map[string]bool{}, tamedAt: map[seq.OpID]time.Time{}, unshown: map[string]int{}, hits: map[string]uint64{}, refusals: map[engine.Refusal]uint64{},
	}
	for _, s := range c.Known {
		r.known[s] = true
	}
	for _, s := range c.Entries {
		r.entries = append(r.entries, seq.AppendBinary(nil, s))
	}
	r.banned = append(r.banned, c.Dropped...)
	r.confirms = confirm.NewQueue(c.Config, c.patience)
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
	return r.loop(ctx), nil
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

// workerState is one worker slot, over the lives of its processes.
type workerState struct {
	index    int
	life     int
	proc     *worker.Process
	counts   engine.Counts // of this life
	ops      []engine.OpCounts
	hits     map[string]uint64 // … by signature
	refusals []engine.Refusal
	heap     uint64
	aims     bool    // its processes are of the analysis build
	waits    bool    // … which is not there yet
	composes bool    // there was nothing to aim at
	done     bool    // it ended by itself and is not wanted again
	leaves   bool    // it has said its last word
	quota    uint64  // sequences it may still compose; 0 means no bound
	barren   int     // lives on end that ended before they composed anything
	tamed    int     // how many of the tamed operations it was started with
	turns    []int32 // sides of turns that its process has told of, but not what became of them
	lived    uint64  // sequences, over all lives
	deaths   int     // since it could have aimed

	started time.Time

	beat  uint64
	still worker.Stopwatch // since the last beat
	asked bool             // for its goroutines: it hangs
}

// event is a message from a worker, or its end if the message is nil.
type event struct {
	worker *workerState
	proc   *worker.Process
	msg    *wire.Message
}

// A worker whose heartbeat stands still is asked for its goroutines and replaced:
// after hangCPU of processor time, or [worker.HangAfter] on a busy machine.
const hangCPU = 300 * time.Millisecond

func (r *run) start(ctx context.Context, w *workerState) error {
	spawn := r.config.Spawn
	if w.aims {
		spawn = *r.aiming
	}
	p, err := spawn.Start(ctx)
	if err != nil {
		return err
	}
	w.proc, w.counts, w.beat, w.still, w.asked, w.leaves = p, engine.Counts{}, 0, p.Stopwatch(), false, false
	w.tamed, w.started = len(r.tamed), time.Now()
	seed := draw.Stream(draw.Stream(r.config.Seed, w.index), w.life)
	w.life++
	go func() {
		for m := range p.Messages() {
			r.events <- event{w, p, m}
		}
		<-p.Exited()
		r.events <- event{w, p, nil}
	}()
	p.Send(&wire.Message{Start: &wire.Start{
		Seed: seed, Sequences: w.quota, Params: r.config.Params, UntilQuiet: r.aiming != nil || r.repeats() && !w.composes,
		Learn: wire.Learn{
			Entries: slices.Concat(r.entries, r.values), Known: slices.Sorted(maps.Keys(r.known)),
			Ban: slices.Clone(r.banned), Tame: slices.Clone(r.tamed), NoHuge: slices.Clone(r.noHuge), Held: r.held(),
		},
		Frontier: r.sides(), Covered: r.covered.AppendMissing(nil, coverage.NewSet(r.config.Sides)),
	}})
	return nil
}

// Times of the outer loop.
const (
	tickEvery       = 50 * time.Millisecond
	stopPatience    = 3 * time.Second // for workers to say their last word
	confirmTime     = 7 * time.Second // for what is still to be confirmed at the end
	interruptedTime = 4 * time.Second // … if someone waits at the terminal
)

func (r *run) loop(ctx context.Context) *Result {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	interrupted := ctx.Done()
	var reason string
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
	r.drain(reason == "interrupted")
	for _, w := range r.workers {
		r.settle(w)
	}
	res := &Result{Snapshot: r.snapshot(), Hits: r.hits, Refusals: r.refusalList(), CPU: r.cpu, ConfirmCPU: r.confirms.CPU(), Unconfirmed: r.unconfirmed, Banned: r.banned[len(r.config.Dropped):], Stopped: reason, Frontier: r.sides(), AimedFrom: r.aimedFrom}
	for i := range r.ops {
		if r.ops[i].Runs > 0 {
			r.ops[i].Op = seq.OpID(i)
			res.Ops = append(res.Ops, r.ops[i])
		}
	}
	return res
}

// drain waits for the confirmations under way.
func (r *run) drain(interrupted bool) {
	r.confirms.Hurry()
	patience := max(confirmTime, 3*r.config.Patience)
	if interrupted {
		patience = interruptedTime
	}
	if r.config.patience > 0 {
		patience = r.config.patience
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for len(r.pending) > 0 {
		select {
		case res := <-r.confirms.Results():
			r.confirmed(res)
		case <-limit.C:
			for _, signature := range slices.Sorted(maps.Keys(r.pending)) {
				r.config.Report.Warn("not confirmed in time and not reported: " + signature)
			}
			return
		}
	}
}

func (r *run) alive() int {
	n := 0
	for _, w := range r.workers {
		if w.proc != nil || w.waits {
			n++
		}
	}
	return n
}

// gone reports whether a worker ended that has not done its share.
func (r *run) gone() bool {
	return slices.ContainsFunc(r.workers, func(w *workerState) bool { return !w.done })
}

// killAll ends all workers and waits for them.
func (r *run) killAll() {
	for _, w := range r.workers {
		if w.proc != nil {
			w.proc.Kill()
		}
	}
	for r.alive() > 0 {
		if ev := <-r.events; ev.msg == nil {
			ev.worker.proc.Dispose()
			ev.worker.proc = nil
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

// watch looks for workers that hang: that use no processor and so wait for what
// will not come, or that compute and do not get on.
func (r *run) watch() {
	for _, w := range r.workers {
		if w.proc == nil || w.asked {
			continue
		}
		beat := w.proc.Shared().Beat()
		if beat != w.beat || beat == 0 {
			w.beat = beat
			w.still.Restart()
			continue
		}
		if w.leaves {
			if over, _ := w.still.Hangs(worker.LeaveTime, worker.LeaveTime, worker.LeaveTime); over {
				w.proc.Kill()
			}
			continue
		}
		idle := worker.HangAfter
		if w.proc.Shared().Length.Load() != 0 {
			idle = worker.IdleAfter
		}
		patience := r.config.Patience
		if over, idle := w.still.Hangs(max(hangCPU, patience), idle, max(worker.HangAfter, 2*patience)); over {
			w.asked = true
			go w.proc.Quit(idle)
		}
	}
}

// take takes in one event.
func (r *run) take(ctx context.Context, ev event) {
	w := ev.worker
	if ev.msg == nil {
		r.ended(ctx, w, ev.proc)
		return
	}
	switch m := ev.msg; {
	case m.Stats != nil:
		r.takeStats(w, m.Stats)
	case m.Covered != nil:
		r.cover(m.Covered)
	case m.Entry != nil:
		r.takeEntry(w, m.Entry)
	case m.Finding != nil:
		r.takeFinding(m.Finding)
	case m.Turn != nil:
		w.turns = append(w.turns, m.Turn.Side)
	case m.Lost != nil:
		r.takeLost(m.Lost)
	}
}

func (r *run) takeStats(w *workerState, st *wire.Stats) {
	w.counts, w.heap = st.Counts, st.HeapBytes
	w.done = w.done || st.Final
	w.aims = w.aims || st.Quiet
	r.takeSides(st.Frontier)
	w.turns = w.turns[:0]
	w.leaves = st.Final || st.Recycle || st.Quiet
	r.cover(st.Covered)
	w.ops, w.hits, w.refusals = st.Ops, st.Hits, st.Refusals
	var deny []seq.OpID
	for _, id := range st.NoHuge {
		if !slices.Contains(r.noHuge, id) {
			deny = append(deny, id)
		}
	}
	if len(deny) > 0 {
		r.noHuge = append(r.noHuge, deny...)
		r.tell(w, wire.Learn{NoHuge: deny})
	}
}

// held returns what workers that are to start must know of operations that were
// held back.
func (r *run) held() []engine.OpCounts {
	var list []engine.OpCounts
	for i, c := range r.ops {
		if c.Holds > 0 {
			c.Op = seq.OpID(i)
			list = append(list, c)
		}
	}
	return list
}

func (r *run) cover(sides []int32) {
	for _, side := range sides {
		if side >= 0 && int(side) < r.config.Sides && r.covered.Add(int(side)) {
			r.lastNew, r.lastNewAt = r.counts().Sequences, time.Since(r.began)
		}
	}
}

func (r *run) takeEntry(w *workerState, m *wire.Entry) {
	s, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, m.Steps)
	if err != nil {
		r.config.Report.Warn(fmt.Sprintf("worker %d: %v", w.index, err))
		return
	}
	if m.Value {
		if w.aims {
			r.values = append(r.values, m.Steps)
		}
		r.config.Report.Entry(engine.Entry{Steps: s})
		return
	}
	fresh := 0
	for _, side := range m.Sides {
		if side >= 0 && int(side) < r.config.Sides && r.kept.Add(int(side)) {
			fresh++
		}
	}
	r.cover(m.Sides)
	if fresh == 0 {
		return
	}
	r.entries = append(r.entries, m.Steps)
	r.newEntries++
	r.config.Report.Entry(engine.Entry{Steps: s, Sides: m.Sides})
	r.tell(w, wire.Learn{Entries: [][]byte{m.Steps}})
}

// tell lets all workers but one know something.
func (r *run) tell(but *workerState, l wire.Learn) {
	for _, w := range r.workers {
		if w != but && w.proc != nil && !r.stopping {
			w.proc.Send(&wire.Message{Learn: &l})
		}
	}
}

func (r *run) takeFinding(m *wire.Finding) {
	if !m.Verdict.IsNews(r.knows) {
		return
	}
	steps, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, m.Steps)
	if err != nil {
		r.config.Report.Warn(fmt.Sprintf("finding %s: %v", m.Verdict.Signature, err))
		return
	}
	original, err := seq.DecodeBinary(r.config.Table, r.config.Pool.Literals, m.Original)
	if err != nil {
		original = steps
	}
	r.know(m.Verdict.News())
	r.pending[m.Verdict.News()] = true
	r.confirms.Add(confirm.Job{Finding: engine.Finding{Verdict: m.Verdict, Steps: steps, Original: original}})
}

// know tells all of a finding that is reported: see engine.Verdict.News.
func (r *run) know(news string) {
	r.known[news] = true
	r.tell(nil, wire.Learn{Known: []string{news}})
}

func (r *run) knows(news string) bool { return r.known[news] }

// ended takes in the end of a worker's process and starts it anew.
func (r *run) ended(ctx context.Context, w *workerState, p *worker.Process) {
	killed, hung, garbled := p.Fate()
	code := p.State().ExitCode()
	died := !killed && (code != 0 && !w.leaves || hung || p.Shared().Length.Load() != 0)
	c := p.Shared().Counts
	if died && p.Shared().Length.Load() != 0 {
		c.Sequences++ // the one that it died in
	}
	r.past = add(r.past, c)
	for _, op := range w.ops {
		if int(op.Op) < len(r.ops) {
			o := &r.ops[op.Op]
			o.Runs += op.Runs
			o.Normal += op.Normal
			o.Failed += op.Failed
			o.Broken += op.Broken
			o.Stalls += op.Stalls
			o.Holds = max(o.Holds, op.Holds)
		}
	}
	if w.quota > 0 {
		w.quota -= min(c.Sequences, w.quota)
		w.done = w.done || w.quota == 0
	}
	r.config.Report.Note(fmt.Sprintf("worker %d ended (%s) after %v and %d sequences", w.index, p.State(), time.Since(w.started).Round(time.Millisecond), c.Sequences))
	r.settle(w)
	w.proc, w.ops, w.counts = nil, nil, engine.Counts{}
	r.countTurns(w)
	w.lived += c.Sequences
	if died && (r.aiming != nil || r.repeats()) {
		w.deaths++
		w.aims = w.aims || w.lived >= aimAfterDeath || w.deaths >= aimAfterDeaths
	}
	switch {
	case died && garbled != nil:
		// What ran when it was ended need not be what spoilt its reports.
		r.died++
		r.config.Report.Warn(fmt.Sprintf("worker %d: %v: replaced", w.index, garbled))
		if s, err := p.Running(r.config.Table, r.config.Pool.Literals); err == nil && len(s) > 0 {
			r.blame(w, s, p.Death(hung))
		}
	case died:
		r.died++
		r.tookDown(w, p, hung)
	}
	if w.barren++; p.Shared().Counts.Sequences > 0 {
		w.barren = 0
	}
	p.Dispose()
	r.cpu += p.CPU()
	if r.stopping || w.done || ctx.Err() != nil {
		return
	}
	if w.barren == maxBarren {
		r.config.Report.Warn(fmt.Sprintf("worker %d is gone: %d processes on end died before their first sequence", w.index, maxBarren))
		return
	}
	r.replace(ctx, w)
}

// maxBarren is how often on end a worker may end before it has composed anything.
// Entries that end it are dropped one by one, so that a few such lives are none.
const maxBarren = 64

// tookDown follows up a sequence that ended a worker.
func (r *run) tookDown(w *workerState, p *worker.Process, hung bool) {
	d := p.Death(hung)
	s, err := p.Running(r.config.Table, r.config.Pool.Literals)
	j := confirm.Job{Death: true, Late: d.Late()}
	if j.Late {
		j.Before = r.callers(p.Earlier(r.config.Table, r.config.Pool.Literals), d.Starter())
	}
	if n := len(j.Before); n > 0 && err == nil && len(s) == 0 {
		s, j.Before = j.Before[n-1], j.Before[:n-1]
	}
	if err != nil || len(s) == 0 {
		r.config.Report.Note(fmt.Sprintf("a worker died between sequences: %s: %s", p.State(), p.LastLine()))
		r.blame(w, nil, d)
		return
	}
	r.blame(w, s, d)
	if !j.Late && r.dropEntry(s) {
		r.config.Report.Warn("a corpus entry ends its process and is left alone in this run: " + r.brief(s))
	}
	r.follow(s, d, j, fmt.Sprintf("a worker ended (%s)", p.State()))
}

// brief returns a sequence as a line that a person may look at.
func (r *run) brief(s seq.Sequence) string {
	text := r.config.Table.OneLine(s)
	const most = 400
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}

// takeLost takes in a sequence that a worker gave up.
func (r *run) takeLost(m *wire.Lost) {
	s, err := seq.DecodeSteps(r.config.Table, r.config.Pool.Literals, m.Steps)
	if err != nil || len(s) == 0 {
		r.config.Report.Note(fmt.Sprintf("a worker gave up what it cannot name: %v", err))
		return
	}
	if r.dropEntry(s) {
		r.config.Report.Note("a corpus entry does not come to its end and is left alone in this run: " + r.config.Table.OneLine(s))
	}
	r.follow(s, worker.DeathOf(m), confirm.Job{Death: true}, "a call was given up")
}

// follow judges a sequence that did not come to its end, and has it confirmed as j.
func (r *run) follow(s seq.Sequence, d worker.Death, j confirm.Job, how string) {
	v := r.config.JudgeDeath(s, d)
	r.config.Report.Note(fmt.Sprintf("%s: %s: %s", how, v.Message, r.config.Table.OneLine(s)))
	if last := s[len(s)-1].Op; r.config.Table.Ops[last].Kind == seq.Check {
		// A contract of the user's. Where it was when it was looked at tells nothing.
		r.config.Report.Warn(r.config.Table.Ops[last].Short + " does not come to its end, and is switched off")
		r.banned = append(r.banned, last)
		r.tell(nil, wire.Learn{Ban: []seq.OpID{last}})
		return
	}
	if v.Tier == engine.Illegal {
		r.past.Illegal++
		r.refuse(v.Op, v.Document, 1)
		return
	}
	r.hits[v.Signature]++
	if !v.IsNews(r.knows) {
		return
	}
	r.know(v.News())
	r.pending[v.News()] = true
	j.Finding = engine.Finding{Verdict: v, Steps: s, Original: s}
	r.confirms.Add(j)
}

// maxUnshown is how many sequences of a signature are tried before it is dropped.
const maxUnshown = 3

func (r *run) confirmed(res confirm.Result) {
	queued := res.Queued.News()
	delete(r.pending, queued)
	if res.Shown == 0 {
		// A sequence alone may show nothing of what those before it left behind: the
		// next may.
		if r.unshown[queued]++; res.Death && r.unshown[queued] < maxUnshown {
			delete(r.known, queued)
		}
		r.unconfirmed++
		return
	}
	if v := &res.Finding.Verdict; v.Signature != res.Queued.Signature || v.Tier > res.Queued.Tier {
		if !v.IsNews(r.knows) {
			return
		}
		r.know(v.News())
	}
	f := confirm.Finding{Finding: res.Finding, Flaky: res.Shown < confirm.Runs}
	if f.Flaky && f.Verdict.Kind == engine.KindFatal {
		// A goroutine of an earlier call may have done it: whose fault it is, is not known.
		f.Verdict.Tier = min(f.Verdict.Tier, engine.Suspect)
	}
	if f.Verdict.Tier == engine.Illegal {
		return
	}
	if sig := f.Verdict.Signature; f.Verdict.Tier == engine.Suspect {
		r.suspects[sig] = true
	} else if r.suspects[sig] { // it was more than that
		r.findings[engine.Suspect]--
		delete(r.suspects, sig)
	}
	r.findings[f.Verdict.Tier]++
	r.config.Report.Finding(f)
}

func (r *run) counts() engine.Counts {
	c := r.past
	for _, w := range r.workers {
		c = add(c, w.counts)
	}
	return c
}

func (r *run) snapshot() Snapshot {
	s := Snapshot{
		Elapsed: time.Since(r.began), Counts: r.counts(), Covered: r.covered, Entries: r.newEntries,
		Findings: r.findings, Pending: len(r.pending), Deaths: r.died, Workers: r.alive(), Aiming: r.aimedFrom != nil,
	}
	s.Counts.LastNew = r.lastNew
	for _, w := range r.workers {
		s.HeapBytes += w.heap
	}
	return s
}

// settle adds what a life of w has counted by signature and reason.
func (r *run) settle(w *workerState) {
	for signature, n := range w.hits {
		r.hits[signature] += n
	}
	for _, f := range w.refusals {
		r.refuse(f.Op, f.Reason, f.Runs)
	}
	w.hits, w.refusals = nil, nil
}

func (r *run) refuse(op seq.OpID, reason string, runs uint64) {
	r.refusals[engine.Refusal{Op: op, Reason: reason}] += runs
}

func (r *run) refusalList() []engine.Refusal {
	var list []engine.Refusal
	for f, n := range r.refusals {
		f.Runs = n
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b engine.Refusal) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Reason, b.Reason))
	})
	return list
}

func add(a, b engine.Counts) engine.Counts {
	a.Sequences += b.Sequences
	a.Aimed += b.Aimed
	a.Distinct += b.Distinct
	a.Steps += b.Steps
	a.Replayed += b.Replayed
	a.Values += b.Values
	a.Illegal += b.Illegal
	a.Abandoned += b.Abandoned
	a.Findings += b.Findings
	a.Once += b.Once
	a.Sampled += b.Sampled
	return a
}
