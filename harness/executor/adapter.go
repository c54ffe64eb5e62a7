// Package executor runs operation sequences by the adapters of a table, and judges
// their outcomes: see [Executor].
package executor

import (
	"reflect"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// An Adapter calls one operation: it takes the arguments from in, receiver
// first, calls, and stores the results in out. It does not recover panics, keeps
// neither slice, and for a variadic operation takes as many arguments as in holds.
type Adapter func(in, out []any)

// A Failure is how a call of a fuzz function failed, which ran in another
// goroutine than its adapter.
type Failure struct {
	Output string    // of testing, if it did not panic
	Panic  any       // value of its panic; nil if it did not
	PCs    []uintptr // of the panic, innermost first
	Until  string    // prefix of the functions that made the call: outside of the first is foray
}

// Bindings are the declarations of a generated adapters file: for each operation of a
// table its adapter, for each type its run-time type.
type Bindings struct {
	Hash  string         // of the table that the adapters were generated from
	Ops   []Adapter      // by seq.OpID; nil for one that did not compile
	Types []reflect.Type // by seq.TypeID; nil for zero and for hidden types
	// Target says that the only operation is the function of a FuzzXxx. Its
	// adapter panics with a *Failure if the call failed.
	Target bool
	// Rank is where that adapter leaves the rank of the input, see [engine.Outcome];
	// nil if its function does not say.
	Rank *int8
	// Contracts are those of a test, beside the ones that the table asks for.
	Contracts []contract.Contract
	Model     *Model // nil unless a test has one
	// Read reads an input of the test and runs it in part at least; nil unless a test
	// lists the operations. Its literals are in no pool.
	Read func(x engine.Executor, input string) seq.Sequence
}

// Reflected returns an adapter that calls fn by reflection.
func Reflected(fn reflect.Value, spread bool) Adapter {
	t := fn.Type()
	param := func(i int) reflect.Type {
		if t.IsVariadic() && !spread && i >= t.NumIn()-1 {
			return t.In(t.NumIn() - 1).Elem()
		}
		return t.In(i)
	}
	call := fn.Call
	if spread {
		call = fn.CallSlice
	}
	return func(in, out []any) {
		for i, r := range call(Arguments(in, param)) {
			out[i] = r.Interface()
		}
	}
}

// Arguments returns values as arguments of a call. A nil without a type becomes one of the
// type that param has for it.
func Arguments(in []any, param func(i int) reflect.Type) []reflect.Value {
	args := make([]reflect.Value, len(in))
	for i, v := range in {
		if args[i] = reflect.ValueOf(v); v == nil {
			args[i] = reflect.Zero(param(i))
		}
	}
	return args
}
