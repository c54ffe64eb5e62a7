package executor

import "foray.test/engine/seq"

// variables puts back the variables of the package that a sequence sets. They would outlive
// it, and the sequences that follow would fail in ways that no fresh process shows.
type variables struct {
	olds []oldValue // the first that was set first
}

type oldValue struct {
	set   Adapter
	value any
}

// keeping returns set as an adapter that first notes what get reads.
func (v *variables) keeping(get, set Adapter) Adapter {
	return func(in, out []any) {
		var value [1]any
		get(nil, value[:])
		v.olds = append(v.olds, oldValue{set, value[0]})
		set(in, out)
	}
}

// putBack gives each variable that was set the value that it had before.
func (v *variables) putBack() {
	for len(v.olds) > 0 {
		old := v.olds[len(v.olds)-1]
		v.olds = v.olds[:len(v.olds)-1]
		old.set([]any{old.value}, nil)
	}
}

// setter returns the adapter of id, which sets a variable.
func (x *learned) setter(id seq.OpID) Adapter {
	set := x.bindings.Ops[id]
	if get, ok := x.table.ReaderOf(id); ok && set != nil && x.bindings.Ops[get] != nil {
		return x.variables.keeping(x.bindings.Ops[get], set)
	}
	return set
}
