package engine

import (
	"math"
	"slices"

	"foray.test/corpus"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// maxDepth bounds how far composition goes to make what an argument needs.
const maxDepth = 6

// maxArgs bounds the arguments of all steps of a sequence, so that cutting them
// from one slice never moves it.
const maxArgs = 8192

// magnitudes are the sizes of numbers that sequences draw, by a draw of 64. Huge
// ones, taken as sizes, cost more than a thousand sequences without.
var magnitudes = [64]magnitude{0: huge, 1: large, 2: large, 3: large, 4: large, 5: large, 6: large, 7: large, 8: large}

// writesOneIn is how seldom a sequence writes fields and variables.
const writesOneIn = 32

// largeAfter is how many sequences run before the first that may be costly: what
// is cheap to learn is learned first.
const largeAfter = 1 << 11

// doubtfulOneIn is how seldom a value is made that its package may not expect.
const doubtfulOneIn = 16

// spans are the ranges of small integers; one is drawn per sequence. Small ones
// make calls meet each other's keys, large ones fill a container.
var spans = [...]int{4, 8, 8, 16, 64, 64, smallRange, smallRange}

// compose assembles and runs one sequence [Pacheco09 §7.5]: it keeps extending
// the newest one until it has its length or a step breaks.
func (e *Engine) compose() {
	e.begin()
	if len(e.entries) > 0 && e.params.VaryOf8 > 0 && e.src.Choose("vary", 8) < e.params.VaryOf8 {
		e.vary()
		return
	}
	e.extend()
}

// maxRefused is how many calls of a sequence may be refused: there may be no other.
const maxRefused = 256

// extend composes until the sequence has its length, a step breaks, or the source
// runs out.
func (e *Engine) extend() {
	c := &e.cur
	for !c.broken && len(c.steps) < c.length && len(c.args) < maxArgs-256 && c.refused < maxRefused {
		op, guided, ok := e.schedule.pick(e.src, c.writes)
		if !ok {
			return
		}
		times := 1
		if e.src.OneIn("repeat", e.params.RepeatOneIn) {
			// M between 0 and max; fresh literals for each call, since identical
			// arguments reached less than no repetition.
			times = e.src.Choose("times", e.params.RepeatMax+1)
		}
		for range times {
			if !e.call(op, 0, guided) || c.broken || len(c.steps) >= c.length || e.src.Done() {
				break
			}
		}
		if e.src.Done() {
			return
		}
	}
}

// reset forgets the sequence before.
func (e *Engine) reset() {
	c := &e.cur
	if c.args == nil {
		c.args = make([]seq.Arg, 0, maxArgs)
	}
	c.steps, c.args, c.slots, c.fresh = c.steps[:0], c.args[:0], c.slots[:0], c.fresh[:0]
	c.hash, c.broken, c.refused, c.slow, c.composing = 0, false, 0, false, false
	c.epoch++
}

// begin draws what holds for a whole sequence.
func (e *Engine) begin() {
	c := &e.cur
	e.reset()
	c.span = spans[e.src.Choose("span", len(spans))]
	c.anyType = e.src.Choose("literal type of interfaces", 8)
	// Square of a uniform draw: half the sequences end in the first third of the range.
	c.length = e.params.MinSteps
	if room := e.params.MaxSteps - e.params.MinSteps; room > 0 {
		x := e.src.Choose("length", 256)
		c.length += room * x * x >> 16
	}
	c.size = magnitudes[e.src.Choose("magnitude", len(magnitudes))]
	c.writes = e.src.OneIn("writes", writesOneIn)
	c.composing = true
	e.schedule.now = e.counts.Steps + e.counts.Sequences
	if e.counts.Sequences < largeAfter {
		c.size, c.writes = usual, false
	}
	e.exec.Begin(c.size == huge)
	if len(e.entries) > 0 && !e.params.Undirected && e.params.VaryOf8 == 0 && e.src.OneIn("start from an entry", e.params.SeedOneIn) {
		if en := &e.entries[e.src.Choose("entry", len(e.entries))]; !e.schedule.held(en.Steps) {
			e.replay(en.Steps)
			c.length += len(c.steps)
		}
	}
}

// replay runs a kept sequence behind the current steps, up to a step that is refused.
// It returns the first of its slots.
func (e *Engine) replay(s seq.Sequence) (base int32) {
	c := &e.cur
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
		if !e.run(seq.Step{Op: s[i].Op, Args: c.args[from:len(c.args):len(c.args)]}) {
			break
		}
	}
	return base
}

// call chooses arguments for op, making what is missing, and runs it. A guided call takes
// arguments of types that op has accepted before. It reports false if an argument could
// not be had, making one broke the sequence, or the call was refused.
func (e *Engine) call(id seq.OpID, depth int, guided bool) bool {
	c := &e.cur
	op := &e.callees[id]
	n := len(op.params)
	if op.variadic {
		n += e.src.Choose("variadic arguments", 4) - 1
	}
	from := len(c.args)
	if from+n > maxArgs {
		return false
	}
	// Their place comes first, for calls that make arguments take places too.
	c.args = c.args[:from+n]
	args := c.args[from : from+n : from+n]
	var types []seq.TypeID
	if guided {
		types = e.schedule.stats[id].accepted.draw(e.src, len(op.open))
	}
	for i := range args {
		p := &op.params[min(i, len(op.params)-1)]
		k := -1
		if guided {
			k = slices.Index(op.open, i)
		}
		var a seq.Arg
		var ok bool
		if k >= 0 {
			a, ok = e.guidedArgument(id, p, types[k], depth)
		} else {
			a, ok = e.argument(id, p, depth)
		}
		if !ok || c.broken {
			return false
		}
		args[i] = a
	}
	if n > 1 && e.src.OneIn("alike", alikeOneIn) {
		if e.liken(op, args, depth); c.broken {
			return false
		}
	}
	if len(op.open) > 1 && !guided && e.src.OneIn("of one type", pairedOneIn) {
		if e.pair(op, args, depth); c.broken {
			return false
		}
	}
	ran := e.run(seq.Step{Op: id, Args: args})
	if guided && ran {
		e.schedule.guided(id, c.broken)
	}
	return ran
}

// pairedOneIn is how seldom two arguments of types that a function leaves open get the
// type of one: what works by reflection most often wants that, and refuses the rest.
const pairedOneIn = 4

// pair puts, in place of an argument whose type is left open, another value of the type
// that one before it has.
func (e *Engine) pair(op *callee, args []seq.Arg, depth int) {
	k := 1 + e.src.Choose("argument to pair", len(op.open)-1)
	a := args[op.open[e.src.Choose("argument to pair with", k)]]
	if a.Lit != nil {
		return
	}
	if b, ok := e.makeArgument(&param{ty: e.cur.slots[a.Slot].ty}, depth); ok {
		args[op.open[k]] = b
	}
}

// alikeOneIn is how seldom an argument is made from another of the same call:
// what compares its arguments, or looks for one in another, takes other ways for
// those that differ little.
const alikeOneIn = 16

// liken puts, in place of one of the arguments, one that differs little from another.
func (e *Engine) liken(op *callee, args []seq.Arg, depth int) {
	j := 1 + e.src.Choose("argument to make alike", len(args)-1)
	p := &op.params[min(j, len(op.params)-1)]
	a := args[e.src.Choose("argument to be like", j)]
	if a.Lit == nil {
		if b, ok := e.sibling(a.Slot, depth); ok && e.isLive(p.ty, b.Slot) {
			args[j] = b
		}
		return
	}
	text, ok := a.Lit.Value.(string)
	if !ok || a.Lit.Type != p.ty && !slices.Contains(p.takes, a.Lit.Type) {
		return
	}
	t := a.Lit.Type
	text = mutators.EditString(e.src, text, func() string { return e.pool.Draw(e.src, t, smallRange, usual).Value.(string) })
	l := &seq.Literal{Type: t, Value: text[:min(len(text), e.params.StringBytes)]}
	e.exec.Box(l)
	args[j] = seq.Lit(l)
}

// argument chooses one argument: a live slot, a component, a literal, a nil or a
// value made for it.
func (e *Engine) argument(id seq.OpID, p *param, depth int) (seq.Arg, bool) {
	if p.literal {
		return e.literalArgument(id, p)
	}
	if e.hasLive(p.ty) && (p.receiver || e.src.Choose("reuse", 8) < e.params.ReuseOf8) {
		if len(p.takes) == 0 || e.src.Choose("value for interface", 8) < 3 {
			if a, ok := e.liveSlot(p.ty); e.fits(p, a) {
				return a, ok
			}
		}
	}
	if p.null != nil && !p.receiver && e.src.OneIn("nil", e.params.NilOneIn) && e.schedule.stats[id].tame < smallOnly {
		return seq.Lit(p.null), true
	}
	if len(p.takes) > 0 && (e.flat != nil || e.src.Choose("literal for interface", 8) < 7) {
		return seq.Lit(e.literal(id, p.takes[e.anyLiteral(len(p.takes))])), true
	}
	if !e.params.Undirected && e.src.Choose("component", 8) < e.params.ComponentOf8 {
		if comp, made, ok := e.components.Pick(e.src, p.ty); ok && len(e.cur.args)+64 < maxArgs && !e.schedule.held(comp) {
			base := e.replay(comp)
			if slot := base + made; !e.cur.broken && int(slot) < len(e.cur.slots) && e.isLive(p.ty, slot) {
				return seq.Arg{Slot: slot}, true
			}
			if e.cur.broken {
				return seq.Arg{}, false
			}
		}
	}
	return e.makeArgument(p, depth)
}

// fits reports whether a live slot may be given for p.
func (e *Engine) fits(p *param, a seq.Arg) bool {
	return e.flat == nil || p.receiver || len(p.takes) == 0 || e.flat[e.cur.slots[a.Slot].ty]
}

// siblingOneIn is how seldom a value is made like one at hand, with a change.
const siblingOneIn = 4

// sibling makes the value in a slot again with one of the literals that its maker takes
// changed, or the last of its arguments left out. It reports false if that took none, or
// if the call is not to be made.
func (e *Engine) sibling(slot int32, depth int) (seq.Arg, bool) {
	c := &e.cur
	info := c.slots[slot]
	st := c.steps[info.made]
	op := &e.callees[st.Op]
	n := len(st.Args)
	if len(op.results) != 1 || n == 0 || len(c.args)+n+1 > maxArgs || !e.schedule.allowed(st.Op, e.src) {
		return seq.Arg{}, false
	}
	from := len(c.args)
	c.args = append(c.args, st.Args...)
	args := c.args[from : from+n]
	if op.variadic && n >= len(op.params) && e.src.OneIn("one argument less", 4) {
		args = args[:n-1]
	} else {
		i := e.src.Choose("argument to change", n)
		if args[i].Lit == nil {
			return seq.Arg{}, false
		}
		a, ok := e.argument(st.Op, &op.params[min(i, len(op.params)-1)], depth+1)
		if !ok || c.broken {
			return seq.Arg{}, false
		}
		args[i] = a
	}
	if !e.run(seq.Step{Op: st.Op, Args: args[:len(args):len(args)]}) || c.broken {
		return seq.Arg{}, false // refused, it has made nothing: the last slot is another's
	}
	return seq.Arg{Slot: int32(len(c.slots) - 1)}, true
}

// anyLiteral chooses among n literal types for an interface parameter. Most
// sequences keep to one, since keys of one type can be compared and found again.
func (e *Engine) anyLiteral(n int) int {
	if e.cur.anyType == 7 {
		return e.src.Choose("literal type", n)
	}
	if e.cur.anyType >= 5 {
		return e.cur.anyType % n
	}
	return 0
}

// makeArgument calls an operation that makes what an argument needs.
func (e *Engine) makeArgument(p *param, depth int) (seq.Arg, bool) {
	t := p.ty
	makers := e.makers[t]
	if depth < maxDepth && len(makers) > 0 {
		if e.hasLive(t) && e.src.OneIn("sibling", siblingOneIn) {
			if a, ok := e.liveSlot(t); ok {
				if b, ok := e.sibling(a.Slot, depth); ok && e.isLive(t, b.Slot) {
					return b, true
				}
			}
			if e.cur.broken {
				return seq.Arg{}, false
			}
		}
		for range 6 {
			id := makers[e.src.Choose("maker", len(makers))]
			ok, guided := e.schedule.admits(id, e.src)
			if !ok || e.doubtful[id] && !e.cur.writes && !e.src.OneIn("doubtful value", doubtfulOneIn) {
				continue
			}
			if e.call(id, depth+1, guided) {
				if a, ok := e.liveSlot(t); ok {
					return a, true
				}
			}
			if e.cur.broken {
				return seq.Arg{}, false
			}
		}
	}
	if a, ok := e.liveSlot(t); ok {
		return a, true
	}
	if p.null != nil && !p.receiver {
		return seq.Lit(p.null), true
	}
	return seq.Arg{}, false
}

// literalArgument chooses an argument of a type that takes literals: a literal,
// or once in eight times the result of another call, for lengths, keys and names
// are arguments too.
func (e *Engine) literalArgument(id seq.OpID, p *param) (seq.Arg, bool) {
	tame := e.schedule.stats[id].tame
	if p.str || tame == smallOnly {
		if e.hasLive(p.ty) && tame < smallOnly && e.src.OneIn("literal from a result", 8) {
			return e.liveSlot(p.ty)
		}
		return seq.Lit(e.literal(id, p.ty)), true
	}
	choice := e.src.Choose("literal or result", 8*literalDraws)
	if choice < literalDraws && e.hasLive(p.ty) {
		return e.liveSlot(p.ty)
	}
	return seq.Lit(e.pool.drawn(e.src, p.ty, e.cur.span, e.magnitude(tame), choice%literalDraws)), true
}

// literal draws a literal of type t for an argument of operation id.
func (e *Engine) literal(id seq.OpID, t seq.TypeID) *seq.Literal {
	tame := e.schedule.stats[id].tame
	if tame == smallOnly {
		return e.pool.DrawSmall(e.src, t)
	}
	if e.table.Types[t].Literal == seq.String && e.src.OneIn("string edit", e.params.StringEditOneIn) {
		l := e.pool.DrawString(e.src, t, e.params.StringBytes)
		e.exec.Box(l)
		return l
	}
	return e.pool.Draw(e.src, t, e.cur.span, e.magnitude(tame))
}

// tolerates reports whether st may run: it has not too many arguments, and gives
// its operation no number that it is not to get any more.
func (e *Engine) tolerates(st *seq.Step) bool {
	stats := &e.schedule.stats[st.Op]
	if stats.banned || len(st.Args) > MaxStepArgs {
		return false
	}
	if stats.tame == untamed {
		return true
	}
	for _, a := range st.Args {
		if a.Lit == nil {
			continue
		}
		if m := magnitudeOf(a.Lit.Value); m == huge || m == large && stats.tame == smallOnly {
			return false
		}
	}
	return true
}

// magnitude returns how large the numbers may be that an operation is given.
func (e *Engine) magnitude(tame tameness) magnitude {
	if tame >= noHuge {
		return min(e.cur.size, large)
	}
	return e.cur.size
}

// liveSlot draws one of the last slots that may stand for t.
func (e *Engine) liveSlot(t seq.TypeID) (seq.Arg, bool) {
	if !e.hasLive(t) {
		return seq.Arg{}, false
	}
	r := &e.cur.live[t]
	n := min(int(r.n), len(r.slots))
	if n == 1 {
		return seq.Arg{Slot: r.slots[0]}, true
	}
	return seq.Arg{Slot: r.slots[e.src.Choose("slot", n)]}, true
}

func (e *Engine) hasLive(t seq.TypeID) bool {
	r := &e.cur.live[t]
	return r.epoch == e.cur.epoch && r.n > 0
}

func (e *Engine) isLive(t seq.TypeID, slot int32) bool {
	r := &e.cur.live[t]
	if r.epoch != e.cur.epoch {
		return false
	}
	for _, s := range r.slots[:min(int(r.n), len(r.slots))] {
		if s == slot {
			return true
		}
	}
	return false
}

// run executes one step and takes in what it made. It reports false if the step was
// refused: then it is none.
func (e *Engine) run(st seq.Step) bool {
	c := &e.cur
	before := c.hash
	c.steps = append(c.steps, st)
	h := (c.hash ^ uint64(st.Op)) * 0x9e3779b97f4a7c15
	for _, a := range st.Args {
		if a.Lit == nil {
			c.slots[a.Slot].takes++
			h = (h ^ uint64(a.Slot)) * 0xff51afd7ed558ccd
		} else {
			h = (h ^ uint64(a.Lit.Pool)<<16) * 0xff51afd7ed558ccd
			if a.Lit.Pool == 0 {
				h = hashValue(h, a.Lit.Value)
			}
		}
	}
	c.hash = h ^ h>>29
	status, unfit := e.exec.Append(st)
	if status == Refused {
		e.refuse(st, seq.OpID(unfit))
		c.hash = before
		return false
	}
	e.schedule.ran(st.Op, status)
	slow := false
	if unfit>>CostShift != 0 {
		e.schedule.stats[st.Op].dear += costOf(unfit)
		if slow = unfit>>CostShift >= slowCost; slow {
			c.slow, c.length = true, 0
		}
	}
	made := int32(len(c.steps) - 1)
	for i, r := range e.callees[st.Op].results {
		slot := int32(len(c.slots))
		fit := status == Normal && unfit>>i&1 == 0 && !slow
		c.slots = append(c.slots, slotInfo{ty: r, made: made, fit: fit})
		if fit {
			for _, to := range e.wanted[r] {
				c.live[to].push(c.epoch, slot)
			}
		}
	}
	if status == Broken {
		c.broken = true
		return true
	}
	if status == Normal && len(e.callees[st.Op].open) > 0 {
		e.learnTypes(st)
	}
	if n := len(c.steps); (n%digestEvery == 0 || n == 2) && !e.params.Undirected {
		e.takeDigests()
	}
	return true
}

// refuse takes back the last step, which the contract check did not allow.
func (e *Engine) refuse(st seq.Step, check seq.OpID) {
	c := &e.cur
	c.steps = c.steps[:len(c.steps)-1]
	for _, a := range st.Args {
		if a.Lit == nil {
			c.slots[a.Slot].takes--
		}
	}
	c.refused++
	e.schedule.stats[st.Op].Tries++ // without a yield
	e.counts.Illegal++
	e.refusals[refusal{st.Op, e.table.Refusal(check)}]++
}

// hashValue continues h with the value of a literal.
func hashValue(h uint64, v any) uint64 {
	switch v := v.(type) {
	case string:
		return hashString(h, v)
	case int64:
		h ^= uint64(v)
	case uint64:
		h ^= v
	case float64:
		h ^= math.Float64bits(v)
	case bool:
		if v {
			h++
		}
	}
	return h * 0xff51afd7ed558ccd
}

// hashString continues h with what stands at either end of s.
func hashString(h uint64, s string) uint64 {
	h = (h ^ uint64(len(s))) * 0x9e3779b97f4a7c15
	const most = 64
	if len(s) > 2*most {
		h = hashString(h, s[:most])
		s = s[len(s)-most:]
	}
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h ^ h>>29
}

// digestEvery is how many steps there are to one after which digests are taken.
// On a red-black tree, Put, Get and Remove: 0.15 new values a step and 230 ns if
// it is eight, 0.22 and 250 if it is four. At every step digests would take most
// of the loop.
const digestEvery = 4

// takeDigests asks for the digests of what changed and keeps new values.
func (e *Engine) takeDigests() {
	c := &e.cur
	digests := e.exec.Digests()
	for i := range digests {
		// One value in two types is two values.
		digests[i].Hash ^= uint64(c.slots[digests[i].Slot].ty) * 0x9e3779b97f4a7c15
		e.touched ^= e.values.Touch(digests[i].Hash)
	}
	for i := range digests {
		d := &digests[i]
		if d.Large {
			c.length = 0
		}
		if !d.Changed || !e.values.Add(d.Hash) && !e.params.NoPruning {
			continue
		}
		info := &c.slots[d.Slot]
		e.counts.Values++
		c.fresh = append(c.fresh, d.Slot)
		if d.Step > info.made {
			e.schedule.yielded(c.steps[d.Step].Op, changeYield)
		} else {
			e.schedule.yielded(c.steps[d.Step].Op, 1)
		}
		if info.fit && !c.slow && len(e.wanted[info.ty]) > 0 && e.components.Wants(e.src, info.ty) {
			e.keepComponent(info.ty, d.Slot)
		}
	}
}

// keepComponent adds what made slot to the component set, if it is short.
func (e *Engine) keepComponent(ty seq.TypeID, slot int32) {
	// Each step that took it is part of what made it: pruning, some 2 µs, would
	// only find that out.
	if int(e.cur.slots[slot].takes) >= e.params.ComponentSteps {
		return
	}
	s, at := seq.PruneTo(e.table, e.cur.steps, slot)
	if len(s) == 0 || len(s) > e.params.ComponentSteps {
		return
	}
	e.components.Add(e.src, ty, corpus.Component{Steps: s, Slot: at})
}
