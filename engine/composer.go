package engine

import (
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A Composer composes sequences that hang on their source alone: equal choices
// give equal sequences, whatever it composed before. It keeps nothing and learns
// nothing. So an input of a fuzz test means the same sequence each time that it
// is read.
type Composer struct{ engine *Engine }

// NewComposer returns a composer of sequences of at most maxSteps steps, which x runs.
// The literals of the pool must be boxed.
func NewComposer(t *seq.Table, p *Pool, x Executor, maxSteps int) *Composer {
	return &Composer{New(Config{
		Table: t, Pool: p, Executor: x,
		Params: Params{Undirected: true, MinSteps: maxSteps, MaxSteps: maxSteps},
	})}
}

// Compose composes one sequence and runs it, up to the step that broke if one did.
// It ends when src is done: with the call, and what that needs, for which the last
// choice was made, or where there were too few choices for any call with one that
// needs none. It leaves the executor's End to the caller, whose the sequence is until
// the next call.
func (c *Composer) Compose(src *draw.Source) seq.Sequence {
	e := c.engine
	e.src = src
	e.schedule.forget()
	e.begin()
	e.extend()
	for range composeTries {
		if len(e.cur.steps) > 0 {
			break
		}
		if op, ok := e.schedule.pick(src, false); ok {
			e.call(op, 0)
		}
	}
	return e.cur.steps
}

// composeTries is how many operations are tried for the only call of a sequence: a
// random source may draw one whose arguments cannot be had.
const composeTries = 4
