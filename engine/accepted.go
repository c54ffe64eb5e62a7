package engine

import (
	"slices"

	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// accepted remembers the argument types that a function took for its open parameters:
// interfaces that most types implement. A function that works by reflection panics or
// fails for most of them, and no signature tells for which.
type accepted struct {
	types  []seq.TypeID // of the arguments of calls that returned, one for each open parameter
	calls  uint32       // the oldest types are forgotten first
	guided uint32       // calls with arguments of such types
	broken uint32       // … that panicked
}

// learn remembers the types of a call that returned.
func (a *accepted) learn(types []seq.TypeID) {
	n := len(types)
	for known := range slices.Chunk(a.types, n) {
		if slices.Equal(known, types) {
			return
		}
	}
	if len(a.types) < maxAccepted*n {
		a.types = append(a.types, types...)
	} else {
		copy(a.types[int(a.calls%maxAccepted)*n:], types)
	}
	a.calls++
}

// helps reports whether calls may be guided by the accepted types.
func (a *accepted) helps() bool {
	return a != nil && len(a.types) > 0 && a.broken*guidedBrokenOneIn <= a.guided+guidedBrokenOneIn
}

// draw draws a call of n open parameters and returns their types.
func (a *accepted) draw(src *draw.Source, n int) []seq.TypeID {
	i := n * src.Choose("accepted call", len(a.types)/n)
	return a.types[i : i+n]
}

// contested reports whether an operation panics or fails often enough to learn its types.
func (st *opStats) contested() bool { return st.Broken+st.Failed > contestedRuns }

// learnTypes remembers the types of the arguments of a call that returned.
func (c *composer) learnTypes(st seq.Step) {
	op, stats := &c.ops[st.Op], &c.schedule.stats[st.Op]
	if !stats.contested() {
		return
	}
	var buf [MaxStepArgs]seq.TypeID
	types := buf[:0]
	for _, j := range op.open {
		t := op.params[j].ty
		if a := st.Args[j]; a.Lit == nil {
			t = c.slots[a.Slot].ty
		} else if a.Lit.Value != nil {
			t = a.Lit.Type
		}
		types = append(types, t)
	}
	if stats.accepted == nil {
		stats.accepted = new(accepted)
	}
	stats.accepted.learn(types)
}

// guidedArgument chooses an argument of type t, which was accepted for p. Assignability is not
// transitive: a list may stand for a type of lists, and lack its methods.
func (c *composer) guidedArgument(with permit, p *param, t seq.TypeID, depth int) (a seq.Arg, ok bool) {
	switch {
	case t == p.ty:
		return c.argument(with, p, depth)
	case c.table.Types[t].Literal != seq.NoLiteral:
		return seq.Lit(c.literal(with, t)), true
	case c.hasLive(t) && c.src.Choose("reuse", 8) < reuseOf8:
		a, ok = c.liveSlot(t)
	default:
		a, ok = c.makeArgument(with, &param{ty: t}, depth)
	}
	return a, ok && (a.Lit != nil || c.table.AssignableTo(c.slots[a.Slot].ty, p.ty))
}
