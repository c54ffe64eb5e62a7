// Package seq is the vocabulary of foray: operations of the API under test, the
// table that lists them with their types, and sequences of their calls.
//
// A sequence is Go. In text:
//
//	v0 := queue.New(2)
//	v0.Put("x")
//	v1, v1b := v0.Get()
//
// In memory its steps name operations by index into a [Table] and earlier
// results by slot. The package runs nothing and holds no value of the code under
// test; only the executor knows the effect of a step.
package seq

import (
	"bytes"
	"encoding/gob"
	"slices"
	"strings"
)

// A TypeID is an index into Table.Types. Zero is no type.
type TypeID uint32

// An OpID is an index into Table.Ops.
type OpID uint32

// Table describes one API: its types, its operations, and the imports and declarations
// that the Go text of both needs. It is made once by harness/catalog and does not change. The zero
// index of Types is unused.
type Table struct {
	Package string      // import path of the package under test
	Name    string      // its name, as it qualifies identifiers in templates
	Imports []Import    // packages that templates and type names refer to, the package under test included
	Types   []Type      // Types[0] is unused
	Ops     []Operation // the operations; OpID indexes them
	Decls   []Decl      // types and functions of foray's own that templates refer to
}

// Encode returns t as [DecodeTable] reads it. Every process of the package under test begins with
// reading its table. On one of 1,700 operations, JSON took five times as long.
func (t *Table) Encode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(t)
	return b.Bytes(), err
}

// DecodeTable returns the table that data encodes. Slices without elements become nil.
func DecodeTable(data []byte) (*Table, error) {
	t := new(Table)
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(t); err != nil {
		return nil, err
	}
	return t, nil
}

// An Import is one package that templates and type names refer to by Name.
type Import struct {
	Name, Path string
}

// A Decl is a fixed declaration of foray's own (a heap.Interface on []int, say)
// that is copied into text that refers to it: the adapters, an emitted test.
type Decl struct {
	Name string // the identifier that templates use
	Text string // complete Go source of the declaration
}

// LiteralKind says which literals a type takes.
type LiteralKind uint8

// The kinds of literals. NoLiteral types get their values from operations, or nil.
const (
	NoLiteral LiteralKind = iota
	Bool
	Int     // signed, Type.Bits wide
	Uint    // unsigned, Type.Bits wide; uintptr counts as 64
	Float   // Type.Bits wide
	Complex // Type.Bits wide
	String
)

// Type is a static type of some parameter or result.
type Type struct {
	Name string // as Go writes it, qualified by Table.Imports: "*list.List"; for an unexported type a description that no one may print

	Form

	Literal   LiteralKind // which literals the type takes, if any
	Bits      uint8       // for Int, Uint, Float, Complex
	Basic     bool        // a predeclared type: its literals may stand untyped where it is wanted
	Nilable   bool        // nil is a value of the type
	Interface bool        // an interface type; its slots hold dynamic values
	Shared    string      `json:",omitempty"` // why goroutines may share its values, if they may
	Locks     bool        `json:",omitempty"` // … because it holds a lock: its documentation does not say it
	ByValue   bool        `json:",omitempty"` // a pointer to a type that the documentation expects as a variable or field: it mentions the zero value, and does not forbid copies
	Hidden    bool        // has no name outside its package: values are only ever vN
	// Assignable lists the types that are assignable to this one, itself first: the
	// subtype map of [Pacheco09 §7.6].
	Assignable []TypeID
	// Mined are the values of this type worth trying first, the most telling first. They
	// are constants of the type and literals found in the package, as Go literals without
	// a type ("-3", "\"GET\"", "0x1p-52").
	Mined []string `json:",omitempty"`
	// Constants are the values, in order, of the constants that the package of a named
	// integer type declares of it; none where its documentation lets others add their own.
	// Constants that stand for no value, by their name, are left out; ZeroIsNone says that
	// zero is one of these.
	Constants  []int64 `json:",omitempty"`
	ZeroIsNone bool    `json:",omitempty"`
}

// Duration reports whether the type is time.Duration.
func (f *Form) Duration() bool { return f.Path == "time" && f.Base == "Duration" && f.Elem == "" }

// A Form is the structure of a type. It is set once, by the catalog or by reflection.
type Form struct {
	// Path and Base are the import path and the name of a declared
	// type, or of the one that it points to: "container/list" and "List". The path of
	// predeclared types is empty, and so are both of types without a name.
	Kind       TypeKind `json:",omitempty"`
	Path, Base string   `json:",omitempty"`
	// Elem is the name of the element type of a pointer, slice, array, map or channel type,
	// Key that of the keys of a map. Params and Results are those of a function type. All are
	// written as Name is; the last of variadic parameters begins with "...".
	Elem, Key       string   `json:",omitempty"`
	Params, Results []string `json:",omitempty"`
	Iterator        bool     `json:",omitempty"` // a function type that range takes
	Std             Std      `json:",omitempty"` // the standard interfaces that it implements
}

// Kind classes operations by how Go writes them.
type Kind uint8

// The kinds of operations.
const (
	Func      Kind = iota // pkg.F(a)
	Method                // a.M(b); Params[0] is the receiver
	FieldGet              // a.F
	FieldSet              // a.F = b
	VarGet                // pkg.V
	VarSet                // pkg.V = a
	Const                 // pkg.C
	Composite             // pkg.T{F: a}, &pkg.T{}, new(T)
	Elements              // []T{a, b}, map[K]V{a: b}
	Convert               // T(a)
	Assert                // a.(T)
	Index                 // a[b], *a
	Chan                  // make(chan T, n), a <- b, <-a, close(a)
	Call                  // a(b): call of a function value
	Range                 // for range a { … }: an iterator run for some steps
	FuncLit               // func(…) … { … }
	Standard              // an expression of other packages that makes a value: strings.NewReader(a)
	Check                 // a contract of the user's: the adapter panics, with a string, if it does not hold. No step calls it
)

// Operation is one thing that a step can do: a function, a method, a composite
// literal, the read of a field …
type Operation struct {
	// Name is the identity that entries on disk and reports use: import path,
	// types.Func.FullName, type arguments, signature.
	Name string
	// Short is the name in messages: "(*List).PushBack".
	Short string
	Kind  Kind
	Shape Shape `json:",omitempty"`
	// Template is the Go text, an expression or (when it has no results and
	// needs it) a statement. $0, $1 … stand for the arguments, $* for all from
	// the variadic parameter on, separated by commas. "$0.PushBack($1)".
	Template string
	// Adapter replaces Template in the generated adapter where the two must
	// differ (a receive gets a deadline there, an endless iterator an end).
	// In it $r0, $r1 … are the results to assign. Empty means Template.
	Adapter  string `json:",omitempty"`
	Params   []TypeID
	Results  []TypeID
	Variadic bool // the last parameter stands for any number of arguments of its type
	Spread   bool // the last parameter is a slice passed as a variadic one: f(a...)

	// API says that the operation is a function or method (or function value)
	// of the package under test: a call that can be blamed. The rest makes
	// values for such calls. Sequence lengths shown to users count API calls.
	API bool
	// Member is the exported function or method that the operation calls,
	// without type arguments: "(*List).PushBack". Empty unless API.
	// Several operations share a Member when a generic one is instantiated more than once.
	Member string `json:",omitempty"`
	// Base is the last part of Member, "PushBack"; of a Check it is the name of the contract.
	Base string `json:",omitempty"`
	// TypeArgs are the type arguments of its function, or of the type of its receiver.
	TypeArgs []string `json:",omitempty"`
	// Vars are the fields that a literal of a struct sets, in the order of its parameters. Of a FieldGet
	// or FieldSet it is the field, of a VarGet or VarSet the variable with its package.
	Vars []string `json:",omitempty"`
	// ReturnsError says that the last result is an error: a non-nil one means
	// that the call did not do its work.
	ReturnsError bool
	// Pre holds the preconditions that the documentation or the body states.
	Pre Precondition
	// Requires and Ensures are the operations of kind Check that must hold before and
	// after a call. The former take its arguments, the latter its results and then its
	// arguments, so that variadic ones come last.
	Requires, Ensures []OpID `json:",omitempty"`
	Declaration
}

// A Declaration holds the facts about an operation that its source and documentation
// state.
type Declaration struct {
	// Doc is the beginning of its documentation, on one line; Names are its
	// parameters, receiver first, empty where they have no name. Both are there
	// for API operations only, as far as they are known.
	Doc   string   `json:",omitempty"`
	Names []string `json:",omitempty"`
	// Forwards is the Member that it hands its arguments on to, if it does nothing
	// else: "(*Queue).FromJSON" of UnmarshalJSON.
	Forwards string `json:",omitempty"`
	// Callback marks methods that other packages call on any value they are
	// handed, the zero value included: String, Error, MarshalJSON …
	Callback bool
	// Zero says that a result may be the zero value of a type that offers a
	// constructor and does not document its zero value as usable.
	Zero bool
	// SetsReceiver says that the body of the method may change what its receiver holds.
	SetsReceiver bool `json:",omitempty"`
	// MinusOne says that the body returns the constant -1, or the body of a method that implements it.
	// Then -1 stands for what has no such number, as the length of a node that is no list.
	MinusOne bool `json:",omitempty"`
	// Incomplete says that a result has exported fields that are nil until
	// someone sets them.
	Incomplete bool
	// Alone says that its documentation wants it called by one goroutine at a time.
	Alone bool `json:",omitempty"`
	// Ignore names the contracts that the authors of the package want not to be held
	// where they would blame it.
	Ignore []string `json:",omitempty"`
	File   string   // base name of the file that declares it
	Line   int
	// Build are the build constraints of the file, which all hold: of its //go:build line
	// and of its name.
	Build []string `json:",omitempty"`
}

// Precondition holds the known preconditions of an operation.
type Precondition struct {
	Panics   bool     // the documentation says it panics, or its body opens with an explicit panic on its arguments
	Sentence string   // the sentence of the documentation that says so, or the text of the guard
	Guard    bool     // Sentence is the text of a guard
	Messages []string // constant texts of explicit panics in its own body
	NilOK    []bool   // per parameter: the documentation or body deals with nil
	Exits    bool     // ends the process for a setting that the caller may choose
	Blocks   bool     // may wait for something else by design: Lock, Wait, Accept …
}

// Excluded is a member of the API that has no operation, with the reason.
type Excluded struct {
	Member string // "(*T).M" or "F"
	Reason string // "os.Exit", "no value of type *testing.T can be made" …
}

// AddCondition adds c, of kind Check, as a condition that must hold before calls of op,
// or after them. Its parameters are those of Requires or Ensures.
func (t *Table) AddCondition(op OpID, c Operation, ensures bool) {
	id, of := OpID(len(t.Ops)), &t.Ops[op]
	c.Params, c.Variadic = of.Params, of.Variadic
	if ensures {
		c.Params = slices.Concat(of.Results, of.Params)
		of.Ensures = append(of.Ensures, id)
	} else {
		of.Requires = append(of.Requires, id)
	}
	t.Ops = append(t.Ops, c)
}

// Refusal returns why a call is illegal that check, one of its Requires, does not allow.
func (t *Table) Refusal(check OpID) string {
	op := &t.Ops[check]
	reason := op.Short + " of the tests does not allow it"
	if op.Doc != "" {
		reason += ": " + op.Doc
	}
	return reason
}

// Callee returns the function or method expression that op, a Func or Method, calls:
// "queue.New[int]", "(*queue.Queue).Put".
func (t *Table) Callee(op *Operation) string {
	switch {
	case op.Kind == Method && t.Types[op.Params[0]].IsPointer():
		return "(" + t.Types[op.Params[0]].Name + ")." + op.Base
	case op.Kind == Method:
		return t.Types[op.Params[0]].Name + "." + op.Base
	case len(op.TypeArgs) > 0:
		return t.Name + "." + op.Base + "[" + strings.Join(op.TypeArgs, ", ") + "]"
	}
	return t.Name + "." + op.Base
}

// Outside reports whether op calls a function or method of another package, as tests do: it
// makes or changes a value that is not under test.
func (op *Operation) Outside() bool { return !op.API && (op.Kind == Func || op.Kind == Method) }

// OpsThat returns the operations for which ok holds, in order.
func (t *Table) OpsThat(ok func(*Operation) bool) []OpID {
	var list []OpID
	for i := range t.Ops {
		if ok(&t.Ops[i]) {
			list = append(list, OpID(i))
		}
	}
	return list
}

// Instances returns the operations that call the same function as id, itself included:
// those of a generic function with other type arguments.
func (t *Table) Instances(id OpID) []OpID {
	member := t.Ops[id].Member
	if member == "" {
		return []OpID{id}
	}
	return t.OpsThat(func(op *Operation) bool { return op.Member == member })
}

// ReaderOf returns the operation that reads the variable which set, a VarSet, writes. ok is
// false if the table has none.
func (t *Table) ReaderOf(set OpID) (get OpID, ok bool) {
	i := slices.IndexFunc(t.Ops, func(op Operation) bool { return op.Kind == VarGet && slices.Equal(op.Vars, t.Ops[set].Vars) })
	return OpID(i), i >= 0
}

// SameNameIgnoringDigits returns the operations that call functions with the name of id's
// or one that differs in digits only: Zip2 and Zip3. Such functions mostly do the same.
// Operations that call no member have no other.
func (t *Table) SameNameIgnoringDigits(id OpID) []OpID {
	member := t.Ops[id].Member
	if member == "" {
		return []OpID{id}
	}
	name := StripDigits(member)
	return t.OpsThat(func(op *Operation) bool { return op.Member != "" && StripDigits(op.Member) == name })
}

// StripDigits returns a name without its digits.
func StripDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, name)
}
