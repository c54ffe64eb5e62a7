package coordinator

import (
	"testing"

	"foray.test/engine/internal/workertest"
)

// A spare process is the next one, unless it has ended; those that are left are ended.
func TestSpares(t *testing.T) {
	c, _ := config(t, workertest.Table("Leave"))
	r, ctx := newRun(c), t.Context()
	if r.prepare(ctx, false); r.spares.pending[0] {
		t.Error("a spare is started before any death")
	}
	next := func() {
		r.prepare(ctx, false)
		r.takeSpare(<-r.spares.started)
	}
	r.totals.deaths = sparesAfter
	next()
	spare := r.spares.ready[0]
	got, err := r.process(ctx, false)
	if err != nil || got != spare {
		t.Fatalf("got process %p, %v, want the spare one, %p", got, err, spare)
	}
	r.dismiss(got)

	next()
	spare = r.spares.ready[0]
	spare.Kill()
	<-spare.Exited()
	if got, err = r.process(ctx, false); err != nil || got == spare {
		t.Fatalf("got process %p, %v, want another than the spare one, which has ended", got, err)
	}
	r.dismiss(got)

	r.prepare(ctx, false)
	r.dismissSpares()
	if r.spares.ready[0] != nil || r.spares.pending[0] {
		t.Error("a spare is left")
	}
}
