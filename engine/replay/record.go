package replay

import (
	"context"
	"time"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// A Recorder runs sequences and records the values that tests of them can assert.
type Recorder struct {
	ctx   context.Context
	bench *Bench
	err   error
}

// recordTime bounds a sequence that a test is to repeat.
const recordTime = 1 * time.Second

// NewRecorder returns a Recorder over the workers of c. Close ends it.
func NewRecorder(ctx context.Context, c Config) *Recorder {
	return &Recorder{ctx: ctx, bench: NewBench(c)}
}

// Close ends the process. It returns an error if none could be started.
func (r *Recorder) Close() error {
	r.bench.Close()
	return r.err
}

// Run runs s and returns its record. It reports false if the process died of it, or could
// not be started.
func (r *Recorder) Run(s seq.Sequence) (regression.Run, bool) {
	if r.err != nil || r.ctx.Err() != nil {
		return regression.Run{}, false
	}
	x, err := r.bench.Run(r.ctx, s, Trial{Deadline: recordTime, Record: true})
	if err != nil && r.ctx.Err() == nil {
		r.err = err
	}
	if x.Died || x.Record == nil {
		return regression.Run{}, false
	}
	return *x.Record, true
}
