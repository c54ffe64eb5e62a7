package mutators

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// A place is the position of an argument, with the argument and its parameter's type.
type place struct {
	Position
	arg  seq.Arg
	want seq.TypeID
}

// put returns s with arg at p.
func (p Position) put(s seq.Sequence, arg seq.Arg) seq.Sequence {
	return s.With(int(p.Step), int(p.Arg), arg)
}

// value returns the value of the literal at p, nil if a slot stands there.
func (p place) value() any {
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

// place returns the place at p in s.
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

// shortTexts returns the places of strings with so few positions that an edit may go to each.
func (a *Aim) shortTexts() []place {
	return slices.DeleteFunc(a.texts(), func(p place) bool { return len(p.value().(string)) > a.maxStringBytes() })
}

// steps returns the numbers of all steps of the witness: first those with a position
// of a, in the order of their first position.
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
	return cmp.Or(a.MaxSteps, 2*len(a.Witness)+moreSteps)
}

func (a *Aim) maxStringBytes() int {
	return cmp.Or(a.MaxStringBytes, maxString)
}

// maxBytesAt is maxStringBytes for a string at p.
func (a *Aim) maxBytesAt(p place) int {
	if s, ok := p.value().(string); ok && len(s) <= keptBytes {
		return max(a.maxStringBytes(), len(s))
	}
	return a.maxStringBytes()
}

// withinBounds reports whether v, which is no operand of a comparison, may go in.
func (a *Aim) withinBounds(v any) bool {
	switch v := v.(type) {
	case int64:
		return magnitude(v) <= maxNumber
	case uint64:
		return v <= maxNumber
	case string:
		return len(v) <= a.maxStringBytes()
	}
	return true
}

// typesFor returns the types of literals that can hold v at p, the best first: the
// type of the literal there, then one that suits v.
func (a *Aim) typesFor(p place, v any) []seq.TypeID {
	var list []seq.TypeID
	if l := p.arg.Lit; l != nil && l.Value != nil {
		list = append(list, l.Type)
	}
	for _, id := range a.Index.Literals[p.want] {
		if ty := &a.Index.Table.Types[id]; id == p.want || suits(ty.Literal, v) {
			if !slices.Contains(list, id) {
				list = append(list, id)
			}
			break
		}
	}
	return list
}

// An emitter hands proposals to try until try returns false. It proposes each literal at
// each position once.
type emitter struct {
	a    *Aim
	try  func(seq.Sequence) bool
	made map[emitted]struct{}
	done bool // try returned false
}

// emitted is a literal at a position.
type emitted struct {
	at    Position
	ty    seq.TypeID
	value any
}

func (a *Aim) emitter(try func(seq.Sequence) bool) *emitter {
	return &emitter{a: a, try: try, made: make(map[emitted]struct{})}
}

// value proposes v at p, as each type that can hold it there. It reports whether to
// go on, as the other methods do.
func (o *emitter) value(p place, v any) bool {
	for _, id := range o.a.typesFor(p, v) {
		if v, ok := fit(&o.a.Index.Table.Types[id], v); ok && !o.literal(p, &seq.Literal{Type: id, Value: v}) {
			return false
		}
	}
	return !o.done
}

// values proposes each of vs at p.
func (o *emitter) values(p place, vs ...any) bool {
	for _, v := range vs {
		if !o.value(p, v) {
			return false
		}
	}
	return true
}

// literal proposes l at p, unless it stands there, is too long or was proposed before.
func (o *emitter) literal(p place, l *seq.Literal) bool {
	if s, ok := l.Value.(string); ok && len(s) > o.a.maxBytesAt(p) {
		return !o.done
	}
	if have := p.arg.Lit; have != nil && have.Equal(l) {
		return !o.done
	}
	key := emitted{p.Position, l.Type, l.Value}
	if f, ok := l.Value.(float64); ok {
		key.value = math.Float64bits(f) // NaN is itself, and zero not its negative
	}
	if _, again := o.made[key]; again {
		return !o.done
	}
	o.made[key] = struct{}{}
	return o.sequence(p.put(o.a.Witness, seq.Lit(l)))
}

// text proposes the parts, one after the other, at p, where a string literal stands. They are put
// together only if they are not too long: a test may give a string of a megabyte, with as many
// places to edit.
func (o *emitter) text(p place, parts ...string) bool {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	if n > o.a.maxBytesAt(p) {
		return !o.done
	}
	return o.literal(p, &seq.Literal{Type: p.arg.Lit.Type, Value: strings.Join(parts, "")})
}

// replace proposes s at p with text at a span of it.
func (o *emitter) replace(p place, s string, at span, text string) bool {
	return o.text(p, s[:at.from], text, s[at.to:])
}

// over proposes s at p with w written over it at position at.
func (o *emitter) over(p place, s string, at int, w string) bool {
	return o.text(p, s[:at], w, s[min(len(s), at+len(w)):])
}

// sequence proposes s, unless it is empty or too long.
func (o *emitter) sequence(s seq.Sequence) bool {
	if !o.done && len(s) > 0 && len(s) <= o.a.maxSteps() {
		o.done = !o.try(s)
	}
	return !o.done
}

// draw proposes the results of a few calls of propose, unless they are nil.
func (o *emitter) draw(propose func() seq.Sequence) {
	for range draws {
		if !o.sequence(propose()) {
			return
		}
	}
}
