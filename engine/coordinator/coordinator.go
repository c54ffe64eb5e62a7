// Package coordinator is the outer loop: it starts worker processes, watches and
// restarts them, hands what one has found to the others, and confirms findings in
// fresh processes. What to compose is the workers' matter.
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
	"foray.test/engine/draw"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// Config says what to run.
type Config struct {
	Spawn    Spawn
	Table    *seq.Table
	Pool     *engine.Pool
	Sides    int // number of branch sides
	Parallel int // workers; 0 means 1
	Seed     uint64
	Params   engine.Params
	// The run ends after Duration or Sequences, whichever is not zero and comes
	// first, and, if Plateau is set, once nothing new has come for as long as the
	// run was before.
	Duration  time.Duration
	Sequences uint64
	Plateau   bool
	Entries   []seq.Sequence // kept by earlier runs
	Known     []string       // signatures not to report again
	Dropped   []seq.OpID     // operations that the worker was built without
	// JudgeDeath says what the end of a process means. s is what ran, the step
	// that did not return last.
	JudgeDeath func(s seq.Sequence, d Death) engine.Verdict
	Report     Reporter
}

// A Reporter is told what happens, from one goroutine.
type Reporter interface {
	Progress(Snapshot)
	Entry(engine.Entry)
	Finding(Finding)
	Warn(msg string)
	Note(msg string) // for who wants to know it all
}

// A Finding is confirmed in fresh processes.
type Finding struct {
	engine.Finding
	Flaky bool // some of the fresh processes did not show it
}

// Death is how a process ended that should not have.
type Death struct {
	Hang     bool
	Idle     bool   // it hung without using the processor
	ExitCode int    // -1 if a signal ended it
	Signal   string // that ended it, if one did
	Stderr   string
	Judging  bool // it died in a contract, behind the last step
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
	HeapBytes uint64 // over all workers
	Workers   int
}

// Result is what a run came to.
type Result struct {
	Snapshot
	Ops         []engine.OpCounts // by operation
	CPU         time.Duration     // of the workers
	Unconfirmed int               // findings that no fresh process showed
	Banned      []seq.OpID        // operations that ended workers too often
	Stopped     string            // why the run ended: "time", "sequences", "plateau", "interrupted", "nothing to call"
}

// Run runs until the budget is spent or ctx is done, in which case what was found
// is still confirmed and reported.
func Run(ctx context.Context, c Config) (*Result, error) {
	r := &run{
		config: c, began: time.Now(),
		events:  make(chan event),
		covered: coverage.NewSet(c.Sides), kept: coverage.NewSet(c.Sides),
		ops: make([]engine.OpCounts, len(c.Table.Ops)), deaths: make([]int, len(c.Table.Ops)),
		known: map[string]bool{}, tamedAt: map[seq.OpID]time.Time{},
	}
	for _, s := range c.Known {
		r.known[s] = true
	}
	for _, s := range c.Entries {
		r.entries = append(r.entries, seq.AppendBinary(nil, s))
	}
	r.banned = append(r.banned, c.Dropped...)
	r.confirmer = newConfirmer(c)
	defer r.confirmer.close()
	workers := max(c.Parallel, 1)
	for i := range workers {
		w := &workerState{index: i}
		r.workers = append(r.workers, w)
		if err := r.start(ctx, w); err != nil {
			r.killAll()
			return nil, err
		}
	}
	return r.loop(ctx), nil
}

// run is the state of a run, owned by the goroutine of loop.
type run struct {
	config    Config
	began     time.Time
	events    chan event
	workers   []*workerState
	confirmer *confirmer

	covered, kept *coverage.Set
	entries       [][]byte
	newEntries    int
	known         map[string]bool
	findings      [3]int
	pending       int
	unconfirmed   int
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
}

// workerState is one worker slot, over the lives of its processes.
type workerState struct {
	index   int
	life    int
	proc    *process
	counts  engine.Counts // of this life
	ops     []engine.OpCounts
	heap    uint64
	done    bool // it ended by itself and is not wanted again
	beat    uint64
	beatAt  time.Time
	beatCPU int64     // processor time when the beat was last looked at
	idleAt  time.Time // since when it stands still
	quota   uint64    // sequences it may still compose; 0 means no bound
	started time.Time
}

// event is a message from a worker, or its end if the message is nil.
type event struct {
	worker *workerState
	proc   *process
	msg    *wire.Message
}

// hangAfter is how long a worker's heartbeat may stand still before it is asked
// for its goroutines and replaced. Whether it hung or was only slow is decided
// later, with more patience.
const hangAfter = 600 * time.Millisecond

// idleAfter is how long a worker may stand still without using the processor.
const idleAfter = 150 * time.Millisecond

func (r *run) start(ctx context.Context, w *workerState) error {
	p, err := r.config.Spawn.start(ctx)
	if err != nil {
		return err
	}
	w.proc, w.counts, w.beat, w.beatAt, w.started = p, engine.Counts{}, 0, time.Now(), time.Now()
	if w.life == 0 && r.config.Sequences > 0 {
		n := uint64(len(r.workers))
		if p := uint64(max(r.config.Parallel, 1)); p > n {
			n = p
		}
		w.quota = r.config.Sequences / n
		if uint64(w.index) < r.config.Sequences%n {
			w.quota++
		}
		w.quota = max(w.quota, 1)
	}
	seed := draw.Stream(draw.Stream(r.config.Seed, w.index), w.life)
	w.life++
	go func() {
		for m := range p.messages {
			r.events <- event{w, p, m}
		}
		<-p.exited
		r.events <- event{w, p, nil}
	}()
	known := make([]string, 0, len(r.known))
	for s := range r.known {
		known = append(known, s)
	}
	return p.send(&wire.Message{Start: &wire.Start{
		Seed: seed, Sequences: w.quota, Params: r.config.Params,
		Learn: wire.Learn{Entries: r.entries, Known: known, Ban: r.banned, Tame: r.tamed, NoHuge: r.noHuge},
	}})
}

// Times of the outer loop.
const (
	tickEvery    = 50 * time.Millisecond
	stopPatience = 3 * time.Second  // for workers to say their last word
	confirmTime  = 20 * time.Second // for what is still to be confirmed at the end
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
			if w.proc != nil {
				// A worker that cannot be told is dying: its end will be an event.
				_ = w.proc.send(&wire.Message{Stop: true})
			}
		}
	}
	for r.alive() > 0 {
		select {
		case ev := <-r.events:
			r.take(ctx, ev)
			if !r.stopping && r.alive() == 0 {
				reason = "sequences"
			}
		case res := <-r.confirmer.results:
			r.confirmed(res)
		case <-ticker.C:
			r.watch()
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
					w.proc.kill()
				}
			}
		}
	}
	r.stopping = true
	r.drain(ctx)
	res := &Result{Snapshot: r.snapshot(), CPU: r.cpu + r.confirmer.cpu(), Unconfirmed: r.unconfirmed, Banned: r.banned[len(r.config.Dropped):], Stopped: reason}
	for i := range r.ops {
		if r.ops[i].Runs > 0 {
			r.ops[i].Op = seq.OpID(i)
			res.Ops = append(res.Ops, r.ops[i])
		}
	}
	return res
}

// drain waits for the confirmations under way.
func (r *run) drain(ctx context.Context) {
	limit := time.NewTimer(confirmTime)
	defer limit.Stop()
	for r.pending > 0 {
		select {
		case res := <-r.confirmer.results:
			r.confirmed(res)
		case <-limit.C:
			r.config.Report.Warn(fmt.Sprintf("%d findings are left unconfirmed after %v and not reported", r.pending, confirmTime))
			return
		}
	}
}

func (r *run) alive() int {
	n := 0
	for _, w := range r.workers {
		if w.proc != nil {
			n++
		}
	}
	return n
}

func (r *run) killAll() {
	for _, w := range r.workers {
		if w.proc != nil {
			w.proc.kill()
		}
	}
}

// Plateau: a run that nothing new has come of for as long again as it took to get
// there, and for so many sequences and so long at the least.
const (
	plateauSequences = 200_000
	plateauTime      = 5 * time.Second
)

// spent says why the run is to end, if it is.
func (r *run) spent() string {
	elapsed := time.Since(r.began)
	if r.config.Duration > 0 && elapsed >= r.config.Duration {
		return "time"
	}
	if n := r.counts().Sequences; r.config.Plateau && n > 2*r.lastNew+plateauSequences && elapsed > 2*r.lastNewAt+plateauTime {
		return "plateau"
	}
	return ""
}

// watch looks for workers that hang: that use no processor and so wait for what
// will not come, or that compute and do not get on.
func (r *run) watch() {
	now := time.Now()
	for _, w := range r.workers {
		if w.proc == nil || w.proc.shared == nil {
			continue
		}
		beat := w.proc.shared.Sequences.Load() + w.proc.shared.Steps.Load()
		if beat != w.beat || beat == 0 {
			w.beat, w.beatAt, w.beatCPU = beat, now, -1
			continue
		}
		stands := now.Sub(w.beatAt)
		if stands > hangAfter {
			w.beatAt = now.Add(time.Hour) // once is enough
			go w.proc.quit(false)
			continue
		}
		ticks := cpuTicks(w.proc.cmd.Process.Pid)
		switch {
		case ticks < 0 || w.proc.shared.Length.Load() == 0:
		case ticks != w.beatCPU:
			w.beatCPU, w.idleAt = ticks, now
		case now.Sub(w.idleAt) > idleAfter:
			w.beatAt = now.Add(time.Hour)
			go w.proc.quit(true)
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
	case m.Entry != nil:
		r.takeEntry(w, m.Entry)
	case m.Finding != nil:
		r.takeFinding(m.Finding)
	}
}

func (r *run) takeStats(w *workerState, st *wire.Stats) {
	w.counts, w.heap = st.Counts, st.HeapBytes
	w.done = w.done || st.Final
	r.cover(st.Covered)
	w.ops = st.Ops
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
			// A worker that cannot be told is dying: its end will be an event.
			_ = w.proc.send(&wire.Message{Learn: &l})
		}
	}
}

func (r *run) takeFinding(m *wire.Finding) {
	if r.known[m.Verdict.Signature] {
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
	r.know(m.Verdict.Signature)
	r.pending++
	r.confirmer.queue(job{finding: engine.Finding{Verdict: m.Verdict, Steps: steps, Original: original}})
}

func (r *run) know(signature string) {
	r.known[signature] = true
	r.tell(nil, wire.Learn{Known: []string{signature}})
}

// ended takes in the end of a worker's process and starts it anew.
func (r *run) ended(ctx context.Context, w *workerState, p *process) {
	c := w.counts
	r.past = add(r.past, c)
	for _, op := range w.ops {
		if int(op.Op) < len(r.ops) {
			o := &r.ops[op.Op]
			o.Runs += op.Runs
			o.Normal += op.Normal
			o.Failed += op.Failed
			o.Broken += op.Broken
		}
	}
	w.ops = nil
	if w.quota > 0 {
		w.quota -= min(c.Sequences, w.quota)
		w.done = w.done || w.quota == 0
	}
	r.cpu += p.cpu()
	r.config.Report.Note(fmt.Sprintf("worker %d ended (%s) after %v and %d sequences", w.index, p.cmd.ProcessState, time.Since(w.started).Round(time.Millisecond), c.Sequences))
	w.proc, w.counts = nil, engine.Counts{}
	p.mu.Lock()
	hung, killed := p.hung, p.killed
	p.mu.Unlock()
	code := p.cmd.ProcessState.ExitCode()
	if (code != 0 || hung || !w.done && !r.recycled(p)) && !killed {
		r.died++
		r.tookDown(p, hung)
	}
	p.release()
	if r.stopping || w.done || ctx.Err() != nil {
		return
	}
	if err := r.start(ctx, w); err != nil {
		r.config.Report.Warn(fmt.Sprintf("worker %d is gone: %v", w.index, err))
	}
}

// recycled reports whether a process that ended in peace asked to be replaced.
func (r *run) recycled(p *process) bool {
	return p.cmd.ProcessState.ExitCode() == 0 && p.shared.Length.Load() == 0
}

// tookDown follows up a sequence that ended a worker.
func (r *run) tookDown(p *process, hung bool) {
	d := p.death(hung)
	s, err := p.journalled(r.config)
	if err != nil || len(s) == 0 {
		r.config.Report.Note(fmt.Sprintf("a worker died between sequences: %s: %s", p.cmd.ProcessState, p.stderr.lastLine()))
		r.blame(nil, d)
		return
	}
	r.blame(s, d)
	if r.dropEntry(s) {
		r.config.Report.Warn("a corpus entry ends its process and is left alone in this run: " + r.config.Table.OneLine(s))
	}
	v := r.config.JudgeDeath(s, d)
	r.config.Report.Note(fmt.Sprintf("a worker ended (%s): %s: %s", p.cmd.ProcessState, v.Message, r.config.Table.OneLine(s)))
	if v.Tier == engine.Illegal {
		r.past.Illegal++
		return
	}
	if r.known[v.Signature] {
		return
	}
	r.know(v.Signature)
	r.pending++
	r.confirmer.queue(job{finding: engine.Finding{Verdict: v, Steps: s, Original: s}, death: true})
}

func (r *run) confirmed(res result) {
	r.pending--
	if res.shown == 0 {
		r.unconfirmed++
		return
	}
	f := Finding{Finding: res.finding, Flaky: res.shown < confirmRuns}
	if f.Verdict.Tier == engine.Illegal {
		return
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
		Findings: r.findings, Pending: r.pending, Deaths: r.died, Workers: r.alive(),
	}
	for _, w := range r.workers {
		s.HeapBytes += w.heap
	}
	return s
}

func add(a, b engine.Counts) engine.Counts {
	a.Sequences += b.Sequences
	a.Distinct += b.Distinct
	a.Steps += b.Steps
	a.Replayed += b.Replayed
	a.Values += b.Values
	a.Illegal += b.Illegal
	a.Findings += b.Findings
	a.Once += b.Once
	a.Sampled += b.Sampled
	return a
}
