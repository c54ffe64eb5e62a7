package process

import (
	"errors"
	"runtime"
	"time"

	"foray.test/engine"
	"foray.test/engine/godump"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// execute runs one sequence and answers with its outcome.
func (w *worker) execute(m *wire.Exec) {
	res := &wire.Result{}
	s, err := w.steps(m)
	if m.Input != nil {
		res.Steps = seq.AppendBinary(nil, s)
	}
	if err != nil {
		res.Error = err.Error()
		w.answer(res)
		return
	}
	w.begin(m, s)
	switch {
	case m.Observe:
		res.Run = w.exec.Observe(s)
	case m.Fork > 0 && m.Fork < len(s):
		w.exec.Together(s, m.Fork)
	case m.Leaks:
		if res.Verdict, err = w.exec.Leaks(s, m.Want); err != nil {
			res.Error = err.Error()
		}
	case m.Record:
		res.Record = w.exec.Record(s)
	case m.Study:
		w.study(m, s, res)
	default:
		var before bystanders
		if m.Linger > 0 {
			before = before.see(allStacks(), 0)
		}
		out, ran := engine.Execute(w.executor, w.table, s, engine.RunOptions{Want: m.Want, Fuel: m.Fuel})
		linger(m.Linger, before)
		if show(res, out); out.OutOfFuel {
			res.Lost = endless(s[:ran])
		}
	}
	w.answer(res)
}

// study puts the values that s leaves into res, and whether m.Like leaves the same.
func (w *worker) study(m *wire.Exec, s seq.Sequence, res *wire.Result) {
	var like seq.Sequence
	if len(m.Like) > 0 {
		var err error
		if like, err = seq.DecodeBinary(w.table, w.pool.Literals, m.Like); err != nil {
			res.Error = err.Error()
		}
		w.boxAll(like)
	}
	var out engine.Outcome
	out, res.Left = w.exec.Study(s, like)
	show(res, out)
	if like != nil {
		res.Sides = nil // some are Equal's
	}
}

// steps returns the sequence that is to run.
func (w *worker) steps(m *wire.Exec) (seq.Sequence, error) {
	read := w.read
	switch {
	case m.Input == nil:
		return seq.DecodeBinary(w.table, w.pool.Literals, m.Steps)
	case read == nil:
		return nil, errors.New("the test lists no operations")
	}
	w.begin(m, nil)
	s := read(w.executor, string(m.Input)).Clone()
	for i := range s {
		for k, a := range s[i].Args {
			if a.Lit != nil {
				s[i].Args[k].Lit = w.pool.Intern(&seq.Literal{Type: a.Lit.Type, Value: a.Lit.Value})
			}
		}
	}
	return s, nil
}

// begin makes ready to run s for the coordinator.
func (w *worker) begin(m *wire.Exec, s seq.Sequence) {
	w.boxAll(s)
	limitStack(longestText(s))
	w.asked = m
	w.patience.Store(int64(max(m.WaitFactor, 1)))
}

// linger waits for goroutines that may yet do something. It does so in several naps: on a busy
// machine one may be over before they have had any time at all. While one is active that
// was not there before it waits for up to ten times as long.
func linger(d time.Duration, before bystanders) {
	for range lingerNaps {
		time.Sleep(d / lingerNaps)
	}
	for i := 0; i < lingerMore && d > 0 && before.joined(allStacks()); i++ {
		time.Sleep(d)
	}
}

// allStacks returns a dump of all goroutines.
func allStacks() []godump.Goroutine {
	dump := make([]byte, dumpBytes)
	return godump.Parse(string(dump[:runtime.Stack(dump, true)]))
}

// show puts the outcome of a run into res.
func show(res *wire.Result, out engine.Outcome) {
	res.Verdict = out.Verdict
	for side, hit := range out.Hits {
		if hit != 0 {
			res.Sides = append(res.Sides, int32(side))
		}
	}
}

func (w *worker) answer(res *wire.Result) {
	w.asked = nil
	w.send(&wire.Message{Result: res})
}
