package harness

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
	"foray.test/harness/executor"
)

// bindContracts binds each contract of a test to the types that it takes.
func (s *surface) bindContracts(list []Contract) error {
	for _, c := range list {
		if c.Call != nil || c.Requires != nil || c.Ensures != nil {
			if err := s.bindConditions(c); err != nil {
				return fmt.Errorf("contract %q: %w", c.Name, err)
			}
			continue
		}
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
	if n := t.NumIn(); n < 1 || n > 3 || t.IsVariadic() || t.NumOut() != 1 || len(slices.Compact(ins(t))) > 1 {
		return bad
	}
	if out := t.Out(0); out.Kind() != reflect.Bool && out != reflect.TypeFor[error]() {
		return bad
	}
	return nil
}

// firstMaker returns the first operation that returns a value of type id.
func (s *surface) firstMaker(id seq.TypeID) (seq.OpID, bool) {
	i := slices.IndexFunc(s.table.Ops, func(op seq.Operation) bool { return slices.Contains(op.Results, id) })
	return seq.OpID(i), i >= 0
}

// bind returns c as the judge holds it, against values of type id; op is to blame.
func (c Contract) bind(fn reflect.Value, id seq.TypeID, op seq.OpID) contract.Contract {
	doc := cmp.Or(c.Doc, "a contract of the test's own")
	return contract.Contract{
		Name: c.Name, Arity: fn.Type().NumIn(), Claim: engine.ClaimOwn, Doc: doc, Type: id, Op: op,
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
	switch r := fn.Call(executor.Arguments(values, fn.Type().In))[0]; {
	case r.Kind() == reflect.Bool:
		return r.Bool(), "it returns false"
	case r.IsNil():
		return true, ""
	default:
		return false, r.Interface().(error).Error()
	}
}

// bindConditions binds the conditions of a contract to the operations that call its
// function.
func (s *surface) bindConditions(c Contract) error {
	call := reflect.ValueOf(c.Call)
	switch {
	case c.Name == "":
		return errors.New("want a Name")
	case c.Holds != nil:
		return errors.New("want Holds, or Call with Requires or Ensures, not both")
	case call.Kind() != reflect.Func || call.IsNil():
		return fmt.Errorf("its Call is a %T, want a function, or a method expression such as (*T).M", c.Call)
	case c.Requires == nil && c.Ensures == nil:
		return errors.New("want Requires or Ensures")
	}
	t := call.Type()
	bound := false
	for id := range seq.OpID(len(s.table.Ops)) {
		fn, ok := s.funcs[id]
		if !ok || fn.Pointer() != call.Pointer() || fn.Type() != t {
			continue
		}
		bound = true
		if err := s.bindCondition(id, c, "Requires", c.Requires, ins(t)); err != nil {
			return err
		}
		if err := s.bindCondition(id, c, "Ensures", c.Ensures, append(ins(t), outs(t)...)); err != nil {
			return err
		}
	}
	if !bound {
		return fmt.Errorf("its Call is not an operation; there are %s", strings.Join(s.callees(), ", "))
	}
	return nil
}

// bindCondition adds the operation that checks a condition of calls of op, if there is
// one: a function of values of the types wanted.
func (s *surface) bindCondition(op seq.OpID, c Contract, part string, condition any, want []reflect.Type) error {
	if condition == nil {
		return nil
	}
	fn := reflect.ValueOf(condition)
	fits := fn.Kind() == reflect.Func && !fn.IsNil() && fn.Type().NumOut() == 1 && slices.Equal(ins(fn.Type()), want)
	if fits {
		r := fn.Type().Out(0)
		fits = r == reflect.TypeFor[bool]() || r == reflect.TypeFor[error]()
	}
	if !fits {
		var params []string
		for _, t := range want {
			params = append(params, t.String())
		}
		return fmt.Errorf("%s is a %T, want func(%s) bool, or error", part, condition, strings.Join(params, ", "))
	}
	of := &s.table.Ops[op]
	results := len(want) - len(of.Params)
	check := seq.Operation{Kind: seq.Check, Name: "contract " + c.Name + " " + part + " " + of.Name, Short: "contract " + c.Name, Base: c.Name, Declaration: seq.Declaration{Doc: c.Doc}}
	check.Template = fmt.Sprintf("foray%s%d(%s)", part, len(s.table.Ops), seq.Holes(0, len(want), of.Variadic)) // no input names it
	s.table.AddCondition(op, check, part == "Ensures")
	s.bindings.Ops = append(s.bindings.Ops, conditionAdapter(fn, results, s.table.Ops[op].Variadic))
	return nil
}

// conditionAdapter returns the adapter of a condition. Its arguments are the results
// of a call, as many as results, and then the arguments. It panics if fn fails.
func conditionAdapter(fn reflect.Value, results int, variadic bool) executor.Adapter {
	t := fn.Type()
	return func(in, _ []any) {
		given := in[results:]
		fixed := t.NumIn() - results
		if variadic {
			fixed--
		}
		args := executor.Arguments(given[:fixed], t.In)
		if variadic {
			rest := executor.Arguments(given[fixed:], func(int) reflect.Type { return t.In(fixed).Elem() })
			args = append(args, reflect.Append(reflect.MakeSlice(t.In(fixed), 0, len(rest)), rest...))
		}
		args = append(args, executor.Arguments(in[:results], func(i int) reflect.Type { return t.In(len(args) + i) })...)
		call := fn.Call
		if t.IsVariadic() {
			call = fn.CallSlice
		}
		switch r := call(args)[0]; {
		case r.Kind() == reflect.Bool && !r.Bool():
			panic("it returns false")
		case r.Kind() == reflect.Interface && !r.IsNil():
			panic(r.Interface().(error).Error())
		}
	}
}
