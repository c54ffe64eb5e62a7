// Package concolic executes Go functions on concrete and symbolic values side by side, to
// propose inputs that take other paths.
//
//	prog, err := concolic.Load(concolic.Config{Patterns: []string{"strconv"}})
//	m := prog.NewMachine(concolic.Limits{})
//	in, err := m.NewInput(prog.Targets[0].Func("Atoi"), concolic.Shape{MaxLength: 8})
//	run := m.Run(in, nil)  // run.Path has a constraint for each branch on the input
//
// It interprets the SSA form of golang.org/x/tools. Booleans, integers and the bytes of
// strings may be symbolic; of strings and slices the length may be, too, though a run has
// one length. All else is concrete: pointers, dynamic types, floating-point numbers. A run
// that starts a goroutine, or calls code without a Go body that has no model, is aborted,
// with the reason. Nothing that a run shows is a fact about the program before the native
// program has shown it, too.
//
// Concolic execution is [Burnim08 §2.2].
package concolic

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"foray.test/cmd/internal/concolic/solver"
)

// Limits bound a run. Zero means the default.
type Limits struct {
	Steps       int // SSA instructions; 1,000,000
	Depth       int // nested calls; 1,000
	Constraints int // of the path; 2,000: later branches are taken as concrete
	Cells       int // values allocated; 4,000,000
}

func (l *Limits) defaults() {
	l.Steps = cmp.Or(l.Steps, 1_000_000)
	l.Depth = cmp.Or(l.Depth, 1_000)
	l.Constraints = cmp.Or(l.Constraints, 2_000)
	l.Cells = cmp.Or(l.Cells, 4_000_000)
}

// A Machine runs functions of a program. It is not safe for concurrent use.
type Machine struct {
	prog      *Program
	limits    Limits
	terms     *solver.Terms
	variables map[solver.Variable][]*solver.Term
	Sites     []Site // of branches, by number

	compiled
	globals map[*ssa.Global]*value
	started map[*ssa.Package]error // packages that were initialized, and why that failed

	stack []value // registers
	most  int     // … of them, used by the run
	height
	usage
	changes
	entering
	runs int
	run  *Run
	heap *heap // of the run, if its arguments are structures
}

// compiled is made of the program once.
type compiled struct {
	functions map[*ssa.Function]*function
	rtypes    typeutil.Map // of *rtype
	ifs       map[branchKey]int32
	tables    map[string][]uint64 // of lookups, by content
	fault     *rtype              // of errors of the runtime
}

// entering describes the call that is about to be made.
type entering struct {
	calls    int32         // numbered so far
	entries  map[any]int32 // … those that all drivers share, by function
	calling  int32
	panicker *frame // whose deferred function is about to be called
}

// height is the place in the stack, to which a recovered panic returns.
type height struct {
	sp, depth int
	inModel   int   // calls of models: their branches are no sides
	context   int32 // the call that the current function was entered by
}

// usage is counted against the limits.
type usage struct{ steps, cells int }

// changes holds what is to be undone at the end of a run.
type changes struct {
	journaling bool
	journal    []undo
}

// undo restores memory or a map to its state before a run.
type undo struct {
	p   *value
	old value
	m   *mapping
	was *mapping
}

// A Site is a place where a run may continue in two ways.
type Site struct {
	Function *ssa.Function // nil in packages that [Program.Compile] has added
	Kind     SiteKind
	Pos      token.Pos
}

// A SiteKind says why a run may continue in two ways.
type SiteKind uint8

// Kinds of sites. Only those of If are sides of the control flow.
const (
	If       SiteKind = iota
	Bounds            // of an index or a slice
	Divisor           // zero or not
	Negative          // a shift count or a length
	Pin               // a value that must be concrete: equal to the present one, or not
	Key               // a key is equal to one of a map
	Choice            // within one operation: of a rune, or of min and max
	Field             // the target of a pointer in the input, when it is first read
)

func (k SiteKind) String() string {
	return [...]string{"if", "bounds", "divisor", "negative", "pin", "key", "choice", "field"}[k]
}

// A Constraint is one step of a path: a term that held.
type Constraint struct {
	Term  *solver.Term
	Site  int32
	Side  uint8 // 0: the condition was true
	Depth int32 // of calls
	Call  int32 // the number of the call that its function was entered by
}

// SideKey names a side of a site in a function that was entered by a call.
func SideKey(call, site int32, side uint8) uint64 {
	return uint64(call)<<32 | uint64(2*site+int32(side))
}

// A Reason says why a run was aborted.
type Reason uint8

// Reasons.
const (
	ReasonNone Reason = iota
	ReasonSteps
	ReasonDepth
	ReasonMemory
	ReasonNoBody    // a function without a body in Go, and without a model
	ReasonGoroutine // goroutines and channels
	ReasonUnsafe
	ReasonGlobal // a variable of a package that is not interpreted
	ReasonInit   // a package whose initialization was aborted
	ReasonUnsupported
	Reasons
)

func (r Reason) String() string {
	return [...]string{"", "steps", "call depth", "memory", "no body", "goroutine or channel", "unsafe", "variable not interpreted", "initialization", "unsupported"}[r]
}

// A Run is the result of one execution.
type Run struct {
	Input solver.Model
	Path  []Constraint
	// Sides are those taken of Ifs, see [SideKey]; the low half of a key is 2*site + side. With
	// each is the length of Path when it was first taken.
	Sides   map[uint64]int
	Results []string // as Go syntax; nil if the run panicked or was aborted
	Panic   string   // the value, if the run panicked
	Reason  Reason   // why the run was aborted
	Detail  string   // what it was aborted at
	Steps   int
	Cut     bool // the path has more constraints than the limit
	// Of a run on structures, Valid tells whether they meet the precondition. Constraints from
	// Own on are those of the precondition, on what the function has not read.
	Valid bool
	Own   int
	heap  *heap
}

// A panic of the program under test, and an abort, unwind the interpreter as panics of these
// types. Any other panic is a bug of the interpreter.
type goPanic struct{ v value }

type aborted struct {
	reason Reason
	detail string
}

func (a *aborted) Error() string { return a.reason.String() + ": " + a.detail }

// abort ends the run.
func (m *Machine) abort(r Reason, detail string) { panic(&aborted{r, detail}) }

// throw panics with an error of the runtime.
func (m *Machine) throw(msg string) {
	panic(&goPanic{value{x: &iface{m.fault, text(msg)}}})
}

func (m *Machine) allocate(n int) {
	if m.cells += n; m.cells > m.limits.Cells {
		m.abort(ReasonMemory, fmt.Sprintf("more than %d values", m.limits.Cells))
	}
}

// NewMachine returns a machine with packages not yet initialized.
func (p *Program) NewMachine(l Limits) *Machine {
	l.defaults()
	m := &Machine{
		prog: p, limits: l, terms: solver.NewTerms(), globals: map[*ssa.Global]*value{},
		variables: map[solver.Variable][]*solver.Term{}, started: map[*ssa.Package]error{}, stack: make([]value, 1<<16),
		compiled: compiled{functions: map[*ssa.Function]*function{}, ifs: map[branchKey]int32{}, tables: map[string][]uint64{}},
		entering: entering{entries: map[any]int32{}},
	}
	m.fault = &rtype{typ: types.NewNamed(types.NewTypeName(0, nil, "runtime.Error", nil), types.Typ[types.String], nil)}
	return m
}

// Release drops the terms that runs have made, but for variables. Terms made later differ
// from those, so it is for the beginning of a search.
func (m *Machine) Release() {
	m.terms.Forget()
	clear(m.tables)
}

// Drop drops a function that runs no more, and the package that [Program.Compile] has added
// with it. The SSA program keeps an empty package: a search may add ten thousands of them.
func (m *Machine) Drop(in *Input) {
	pkg := in.fn.ssa.Pkg
	for _, member := range pkg.Members {
		switch member := member.(type) {
		case *ssa.Function:
			m.dropFunction(member)
		case *ssa.Global:
			delete(m.globals, member)
		}
	}
	delete(m.started, pkg)
	m.prog.drop(pkg)
}

func (m *Machine) dropFunction(fn *ssa.Function) {
	for _, inner := range fn.AnonFuncs {
		m.dropFunction(inner)
	}
	delete(m.functions, fn)
	delete(m.entries, fn)
	for _, b := range fn.Blocks {
		delete(m.ifs, branchKey{fn, b.Index})
	}
	*fn = ssa.Function{}
}

// Terms returns the terms of the machine's inputs.
func (m *Machine) Terms() *solver.Terms { return m.terms }

// newSite numbers a place.
func (m *Machine) newSite(s Site) int32 {
	if m.prog.isAdded(s.Function.Pkg) {
		s.Function = nil
	}
	m.Sites = append(m.Sites, s)
	return int32(len(m.Sites) - 1)
}

// term returns a value as a term.
func (m *Machine) term(v *value, width uint8) *solver.Term {
	if v.e != nil {
		return v.e
	}
	return m.terms.Const(width, v.n)
}

// decide takes the side of a site that a condition says.
func (m *Machine) decide(site int32, cond value) bool {
	side := uint8(1 - cond.n)
	if cond.e == nil || cond.e.Op == solver.Const {
		return cond.n != 0
	}
	if len(m.run.Path) >= m.limits.Constraints {
		m.run.Cut = true
		return cond.n != 0
	}
	t := cond.e
	if side == 1 {
		t = m.terms.Not(t)
	}
	if m.heap != nil {
		if m.heap.known[t] {
			return side == 0
		}
		m.heap.known[t] = true
	}
	m.run.Path = append(m.run.Path, Constraint{Term: t, Site: site, Side: side, Depth: int32(m.depth), Call: m.context})
	if m.heap != nil && site != m.heap.site {
		m.heap.halt()
	}
	return side == 0
}

// took notes a side of an If.
func (m *Machine) took(key uint64) {
	if _, again := m.run.Sides[key]; !again {
		m.run.Sides[key] = len(m.run.Path)
	}
}

// pin makes a value concrete: its being so is part of the path.
func (m *Machine) pin(site int32, v *value, width uint8) {
	if v.e == nil {
		return
	}
	m.decide(site, value{n: 1, e: m.terms.Binary(solver.Eq, v.e, m.terms.Const(width, v.n))})
	v.e = nil
}

// maxTerms bounds the terms that are remembered, at 200 bytes and more each.
const maxTerms = 200_000

// Run runs a function. The input keeps its variables between runs.
func (m *Machine) Run(in *Input, model solver.Model) *Run {
	run := m.execute(in, model)
	m.rollBack()
	return run
}

// execute runs a function, and leaves memory as it is at the end.
func (m *Machine) execute(in *Input, model solver.Model) *Run {
	if m.terms.Len() > maxTerms {
		m.Release()
	}
	m.runs++
	m.height, m.usage, m.journaling, m.panicker, m.heap = height{}, usage{}, false, nil, nil
	run := &Run{Input: slices.Clone(model), Sides: map[uint64]int{}}
	m.run = run
	var v value
	m.protect(func() {
		m.initialize(in.fn.ssa.Pkg)
		m.usage, m.journaling = usage{}, true
		clear(run.Sides)
		run.Path = nil
		if in.lazy != nil {
			m.heap = in.newHeap(run)
			run.heap = m.heap
		}
		args := in.arguments(model)
		if m.heap != nil {
			m.heap.started = true
			m.heap.halt()
		}
		v = m.call(in.fn, args, nil)
		run.Results = m.results(in.fn.ssa.Signature.Results(), v)
	})
	if m.heap != nil && run.Reason == ReasonNone {
		m.protect(func() { m.heap.complete(in, v) })
	}
	m.heap = nil
	run.Steps = m.steps
	m.journaling = false
	return run
}

// protect does f, and notes in the run how it ended if not by returning.
func (m *Machine) protect(f func()) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *goPanic:
			m.run.Panic = m.panicText(e.v)
		case stopped:
		case *aborted:
			m.run.Reason, m.run.Detail = e.reason, e.detail
		case error: // of the Go runtime: values were not as their types say
			if debugging {
				panic(e)
			}
			m.run.Reason, m.run.Detail = ReasonUnsafe, e.Error()
		default:
			panic(e)
		}
	}()
	f()
}

// debugging is set by tests: panics of the interpreter itself are shown.
var debugging = false

func (m *Machine) rollBack() {
	for i := len(m.journal) - 1; i >= 0; i-- {
		if u := &m.journal[i]; u.p != nil {
			*u.p = u.old
		} else {
			*u.m = *u.was
		}
	}
	clear(m.journal)
	m.journal = m.journal[:0]
	clear(m.stack[:min(m.most, len(m.stack))])
	m.most = 0
}

// change is called before a map is changed.
func (m *Machine) change(mp *mapping) {
	if m.journaling && mp.run != m.runs {
		was := *mp
		m.journal = append(m.journal, undo{m: mp, was: &was})
		mp.at, mp.keys, mp.vals, mp.gone = maps.Clone(mp.at), slices.Clone(mp.keys), slices.Clone(mp.vals), slices.Clone(mp.gone)
		mp.run = m.runs
	}
}

// initialize runs the initialization of a package, once. If that is aborted, so is every
// run of its functions.
func (m *Machine) initialize(pkg *ssa.Package) {
	if pkg == nil {
		return
	}
	m.initOnce(pkg)
	if err := m.started[pkg]; err != nil {
		m.abort(ReasonInit, pkg.Pkg.Path()+": "+err.Error())
	}
}

// initOnce initializes a package unless that was begun before, and notes why it failed.
func (m *Machine) initOnce(pkg *ssa.Package) {
	if _, ok := m.started[pkg]; !ok {
		m.started[pkg] = nil
		if m.prog.hasBodies(pkg.Pkg.Path()) {
			pkg.Build()
			m.started[pkg] = m.runInit(pkg)
		}
	}
}

// maxInitSteps bounds the initialization of a package with those that it imports.
const maxInitSteps = 200_000_000

func (m *Machine) runInit(pkg *ssa.Package) (err error) {
	at, used, limits, run, journaling := m.height, m.usage, m.limits, m.run, m.journaling
	m.journaling, m.run = false, &Run{Sides: map[uint64]int{}}
	m.limits.Steps, m.limits.Cells = m.steps+maxInitSteps, m.cells+maxInitSteps
	defer func() {
		m.height, m.usage, m.limits, m.run, m.journaling = at, used, limits, run, journaling
		m.runs++ // maps made here are older than the run
		switch e := recover().(type) {
		case nil:
		case *goPanic:
			err = fmt.Errorf("panics: %s", m.panicText(e.v))
		case *aborted:
			err = e
		default:
			if re, ok := e.(error); ok && !debugging {
				err = re
				return
			}
			panic(e)
		}
	}()
	m.call(m.function(pkg.Func("init")), nil, nil)
	return nil
}

// attempt makes a call that initializes a package. If it is aborted, or panics for the zero
// value of another variable, the result is zero: functions that use it may take other paths
// than natively.
func (m *Machine) attempt(t types.Type, call func() value) (v value) {
	at := m.height
	defer func() {
		if r := recover(); r != nil {
			a, isAbort := r.(*aborted)
			if _, isPanic := r.(*goPanic); !isPanic && !isAbort || isAbort && (a.reason == ReasonSteps || a.reason == ReasonMemory) {
				panic(r)
			}
			m.height, m.panicker = at, nil
			v = m.zero(t)
		}
	}()
	return call()
}

// rtype is a dynamic type. Identical types have one.
type rtype struct {
	typ     types.Type
	methods map[string]*function
}

func (m *Machine) rtypeOf(t types.Type) *rtype {
	if r, ok := m.rtypes.At(t).(*rtype); ok {
		return r
	}
	r := &rtype{typ: t, methods: map[string]*function{}}
	m.rtypes.Set(t, r)
	return r
}

// method returns the function of a method that an interface value has.
func (m *Machine) method(t *rtype, method *types.Func) *function {
	if t == m.fault {
		return &function{model: func(m *Machine, args []value) value {
			return text("runtime error: " + args[0].str().s)
		}}
	}
	f := t.methods[method.Id()]
	if f == nil {
		fn := m.prog.ssa.LookupMethod(t.typ, method.Pkg(), method.Name())
		if fn == nil {
			m.abort(ReasonUnsupported, "method "+method.FullName())
		}
		f = m.function(fn)
		t.methods[method.Id()] = f
	}
	return f
}

// Body builds a function, and reports whether the machine interprets it: it has a body in
// Go, and no model.
func (m *Machine) Body(fn *ssa.Function) bool {
	f := m.function(fn)
	if f.model != nil || f.replaced != nil {
		return false
	}
	if fn.Blocks == nil && fn.Pkg != nil && m.prog.hasBodies(fn.Pkg.Pkg.Path()) {
		fn.Pkg.Build()
	}
	return fn.Blocks != nil
}
