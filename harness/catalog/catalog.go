// Package catalog finds the operations of a Go package: the calls, accesses and
// conversions that a program can make with it, and the values that their arguments
// need. From
//
//	package queue
//	type Queue struct{ … }
//	func New(n int) *Queue
//	func (q *Queue) Put(s string) error
//
// it makes the operations
//
//	queue.New($0)      (int) → *queue.Queue
//	$0.Put($1)         (*queue.Queue, string) → error
//	&queue.Queue{}     () → *queue.Queue, a zero value beside a constructor
//
// Some values are wanted by an operation and made by none of the package. Composite
// literals make them, func literals of listed shapes, a table of standard values (an
// io.Reader is strings.NewReader($0)), and at last the package that declares their
// type. Calls of that package which the tests make are operations, too. The catalog reports
// types that stay out of reach.
//
// The package runs nothing and writes nothing. Equal inputs give equal tables.
package catalog

import (
	"cmp"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"foray.test/engine/seq"
)

// Input is a package, type-checked from source with its comments, and the
// choice of its operations.
type Input struct {
	Types *types.Package
	Fset  *token.FileSet
	Files []*ast.File
	Info  *types.Info // Defs, Uses, Types, Selections and Instances are read
	// TestFiles are parsed only: literals are mined from them, and contracts found.
	TestFiles []*ast.File
	// Handed, if set, returns what only the tests have. It is called if some operation takes a
	// function, a value of any type, or one of another package.
	Handed func() Handed
	// Ops and Skip choose functions and methods by Member or Operation.Short.
	// Nil Ops chooses all, nil Skip skips none.
	Ops, Skip *regexp.Regexp
	// Allow chooses, in the same way, functions and methods that are called though
	// they may do harm: run programs, remove files, use the network.
	Allow *regexp.Regexp
	// Encodings adds operations that show the JSON of the package's own types, if they
	// have methods for it: see addEncoding.
	Encodings bool
	Sizes     types.Sizes // nil means the sizes of amd64
	Platform  [2]string   // GOOS and GOARCH, that names of files may ask for
	// Importer finds standard packages that the package under test does not
	// depend on. Nil: their values are known by the interface they are made for.
	Importer types.Importer
}

// Handed is what tests hand to the package under test.
type Handed struct {
	Types []types.Type // of values for parameters of type any, with names that the package can import
	Funcs []Func
	Calls []Call // into other packages, the most frequent first
}

// A Func is a function that depends on nothing of the tests.
type Func struct {
	Type *types.Signature
	// Text returns the func literal on one line, with the names of packages that name gives for an
	// import path and a package's own name. It reports false if a name is taken in the function.
	Text func(name func(path, name string) string) (text string, ok bool)
}

// Catalog holds the operations of a package. foray list prints it, and so does the
// table at the end of a run.
type Catalog struct {
	Table       seq.Table
	Excluded    []seq.Excluded // members with no operation, and why; by member
	Unreachable []Unreachable  // by type
	// Members are the exported functions and methods of the package, promoted ones
	// included, sorted. Shares are fractions of them. Methods of interfaces and of
	// unexported types are members once an operation calls them.
	Members []string
	// Problems has a line for each declaration or comment of the tests that cannot be
	// used, with its place.
	Problems []string
}

// Unreachable is a type that operations want and nothing makes: they are only
// ever called with nil.
type Unreachable struct {
	Type   string
	Reason string
	Wanted []string // Short of the operations that want it
}

// Find returns the catalog of a package. The error is about the input only.
func Find(in Input) (*Catalog, error) {
	f, err := newFinder(in)
	if err != nil {
		return nil, err
	}
	f.dynamic = f.surveyDynamic()
	f.findPackage()
	f.findContracts()
	f.runWorklist()
	f.addHanded()
	f.addStubs()
	c := f.assemble()
	c.Problems = f.problems
	return c, nil
}

// A finder is one run of Find.
type finder struct {
	in       Input
	pkg      *types.Package
	names    *names
	source   *source
	importer *pkgImporter
	ctx      *types.Context
	ops      []*operation
	byName   map[string]bool // Operation.Name of ops
	members  map[string]bool
	excluded map[string]string // reason by member
	decls    map[string]seq.Decl
	stamped  map[string]bool // instantiated types, by key
	worklist worklist
	exiting  map[types.Object]bool // see findExits
	// funcShapes are the func types that literals were written for.
	funcShapes []funcShape
	dynamic    map[types.Object][]asked // see surveyDynamic
	handedOut
	problems []string
}

// handedOut are the types of the package that it hands out.
type handedOut struct {
	pointers map[*types.TypeName]bool // see primary
	ctors    map[*types.TypeName]bool // those that a function of the package returns
}

// operation is a seq.Operation whose types have no index yet.
type operation struct {
	seq.Operation
	params, results []types.Type
	depth           int // how far from the API the values it makes are wanted
	// conditions are the contracts that the tests declare for its calls. They hold
	// before the call or, with ensures, after it.
	conditions []condition
}

// A condition is an operation of kind Check that belongs to another operation and
// has its types.
type condition struct {
	seq.Operation
	ensures bool
}

func newFinder(in Input) (*finder, error) {
	if in.Types == nil || in.Fset == nil || in.Info == nil {
		return nil, errors.New("catalog: no type-checked package")
	}
	if in.Sizes == nil {
		in.Sizes = types.SizesFor("gc", "amd64")
	}
	f := &finder{
		in:       in,
		pkg:      in.Types,
		names:    new(names),
		source:   newSource(in),
		importer: newImporter(in),
		ctx:      types.NewContext(),
		byName:   map[string]bool{},
		members:  map[string]bool{},
		excluded: map[string]string{},
		decls:    map[string]seq.Decl{},
		stamped:  map[string]bool{},
	}
	f.names.of(in.Types) // first, so that it keeps its own name
	f.worklist = newWorklist()
	f.pointers, f.ctors = f.surveyResults()
	f.findExits()
	return f, nil
}

// findPackage adds the operations that the package scope declares.
func (f *finder) findPackage() {
	scope := f.pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Func:
			f.addFunc(obj)
		case *types.TypeName:
			f.addTypeName(obj)
		case *types.Var:
			f.addVar(obj)
		case *types.Const:
			f.addConst(obj)
		}
	}
}

// add appends an operation unless it is there, and puts its types on the worklist.
func (f *finder) add(op *operation) {
	for _, t := range op.params {
		if f.reach(t) == nowhere {
			return
		}
	}
	if op.Name == "" {
		op.Name = f.identity(op)
	}
	op.Short = cmp.Or(op.Short, op.Template)
	if f.byName[op.Name] || !f.chosen(op) {
		return
	}
	f.byName[op.Name] = true
	f.ops = append(f.ops, op)
	for _, t := range op.results {
		f.produce(t, op.API)
	}
	for i, t := range op.params {
		if i == 0 && (op.Kind == seq.Chan || op.Kind == seq.Method && types.IsInterface(t)) {
			continue // only values that the package returns or takes are of interest
		}
		f.want(t, op.depth+1)
	}
}

// chosen reports whether the user's choice allows an operation that is no call.
// Fields and variables must be chosen as calls are. Makers of values only must not
// be skipped.
func (f *finder) chosen(op *operation) bool {
	switch op.Kind {
	case seq.FieldGet, seq.FieldSet, seq.VarGet, seq.VarSet:
		return f.selected(op.Short, op.Short)
	}
	return op.API || f.in.Skip == nil || !f.in.Skip.MatchString(op.Short)
}

// selected reports whether the user wants an operation.
func (f *finder) selected(member, short string) bool {
	if f.in.Ops != nil && !f.in.Ops.MatchString(member) && !f.in.Ops.MatchString(short) {
		return false
	}
	return f.in.Skip == nil || !f.in.Skip.MatchString(member) && !f.in.Skip.MatchString(short)
}

// exclude records why a member has no operation; the first reason stands.
func (f *finder) exclude(member, reason string) {
	f.excluded[member] = cmp.Or(f.excluded[member], reason)
}
