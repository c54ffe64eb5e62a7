package coordinator

import (
	"context"

	"foray.test/engine/worker"
)

// spares are processes that are ready and wait for the next end of one, at most one of each
// build. To start one takes as long as some thousand sequences. The coordinator would do
// nothing else meanwhile.
type spares struct {
	ready   [2]*worker.Process // by build
	pending [2]bool            // it is being started
	started chan spare
	cancel  [2]context.CancelFunc // of the one that is being started
}

// A spare is the result of starting one.
type spare struct {
	aims bool
	proc *worker.Process // nil if that failed
}

// spawn returns how to start a worker.
func (r *run) spawn(aims bool) worker.Spawn {
	s := r.config.Spawn
	if aims {
		s = *r.analysis.spawn
	}
	s.Serial, s.Low = r.repeats(), true
	return s
}

// process returns a process that is ready: the spare one, or a new one.
func (r *run) process(ctx context.Context, aims bool) (*worker.Process, error) {
	build := buildNumber(aims)
	if p := r.spares.ready[build]; p != nil {
		r.spares.ready[build] = nil
		select {
		case <-p.Exited(): // the code under test has ended it
			r.dismiss(p)
		default:
			return p, nil
		}
	}
	return r.spawn(aims).Start(ctx)
}

// prepare begins to start a spare process, unless there is one.
func (r *run) prepare(ctx context.Context, aims bool) {
	build := buildNumber(aims)
	if r.totals.ends < sparesAfter || r.spares.ready[build] != nil || r.spares.pending[build] || aims && r.analysis.spawn == nil {
		return
	}
	r.spares.pending[build] = true
	ctx, r.spares.cancel[build] = context.WithCancel(ctx)
	spawn := r.spawn(aims)
	go func() {
		p, err := spawn.Start(ctx)
		if err != nil { // the next worker of that build is started when it is wanted, and tells
			p = nil
		}
		r.spares.started <- spare{aims, p}
	}()
}

// takeSpare takes in a spare process.
func (r *run) takeSpare(s spare) {
	build := buildNumber(s.aims)
	r.spares.cancel[build]()
	r.spares.pending[build], r.spares.ready[build] = false, s.proc
}

// dismissSpares ends the processes that were not wanted.
func (r *run) dismissSpares() {
	for build := range r.spares.ready {
		if r.spares.pending[build] {
			r.spares.cancel[build]() // a package may take long to initialize
			r.takeSpare(<-r.spares.started)
		}
	}
	for build, p := range r.spares.ready {
		if p != nil {
			r.dismiss(p)
			r.spares.ready[build] = nil
		}
	}
}

func (r *run) dismiss(p *worker.Process) {
	p.Kill()
	p.Dispose()
	r.totals.cpu += p.CPU()
}
