package mutators

import (
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// sizes gives strings and variadic arguments the sizes that the condition compares
// with, and sizes changed by the distance of an operand from the wanted value.
func sizes(a *Aim, try func(seq.Sequence) bool) {
	o, texts := a.emitter(try), a.texts()
	for _, pr := range a.compared() {
		for _, x := range pr.wanted() {
			for _, p := range texts {
				for _, n := range sizesFor(&pr, x, len(p.value().(string)), a.maxStringBytes()) {
					if !o.textOfSize(p, n) {
						return
					}
				}
			}
			for _, i := range a.steps() {
				op := &a.Index.Table.Ops[a.Witness[i].Op]
				if !op.Variadic {
					continue
				}
				fixed := len(op.Params) - 1
				have := len(a.Witness[i].Args) - fixed
				for _, n := range sizesFor(&pr, x, have, maxRepeat) {
					if !o.sequence(a.variadic(i, fixed+n)) {
						return
					}
				}
			}
		}
	}
}

// sizesFor returns the sizes, up to bound, to try in place of have, where x is wanted
// instead of pr.x: x itself, and have moved by the difference.
func sizesFor(pr *pair, x any, have, bound int) []int {
	if s, ok := x.(string); ok {
		x = int64(len(s))
	}
	var list []int
	add := func(n int64) {
		if n >= 0 && n <= int64(bound) && n != int64(have) && !slices.Contains(list, int(n)) {
			list = append(list, int(n))
		}
	}
	if n, ok := integer(x); ok {
		add(int64(n))
		if was, ok := integer(pr.x); ok {
			add(int64(have) + int64(n-was))
		}
	}
	return list
}

// textOfSize offers the string at p cut to n bytes; or filled up to n by its last
// byte, by itself again and again.
func (o *emitter) textOfSize(p place, n int) bool {
	s := p.value().(string)
	switch {
	case n <= len(s):
		return o.text(p, s[:n])
	case s == "":
		return o.text(p, strings.Repeat("a", n))
	}
	return o.text(p, s+strings.Repeat(s[len(s)-1:], n-len(s))) && o.text(p, strings.Repeat(s, n/len(s)+1)[:n])
}

// variadic returns the witness with n arguments of step i, which is variadic. New
// ones count up from the last, or are a word of the pool.
func (a *Aim) variadic(i, n int) seq.Sequence {
	args := a.Witness[i].Args
	if n <= len(args) {
		return a.Witness.WithArgs(i, slices.Clone(args[:n]))
	}
	op := &a.Index.Table.Ops[a.Witness[i].Op]
	want := op.Param(len(op.Params) - 1)
	longer := append(make([]seq.Arg, 0, n), args...)
	for len(longer) < n {
		var arg seq.Arg
		if last := len(longer) - 1; last >= len(op.Params)-1 {
			arg = a.another(longer[last], 1)
		} else if l := a.first(want); l != nil {
			arg = seq.Lit(l)
		} else if slot, ok := a.lastSlot(a.Witness[:i].SlotTypes(a.Index.Table), want); ok {
			arg = slot
		} else {
			return nil
		}
		longer = append(longer, arg)
	}
	return a.Witness.WithArgs(i, longer)
}

// another returns an argument like arg: a number n further, a string with n more
// letters behind it; a slot or nil as it is.
func (a *Aim) another(arg seq.Arg, n int) seq.Arg {
	if arg.Lit == nil {
		return arg
	}
	var v any
	switch have := arg.Lit.Value.(type) {
	case int64, uint64, float64:
		v = plus(have, int64(n))
	case string:
		v = have + string(rune('a'+n%26))
		if len(have) >= a.maxStringBytes() {
			return arg
		}
	default:
		return arg
	}
	v, _ = fit(&a.Index.Table.Types[arg.Lit.Type], v)
	return seq.Lit(&seq.Literal{Type: arg.Lit.Type, Value: v})
}

// first returns the first word of the pool that may stand where want does, or the
// nil of the type. It returns nil if there is neither.
func (a *Aim) first(want seq.TypeID) *seq.Literal {
	for _, id := range a.Index.Literals[want] {
		if words := a.Literals.Words(id); len(words) > 0 {
			return words[0]
		}
	}
	return a.Literals.Nil(want)
}

// lastSlot returns the last of the slots of these types that is assignable to want.
func (a *Aim) lastSlot(types []seq.TypeID, want seq.TypeID) (seq.Arg, bool) {
	for slot := len(types) - 1; slot >= 0; slot-- {
		if a.Index.Table.AssignableTo(types[slot], want) {
			return seq.Slot(slot), true
		}
	}
	return seq.Arg{}, false
}
