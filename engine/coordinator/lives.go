package coordinator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/draw"
	"foray.test/engine/wire"
	"foray.test/engine/worker"
)

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
	running  time.Duration // sequences, in this life
	judging  time.Duration // … of that contracts
	aims     bool          // its processes are of the analysis build
	waits    bool          // … which is not there yet
	composes bool          // there was nothing to aim at
	done     bool          // it ended by itself and is not wanted again
	leaves   bool          // it has said its last word
	quota    uint64        // sequences it may still compose; 0 means no bound
	barren   int           // lives on end that ended before they composed anything
	tamed    int           // how many of the tamed operations it was started with
	turns    []int32       // sides of turns that its process has told of, but not what became of them
	lived    uint64        // sequences, over all lives
	deaths   int           // since it could have aimed

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
// after hangCPU of processor time, or [worker.HangAfter] on a busy machine. Once a call
// that was taken for hanging has turned out to be slow, after slowCPU.
const (
	hangCPU = 120 * time.Millisecond
	slowCPU = 300 * time.Millisecond
)

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
		patience, limit := r.config.Patience, hangCPU
		if r.slow {
			limit = slowCPU
		}
		if over, idle := w.still.Hangs(max(limit, patience), idle, max(worker.HangAfter, 2*patience)); over {
			w.asked = true
			go w.proc.Quit(idle)
		}
	}
}

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
	r.running, r.judging = r.running+w.running, r.judging+w.judging
	w.running, w.judging = 0, 0
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
		w.aims = w.aims || w.lived >= aimAfterDeath || w.deaths >= aimAfterDeaths || r.resumed()
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
