package engine

import (
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A Composer composes sequences that depend on their source alone: equal choices
// give equal sequences. It keeps nothing and learns nothing. So an input of a fuzz
// test means the same sequence each time.
type Composer struct{ c *composer }

// NewComposer returns a composer of sequences of at most maxSteps steps, which x runs.
// The literals of the pool must be boxed.
func NewComposer(t *seq.Table, p *Pool, x Executor, maxSteps int) *Composer {
	params := Params{Undirected: true, MinSteps: maxSteps, MaxSteps: maxSteps}.orDefault()
	return &Composer{newComposer(t, p, params, newRunner(t, x, nil), new(archive), newSchedule(t, Impossible(t)), nil)}
}

// Compose composes one sequence and runs it, up to a step that breaks through no fault
// of its caller. It ends when src is done: with the call for which the last choice was
// made. If the choices do not do for any call it makes one that needs none. The sequence
// is valid until the next call, and its run has not ended: see [Composer.End].
func (p *Composer) Compose(src *draw.Source) seq.Sequence {
	c := p.c
	c.src, c.runner.counts = src, Counts{}
	c.schedule.forget()
	c.begin(0)
	c.extend()
	for range composeTries {
		if len(c.steps()) > 0 {
			break
		}
		if op, p, ok := c.schedule.pick(src, &c.style); ok {
			c.call(op, p, 0)
		}
	}
	for range maxRetracted {
		if !c.broken || !c.retract() || src.Done() {
			break
		}
		c.extend()
	}
	return c.steps()
}

// End ends the run of the sequence that was composed, judged by all its slots.
func (p *Composer) End() Outcome {
	return p.c.runner.run.End(p.c.steps(), allSlots(p.c.steps().Slots(p.c.table)))
}

// retract runs the sequence again without its last step, which broke. It reports false
// if the step is a finding, and stays. Misuse goes: nothing has learnt which calls are.
func (c *composer) retract() bool {
	if out := c.runner.end(nil); out.Verdict != nil && out.Verdict.Tier > Suspect {
		return false
	}
	steps := c.steps()[:len(c.steps())-1]
	c.slots, c.hash, c.broken = c.slots[:0], 0, false
	c.epoch++
	c.runner.begin(job{purpose: replaying}, RunOptions{})
	for i := range steps {
		if !c.run(steps[i]) || c.broken {
			break
		}
	}
	return true
}
