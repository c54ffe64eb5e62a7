// Package harness runs operation sequences. A test imports it for [Fuzz], which
// makes a fuzz test of a list of functions:
//
//	func FuzzQueue(f *testing.F) {
//		harness.Fuzz(f, harness.API{
//			Operations: []any{queue.New, (*queue.Queue).Put, (*queue.Queue).Get},
//		})
//	}
package harness

import "time"

// API describes the use of a package that a fuzz test allows, for [Fuzz].
type API struct {
	// Operations are the operations that sequences are made of:
	//
	//	queue.New               a function
	//	(*queue.Queue).Put      a method, as a method expression
	//	harness.Op{…}           an operation with a name or other details
	//	"GET", 4096             a basic value: an argument to try
	//
	// The package under test is the one with most of them. Functions of other
	// packages make arguments: strings.NewReader for an io.Reader. Other arguments need
	// not be listed: basic values, slices, maps, structs of exported fields, functions
	// that return fixed values.
	Operations []any
	// Contracts must hold for all values that sequences make. Every package has others
	// besides: see package contract.
	Contracts []Contract
	// Model, if not empty, is a second implementation. It maps the names of operations
	// in entries and messages ("New", "(*Queue).Put") to functions. These have the same
	// parameters and results, but may have types of their own in place of the package's.
	// Both run the same sequence. Results of types that they share must be equal, and
	// one must panic if the other does.
	Model map[string]any
	// Limits bound a sequence; zero fields mean the defaults.
	Limits Limits
}

// An Op is an operation that needs more than its function.
type Op struct {
	// Name is the text of the operation in a sequence. It is known for functions and
	// methods, but not for instances of generic functions, func literals and values:
	// "btree.NewG[int]", "time.UTC". The name of a func literal without parameters may
	// be an expression, "&bytes.Buffer{}", that replaces its call.
	Name string
	// Func is a function to call. Value, in its place, is a value to use as an argument,
	// which may be a function.
	Func, Value any
	// Panics is the sentence of the documentation about a panic of the function, if any.
	// A sequence that ends in such a panic is no failure.
	Panics string
}

// A Contract is a property of the values of a package, or of the calls of one of its
// functions.
type Contract struct {
	Name string
	// Doc is the sentence that the contract is based on, if any.
	Doc string
	// Holds is a func(T) bool or a func(T) error, or takes two or three values of type
	// T. It must change none of them. It fails if it panics.
	Holds any
	// Call, instead of Holds, is a function of the package, or a method as a method
	// expression, (*queue.Queue).Get. Requires, Ensures or both are about its calls.
	Call any
	// Requires is the precondition of the call: a function of its arguments, receiver
	// first, that returns a bool or an error. False or an error makes the call the
	// caller's mistake. It is not made.
	Requires any
	// Ensures is the postcondition of the call. It takes the arguments, receiver first,
	// in their state after the call, and then the results. It returns a bool or an
	// error: false or an error means that the function is wrong.
	Ensures any
}

// Limits bound one sequence.
type Limits struct {
	Steps int           // at most 1000; default 100
	Time  time.Duration // a sequence that takes longer fails; default 10 s
}

const (
	defaultSteps = 100
	defaultTime  = 10 * time.Second
	// mostSteps keeps the results of a sequence within the slots of an executor.
	mostSteps = 1000
)

func (l Limits) orDefault() Limits {
	if l.Steps <= 0 {
		l.Steps = defaultSteps
	}
	if l.Time <= 0 {
		l.Time = defaultTime
	}
	l.Steps = min(l.Steps, mostSteps)
	return l
}
