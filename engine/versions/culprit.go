package versions

import (
	"slices"

	"foray.test/engine/difference"
	"foray.test/engine/seq"
)

// blame finds what a difference is to be blamed on. If other calls in the place of
// the last one differ too, the value that it was called on does: the call to blame
// is the last before it that had to do with that value. The simplest call that
// shows the difference then stands last. A panic is that of its own call, and what a
// function value or an iterator does is that of the call that returned it.
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

// closureOf returns the operation whose code a call of a function value, or a range
// over one, runs: the one of the API that returned it. It reports false if st is
// none, or a function of ours.
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

// advance looks for a call before the one that is blamed behind which one of the
// witnesses shows a difference already: what comes later hides it, as it is.
func (x *examiner) advance(f *Difference, witnesses []seq.Step) {
	slot := witnesses[0].Args[0].Slot
	for n := 1; n < f.Step; n++ {
		before := f.Steps[:n]
		if !x.table.Ops[before[n-1].Op].API || before.Slots(x.table) <= int(slot) {
			continue
		}
		for _, w := range witnesses {
			if fitsBehind(x.table, before, w) && x.showBy(f, before, w) {
				f.Op = before[n-1].Op
				return
			}
		}
	}
}

// fitsBehind reports whether st takes nothing that s does not make.
func fitsBehind(t *seq.Table, s seq.Sequence, st seq.Step) bool {
	n := s.Slots(t)
	return !slices.ContainsFunc(st.Args, func(a seq.Arg) bool { return a.Lit == nil && int(a.Slot) >= n })
}

// wanted returns how many other calls must show a difference before st is blamed
// for it. One that takes no value has made one: where the calls on it have changed,
// several may show that. Without arguments it can do nothing wrong but always.
func (x *examiner) wanted(st seq.Step) int {
	switch {
	case slices.ContainsFunc(st.Args, func(a seq.Arg) bool { return a.Lit == nil }):
		return 1
	case len(st.Args) > 0:
		return 2
	}
	return maxWitness + 1
}

// showBy has f shown by a call behind some steps, and reports whether it is.
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

// simpler reports whether call a is one that tells a person more easily what a
// value is than b: with fewer arguments, and a result of a basic type.
func (x *examiner) simpler(a, b seq.Step) bool {
	if len(a.Args) != len(b.Args) {
		return len(a.Args) < len(b.Args)
	}
	return x.rank(a.Op) < x.rank(b.Op)
}

// rank orders operations by what a single result of theirs tells: a number, text or
// truth value; a list; anything else.
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

// cause returns the last call of s that had to do with slot or with what may be the
// same value under another name, -1 if there is none. A basic value has none: the call
// that returned it is seen to return the same in both versions.
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

// shares reports whether the value of a slot may be, or be part of, another one.
func (x *examiner) shares(s seq.Sequence, slot int32) bool {
	for i := range s {
		results := x.table.Ops[s[i].Op].Results
		if int(slot) < len(results) {
			return x.table.Types[results[slot]].Literal == seq.NoLiteral
		}
		slot -= int32(len(results))
	}
	return false
}

// witnesses returns calls of other operations on slot that, in the place of the
// last step, show a difference as well.
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

// simplest returns a call of op on slot with arguments of last where they fit, or
// else the simplest literals.
func (x *examiner) simplest(id seq.OpID, slot int32, last seq.Step) (seq.Step, bool) {
	op := &x.table.Ops[id]
	st := seq.Step{Op: id, Args: []seq.Arg{seq.Slot(int(slot))}}
	params := op.Params[1:]
	if op.Variadic {
		params = params[:len(params)-1]
	}
	for j, p := range params {
		from := x.table.Ops[last.Op].Params
		if j+1 < len(last.Args) && j+1 < len(from) && from[j+1] == p {
			st.Args = append(st.Args, last.Args[j+1])
			continue
		}
		l := x.pool.First(p)
		if l == nil {
			return st, false
		}
		st.Args = append(st.Args, seq.Lit(l))
	}
	return st, true
}
