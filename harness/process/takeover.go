package process

import (
	"bytes"

	"foray.test/engine/wire"
)

// goexit is called when a call has ended the goroutine that has the ownership.
func (w *worker) goexit(stack []byte) {
	go w.takeOver(&wire.Lost{Goexit: true, Stack: string(stack)})
}

// takeOver goes on in the place of an abandoned goroutine.
func (w *worker) takeOver(lost *wire.Lost) {
	lost.Steps = bytes.Clone(w.shared.Running())
	lost.Judging = w.shared.Judging.Load() != 0
	hits, marks := w.exec.Taken(), w.exec.Marks()
	w.use(w.exec.Successor())
	switch ex := w.asked; {
	case ex != nil:
		w.answer(&wire.Result{ID: ex.ID, Lost: lost})
	case w.side != nil:
		w.side.lost(lost, hits, marks)
	default:
		w.abandon(lost, hits)
	}
	w.serve()
}

// abandon tells the engine that the run under way is lost.
func (w *worker) abandon(lost *wire.Lost, hits []byte) {
	if !lost.Goexit {
		w.abandoned++
	}
	w.send(&wire.Message{Lost: lost})
	w.engine.Abandon(w.executor, hits, !lost.Goexit)
	c := w.engine.Counts()
	w.shared.Counts = c
	if w.onEnd++; c.Sequences > w.lastLost+1 {
		w.onEnd = 0
	}
	w.lastLost = c.Sequences
}
