package harness

import (
	"fmt"
	"reflect"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// bindContracts binds each contract of a test to the types whose values it takes.
func (s *surface) bindContracts(list []Contract) error {
	for _, c := range list {
		fn := reflect.ValueOf(c.Holds)
		if err := checkHolds(c, fn); err != nil {
			return err
		}
		want, bound := fn.Type().In(0), false
		for id := 1; id < len(s.table.Types); id++ {
			if !s.bindings.Types[id].AssignableTo(want) {
				continue
			}
			if op, made := s.firstMaker(seq.TypeID(id)); made {
				bound = true
				s.bindings.Contracts = append(s.bindings.Contracts, c.bind(fn, seq.TypeID(id), op))
			}
		}
		if !bound {
			return fmt.Errorf("contract %s: no operation returns a %s", c.Name, want)
		}
	}
	return nil
}

func checkHolds(c Contract, fn reflect.Value) error {
	bad := fmt.Errorf("contract %q: Holds is a %T, want func(T) bool or func(T) error, of one to three values", c.Name, c.Holds)
	if fn.Kind() != reflect.Func || fn.IsNil() || c.Name == "" {
		return bad
	}
	t := fn.Type()
	if n := t.NumIn(); n < 1 || n > 3 || t.IsVariadic() || t.NumOut() != 1 {
		return bad
	}
	for i := range t.NumIn() {
		if t.In(i) != t.In(0) {
			return bad
		}
	}
	if out := t.Out(0); out.Kind() != reflect.Bool && out != reflect.TypeFor[error]() {
		return bad
	}
	return nil
}

// firstMaker returns the first operation that returns a value of type id.
func (s *surface) firstMaker(id seq.TypeID) (seq.OpID, bool) {
	for i := range s.table.Ops {
		for _, r := range s.table.Ops[i].Results {
			if r == id {
				return seq.OpID(i), true
			}
		}
	}
	return 0, false
}

// bind returns c as the judge holds it, against values of type id; op is to blame.
func (c Contract) bind(fn reflect.Value, id seq.TypeID, op seq.OpID) contract.Contract {
	doc := c.Doc
	if doc == "" {
		doc = "a contract of the test's own"
	}
	return contract.Contract{
		Name: c.Name, Arity: fn.Type().NumIn(), Tier: engine.Error, Doc: doc, Type: id, Op: op,
		Holds: func(_ contract.Caller, v []any) (bool, string) { return holds(fn, v) },
	}
}

// holds calls the function of a contract.
func holds(fn reflect.Value, values []any) (ok bool, detail string) {
	defer func() {
		if v := recover(); v != nil {
			ok, detail = false, fmt.Sprintf("it panics: %v", v)
		}
	}()
	args := make([]reflect.Value, len(values))
	for i, v := range values {
		args[i] = asType(v, fn.Type().In(i))
	}
	switch r := fn.Call(args)[0]; {
	case r.Kind() == reflect.Bool:
		return r.Bool(), "it returns false"
	case r.IsNil():
		return true, ""
	default:
		return false, r.Interface().(error).Error()
	}
}
