package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// call chooses arguments for an operation, makes missing values, and runs it, as a permit
// says. It reports false if an argument could not be had, making one broke the sequence,
// or the call was refused.
func (c *composer) call(id seq.OpID, with permit, depth int) bool {
	op := &c.ops[id]
	n := len(op.params)
	if op.variadic {
		n += c.src.Choose("variadic arguments", variadicRange) - 1
	}
	from := len(c.args)
	if from+n > maxArgs {
		return false
	}
	// Their place comes first, for calls that make arguments take places too.
	c.args = c.args[:from+n]
	args := c.args[from : from+n : from+n]
	if !c.chooseArguments(id, with, args, depth) {
		return false
	}
	if n > 1 && c.src.OneIn("alike", similarOneIn) {
		if c.similarArg(op, args, depth); c.broken {
			return false
		}
	}
	ran := c.run(seq.Step{Op: id, Args: args})
	if with.guided && ran {
		c.schedule.guided(id, c.broken)
	}
	return ran
}

// chooseArguments fills args. It reports false if an argument could not be had, or making
// one broke the sequence.
func (c *composer) chooseArguments(id seq.OpID, with permit, args []seq.Arg, depth int) bool {
	op := &c.ops[id]
	var types []seq.TypeID
	if with.guided {
		types = c.schedule.stats[id].accepted.draw(c.src, len(op.open))
	}
	for i := range args {
		p := op.param(i)
		k := -1
		if with.guided {
			k = slices.Index(op.open, i)
		}
		ok := false
		switch settings := c.settings(id, i, with); {
		case settings != nil:
			args[i], ok = c.madeBy(settings, p, with, depth)
		case k >= 0:
			args[i], ok = c.guidedArgument(with, p, types[k], depth)
		default:
			args[i], ok = c.argument(with, p, depth)
		}
		if !ok || c.broken {
			return false
		}
		if c.apart && op.joins(args, i, c.rootOf) && !c.keepApart(op, with, args, i) {
			return false
		}
	}
	return true
}

// rootOf returns the step in which the object in a slot was made, as far as is known.
func (c *composer) rootOf(slot int32) int32 { return c.slots[slot].root }

// keepApart chooses argument i anew, which may be what the call takes already. It reports false if
// there is no other.
func (c *composer) keepApart(op *opInfo, with permit, args []seq.Arg, i int) bool {
	p := op.param(i)
	if len(p.takes) > 0 {
		args[i] = seq.Lit(c.literal(with, p.takes[c.src.Choose("literal type", len(p.takes))]))
		return true
	}
	for range makerTries {
		if a, ok := c.liveSlot(p.ty); ok {
			if args[i] = a; !op.joins(args, i, c.rootOf) {
				return true
			}
		}
	}
	if p.null != nil {
		args[i] = seq.Lit(p.null)
	}
	return p.null != nil
}

// settings returns the literals from which argument i of an operation is chosen, if only they will do.
func (c *composer) settings(id seq.OpID, i int, with permit) []seq.OpID {
	if with.size > tiny {
		return nil
	}
	return c.schedule.settings.For(id, i)
}

// madeBy calls one of makers for an argument.
func (c *composer) madeBy(makers []seq.OpID, p *param, with permit, depth int) (seq.Arg, bool) {
	id := makers[c.src.Choose("settings", len(makers))]
	if depth >= maxDepth || !c.schedule.stats[id].admits(c.schedule.now) || !c.call(id, with, depth+1) || c.broken {
		return seq.Arg{}, false
	}
	made := int32(len(c.slots) - 1)
	return seq.Arg{Slot: made}, c.isLive(p.ty, made)
}

// similarArg puts, in place of one of the arguments, one that differs little from another.
func (c *composer) similarArg(op *opInfo, args []seq.Arg, depth int) {
	j := 1 + c.src.Choose("argument to make alike", len(args)-1)
	p := op.param(j)
	a := args[c.src.Choose("argument to be like", j)]
	if a.Lit == nil {
		if b, ok := c.variantArg(a.Slot, depth); ok && c.isLive(p.ty, b.Slot) {
			args[j] = b
		}
		return
	}
	text, ok := a.Lit.Value.(string)
	if !ok || a.Lit.Type != p.ty && !slices.Contains(p.takes, a.Lit.Type) {
		return
	}
	args[j] = seq.Lit(c.editText(a.Lit.Type, text, 1, c.params.StringBytes))
}

// argument chooses one argument of a call with a permit: a live slot, a component, a
// literal, a nil or a value made for it.
func (c *composer) argument(with permit, p *param, depth int) (seq.Arg, bool) {
	if p.literal {
		return c.literalArgument(with, p)
	}
	if c.hasLive(p.ty) && (p.receiver || c.src.Choose("reuse", 8) < reuseOf8) {
		return c.liveSlot(p.ty)
	}
	if p.null != nil && !p.receiver && c.src.OneIn("nil", nilOneIn) && with.size > tiny {
		return seq.Lit(p.null), true
	}
	if len(p.takes) > 0 && c.src.Choose("literal for interface", 8) < literalForInterfaceOf8 {
		return seq.Lit(c.literal(with, p.takes[c.src.Choose("literal type", len(p.takes))])), true
	}
	if !c.params.Undirected && c.src.Choose("component", 8) < componentOf8 {
		if comp, ok := c.archive.components.Draw(c.src, p.ty); ok && (c.use || !comp.Seed) && len(c.args)+64 < maxArgs && c.schedule.welcomes(comp.Steps) {
			base := c.replay(comp.Steps)
			if slot := base + comp.Slot; !c.broken && int(slot) < len(c.slots) && c.isLive(p.ty, slot) {
				return seq.Arg{Slot: slot}, true
			}
			if c.broken {
				return seq.Arg{}, false
			}
		}
	}
	return c.makeArgument(with, p, depth)
}

// variantArg makes the value in a slot again with one of the literals that its maker takes
// changed. It reports false if that took none, or if the call is not to be made.
func (c *composer) variantArg(slot int32, depth int) (seq.Arg, bool) {
	info := c.slots[slot]
	st := c.runner.now.steps[info.made]
	op := &c.ops[st.Op]
	n := len(st.Args)
	if len(op.results) != 1 || n == 0 || len(c.args)+n+1 > maxArgs {
		return seq.Arg{}, false
	}
	with, ok := c.schedule.ask(c.src, st.Op, &c.style)
	if !ok {
		return seq.Arg{}, false
	}
	from := len(c.args)
	c.args = append(c.args, st.Args...)
	args := c.args[from : from+n : from+n]
	i := c.src.Choose("argument to change", n)
	if args[i].Lit == nil {
		return seq.Arg{}, false
	}
	a, ok := c.argument(with, op.param(i), depth+1)
	if !ok || c.broken {
		return seq.Arg{}, false
	}
	args[i] = a
	if !c.run(seq.Step{Op: st.Op, Args: args}) || c.broken {
		return seq.Arg{}, false // refused, it has made nothing: the last slot is another's
	}
	return seq.Arg{Slot: int32(len(c.slots) - 1)}, true
}

// makeArgument calls an operation that makes an argument.
func (c *composer) makeArgument(with permit, p *param, depth int) (seq.Arg, bool) {
	t := p.ty
	makers := c.makers[t]
	if depth < maxDepth && len(makers) > 0 {
		if c.hasLive(t) && c.src.OneIn("sibling", variantOneIn) {
			if a, ok := c.liveSlot(t); ok {
				if b, ok := c.variantArg(a.Slot, depth); ok && c.isLive(t, b.Slot) {
					return b, true
				}
			}
			if c.broken {
				return seq.Arg{}, false
			}
		}
		for range makerTries {
			id := makers[c.src.Choose("maker", len(makers))]
			with, ok := c.schedule.ask(c.src, id, &c.style)
			if !ok {
				continue
			}
			if c.call(id, with, depth+1) {
				if a, ok := c.liveSlot(t); ok {
					return a, true
				}
			}
			if c.broken {
				return seq.Arg{}, false
			}
		}
	}
	if a, ok := c.liveSlot(t); ok {
		return a, true
	}
	if p.null != nil && !p.receiver && (with.size > tiny || len(makers) == 0) {
		return seq.Lit(p.null), true
	}
	return seq.Arg{}, false
}

// literalArgument chooses an argument of a type that takes literals: a literal,
// or once in eight times the result of another call, for lengths, keys and names
// are arguments too.
func (c *composer) literalArgument(with permit, p *param) (seq.Arg, bool) {
	if a, ok := c.seenLiteral(with, p); ok {
		return a, true
	}
	if timed := p.duration && with.timing != (timing{}); p.str || timed || with.size == tiny {
		if c.hasLive(p.ty) && with.size > tiny && !timed && c.src.OneIn("literal from a result", literalFromResultOneIn) {
			return c.liveSlot(p.ty)
		}
		return seq.Lit(c.literal(with, p.ty)), true
	}
	choice := c.src.Choose("literal or result", literalFromResultOneIn*literalDraws)
	if choice < literalDraws && c.hasLive(p.ty) {
		return c.liveSlot(p.ty)
	}
	return seq.Lit(c.pool.drawn(c.src, p.ty, c.span, with.size, choice%literalDraws)), true
}

// literal draws a literal of type t for an argument of a call with a permit.
func (c *composer) literal(with permit, t seq.TypeID) *seq.Literal {
	if with.timing != (timing{}) && c.table.Types[t].Duration() {
		return c.pool.drawDuration(c.src, t, with.timing)
	}
	if with.size == tiny {
		return c.pool.DrawSmall(c.src, t)
	}
	if c.table.Types[t].Literal == seq.String && c.src.OneIn("string edit", stringEditOneIn) {
		return c.editText(t, c.pool.text(c.src, t), 1+c.src.Choose("string edits", maxStringEdits), c.params.StringBytes)
	}
	return c.pool.Draw(c.src, t, c.span, with.size)
}

// liveSlot draws one of the last slots that may stand for t.
func (c *composer) liveSlot(t seq.TypeID) (seq.Arg, bool) {
	if !c.hasLive(t) {
		return seq.Arg{}, false
	}
	r := &c.live[t]
	n := min(int(r.n), len(r.slots))
	if n == 1 {
		return seq.Arg{Slot: r.slots[0]}, true
	}
	return seq.Arg{Slot: r.slots[c.src.Choose("slot", n)]}, true
}

func (c *composer) hasLive(t seq.TypeID) bool {
	r := &c.live[t]
	return r.epoch == c.epoch && r.n > 0
}

func (c *composer) isLive(t seq.TypeID, slot int32) bool {
	r := &c.live[t]
	return r.epoch == c.epoch && slices.Contains(r.slots[:min(int(r.n), len(r.slots))], slot)
}
