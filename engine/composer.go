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

// Compose composes one sequence and runs it, up to a step that breaks for no fault of
// its caller if there is one. It ends when src is done: with the call, and what that
// needs, for which the last choice was made, or where there were too few choices for
// any call with one that needs none. It leaves the executor's End to the caller, whose
// the sequence is until the next call.
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
		if op, guided, ok := e.schedule.pick(src, false); ok {
			e.call(op, 0, guided)
		}
	}
	for range maxRetracted {
		if !e.cur.broken || !e.retract() || src.Done() {
			break
		}
		e.extend()
	}
	return e.cur.steps
}

// maxRetracted bounds the steps that a sequence is composed without: each costs
// another run of what was there before.
const maxRetracted = 16

// retract runs the sequence anew without its last step, which broke, if that is what
// the caller is to blame for: nobody has learnt which calls those are. It reports
// false if the step is a finding.
func (e *Engine) retract() bool {
	c := &e.cur
	if out := e.exec.End(c.steps, nil); out.Verdict != nil && out.Verdict.Tier == Error {
		return false
	}
	steps := c.steps[:len(c.steps)-1]
	c.steps, c.slots, c.hash, c.broken = c.steps[:0], c.slots[:0], 0, false
	c.epoch++
	e.exec.Begin(false)
	for i := range steps {
		if !e.run(steps[i]) || c.broken {
			break
		}
	}
	return true
}

// composeTries is how many operations are tried for the only call of a sequence: a
// random source may draw one whose arguments cannot be had.
const composeTries = 4
