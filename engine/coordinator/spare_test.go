package coordinator

import (
	"testing"

	"foray.test/engine/internal/workertest"
	"foray.test/engine/wire"
)

// A spare process is the next one, unless it has ended; those that are left are ended.
func TestSpares(t *testing.T) {
	c, _ := config(t, workertest.Table("Leave"))
	r, ctx := newRun(c), t.Context()
	if r.prepare(ctx, false); r.spares.pending[0] {
		t.Error("a spare is started before any end")
	}
	next := func() {
		r.prepare(ctx, false)
		r.takeSpare(<-r.spares.started)
	}
	r.totals.ends = sparesAfter
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

// There is a spare process after any ends of processes, also of those that asked to be replaced.
func TestSpareAfterEnds(t *testing.T) {
	c, _ := config(t, workertest.Table())
	r, ctx, w := newRun(c), t.Context(), &slot{}
	defer r.confirms.Close()
	r.slots = append(r.slots, w)
	if err := r.start(ctx, w); err != nil {
		t.Fatal(err)
	}
	p := w.proc
	p.Send(&wire.Message{Stop: true})
	for ev := <-r.events; ev.msg != nil; ev = <-r.events {
	}
	r.totals.ends = sparesAfter - 1
	r.ended(ctx, w, p)
	if r.totals.deaths > 0 || !r.spares.pending[0] && r.spares.ready[0] == nil {
		t.Errorf("%d deaths; no spare after %d ends", r.totals.deaths, sparesAfter)
	}
	r.dismissSpares()
	r.killAll()
}
