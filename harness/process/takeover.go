package process

import (
	"bytes"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// goexit is called when a call has ended the goroutine that has the ownership.
func (w *worker) goexit(stack []byte) {
	go w.takeOver(&wire.Lost{Goexit: true, Stack: string(stack)})
}

// takeOver goes on in the place of an abandoned goroutine.
func (w *worker) takeOver(lost *wire.Lost) {
	lost.Steps = bytes.Clone(w.shared.Running())
	lost.Oracle = engine.OracleID(w.shared.Oracle.Load())
	hits, marks := w.exec.Taken(), w.exec.Marks()
	w.use(w.exec.Successor())
	switch {
	case w.asked != nil:
		w.answer(&wire.Result{Lost: lost})
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
	w.dropCheck(lost)
	w.engine.Abandon(w.executor, hits, why(lost))
	c := w.engine.Counts()
	w.shared.Counts = c
	if w.onEnd++; c.Sequences > w.lastLost+1 {
		w.onEnd = 0
	}
	w.lastLost = c.Sequences
}

// dropCheck calls a contract of the user's no more that did not return. The coordinator
// tells all others.
func (w *worker) dropCheck(lost *wire.Lost) {
	s, err := seq.DecodeSteps(w.table, w.pool.Literals, lost.Steps)
	if err != nil || len(s) == 0 || lost.Oracle.Known() {
		return
	}
	if last := s[len(s)-1].Op; w.table.Ops[last].Kind == seq.Check {
		w.learn(&wire.Learn{Disable: []seq.OpID{last}})
	}
}

// why returns why a lost run is given up.
func why(lost *wire.Lost) engine.Abandonment {
	switch {
	case lost.Oracle.Known():
		return engine.Judged
	case lost.Goexit:
		return engine.Exited
	}
	return engine.Stalled
}
