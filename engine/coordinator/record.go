package coordinator

import (
	"context"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
	"foray.test/engine/worker"
)

// A Recorder runs sequences for what tests of them can assert, in a process that
// is replaced when it dies.
type Recorder struct {
	ctx context.Context
	k   *confirmer
	p   *worker.Process
	err error
}

// NewRecorder returns a Recorder over the workers of c. Close ends it.
func NewRecorder(ctx context.Context, c Config) *Recorder {
	return &Recorder{ctx: ctx, k: newConfirmer(c)}
}

// Close ends the process, and returns why none could be started, if so.
func (r *Recorder) Close() error {
	if r.p != nil {
		r.k.put(r.p)
	}
	r.k.close()
	return r.err
}

// Run runs s and returns what it showed. It reports false if the process died of
// it, or cannot be had.
func (r *Recorder) Run(s seq.Sequence) (regression.Run, bool) {
	if r.err != nil || r.ctx.Err() != nil {
		return regression.Run{}, false
	}
	if r.p == nil {
		if r.p, r.err = r.k.config.Spawn.Start(r.ctx); r.err != nil {
			r.p = nil
			return regression.Run{}, false
		}
	}
	ex, err := r.k.exec(r.ctx, r.p, s, trial{deadline: runDeadline, record: true})
	if err != nil {
		r.k.put(r.p)
		r.p = nil
	}
	if err != nil || ex.record == nil {
		return regression.Run{}, false
	}
	return *ex.record, true
}
