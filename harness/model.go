package harness

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"foray.test/engine/seq"
	"foray.test/harness/executor"
)

// bindModel finds the counterpart of each operation.
func (s *surface) bindModel(counterparts map[string]any) error {
	if len(counterparts) == 0 {
		return nil
	}
	m := &executor.Model{Ops: make([]executor.Adapter, len(s.table.Ops)), Own: make([]bool, len(s.table.Types))}
	stands := map[reflect.Type]reflect.Type{} // from the package's type to the model's
	for _, name := range slices.Sorted(maps.Keys(counterparts)) {
		id, ok := s.named[name]
		if !ok || !s.funcs[id].IsValid() {
			return fmt.Errorf("model: no operation %s; there are %s", name, strings.Join(s.callees(), ", "))
		}
		fn := reflect.ValueOf(counterparts[name])
		if fn.Kind() != reflect.Func || fn.IsNil() {
			return fmt.Errorf("model: %s is a %T, want a function", name, counterparts[name])
		}
		if err := pairTypes(stands, name, s.funcs[id].Type(), fn.Type()); err != nil {
			return err
		}
		m.Ops[id] = executor.Reflected(fn, false)
		if id, ok := s.named[name+"..."]; ok {
			m.Ops[id] = executor.Reflected(fn, true)
		}
	}
	for i, t := range s.bindings.Types {
		if i > 0 {
			_, m.Own[i] = stands[t]
		}
	}
	for i := range s.table.Ops {
		if m.Ops[i] != nil || s.table.Ops[i].Kind == seq.Check { // conditions are about the package's values
			continue
		}
		op := &s.table.Ops[i]
		for _, list := range [][]seq.TypeID{op.Params, op.Results} {
			for _, id := range list {
				if m.Own[id] {
					return fmt.Errorf("model: no counterpart of %s, which has to do with a %s", op.Short, s.table.Types[id].Name)
				}
			}
		}
		m.Ops[i] = s.bindings.Ops[i]
	}
	s.bindings.Model = m
	return nil
}

// callees lists the operations that a test named as functions.
func (s *surface) callees() []string {
	var names []string
	for i := range s.table.Ops {
		if s.funcs[seq.OpID(i)].IsValid() && !s.table.Ops[i].Spread {
			names = append(names, s.table.Ops[i].Short)
		}
	}
	return names
}

// pairTypes records which types of counterpart replace those of fn.
func pairTypes(stands map[reflect.Type]reflect.Type, name string, fn, counterpart reflect.Type) error {
	pair := func(t, u reflect.Type) bool {
		was, ok := stands[t]
		if ok || t != u {
			stands[t] = u
		}
		kind, _ := literalOf(t)
		return t == u && !ok || t != u && kind == seq.NoLiteral && (!ok || was == u)
	}
	if fn.IsVariadic() != counterpart.IsVariadic() || !slices.EqualFunc(ins(fn), ins(counterpart), pair) || !slices.EqualFunc(outs(fn), outs(counterpart), pair) {
		return fmt.Errorf("model: %s is a %s, want the like of %s", name, counterpart, fn)
	}
	return nil
}
