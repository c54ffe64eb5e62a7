package concolic

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// function is a function that is compiled when it is first called.
type function struct {
	ssa      *ssa.Function
	model    func(m *Machine, args []value) value // in place of a body
	replaced *function                            // a function of package models that is called instead
	compiled bool
	template []value // the registers at entry: constants, and room
	params   []int
	free     []int
	blocks   []block
	recover  int // the block to go on after recovering, or -1
	defers   bool
}

// block is a basic block. term returns the number of the edge to go on, or -1 at the end.
type block struct {
	code  []func(*frame)
	term  func(*frame) int
	edges []edge
}

// edge leads to a block; its phis take their values from registers.
type edge struct {
	to       int
	dst, src []int
}

// frame is an active call.
type frame struct {
	m        *Machine
	fn       *function
	r        []value
	result   value
	defers   []func() // calls to be made at the end
	panicked *goPanic
	panicker *frame // whose deferred function this is
}

// function returns the function of an SSA function.
func (m *Machine) function(fn *ssa.Function) *function {
	f := m.functions[fn]
	if f == nil {
		f = &function{ssa: fn}
		m.functions[fn] = f
		m.findModel(f)
	}
	return f
}

// call calls a function.
func (m *Machine) call(f *function, args, free []value) value {
	if f.model != nil {
		m.panicker = nil
		return f.model(m, args)
	}
	if f.replaced != nil {
		return m.model(f.replaced.ssa.Name(), args...)
	}
	if !f.compiled {
		m.compile(f)
	}
	outer, base, n := m.height, m.sp, len(f.template)
	if m.depth++; m.depth > m.limits.Depth {
		m.abort(ReasonDepth, f.ssa.String())
	}
	m.context = m.calling
	if base+n > len(m.stack) { // frames below keep the old one
		m.stack, base = make([]value, 2*len(m.stack)+n), 0
	}
	fr := frame{m: m, fn: f, r: m.stack[base : base+n : base+n], panicker: m.panicker}
	m.panicker = nil
	m.sp = base + n
	m.most = max(m.most, m.sp)
	copy(fr.r, f.template)
	for i, p := range f.params {
		fr.r[p] = args[i]
	}
	for i, p := range f.free {
		fr.r[p] = free[i]
	}
	if f.defers {
		fr.protected()
	} else {
		fr.exec(0)
	}
	m.height = outer
	return fr.result
}

// exec runs blocks until one ends the function.
func (fr *frame) exec(at int) {
	m := fr.m
	for {
		b := &fr.fn.blocks[at]
		if m.steps += len(b.code) + 1; m.steps > m.limits.Steps {
			m.abort(ReasonSteps, "more than "+strconv.Itoa(m.limits.Steps)+" steps")
		}
		for _, in := range b.code {
			in(fr)
		}
		n := b.term(fr)
		if n < 0 {
			return
		}
		e := &b.edges[n]
		if len(e.dst) == 1 {
			fr.r[e.dst[0]] = fr.r[e.src[0]]
		} else if len(e.dst) > 1 {
			fr.move(e)
		}
		at = e.to
	}
}

// move sets the phis of a block at once.
func (fr *frame) move(e *edge) {
	var few [8]value
	vals := few[:0]
	for _, s := range e.src {
		vals = append(vals, fr.r[s])
	}
	for i, d := range e.dst {
		fr.r[d] = vals[i]
	}
}

// protected runs a function that has deferred calls.
func (fr *frame) protected() {
	at := fr.m.height
	fr.catch(func() { fr.exec(0) })
	if fr.panicked == nil {
		return
	}
	fr.m.height = at
	fr.runDefers()
	if fr.panicked != nil {
		panic(fr.panicked)
	}
	if fr.fn.recover >= 0 {
		fr.exec(fr.fn.recover)
		return
	}
	fr.result = fr.m.zeroResults(fr.fn.ssa.Signature.Results())
}

func (m *Machine) zeroResults(t *types.Tuple) value {
	if t.Len() == 1 {
		return m.zero(t.At(0).Type())
	}
	return m.zero(t)
}

// catch does f, and notes its panic.
func (fr *frame) catch(f func()) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *goPanic:
			fr.panicked = e
		default:
			panic(e)
		}
	}()
	f()
}

// runDefers makes the deferred calls, the last one first. A panic replaces an earlier one.
func (fr *frame) runDefers() {
	at := fr.m.height
	for len(fr.defers) > 0 {
		call := fr.defers[len(fr.defers)-1]
		fr.defers = fr.defers[:len(fr.defers)-1]
		fr.catch(func() {
			fr.m.panicker = fr
			call()
		})
		fr.m.height, fr.m.panicker = at, nil
	}
}
