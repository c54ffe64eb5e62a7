package concolic

import (
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic/solver"
	"foray.test/harness/contract"
)

// Lazy initialization [Visser04 §2.2, §4.3]: an argument that points to a struct of the
// package is a structure of which nothing is chosen at first. The first read of a field
// chooses it. A pointer becomes nil, an object of its type that was there before, or a new
// one; a number or a text becomes a symbol. Each alternative of a pointer is a branch of the
// path, so that strategies force it like any other.

// lazyInput describes the structures of an [Input].
type lazyInput struct {
	pkg   *types.Package // whose structs are chosen
	bound int            // of objects of one type
	site  int32          // of choices
	used  map[solver.Variable]int
	preds []*ssa.Function // the preconditions of parameters, nil if they have none
	self  bool            // the function is the precondition of its receiver
	next  course          // of the next run
}

// course is what a run on structures does beside following a model.
type course struct {
	probing bool // the function stops when the path has some constraints
	stop    int
	most    int   // objects of a type when the precondition makes new ones
	guide   *heap // the structure to take choices from
}

// NewStructures is like [Machine.NewInput], for functions and methods with parameters that
// point to structs of their package. They are lazily initialized, with up to bound objects
// of a type. The methods named in [contract.InvariantNames] are preconditions.
func (m *Machine) NewStructures(fn *ssa.Function, s Shape, bound int) (*Input, error) {
	in := &Input{m: m, fn: m.function(fn), lazy: &lazyInput{pkg: packageOf(fn), bound: bound}}
	in.lazy.site = m.newSite(Site{Function: fn, Kind: Field, Pos: fn.Pos()})
	sig := fn.Signature
	var vars []*types.Var
	if sig.Recv() != nil {
		vars = append(vars, sig.Recv())
	}
	for v := range sig.Params().Variables() {
		vars = append(vars, v)
	}
	if err := in.declare(vars, s); err != nil {
		return nil, err
	}
	for i := range in.params {
		var pred *ssa.Function
		if t := in.lazy.target(in.params[i].typ); t != nil {
			pred = m.precondition(t)
		}
		in.lazy.preds = append(in.lazy.preds, pred)
	}
	in.lazy.self = sig.Recv() != nil && in.lazy.preds[0] == fn
	return in, nil
}

// packageOf returns the package of a function, also of one that wraps or instantiates
// another.
func packageOf(fn *ssa.Function) *types.Package {
	if obj := fn.Object(); obj != nil {
		return obj.Pkg()
	}
	return fn.Pkg.Pkg
}

// IsStructure reports whether parameters of a type, in a package, are lazily initialized.
func IsStructure(t types.Type, pkg *types.Package) bool {
	return (&lazyInput{pkg: pkg}).target(t) != nil
}

// target returns the struct that a type points to, nil unless the package declares it.
func (l *lazyInput) target(t types.Type) *types.Named {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() != l.pkg {
		return nil
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return nil
	}
	return named
}

// Bound returns how many objects of a type there may be.
func (in *Input) Bound() int { return in.lazy.bound }

// Probe runs the function until its path has some constraints, and then the precondition,
// which chooses what it reads. It adds an object if there are fewer than most of its type.
func (in *Input) Probe(model solver.Model, stop, most int) *Run {
	in.lazy.next = course{probing: true, stop: stop, most: most}
	return in.m.Run(in, model)
}

// Follow runs the function on the structure of another run. The model is what it chose.
func (in *Input) Follow(run *Run) *Run {
	in.lazy.next = course{guide: run.heap}
	return in.m.Run(in, run.Input)
}

// IsPrecondition reports whether the function is the precondition of its receiver.
func (in *Input) IsPrecondition() bool { return in.lazy.self }

// Precondition returns the name of the precondition of the first argument that has one.
func (in *Input) Precondition() string {
	for _, pred := range in.lazy.preds {
		if pred != nil {
			return pred.Name()
		}
	}
	return ""
}

// A cell is the initial value of a field, an element or an object. It does not change when
// it is set: what the program writes goes to memory.
type cell struct {
	typ   types.Type
	set   bool
	v     value   // of a scalar or a string
	to    *object // of a pointer
	parts []*cell // of a struct or an array
	like  *cell   // in the structure that the run is guided by
}

// An object is a struct of the input structure.
type object struct {
	typ  *types.Named
	cell *cell
	like *object // in the structure that the run is guided by
}

// A memory holds the objects as one call sees them: the function and each evaluation of the
// precondition have their own.
type memory map[*object]*value

// unread is in the place of a value that has not been read in a memory.
type unread struct {
	c  *cell
	in memory
}

// stopped unwinds a function that is probed.
type stopped struct{}

// heap is the input structure of a run.
type heap struct {
	*lazyInput
	course
	m       *Machine
	run     *Run
	free    allotment
	objects []*object // in order of creation
	args    []*object // by parameter
	memory  memory    // of the function
	known   map[*solver.Term]bool
	started bool // the function runs
	stopped bool // it has ended
}

func (in *Input) newHeap(run *Run) *heap {
	h := &heap{lazyInput: in.lazy, course: in.lazy.next, m: in.m, run: run, memory: memory{}, known: map[*solver.Term]bool{}}
	in.lazy.next = course{}
	h.free = allotment{in.m, maps.Clone(in.lazy.used)}
	h.args = make([]*object, len(in.params))
	return h
}

// variable returns a new variable. It has the value of a cell of the guide if there is one.
func (h *heap) variable(v solver.Variable, guided uint64) *solver.Term {
	t := h.free.next(v)
	if h.guide != nil {
		for uint64(len(h.run.Input)) <= t.Val {
			h.run.Input = append(h.run.Input, 0)
		}
		h.run.Input[t.Val] = guided
	}
	return t
}

// halt stops a function that is probed.
func (h *heap) halt() {
	if h.probing && h.started && len(h.run.Path) >= h.stop {
		panic(stopped{})
	}
}

// argument chooses the argument of a parameter. A receiver is not nil.
func (h *heap) argument(in *Input, i int) value {
	var like *object
	if h.guide != nil {
		like = h.guide.args[i]
	}
	t := h.target(in.params[i].typ)
	if i == 0 && in.fn.ssa.Signature.Recv() != nil {
		h.args[i] = h.create(t, like)
	} else {
		h.args[i] = h.choose(t, like)
	}
	return h.pointer(h.args[i], h.memory)
}

func (h *heap) create(t *types.Named, like *object) *object {
	o := &object{typ: t, cell: newCell(t), like: like}
	if like != nil {
		o.cell.imitate(like.cell)
	}
	h.objects = append(h.objects, o)
	return o
}

func (c *cell) imitate(like *cell) {
	c.like = like
	for i := range c.parts {
		c.parts[i].imitate(like.parts[i])
	}
}

func newCell(t types.Type) *cell {
	c := &cell{typ: t}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			c.parts = append(c.parts, newCell(f.Type()))
		}
	case *types.Array:
		for range u.Len() {
			c.parts = append(c.parts, newCell(u.Elem()))
		}
	}
	return c
}

// choose returns nil, an object of a type that is there, or a new one. Which one it is, is
// a sequence of branches.
func (h *heap) choose(t *types.Named, like *object) *object {
	options, guided := []*object{nil}, uint64(0)
	for _, o := range h.objects {
		if types.Identical(o.typ, t) {
			if like != nil && o.like == like {
				guided = uint64(len(options))
			}
			options = append(options, o)
		}
	}
	n, bound := len(options), h.bound
	if h.probing && h.stopped {
		bound = h.most
	}
	if like != nil && guided == 0 {
		guided = uint64(n)
	}
	if n <= bound {
		n++
	}
	if n == 1 {
		return nil
	}
	v := h.variable(solver.Variable{Width: 8, Max: uint64(n - 1)}, guided)
	chosen := min(int(h.run.Input.Value(v)), n-1)
	for i := range n - 1 {
		if h.m.decide(h.site, value{n: solver.Truth(chosen == i), e: h.m.terms.Binary(solver.Eq, v, h.m.terms.Const(8, uint64(i)))}) {
			break
		}
	}
	if chosen == len(options) {
		return h.create(t, like)
	}
	return options[chosen]
}

// pointer returns a pointer to an object in a memory.
func (h *heap) pointer(o *object, in memory) value {
	if o == nil {
		return value{}
	}
	p := in[o]
	if p == nil {
		v := h.lay(o.cell, in)
		p = &v
		in[o] = p
	}
	return value{x: p}
}

// lay returns the content of a cell before anything of it has been read.
func (h *heap) lay(c *cell, in memory) value {
	if kindOf(c.typ).class == aggregateClass {
		f := make([]value, len(c.parts))
		h.m.allocate(len(f))
		for i, part := range c.parts {
			f[i] = h.lay(part, in)
		}
		return value{x: &aggregate{f}}
	}
	if h.chosen(c.typ) {
		return value{x: &unread{c, in}}
	}
	return h.m.zero(c.typ)
}

// chosen reports whether fields of a type are chosen. Others are zero.
func (l *lazyInput) chosen(t types.Type) bool {
	switch kindOf(t).class {
	case boolClass, intClass, stringClass:
		return true
	}
	return l.target(t) != nil
}

// read returns what is in memory, and chooses it if it has not been read before.
func (m *Machine) read(p *value) value {
	if a, ok := p.x.(*aggregate); ok {
		m.readAll(a.f)
		return clone(*p)
	}
	u, ok := p.x.(*unread)
	if !ok {
		return *p
	}
	h, isNew := m.heap, !u.c.set
	if isNew {
		h.fill(u.c)
	}
	*p = u.c.v
	if h.target(u.c.typ) != nil {
		*p = h.pointer(u.c.to, u.in)
	}
	if isNew {
		h.halt()
	}
	return *p
}

// readAll reads elements that are used without being loaded.
func (m *Machine) readAll(list []value) {
	if m.heap == nil {
		return
	}
	for i := range list {
		switch x := list[i].x.(type) {
		case *aggregate:
			m.readAll(x.f)
		case *unread:
			m.read(&list[i])
		}
	}
}

// maxText bounds the texts in structures.
const maxText = 8

// fill chooses a cell. What the guide has not chosen is zero.
func (h *heap) fill(c *cell) {
	like := c.like
	if like == nil {
		like = &cell{}
	}
	if t := h.target(c.typ); t != nil {
		c.to = h.choose(t, like.to)
		c.set = true
		return
	}
	c.set = true
	p, _ := newParam(c.typ)
	if !p.list {
		p.vars = append(p.vars, h.variable(solver.Variable{Width: p.k.width}, like.v.n&(^uint64(0)>>(64-p.k.width))))
		c.v = p.value(h.run.Input)
		return
	}
	s := like.v.str().s
	p.lenVar = h.variable(solver.Variable{Width: 64, Max: maxText}, uint64(len(s)))
	s += strings.Repeat("\x00", maxText-len(s))
	for i := range maxText {
		p.vars = append(p.vars, h.variable(solver.Variable{Width: 8}, uint64(s[i])))
	}
	c.v = p.value(h.run.Input)
}

// holds asks the preconditions of the arguments, on the structure as it was before the call.
func (h *heap) holds() bool {
	for i, o := range h.args {
		if o != nil && h.preds[i] != nil && !h.ask(h.preds[i], o) {
			return false
		}
	}
	return true
}

// maxPrecondition bounds the steps of a precondition: one that does not end on a cyclic
// structure does not hold.
const maxPrecondition = 20_000

// ask runs a precondition on an object. A panic counts as no.
func (h *heap) ask(pred *ssa.Function, o *object) (ok bool) {
	m := h.m
	limit := m.limits.Steps
	m.height, m.usage, m.limits.Steps = height{inModel: 1}, usage{}, min(limit, maxPrecondition)
	defer func() {
		m.limits.Steps = limit
		switch e := recover().(type) {
		case nil:
		case *goPanic:
			ok = false
		case *aborted:
			if e.reason != ReasonSteps && e.reason != ReasonDepth {
				panic(e)
			}
			ok = false
		default:
			panic(e)
		}
	}()
	return m.accepts(m.call(m.function(pred), []value{h.pointer(o, memory{})}, nil), pred, h.site)
}

// accepts reports whether a predicate has returned true, or no error.
func (m *Machine) accepts(v value, pred *ssa.Function, site int32) bool {
	if isBool(pred) {
		return m.decide(site, v)
	}
	return v.x == nil
}

// precondition returns the predicate method of a type, or nil.
func (m *Machine) precondition(t *types.Named) *ssa.Function {
	methods := types.NewMethodSet(types.NewPointer(t))
	for _, name := range strings.Fields(contract.InvariantNames) {
		for _, spelled := range []string{name, strings.ToLower(name[:1]) + name[1:]} {
			if sel := methods.Lookup(t.Obj().Pkg(), spelled); sel != nil && isPredicate(sel.Type().(*types.Signature)) {
				return m.prog.ssa.MethodValue(sel)
			}
		}
	}
	return nil
}

func isBool(pred *ssa.Function) bool {
	return kindOf(pred.Signature.Results().At(0).Type()).class == boolClass
}

func isPredicate(sig *types.Signature) bool {
	if sig.Params().Len() > 0 || sig.Results().Len() != 1 {
		return false
	}
	r := sig.Results().At(0).Type()
	return kindOf(r).class == boolClass || types.Identical(r, types.Universe.Lookup("error").Type())
}

// complete chooses values for the fields that the precondition reads and the function has not.
func (h *heap) complete(in *Input, result value) {
	run, m := h.run, h.m
	m.panicker, h.started, h.stopped = nil, false, true
	if h.self {
		run.Valid = run.Panic == "" && m.accepts(result, in.fn.ssa, h.site)
		run.Own = len(run.Path)
		return
	}
	run.Own = len(run.Path)
	run.Valid = h.holds()
}
