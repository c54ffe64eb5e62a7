package mutators

import (
	"math"
	"slices"

	"foray.test/engine/seq"
)

// Perturb calls try with the witness changed at p in a few ways, to find the conditions
// that p influences. It replaces a literal by near values, a slot by earlier ones and
// nil, an operation by others with the same parameters and results. It draws nothing.
func Perturb(a *Aim, p Position, try func(seq.Sequence) bool) {
	if p.Arg < 0 {
		a.perturbOperation(int(p.Step), try)
		return
	}
	o, at := a.emitter(try), a.place(a.Witness, p)
	if at.arg.Lit == nil {
		a.perturbSlot(o, at)
		return
	}
	switch v := at.value().(type) {
	case bool:
		o.values(at, !v)
	case int64:
		o.values(at, v+1, v-1, v^64)
	case uint64:
		o.values(at, v+1, v-1, v^64)
	case float64:
		o.values(at, v+1, v/2, math.Nextafter(v, math.Inf(1)))
	case complex128:
		o.values(at, v+1, v*1i)
	case string:
		a.perturbText(o, at, v)
	case nil:
		a.perturbSlot(o, at)
	}
}

// perturbText makes s longer at both ends, shorter, and changes bytes of it. Which
// byte matters is the edits' business.
func (a *Aim) perturbText(o *emitter, p place, s string) {
	o.values(p, s+"0", "a"+s)
	if n := len(s); n > 0 {
		o.values(p, s[:n-1], s[1:], string(s[0]^1)+s[1:], s[:n/2]+string(s[n/2]^3)+s[n/2+1:])
	}
}

// perturbSlot puts the two last other values that fit before p in its place, and nil.
func (a *Aim) perturbSlot(o *emitter, p place) {
	t := a.Index.Table
	types := a.Witness[:p.Step].SlotTypes(t)
	left := maxPerturbed
	for slot := len(types) - 1; slot >= 0 && left > 0; slot-- {
		if p.arg.Lit == nil && int32(slot) == p.arg.Slot || !t.AssignableTo(types[slot], p.want) {
			continue
		}
		left--
		if !o.sequence(p.put(a.Witness, seq.Slot(slot))) {
			return
		}
	}
	if null := a.Literals.Nil(p.want); null != nil {
		o.literal(p, null)
	}
}

// perturbOperation calls, in step i, the two next operations of the table with the
// same parameters and results.
func (a *Aim) perturbOperation(i int, try func(seq.Sequence) bool) {
	t := a.Index.Table
	now := &t.Ops[a.Witness[i].Op]
	left := maxPerturbed
	for n := 1; n < len(t.Ops) && left > 0; n++ {
		other := seq.OpID((int(a.Witness[i].Op) + n) % len(t.Ops))
		if op := &t.Ops[other]; op.Kind != now.Kind || op.Variadic != now.Variadic ||
			!slices.Equal(op.Params, now.Params) || !slices.Equal(op.Results, now.Results) || !a.allows(other) {
			continue
		}
		left--
		s := slices.Clone(a.Witness)
		if s[i].Op = other; !try(s) {
			return
		}
	}
}
