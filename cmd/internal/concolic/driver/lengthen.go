package driver

import (
	"slices"

	"foray.test/engine/seq"
)

// maxVariants bounds the variants of one sequence.
const maxVariants = 64

// lengthen returns variants of a sequence with one or two more calls before its last step,
// on a value that the step takes. The corpus keeps sequences cut to the steps that their
// sides need, so they lack the calls whose effect is to be solved for. The arguments of the
// new calls are literals, zero at first.
func lengthen(t *seq.Table, s seq.Sequence) []seq.Sequence {
	last, types := len(s)-1, s.SlotTypes(t)
	var calls []seq.Sequence
	for _, a := range s[last].Args {
		if a.Lit == nil {
			for id := range t.Ops {
				if st, ok := callOn(t, seq.OpID(id), a, types[a.Slot]); ok {
					calls = append(calls, seq.Sequence{st})
				}
			}
		}
	}
	single := calls
	for _, first := range single {
		for _, second := range single {
			calls = append(calls, slices.Concat(first, second))
		}
	}
	var list []seq.Sequence
	for _, steps := range calls[:min(len(calls), maxVariants)] {
		list = append(list, seq.Insert(t, s, last, steps))
	}
	return list
}

// callOn returns a call of a method on a value, if all other arguments may be literals and
// there are some.
func callOn(t *seq.Table, id seq.OpID, recv seq.Arg, typ seq.TypeID) (seq.Step, bool) {
	op := &t.Ops[id]
	if !op.API || op.Kind != seq.Method || len(op.Params) < 2 || !t.AssignableTo(typ, op.Params[0]) {
		return seq.Step{}, false
	}
	st := seq.Step{Op: id, Args: []seq.Arg{recv}}
	for _, p := range op.Params[1:] {
		l := zero(t, p)
		if l == nil {
			return seq.Step{}, false
		}
		st.Args = append(st.Args, seq.Lit(l))
	}
	return st, true
}

// zero returns the zero literal of a type, or nil if it cannot be solved for.
func zero(t *seq.Table, id seq.TypeID) *seq.Literal {
	values := map[seq.LiteralKind]any{seq.Bool: false, seq.Int: int64(0), seq.Uint: uint64(0), seq.String: ""}
	if v, ok := values[t.Types[id].Literal]; ok {
		if l := (&seq.Literal{Type: id, Value: v}); solvable(t, l) {
			return l
		}
	}
	return nil
}
