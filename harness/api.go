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

// API is what a fuzz test may do with a package, for [Fuzz].
type API struct {
	// Operations are what sequences are made of:
	//
	//	queue.New               a function
	//	(*queue.Queue).Put      a method, as a method expression
	//	harness.Op{…}           what needs a name or more words
	//	"GET", 4096             a basic value: an argument to try
	//
	// The package under test is the one that most of them are from. Functions of
	// other packages make arguments: strings.NewReader for an io.Reader. What else
	// arguments take is made without being listed: basic values, slices, maps,
	// structs of exported fields, functions that return what they are given.
	Operations []any
	// Contracts must hold of all values that sequences make, beside those that
	// every package is held to: see package contract.
	Contracts []Contract
	// Model, if not empty, is a second implementation: for operations, by the names
	// that entries and messages have for them ("New", "(*Queue).Put"), functions
	// that take and return the same, but for types of their own in place of those
	// of the package. Both run the same sequence. What they return in types that
	// they share must be equal, and one must panic where the other does.
	Model map[string]any
	// Limits bound a sequence; zero fields mean the defaults.
	Limits Limits
}

// An Op is an operation that its function alone does not describe.
type Op struct {
	// Name is the operation as a sequence writes it. Go itself can tell that of
	// functions and methods, but not of instances of generic functions, of func
	// literals and of values: "btree.NewG[int]", "time.UTC". A func literal without
	// parameters may have an expression for its name, "&bytes.Buffer{}", which
	// stands for its call.
	Name string
	// Func is a function that is called, or else Value a value that is taken as it
	// is, a function perhaps, to be an argument.
	Func, Value any
	// Panics is the sentence by which the documentation says that the function may
	// panic, if it does. A sequence that ends in such a panic is no failure.
	Panics string
}

// A Contract is a property of the values of a package, or of the calls of one of its
// functions.
type Contract struct {
	Name string
	// Doc is the sentence that the contract leans on, if there is one.
	Doc string
	// Holds is a func(T) bool or a func(T) error, or one of two or three values of
	// type T. It must change none of them. A panic says that it does not hold.
	Holds any
	// Call, instead of Holds, is a function of the package, or a method as a method
	// expression, (*queue.Queue).Get: Requires, Ensures or both speak of its calls.
	Call any
	// Requires takes what a call is to take, receiver first, and returns a bool or an
	// error: false, or an error, says that such a call is the caller's mistake. It is
	// not made.
	Requires any
	// Ensures takes what a call took, receiver first, as that stands behind the call,
	// and then what it returned. It returns a bool or an error: false, or an error,
	// says that the function is wrong.
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
	// mostSteps keeps what a sequence makes within the slots of an executor.
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
