package engine

import (
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A composer composes sequences: it draws operations by the schedule and chooses their
// arguments, running each step before it draws the next.
type composer struct {
	runner   *runner
	archive  *archive
	schedule *schedule
	table    *seq.Table
	pool     *Pool
	src      *draw.Source
	params   Params
	ops      []opInfo
	index
	usage usage
	style
	draft
}

// A style holds for all of a sequence.
type style struct {
	span   int       // range of small integers in use
	size   magnitude // of the numbers drawn
	writes bool      // fields and variables may be written
	use    bool      // it takes up what tests of the package do
	apart  bool      // no object is put into itself: see opInfo.joins
}

// A draft is the state of the sequence under way, besides its steps, which the runner has.
type draft struct {
	args    []seq.Arg // that the arguments of the steps are cut from
	slots   []slotInfo
	live    []ring // by wanted type
	epoch   uint32
	fresh   []int32 // slots with a new value
	hash    uint64  // of the steps
	length  int     // steps aimed at
	broken  bool
	refused int  // calls that were refused
	slow    bool // a call cost much: nothing is built on it
}

type slotInfo struct {
	ty    seq.TypeID
	made  int32 // the step that made it
	root  int32 // the first step that may have: see opInfo.mayReturn
	takes int32 // how many steps took it
	fit   bool  // to be an argument
}

// A ring holds the last few slots that may stand for a wanted type. A bound on live slots
// bounds the cost of digests and has calls meet the same values.
type ring struct {
	epoch uint32
	n     uint32
	slots [8]int32
}

func (r *ring) push(epoch uint32, slot int32) {
	if r.epoch != epoch {
		r.epoch, r.n = epoch, 0
	}
	r.slots[r.n%uint32(len(r.slots))] = slot
	r.n++
}

func newComposer(t *seq.Table, p *Pool, params Params, r *runner, a *archive, s *schedule, src *draw.Source) *composer {
	return &composer{
		runner: r, archive: a, schedule: s, table: t, pool: p, src: src, params: params,
		ops: newOpInfos(t, p), index: newIndex(t, p.Index), usage: usage{start: seedStart},
		draft: draft{args: make([]seq.Arg, 0, maxArgs), live: make([]ring, len(t.Types))},
	}
}

// steps returns the steps of the sequence under way.
func (c *composer) steps() seq.Sequence { return c.runner.now.steps }

// compose composes and runs one sequence [Pacheco09 §7.5]: it extends the sequence
// until it has its length or a step breaks. The run does not end; see end.
func (c *composer) compose(fuel int64) {
	c.begin(fuel)
	if len(c.archive.entries) > 0 && c.params.VaryOf8 > 0 && c.src.Choose("vary", 8) < c.params.VaryOf8 {
		c.vary()
		return
	}
	c.extend()
}

// end ends the sequence that was composed.
func (c *composer) end() Outcome {
	if !c.broken && !c.params.Undirected {
		c.takeDigests()
	}
	out := c.runner.end(c.fresh)
	if c.archive.executed.Add(c.hash) {
		c.runner.counts.Distinct++
	}
	return out
}

// begin draws the style of a sequence and begins its run.
func (c *composer) begin(fuel int64) {
	c.reset()
	c.span = spans[c.src.Choose("span", len(spans))]
	// Square of a uniform draw: half the sequences end in the first third of the range.
	c.length = c.params.MinSteps
	if room := c.params.MaxSteps - c.params.MinSteps; room > 0 {
		x := c.src.Choose("length", 256)
		c.length += room * x * x >> 16
	}
	c.size = magnitudes[c.src.Choose("magnitude", len(magnitudes))]
	c.writes = c.src.OneIn("writes", writesOneIn)
	c.use = c.usage.due()
	c.apart = c.schedule.apart != nil && !c.src.OneIn("an object into itself", c.schedule.loopOneIn)
	c.schedule.now = c.runner.counts.Steps + c.runner.counts.Sequences
	if c.runner.counts.Sequences < largeAfter {
		c.size, c.writes = usual, false
	}
	c.runner.begin(job{purpose: composing}, RunOptions{Meter: c.size == huge, Fuel: fuel})
	if len(c.archive.entries) > 0 && !c.params.Undirected && c.params.VaryOf8 == 0 && c.src.OneIn("start from an entry", entryOneIn) {
		if en := &c.archive.entries[c.src.Choose("entry", len(c.archive.entries))]; (c.use || !en.Seed) && !c.schedule.backedOff(en.Steps) {
			c.replay(en.Steps)
			c.length += len(c.steps())
		}
	}
}

// reset forgets the sequence before.
func (c *composer) reset() {
	c.draft = draft{args: c.args[:0], slots: c.slots[:0], live: c.live, epoch: c.epoch + 1, fresh: c.fresh[:0]}
}

// extend composes until the sequence has its length, a step breaks, or the source
// runs out.
func (c *composer) extend() {
	for !c.broken && len(c.steps()) < c.length && len(c.args) < maxArgs-256 && c.refused < maxRefused {
		op, p, ok := c.schedule.pick(c.src, &c.style)
		if !ok {
			return
		}
		times := 1
		if c.src.OneIn("repeat", c.params.RepeatOneIn) {
			// M between 0 and max; fresh literals for each call, since identical
			// arguments reached less than no repetition.
			times = c.src.Choose("times", repeatMax+1)
		}
		for range times {
			if !c.call(op, p, 0) || c.broken || len(c.steps()) >= c.length || c.src.Done() {
				break
			}
		}
		if c.src.Done() {
			return
		}
	}
}

// replayEntry runs a sequence that was not composed here and judges it. Steps that make new values
// become components; the values were counted when the sequence was kept.
func (c *composer) replayEntry(p purpose, s seq.Sequence, o RunOptions) Outcome {
	c.reset()
	o.Meter = true
	c.runner.begin(job{purpose: p}, o)
	c.replay(s)
	if !c.broken && !c.params.Undirected {
		c.takeDigests()
	}
	out := c.runner.end(c.fresh)
	if !c.broken {
		c.archive.costliest = max(c.archive.costliest, out.Spent)
	}
	return out
}

// replay runs a kept sequence after the current steps, up to a step that is refused.
// It returns the first of its slots.
func (c *composer) replay(s seq.Sequence) (base int32) {
	base = int32(len(c.slots))
	for i := range s {
		if c.broken || len(c.args)+len(s[i].Args) > maxArgs {
			break
		}
		from := len(c.args)
		for _, a := range s[i].Args {
			if a.Lit == nil {
				a.Slot += base
			}
			c.args = append(c.args, a)
		}
		if !c.run(seq.Step{Op: s[i].Op, Args: c.args[from:len(c.args):len(c.args)]}) {
			break
		}
	}
	return base
}

// run runs one step and takes in its results. It reports false if the step was refused
// and taken back.
func (c *composer) run(st seq.Step) bool {
	before := c.hash
	for _, a := range st.Args {
		if a.Lit == nil {
			c.slots[a.Slot].takes++
		}
	}
	c.hash = hashStep(c.hash, st)
	out := c.runner.append(st)
	if out.Status == Refused {
		c.refuse(st, out.RefusedBy)
		c.hash = before
		return false
	}
	if c.params.Undirected {
		out.Cost = 0 // a clock has measured it: equal choices would give other sequences
	}
	c.schedule.ran(st.Op, out.Status, out.Cost)
	if out.Cost >= slowCost {
		c.slow, c.length = true, 0
	}
	c.addSlots(st, out)
	if out.Status == Broken {
		c.broken = true
		return true
	}
	if out.Status == Normal && len(c.ops[st.Op].open) > 0 {
		c.learnTypes(st)
	}
	if n := len(c.steps()); (n%digestEvery == 0 || n == 2) && !c.params.Undirected {
		c.takeDigests()
	}
	return true
}

// addSlots adds the slots of the last step; those fit to be arguments are live.
func (c *composer) addSlots(st seq.Step, out StepOutcome) {
	made := int32(len(c.steps()) - 1)
	op := &c.ops[st.Op]
	for i, r := range op.results {
		slot := int32(len(c.slots))
		fit := out.Status == Normal && out.Unfit>>i&1 == 0 && out.Cost < slowCost
		root := made
		if op.mayReturn(st.Args, i) {
			root = c.slots[st.Args[0].Slot].root
		}
		c.slots = append(c.slots, slotInfo{ty: r, made: made, root: root, fit: fit})
		if fit {
			for _, to := range c.wanted[r] {
				c.live[to].push(c.epoch, slot)
			}
		}
	}
}

// refuse takes back the last step, which an operation of kind Check refused.
func (c *composer) refuse(st seq.Step, check seq.OpID) {
	c.runner.retract()
	for _, a := range st.Args {
		if a.Lit == nil {
			c.slots[a.Slot].takes--
		}
	}
	c.refused++
	c.schedule.stats[st.Op].Tries++ // without a yield
	c.runner.counts.Illegal++
	c.schedule.refusals.Add(Refusal{st.Op, c.table.Ops[check].Base, c.table.Refusal(check), 1})
}
