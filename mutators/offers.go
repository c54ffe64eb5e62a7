package mutators

import (
	"math"
	"slices"

	"foray.test/engine/seq"
)

// A place is a position of an argument, with what stands there.
type place struct {
	Position
	arg  seq.Arg
	want seq.TypeID
}

// value returns the value of the literal that stands there; nil if none does.
func (p *place) value() any {
	if p.arg.Lit == nil {
		return nil
	}
	return p.arg.Lit.Value
}

// places returns the argument positions of a.
func (a *Aim) places() []place {
	list := make([]place, 0, len(a.Positions))
	for _, p := range a.Positions {
		if p.Arg >= 0 {
			list = append(list, a.place(a.Witness, p))
		}
	}
	return list
}

// place returns what stands at p in s.
func (a *Aim) place(s seq.Sequence, p Position) place {
	st := &s[p.Step]
	return place{p, st.Args[p.Arg], a.Index.Table.Ops[st.Op].Param(int(p.Arg))}
}

// literals returns the places of literals other than nil.
func (a *Aim) literals() []place {
	return slices.DeleteFunc(a.places(), func(p place) bool { return p.value() == nil })
}

// texts returns the places of strings.
func (a *Aim) texts() []place {
	return slices.DeleteFunc(a.places(), func(p place) bool {
		_, ok := p.value().(string)
		return !ok
	})
}

// steps returns the numbers of all steps of the witness: those with a position of
// a first, in the order of their first position.
func (a *Aim) steps() []int {
	order := make([]int, 0, len(a.Witness))
	seen := make([]bool, len(a.Witness))
	add := func(i int) {
		if !seen[i] {
			seen[i] = true
			order = append(order, i)
		}
	}
	for _, p := range a.Positions {
		add(int(p.Step))
	}
	for i := range a.Witness {
		add(i)
	}
	return order
}

func (a *Aim) maxSteps() int {
	if a.MaxSteps > 0 {
		return a.MaxSteps
	}
	return 2*len(a.Witness) + 64
}

func (a *Aim) maxStringBytes() int {
	if a.MaxStringBytes > 0 {
		return a.MaxStringBytes
	}
	return 256
}

// withinBounds reports whether v, which no comparison showed, may go in.
func (a *Aim) withinBounds(v any) bool {
	bound := a.MaxNumber
	if bound == 0 {
		bound = 1 << 16
	}
	switch v := v.(type) {
	case int64:
		return v >= 0 && uint64(v) <= bound || v < 0 && uint64(-v) <= bound
	case uint64:
		return v <= bound
	case string:
		return len(v) <= a.maxStringBytes()
	}
	return true
}

// typesFor returns the types of the literals that may stand at p and hold v, the
// best first: that of the literal there, then one that suits v.
func (a *Aim) typesFor(p *place, v any) []seq.TypeID {
	var list []seq.TypeID
	if l := p.arg.Lit; l != nil && l.Value != nil {
		list = append(list, l.Type)
	}
	for _, id := range a.Literals.Takes(p.want) {
		if ty := &a.Index.Table.Types[id]; id == p.want || suits(ty.Literal, v) {
			if !slices.Contains(list, id) {
				list = append(list, id)
			}
			break
		}
	}
	return list
}

// offers hands proposals of values to try, each value at each place once, until
// try has enough.
type offers struct {
	a    *Aim
	try  func(seq.Sequence) bool
	made map[offer]struct{}
	done bool // try returned false
}

// An offer is a literal at a position.
type offer struct {
	at    Position
	ty    seq.TypeID
	value any
}

func (a *Aim) offers(try func(seq.Sequence) bool) *offers {
	return &offers{a: a, try: try, made: make(map[offer]struct{})}
}

// value offers v at p, as each type that may hold it there. It reports whether to
// go on.
func (o *offers) value(p *place, v any) bool {
	for _, id := range o.a.typesFor(p, v) {
		if v, ok := fit(&o.a.Index.Table.Types[id], v); ok && !o.literal(p, &seq.Literal{Type: id, Value: v}) {
			return false
		}
	}
	return !o.done
}

// values offers each of vs at p.
func (o *offers) values(p *place, vs ...any) bool {
	for _, v := range vs {
		if !o.value(p, v) {
			return false
		}
	}
	return true
}

// literal offers l at p, unless it stands there, is too long or was offered.
func (o *offers) literal(p *place, l *seq.Literal) bool {
	if s, ok := l.Value.(string); ok && len(s) > o.a.maxStringBytes() {
		return !o.done
	}
	if have := p.arg.Lit; have != nil && have.Equal(l) {
		return !o.done
	}
	key := offer{p.Position, l.Type, l.Value}
	if f, ok := l.Value.(float64); ok {
		key.value = math.Float64bits(f) // NaN is itself, and zero not its negative
	}
	if _, again := o.made[key]; again {
		return !o.done
	}
	o.made[key] = struct{}{}
	return o.sequence(with(o.a.Witness, p.Position, seq.Lit(l)))
}

// text offers s at p, whose literal is a string.
func (o *offers) text(p *place, s string) bool {
	return o.literal(p, &seq.Literal{Type: p.arg.Lit.Type, Value: s})
}

// sequence proposes s, unless it is empty or too long.
func (o *offers) sequence(s seq.Sequence) bool {
	if !o.done && len(s) > 0 && len(s) <= o.a.maxSteps() {
		o.done = !o.try(s)
	}
	return !o.done
}
