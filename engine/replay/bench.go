package replay

import (
	"context"
	"sync/atomic"
	"time"

	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// A Runner starts the processes that sequences run in, and adds up their processor time.
// Several goroutines may use it.
type Runner struct {
	config  Config
	cpuTime atomic.Int64
}

// NewRunner returns a runner for c.
func NewRunner(c Config) *Runner { return &Runner{config: c} }

// Alone runs s in a process of its own. An error means that none could be started.
func (r *Runner) Alone(ctx context.Context, s seq.Sequence, t Trial) (Shown, error) {
	p, err := r.config.Spawn.Start(ctx)
	if err != nil {
		return Shown{}, err
	}
	defer r.dispose(p)
	order(p, s, t)
	return r.config.await(ctx, p, s, t), nil
}

// CPU returns the processor time of the processes that have ended.
func (r *Runner) CPU() time.Duration { return time.Duration(r.cpuTime.Load()) }

func (r *Runner) dispose(p *worker.Process) {
	p.Dispose()
	r.cpuTime.Add(int64(p.CPU()))
}

// A Bench runs sequences one at a time, in a process that is replaced when it dies.
// It must be closed.
type Bench struct {
	runner *Runner
	p      *worker.Process // nil until there is something to run
}

// NewBench returns a bench with a runner of its own.
func NewBench(c Config) *Bench { return NewRunner(c).Bench() }

// Bench returns a bench; r starts its processes.
func (r *Runner) Bench() *Bench { return &Bench{runner: r} }

// Close ends the process.
func (b *Bench) Close() { b.Renew() }

// Renew ends the process, so that the next sequence has a fresh one, without the state
// that this one leaves.
func (b *Bench) Renew() {
	if b.p != nil {
		b.runner.dispose(b.p)
		b.p = nil
	}
}

// Run runs s. An error means that no process could be started, or that ctx is done.
func (b *Bench) Run(ctx context.Context, s seq.Sequence, t Trial) (x Shown, err error) {
	err = b.RunAll(ctx, []seq.Sequence{s}, t, func(_ int, got Shown) { x = got })
	return x, err
}

// ahead is how many sequences a process is sent in advance: waiting for each took four
// times as long as running them.
const ahead = 64

// RunAll runs the sequences of a list, one after the other, and calls visit with the result
// of each. An error means that no process could be started, or that ctx is done.
func (b *Bench) RunAll(ctx context.Context, list []seq.Sequence, t Trial, visit func(i int, x Shown)) error {
	ordered := 0
	for i, s := range list {
		if b.p == nil {
			var err error
			if b.p, err = b.runner.config.Spawn.Start(ctx); err != nil {
				return err
			}
			ordered = i
		}
		for ; ordered < min(i+ahead, len(list)); ordered++ {
			order(b.p, list[ordered], t)
		}
		began := time.Now()
		x := b.runner.config.await(ctx, b.p, s, t)
		x.Took = time.Since(began)
		if x.Died {
			b.Renew() // the sequences that it was sent in advance are lost
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		visit(i, x)
	}
	return nil
}
