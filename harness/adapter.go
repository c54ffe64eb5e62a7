// Package harness runs operation sequences: it holds the executor, and the main
// loop of a worker, the process that links the code under test.
package harness

import "reflect"

// An Adapter calls one operation: it takes the arguments from in, receiver
// first, calls, and stores the results in out. It does not recover panics, keeps
// neither slice, and for a variadic operation takes as many arguments as in holds.
type Adapter func(in, out []any)

// Bindings is what a generated adapters file hands to [Main]: for each operation
// of a table its adapter, for each type its run-time type.
type Bindings struct {
	Hash  string         // of the table that the adapters were generated from
	Ops   []Adapter      // by seq.OpID; nil for one that did not compile
	Types []reflect.Type // by seq.TypeID; nil for zero and for hidden types
}
