package versions

import (
	"slices"

	"foray.test/engine/difference"
	"foray.test/engine/seq"
)

// blame finds the operation to blame for a difference. If other calls in the place of the
// last one differ too, then their operand does. The call to blame is the last earlier one
// that involves the operand, and the simplest call that shows the difference becomes the
// last step. A panic is blamed on its own call. A function value or an iterator is blamed
// on the call that returned it.
func (x *examiner) blame(f *Difference) {
	last := f.Steps[f.Step]
	if op, ok := x.closureOf(f.Steps[:f.Step], last); ok {
		f.SeenBy = append(f.SeenBy, last.Op)
		f.Op = op
		return
	}
	if f.Place != difference.InResult || len(last.Args) == 0 || last.Args[0].Lit != nil {
		return
	}
	cause := x.cause(f.Steps[:f.Step], last.Args[0].Slot)
	if cause < 0 {
		return
	}
	witnesses := x.witnesses(f, last.Args[0].Slot)
	if len(witnesses) < x.wanted(f.Steps[cause]) {
		return
	}
	f.SeenBy = append(f.SeenBy, last.Op)
	best := last
	for _, w := range witnesses {
		f.SeenBy = append(f.SeenBy, w.Op)
		if x.simpler(w, best) {
			best = w
		}
	}
	f.Op = f.Steps[cause].Op
	if x.showBy(f, f.Steps[:f.Step], best) {
		x.advance(f, append(witnesses, last))
	}
}

// closureOf returns the operation of the API that returned the function value which st
// calls, or ranges over. It reports false if st does neither, or if the function is
// foray's own.
func (x *examiner) closureOf(s seq.Sequence, st seq.Step) (seq.OpID, bool) {
	for called := false; ; called = true {
		switch op := &x.table.Ops[st.Op]; {
		case op.Kind != seq.Call && op.Kind != seq.Range:
			return st.Op, called && op.API
		case len(st.Args) == 0 || st.Args[0].Lit != nil:
			return 0, false
		}
		st = s[s.Maker(x.table, st.Args[0].Slot)]
	}
}

// advance looks for an earlier call to blame: one after which a witness already shows a
// difference, which a later call hides from the others.
func (x *examiner) advance(f *Difference, witnesses []seq.Step) {
	slot := witnesses[0].Args[0].Slot
	for n := 1; n < f.Step; n++ {
		before := f.Steps[:n]
		if !x.table.Ops[before[n-1].Op].API || before.Slots(x.table) <= int(slot) {
			continue
		}
		for _, w := range witnesses {
			if fitsAfter(x.table, before, w) && x.showBy(f, before, w) {
				f.Op = before[n-1].Op
				return
			}
		}
	}
}

// fitsAfter reports whether s makes all operands of st.
func fitsAfter(t *seq.Table, s seq.Sequence, st seq.Step) bool {
	n := s.Slots(t)
	return !slices.ContainsFunc(st.Args, func(a seq.Arg) bool { return a.Lit == nil && int(a.Slot) >= n })
}

// wanted returns how many other calls must show a difference before st is blamed for it.
// A call without operands is a constructor: if the methods have changed, several of them
// may show a difference. A constructor without arguments is never blamed.
func (x *examiner) wanted(st seq.Step) int {
	switch {
	case slices.ContainsFunc(st.Args, func(a seq.Arg) bool { return a.Lit == nil }):
		return 1
	case len(st.Args) > 0:
		return 2
	}
	return maxWitness + 1
}

// showBy reports whether a call after some steps shows a difference, and puts it into f.
func (x *examiner) showBy(f *Difference, steps seq.Sequence, call seq.Step) bool {
	s := append(steps.Clone(), call)
	before, after := x.both(s)
	d, ok := x.first(s, before, after)
	if !ok || d.Step != len(steps) || d.Place != difference.InResult {
		return false
	}
	f.Difference, f.Steps, f.Before, f.After = d, s, before, after
	return true
}

// simpler reports whether call a shows a value more simply than b: with fewer arguments,
// or with a result of a basic type.
func (x *examiner) simpler(a, b seq.Step) bool {
	if len(a.Args) != len(b.Args) {
		return len(a.Args) < len(b.Args)
	}
	return x.rank(a.Op) < x.rank(b.Op)
}

// rank ranks operations by their single result: a number or text, a bool, another type;
// last come those without a single result.
func (x *examiner) rank(id seq.OpID) int {
	op := &x.table.Ops[id]
	if len(op.Results) != 1 {
		return 3
	}
	switch x.table.Types[op.Results[0]].Literal {
	case seq.NoLiteral:
		return 2
	case seq.Bool:
		return 1
	}
	return 0
}

// cause returns the last call of s that involves slot, or a slot that may alias it; -1 if
// there is none. A basic value has none: the call that returned it returned the same in
// both versions.
func (x *examiner) cause(s seq.Sequence, slot int32) int {
	if !x.shares(s, slot) {
		return -1
	}
	related := make([]bool, s.Slots(x.table))
	related[slot] = true
	cause := -1
	for changed := true; changed; {
		changed = false
		made := 0
		for i, st := range s {
			touches := false
			var slots []int32
			for _, a := range st.Args {
				if a.Lit == nil {
					slots = append(slots, a.Slot)
				}
			}
			for range x.table.Ops[st.Op].Results {
				slots = append(slots, int32(made))
				made++
			}
			for _, n := range slots {
				touches = touches || related[n]
			}
			if !touches {
				continue
			}
			if x.table.Ops[st.Op].API {
				cause = max(cause, i)
			}
			for _, n := range slots {
				if !related[n] && x.shares(s, n) {
					related[n], changed = true, true
				}
			}
		}
	}
	return cause
}

// shares reports whether the value of a slot may alias another one.
func (x *examiner) shares(s seq.Sequence, slot int32) bool {
	return x.table.Types[s.SlotTypes(x.table)[slot]].Literal == seq.NoLiteral
}

// witnesses returns calls of other operations on slot that also show a difference in the
// place of the last step.
func (x *examiner) witnesses(f *Difference, slot int32) []seq.Step {
	last := f.Steps[f.Step].Op
	var list []seq.Step
	tried := 0
	ty := x.table.Ops[last].Params[0]
	for id := range x.table.Ops {
		op := &x.table.Ops[id]
		if !op.API || seq.OpID(id) == last || len(op.Params) == 0 || !x.table.AssignableTo(ty, op.Params[0]) || op.Member == x.table.Ops[last].Member || op.Variadic && len(op.Params) == 1 {
			continue
		}
		call, ok := x.simplest(seq.OpID(id), slot, f.Steps[f.Step])
		if !ok {
			continue
		}
		if tried++; tried > maxWitness || x.ctx.Err() != nil {
			break
		}
		s := append(f.Steps[:f.Step].Clone(), call)
		if d, ok := x.differs(s); ok && d.Step == f.Step && d.Place == difference.InResult {
			list = append(list, call)
		}
	}
	return list
}

// simplest returns a call of op on slot. Its other arguments are those of last where they
// fit, else the simplest literals.
func (x *examiner) simplest(id seq.OpID, slot int32, last seq.Step) (seq.Step, bool) {
	op, from := &x.table.Ops[id], x.table.Ops[last.Op].Params
	st := seq.Step{Op: id, Args: []seq.Arg{seq.Slot(int(slot))}}
	for j := 1; j < op.Fewest(); j++ {
		arg := seq.Arg{Lit: x.pool.First(op.Params[j])}
		if j < len(last.Args) && j < len(from) && from[j] == op.Params[j] {
			arg = last.Args[j]
		} else if arg.Lit == nil {
			return st, false
		}
		st.Args = append(st.Args, arg)
	}
	return st, true
}
