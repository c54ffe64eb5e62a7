package regression

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// observe returns s followed by calls of observers that show most of the values
// after s, and the run of the result.
func (b *Builder) observe(s seq.Sequence, run Run) (seq.Sequence, Run) {
	from, first := len(s), int32(0)
	// Results of the first observers, such as nodes, are observed in turn.
	for range 2 {
		more := b.candidates(s, run, first)
		first = int32(s.Slots(b.table))
		longer, ran := b.fitting(s, run, more)
		if len(longer) == len(s) {
			break
		}
		s, run = longer, ran
	}
	keep := b.choose(s, run, from)
	if slices.Contains(keep, false) {
		s, _ = seq.Filter(b.table, s, keep)
		again, ok := b.record(s)
		if !ok || len(again.Steps) != len(s) {
			s = s[:from] // as it was recorded before
			again, _ = b.record(s)
		}
		run = again
	}
	return s, run
}

// A call is a call of an operation that might observe. Arguments with a slot below zero
// are function literals made for it: -1 is the result of the first of makers.
type call struct {
	step   seq.Step
	makers []seq.Step
}

// after returns s followed by calls, and the step number of each call.
func (b *Builder) after(s seq.Sequence, calls []call) (longer seq.Sequence, at []int) {
	d := seq.NewDraft(b.table, s)
	for _, c := range calls {
		first := len(d.Types)
		for _, m := range c.makers {
			d.Add(m.Op, m.Args)
		}
		args := slices.Clone(c.step.Args)
		for j, a := range args {
			if a.Lit == nil && a.Slot < 0 {
				args[j] = seq.Slot(first - 1 - int(a.Slot))
			}
		}
		at = append(at, len(d.Steps))
		d.Add(c.step.Op, args)
	}
	return d.Steps, at
}

// fitting returns s followed by those calls that return and leave all values as
// they were. Operations that do not are tried less from then on.
func (b *Builder) fitting(s seq.Sequence, run Run, more []call) (seq.Sequence, Run) {
	tried := false
	for len(more) > 0 {
		longer, at := b.after(s, more)
		ran, ok := b.record(longer)
		if !ok || len(ran.Steps) < len(s) {
			if tried {
				break
			}
			more, tried = b.alive(s, more), true
			continue
		}
		bad := slices.IndexFunc(at, func(i int) bool {
			return i < len(ran.Steps) && (!ran.Steps[i].Pure || ran.Steps[i].Status == engine.Broken)
		})
		if bad < 0 {
			return longer, ran
		}
		op := more[bad].step.Op
		b.unfit[op]++
		more = slices.DeleteFunc(slices.Clone(more), func(c call) bool { return c.step.Op == op })
	}
	return s, run
}

// alive returns those calls that return when each is made alone after s.
func (b *Builder) alive(s seq.Sequence, more []call) []call {
	var list []call
	for _, c := range more {
		if b.unfit[c.step.Op] >= maxUnfit {
			continue
		}
		alone, _ := b.after(s, []call{c})
		if _, ok := b.record(alone); ok {
			list = append(list, c)
		} else {
			b.unfit[c.step.Op] = maxUnfit
		}
	}
	return list
}

// candidates returns calls that might be observers of the results of s from slot
// first on: with no further arguments, or with some that s has.
func (b *Builder) candidates(s seq.Sequence, run Run, first int32) []call {
	types := s.SlotTypes(b.table)
	in := b.inPlay(s, types)
	var list []call
	for slot := first; int(slot) < len(types); slot++ {
		if !b.observable(s, run, types, slot) {
			continue
		}
		for id := range b.table.Ops {
			if op := seq.OpID(id); b.mayObserve(op, types[slot]) {
				list = b.calls(list, op, slot, in)
			}
		}
	}
	if len(list) > maxCandidates {
		// Of the values made last, which are mostly those that the others went into.
		list = list[len(list)-maxCandidates:]
	}
	return list
}

// observable reports whether slot holds a value of its own that may have more to tell.
func (b *Builder) observable(s seq.Sequence, run Run, types []seq.TypeID, slot int32) bool {
	if b.table.Types[types[slot]].Literal != seq.NoLiteral {
		return false
	}
	i := s.Maker(b.table, slot)
	k := int(slot) - s[:i].Slots(b.table)
	if b.table.Ops[s[i].Op].Kind == seq.FuncLit || k >= len(run.Steps[i].Results) {
		return false
	}
	switch how := run.Steps[i].Results[k].How; how {
	case NotNil, None:
		return true
	case Same, Nil:
		return false
	default: // values that == compares as a whole show no more, except as an argument's
		return !b.tells(s[i].Op)
	}
}

// mayObserve reports whether op is worth trying on values of type ty.
func (b *Builder) mayObserve(id seq.OpID, ty seq.TypeID) bool {
	op := &b.table.Ops[id]
	if b.unfit[id] >= maxUnfit || !b.tells(id) || op.Kind == seq.Call || op.Pre.Blocks || op.Adapter != "" || len(op.Params) == 0 {
		return false
	}
	if len(op.Results) == 0 && !b.takesFunc(op) {
		return false
	}
	want := op.Params[0]
	if op.Kind != seq.Method && b.table.Types[want].IsAny() {
		return false // it would take everything
	}
	return b.table.AssignableTo(ty, want)
}

// takesFunc reports whether op has a parameter that function literals are made for.
func (b *Builder) takesFunc(op *seq.Operation) bool {
	return slices.ContainsFunc(op.Params[1:], func(p seq.TypeID) bool { return b.literal(p) != nil })
}

// literal returns the step that makes a function for a parameter of type p. The
// function does not stop its caller: it returns true, or nothing. The step is
// nil if there is none.
func (b *Builder) literal(p seq.TypeID) *seq.Step {
	if st, ok := b.literals[p]; ok {
		return st
	}
	var st *seq.Step
	for _, id := range b.index.Makers[p] {
		op := &b.table.Ops[id]
		switch {
		case op.Kind != seq.FuncLit || len(op.Results) != 1 || op.Shape != seq.Constant || st != nil:
		case len(op.Params) == 0:
			st = &seq.Step{Op: id}
		case len(op.Params) == 1 && b.table.Types[op.Params[0]].Literal == seq.Bool:
			st = &seq.Step{Op: id, Args: []seq.Arg{seq.Lit(&seq.Literal{Type: op.Params[0], Value: true})}}
		}
	}
	b.literals[p] = st
	return st
}

// calls appends the calls of op on slot, each with other arguments in play.
func (b *Builder) calls(list []call, id seq.OpID, slot int32, in map[seq.TypeID][]seq.Arg) []call {
	op := &b.table.Ops[id]
	var makers []seq.Step
	args := [][]seq.Arg{{seq.Slot(int(slot))}}
	for _, p := range op.Params[1:max(op.Fewest(), 1)] {
		choices := in[p]
		if st := b.literal(p); st != nil {
			makers = append(makers, *st)
			choices = []seq.Arg{{Slot: -int32(len(makers))}}
		}
		var longer [][]seq.Arg
		for _, a := range choices {
			for _, before := range args {
				if len(longer) < maxInPlay {
					longer = append(longer, append(slices.Clone(before), a))
				}
			}
		}
		args = longer
	}
	for _, a := range args {
		list = append(list, call{seq.Step{Op: id, Args: a}, makers})
	}
	return list
}

// inPlay returns, by the type wanted, arguments that s has: literals that it gives
// to parameters of the type, the last ones first, and results.
func (b *Builder) inPlay(s seq.Sequence, types []seq.TypeID) map[seq.TypeID][]seq.Arg {
	in := map[seq.TypeID][]seq.Arg{}
	add := func(p seq.TypeID, a seq.Arg) {
		if len(in[p]) < maxInPlay && !slices.ContainsFunc(in[p], a.Equal) {
			in[p] = append(in[p], a)
		}
	}
	for i := len(s) - 1; i >= 0; i-- {
		op := &b.table.Ops[s[i].Op]
		if !op.API {
			continue
		}
		for j, a := range s[i].Args {
			if p := op.Param(j); j > 0 || op.Kind != seq.Method {
				add(p, a)
			}
		}
	}
	for p := range b.table.Types {
		if b.table.Types[p].Literal != seq.NoLiteral {
			continue
		}
		for slot := len(types) - 1; slot >= 0; slot-- {
			if types[slot] == seq.TypeID(p) {
				add(seq.TypeID(p), seq.Slot(slot))
			}
		}
	}
	return in
}

// choose selects the steps of s to keep: the first from of them, and the
// observers that show most, with the steps that they depend on. Sequences that
// differ only in values get the same observers, so that their tests do, too.
// Else it prefers members that few tests call, so that the tests of a package
// call them all.
func (b *Builder) choose(s seq.Sequence, run Run, from int) []bool {
	keep := make([]bool, len(s))
	for i := range from {
		keep[i] = true
	}
	asserted := b.assert(s, run)
	list := map[int]int{} // worth by step
	for i := from; i < len(s); i++ {
		if w := worth(asserted.Asserts[i], asserted.Calls[i]); w > 0 {
			list[i] = w
		}
	}
	shape := b.shape(s[:from])
	chosen, ok := b.again(s, from, list, b.asked[shape])
	if !ok {
		chosen = b.best(s, list)
		b.asked[shape] = nil
		for _, i := range chosen {
			b.asked[shape] = append(b.asked[shape], b.shown(s, from, i))
		}
	}
	for _, i := range chosen {
		b.asserted[b.member(s[i].Op)]++
		b.with(s, keep, i)
	}
	return keep
}

// best returns the steps of the observers that tell most.
func (b *Builder) best(s seq.Sequence, list map[int]int) []int {
	var chosen []int
	times := map[string]int{} // by member
	for len(chosen) < b.Observers && len(list) > 0 {
		best, most := -1, 0
		for i, worth := range list {
			member := b.member(s[i].Op)
			value := worth - 3*times[member] - log2(b.asserted[member])/2
			if best < 0 || value > most || value == most && i < best {
				best, most = i, value
			}
		}
		if len(chosen) > 0 && most <= 0 {
			break
		}
		delete(list, best)
		times[b.member(s[best].Op)]++
		chosen = append(chosen, best)
	}
	return chosen
}

// again returns the steps that make the calls of an earlier choice. It reports
// false if there is none, or one of them shows nothing here.
func (b *Builder) again(s seq.Sequence, from int, list map[int]int, asked []string) ([]int, bool) {
	var chosen []int
	for _, call := range asked {
		i := from
		for i < len(s) && (list[i] == 0 || b.shown(s, from, i) != call) {
			i++
		}
		if i == len(s) {
			return nil, false
		}
		chosen = append(chosen, i)
	}
	return chosen, len(asked) > 0
}

// shape is equal for sequences that differ in the values of literals only.
func (b *Builder) shape(s seq.Sequence) string {
	var text strings.Builder
	for _, st := range s {
		fmt.Fprint(&text, st.Op)
		for _, a := range st.Args {
			if a.Lit != nil {
				fmt.Fprint(&text, " ", a.Lit.Value == nil)
			} else {
				fmt.Fprint(&text, " v", a.Slot)
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// shown returns equal texts for calls of observers, step i after the first from
// steps, that take the same slots, and literals from the same places.
func (b *Builder) shown(s seq.Sequence, from, i int) string {
	text := fmt.Sprint(s[i].Op)
	for _, a := range s[i].Args {
		if a.Lit != nil {
			step, arg := place(s[:from], a)
			text += fmt.Sprintf(" %d.%d", step, arg)
		} else if maker := s.Maker(b.table, a.Slot); maker < from {
			text += fmt.Sprint(" v", a.Slot)
		} else {
			text += " (" + b.shown(s, from, maker) + ")"
		}
	}
	return text
}

// place returns where s has an argument: the last step, and which of its arguments.
func place(s seq.Sequence, a seq.Arg) (step, arg int) {
	for i := len(s) - 1; i >= 0; i-- {
		for j := range s[i].Args {
			if s[i].Args[j].Equal(a) {
				return i, j
			}
		}
	}
	return -1, -1
}

// with keeps step i and the makers of its arguments.
func (b *Builder) with(s seq.Sequence, keep []bool, i int) {
	keep[i] = true
	for _, a := range s[i].Args {
		if a.Lit == nil {
			if maker := s.Maker(b.table, a.Slot); !keep[maker] {
				b.with(s, keep, maker)
			}
		}
	}
}

func (b *Builder) member(id seq.OpID) string {
	return cmp.Or(b.table.Ops[id].Member, b.table.Ops[id].Short)
}

// worth says how much the results of an observer tell, by how many values they
// could have been.
func worth(results []Result, calls *Calls) int {
	best := 0
	if calls != nil {
		best = textWorth(calls.Text)
		if strings.HasSuffix(calls.Text, "{}") {
			best = 2
		}
	}
	for _, r := range results {
		w := 0
		switch r.How {
		case Slice, Map, Deep, Printed, Bytes:
			w = textWorth(r.Text)
		case Same, Sentinel, ErrorText:
			w = 6
		case Equal, NaN, Len:
			w = 6
			if r.Text == "true" || r.Text == "false" {
				w = 4
			}
			w = max(w, textWorth(r.Text))
		case Nil:
			w = 3
		case NotNil:
			w = 0
		}
		best = max(best, w)
	}
	return best
}

// textWorth returns the worth of a text: a text that shows a whole structure comes
// first.
func textWorth(text string) int { return min(4+log2(len(text)), 12) }

// log2 returns the binary logarithm of a number, rounded down; of zero it is zero.
func log2(n int) int { return max(bits.Len(uint(n)), 1) - 1 }
