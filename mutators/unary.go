package mutators

import (
	"math"

	"foray.test/engine/seq"
)

// unary changes one literal by itself: −v, 0, v±1, ±10, ±100 …, twice, half and the
// bounds of its type; true for false; the empty string. [Pacheco09 §6.2]
func unary(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.literals()
	for _, p := range places {
		for _, v := range changes(p.value()) {
			if a.withinBounds(v) && !o.value(p, v) {
				return
			}
		}
	}
	for _, p := range places {
		for _, v := range bounds(&a.Index.Table.Types[p.arg.Lit.Type]) {
			if a.withinBounds(v) && !o.value(p, v) {
				return
			}
		}
	}
}

// changes returns the values that unary puts in place of v.
func changes(v any) []any {
	switch v := v.(type) {
	case bool:
		return []any{!v}
	case int64:
		list := []any{-v, int64(0)}
		for d := int64(1); d <= 1e9; d *= 10 {
			list = append(list, v+d, v-d)
		}
		return append(list, 2*v, v/2, ^v)
	case uint64:
		list := []any{uint64(0)}
		for d := uint64(1); d <= 1e9; d *= 10 {
			list = append(list, v+d)
			if v >= d {
				list = append(list, v-d)
			}
		}
		return append(list, 2*v, v/2)
	case float64:
		list := []any{-v, 0.0}
		for d := 1.0; d <= 1e9; d *= 10 {
			list = append(list, v+d, v-d)
		}
		return append(list, 2*v, v/2, 1/v, math.Trunc(v), math.Nextafter(v, math.Inf(1)), math.Nextafter(v, math.Inf(-1)))
	case complex128:
		return []any{-v, complex128(0), v + 1, v * 1i, complex(real(v), 0), complex(0, imag(v))}
	case string:
		return []any{""}
	}
	return nil
}

// bounds returns the boundary values of a type.
func bounds(ty *seq.Type) []any {
	high := uint64(math.MaxUint64) >> (64 - uint(min(max(ty.Bits, 8), 64)))
	switch ty.Literal {
	case seq.Int:
		return []any{int64(high >> 1), -int64(high>>1) - 1, int64(-1)}
	case seq.Uint:
		return []any{high, high>>1 + 1, high >> 1}
	case seq.Float:
		return []any{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, 0.5}
	}
	return nil
}

// nils puts nil where it may stand, receivers last. [Pacheco09 §6.2]
func nils(a *Aim, try func(seq.Sequence) bool) {
	o, places := a.emitter(try), a.places()
	for _, receivers := range []bool{false, true} {
		for _, p := range places {
			receiver := p.Arg == 0 && a.Index.Table.Ops[a.Witness[p.Step].Op].Kind == seq.Method
			if l := a.Literals.Nil(p.want); l != nil && receiver == receivers && !o.literal(p, l) {
				return
			}
		}
	}
}

// swaps gives two literals of compatible types each other's value, or both that of
// one: the binary set for numbers of [Pacheco09 §6.2].
func swaps(a *Aim, try func(seq.Sequence) bool) {
	types := a.Index.Table.Types
	o, places := a.emitter(try), a.literals()
	for i := range places {
		for j := range i {
			p, q := places[i], places[j]
			if !suits(types[p.arg.Lit.Type].Literal, q.value()) || same(p.value(), q.value()) {
				continue
			}
			if !o.value(p, q.value()) || !o.value(q, p.value()) || !o.swapped(p, q) {
				return
			}
		}
	}
}

// swapped offers the literals at p and q in each other's place.
func (o *emitter) swapped(p, q place) bool {
	types := o.a.Index.Table.Types
	v, _ := fit(&types[p.arg.Lit.Type], q.value())
	w, _ := fit(&types[q.arg.Lit.Type], p.value())
	s := p.put(o.a.Witness, seq.Lit(&seq.Literal{Type: p.arg.Lit.Type, Value: v}))
	s = q.put(s, seq.Lit(&seq.Literal{Type: q.arg.Lit.Type, Value: w}))
	return s.Equal(o.a.Witness) || o.sequence(s) // -1 and 255 are the same in 8 bits
}
