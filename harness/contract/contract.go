package contract

import (
	"math"
	"math/cmplx"
	"reflect"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A Contract is a property that values of a type should have, whatever calls
// made them. It is a plain value; [Bind] lists those that apply to a table.
type Contract struct {
	Name  string
	Arity int         // how many values Holds takes, all of type Type
	Tier  engine.Tier // of a violation by values without taint
	Doc   string      // the sentence that says so, and where it stands
	Type  seq.TypeID
	Op    seq.OpID // the operation to blame
	// Assert is a Go expression over $0, $1 … that must be true, for the emitted
	// test. Empty where a call must merely return: then the call itself is the test.
	Assert string
	Cost   Cost
	// Holds reports whether the property holds for v, and what was seen if not.
	// If a call panics it stops and returns true: the panic is not its to judge
	// (the caller saw it, and has Panic). Only an invariant, which exists to
	// panic, returns false for it.
	Holds func(c Caller, v []any) (ok bool, detail string)
}

// A Cost says how the time of a contract grows.
type Cost uint8

// Constant contracts read a field or two, Linear ones may walk the whole value:
// run those on a sample.
const (
	Constant Cost = iota
	Linear
)

// A Caller calls operations: the executor, by its adapters. A panic is recovered
// and returned. The results are valid until the next call.
type Caller interface {
	Call(op seq.OpID, args ...any) (results []any, panicked any)
}

// Verdict returns the verdict for a contract that does not hold for the values of slots.
func (c *Contract) Verdict(t *seq.Table, slots []int32, detail string) engine.Verdict {
	return engine.Verdict{
		Tier:      c.Tier,
		Kind:      engine.KindContract,
		Op:        c.Op,
		Signature: engine.KindContract + ":" + c.Name + ":" + t.Ops[c.Op].Member,
		Message:   line("contract " + c.Name + " does not hold: " + detail),
		Document:  c.Doc,
		Contract:  c.Name,
		Assert:    c.Assert,
		Slots:     slots,
	}
}

// families are the kinds of contracts, in the order in which they are bound.
// Each lists the contracts of its kind that the API allows.
var families = []func(*api) []Contract{
	invariants,
	equality,
	ordering,
	hashing,
	sizes,
	copies,
	printing,
}

// Bind returns the contracts that apply to the types of t, found by the names and
// signatures of its operations. Operations documented to panic or to wait are
// left out: their types say otherwise.
func Bind(t *seq.Table) []Contract {
	a := &api{t: t}
	var all []Contract
	for _, family := range families {
		all = append(all, family(a)...)
	}
	return all
}

// api answers what operations a table has for a type.
type api struct{ t *seq.Table }

// each calls f for each operation that is named by names and takes n arguments,
// receiver included, and that may be called at any time.
func (a *api) each(names string, n int, f func(id seq.OpID, op *seq.Operation)) {
	for i := range a.t.Ops {
		op := &a.t.Ops[i]
		if !op.API || len(op.Params) != n || op.Variadic || op.Pre.Blocks || op.Kind != seq.Func && op.Kind != seq.Method {
			continue
		}
		if named(names, base(op.Member)) {
			f(seq.OpID(i), op)
		}
	}
}

// find returns the method of type id that is named by names, takes n arguments
// and returns one result of the given kind.
func (a *api) find(id seq.TypeID, names string, n int, kinds ...seq.LiteralKind) (found seq.OpID, op *seq.Operation) {
	a.each(names, n, func(i seq.OpID, o *seq.Operation) {
		if op == nil && o.Kind == seq.Method && o.Params[0] == id && !o.Pre.Panics && a.returns(o, kinds...) {
			found, op = i, o
		}
	})
	return found, op
}

// returns reports whether op has one result, of one of kinds.
func (a *api) returns(op *seq.Operation, kinds ...seq.LiteralKind) bool {
	if len(op.Results) != 1 {
		return false
	}
	for _, k := range kinds {
		if a.t.Types[op.Results[0]].Literal == k {
			return true
		}
	}
	return false
}

// binary reports whether op takes two values of one type: two of the receiver's,
// or a second one as the interface that it implements.
func (a *api) binary(op *seq.Operation) bool {
	if op.Kind == seq.Func {
		return op.Params[0] == op.Params[1]
	}
	return a.t.AssignableTo(op.Params[0], op.Params[1])
}

func named(names, name string) bool {
	for _, n := range strings.Fields(names) {
		if n == name {
			return true
		}
	}
	return false
}

// expr returns the Go text of a call of op with the given arguments.
func expr(op *seq.Operation, args ...string) string {
	var b strings.Builder
	text := op.Template
	for i := 0; i < len(text); i++ {
		if text[i] == '$' && i+1 < len(text) && digit(text[i+1]) && int(text[i+1]-'0') < len(args) {
			b.WriteString(args[text[i+1]-'0'])
			i++
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// one calls op and returns its one result. It reports false if the call
// panicked, or there is nothing to call on.
func one(c Caller, op seq.OpID, args ...any) (any, bool) {
	if len(args) > 0 && isNil(args[0]) {
		return nil, false
	}
	results, panicked := c.Call(op, args...)
	if panicked != nil || len(results) != 1 {
		return nil, false
	}
	return results[0], true
}

// callBool and callInt convert the result of one from any named type.
func callBool(c Caller, op seq.OpID, args ...any) (value, ok bool) {
	v, ok := one(c, op, args...)
	if !ok {
		return false, false
	}
	value, ok = Describe(v).Value.(bool)
	return value, ok
}

func callInt(c Caller, op seq.OpID, args ...any) (int64, bool) {
	v, ok := one(c, op, args...)
	if !ok {
		return 0, false
	}
	return Describe(v).int()
}

// holdsFloat reports whether v reaches a floating-point number, or one that is
// NaN if nan is set; holdsFunc whether it reaches a non-nil func. Equality of such
// values follows rules of its own. Both stop after some thousand values; they run
// only when a contract has failed.
func holdsFloat(nan bool, v ...any) bool {
	return reaches(v, func(r reflect.Value) bool {
		switch r.Kind() {
		case reflect.Float32, reflect.Float64:
			return !nan || math.IsNaN(r.Float())
		case reflect.Complex64, reflect.Complex128:
			return !nan || cmplx.IsNaN(r.Complex())
		}
		return false
	})
}

func holdsFunc(v ...any) bool {
	return reaches(v, func(r reflect.Value) bool { return r.Kind() == reflect.Func && !r.IsNil() })
}

func reaches(values []any, found func(reflect.Value) bool) bool {
	left := 10000
	seen := map[uintptr]bool{}
	var walk func(r reflect.Value) bool
	walk = func(r reflect.Value) bool {
		if left--; left < 0 || !r.IsValid() {
			return false
		}
		if found(r) {
			return true
		}
		switch r.Kind() {
		case reflect.Pointer:
			if r.IsNil() || seen[r.Pointer()] {
				return false
			}
			seen[r.Pointer()] = true
			return walk(r.Elem())
		case reflect.Interface:
			return walk(r.Elem())
		case reflect.Struct:
			for i := 0; i < r.NumField(); i++ {
				if walk(r.Field(i)) {
					return true
				}
			}
		case reflect.Slice, reflect.Array:
			for i := 0; i < r.Len() && left > 0; i++ {
				if walk(r.Index(i)) {
					return true
				}
			}
		case reflect.Map:
			for it := r.MapRange(); it.Next() && left > 0; {
				if walk(it.Key()) || walk(it.Value()) {
					return true
				}
			}
		}
		return false
	}
	for _, v := range values {
		if walk(reflect.ValueOf(v)) {
			return true
		}
	}
	return false
}

// zeroOf returns the zero value of v's type: for a pointer a typed nil.
func zeroOf(v any) any {
	if v == nil {
		return nil
	}
	return reflect.Zero(reflect.TypeOf(v)).Interface()
}
