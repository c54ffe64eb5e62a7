package concolic

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// compiler turns the SSA form of a function into closures over registers.
type compiler struct {
	m    *Machine
	f    *function
	regs map[ssa.Value]int
	code []func(*frame)
	at   ssa.Instruction
}

// compile compiles a function.
func (m *Machine) compile(f *function) {
	fn := f.ssa
	if fn.Blocks == nil {
		if fn.Pkg != nil && m.prog.hasBodies(fn.Pkg.Pkg.Path()) {
			fn.Pkg.Build()
		}
		if fn.Blocks == nil {
			m.abort(ReasonNoBody, fn.String())
		}
	}
	if fn.Pkg != nil && fn.Synthetic != "package initializer" {
		m.initialize(fn.Pkg)
	}
	c := &compiler{m: m, f: f, regs: map[ssa.Value]int{}}
	f.recover = -1
	for _, p := range fn.Params {
		f.params = append(f.params, c.reg(p))
	}
	for _, p := range fn.FreeVars {
		f.free = append(f.free, c.reg(p))
	}
	f.blocks = make([]block, len(fn.Blocks))
	for i, b := range fn.Blocks {
		f.blocks[i] = c.block(b)
	}
	if fn.Recover != nil {
		f.recover = fn.Recover.Index
	}
	f.compiled = true
}

// reg returns the register of a value. That of a constant has its value at entry.
func (c *compiler) reg(v ssa.Value) int {
	if r, ok := c.regs[v]; ok {
		return r
	}
	r := len(c.f.template)
	c.regs[v] = r
	c.f.template = append(c.f.template, value{})
	switch v := v.(type) {
	case *ssa.Const:
		c.f.template[r] = c.m.constant(v)
	case *ssa.Function:
		c.f.template[r] = value{x: &closure{fn: c.m.function(v)}}
	case *ssa.Global:
		c.f.template[r] = value{x: c.m.global(v)}
	}
	return r
}

// constant returns the value of a constant. Aggregates are always zero.
func (m *Machine) constant(c *ssa.Const) value {
	k := kindOf(c.Type())
	if c.Value == nil {
		return m.zero(c.Type())
	}
	switch k.class {
	case boolClass:
		return boolean(constant.BoolVal(c.Value))
	case intClass:
		if k.signed {
			return value{n: uint64(c.Int64())}
		}
		return value{n: c.Uint64()}
	case floatClass:
		return k.float(c.Float64())
	case complexClass:
		return k.complex(c.Complex128())
	case stringClass:
		if c.Value.Kind() == constant.String {
			return text(constant.StringVal(c.Value))
		}
		return text(string(rune(c.Int64())))
	}
	return value{}
}

// global returns the variable of a package.
func (m *Machine) global(g *ssa.Global) *value {
	p := m.globals[g]
	if p == nil {
		p = new(value)
		*p = m.zero(g.Type().(*types.Pointer).Elem())
		m.globals[g] = p
	}
	return p
}

func (c *compiler) block(b *ssa.BasicBlock) block {
	c.code = nil
	last := len(b.Instrs) - 1
	for _, in := range b.Instrs[:last] {
		c.at = in
		c.checkGlobals(in)
		c.instruction(in)
	}
	c.at = b.Instrs[last]
	c.checkGlobals(c.at)
	out := block{term: c.terminator(b, b.Instrs[last])}
	out.code = c.code
	for i, succ := range b.Succs {
		out.edges = append(out.edges, c.edge(b, succ, i))
	}
	return out
}

func (c *compiler) edge(from, to *ssa.BasicBlock, succ int) edge {
	e := edge{to: to.Index}
	pred := slices.Index(to.Preds, from)
	if succ == 1 && from.Succs[0] == to {
		pred += 1 + slices.Index(to.Preds[pred+1:], from)
	}
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		e.dst = append(e.dst, c.reg(phi))
		e.src = append(e.src, c.reg(phi.Edges[pred]))
	}
	return e
}

// checkGlobals emits an abort if an instruction uses a variable of a package that is not
// interpreted. It is zero where a package initializes its own variables.
func (c *compiler) checkGlobals(in ssa.Instruction) {
	initializes := c.f.ssa.Synthetic == "package initializer"
	for _, op := range in.Operands(nil) {
		g, ok := (*op).(*ssa.Global)
		if !ok || g.Pkg == nil || g.Pkg == c.f.ssa.Pkg {
			continue
		}
		if initializes && (g.Name() == "init$guard" || !c.m.prog.hasBodies(g.Pkg.Pkg.Path())) {
			continue
		}
		name := g.String()
		if known, ok := variables[name]; ok {
			if p := c.m.global(g); known != 0 {
				p.n = known
			}
			continue
		}
		pkg := g.Pkg
		c.code = append(c.code, func(fr *frame) {
			if !fr.m.prog.hasBodies(pkg.Pkg.Path()) {
				fr.m.abort(ReasonGlobal, name)
			}
			fr.m.initialize(pkg)
		})
	}
}

// terminator compiles the last instruction of a block.
func (c *compiler) terminator(b *ssa.BasicBlock, in ssa.Instruction) func(*frame) int {
	switch in := in.(type) {
	case *ssa.Jump:
		return func(*frame) int { return 0 }
	case *ssa.If:
		return c.branch(b, in)
	case *ssa.Return:
		return c.ret(in)
	case *ssa.Panic:
		x := c.reg(in.X)
		return func(fr *frame) int {
			v := fr.r[x]
			if v.x == nil {
				v = value{x: &iface{fr.m.fault, text("panic called with nil argument (use GODEBUG=panicnil=1 to disable)")}}
			}
			panic(&goPanic{v})
		}
	}
	return func(fr *frame) int {
		fr.m.abort(ReasonUnsupported, in.String())
		return -1
	}
}

func (c *compiler) branch(b *ssa.BasicBlock, in *ssa.If) func(*frame) int {
	x := c.reg(in.Cond)
	site := c.m.SiteOf(b)
	return func(fr *frame) int {
		m, cond := fr.m, &fr.r[x]
		side := 1 - int(cond.n)
		if m.inModel == 0 {
			m.took(SideKey(m.context, site, uint8(side)))
		}
		if cond.e != nil {
			m.decide(site, *cond)
		}
		return side
	}
}

// branchKey names an If by its block, in the generic function if there is one.
type branchKey struct {
	fn    *ssa.Function
	block int
}

// SiteOf returns the site of the If that ends a block.
func (m *Machine) SiteOf(b *ssa.BasicBlock) int32 {
	key := branchKey{b.Parent(), b.Index}
	if o := b.Parent().Origin(); o != nil {
		key.fn = o
	}
	site, ok := m.ifs[key]
	if !ok {
		site = m.newSite(Site{Function: b.Parent(), Kind: If, Pos: position(b)})
		m.ifs[key] = site
	}
	return site
}

// position returns the place of the condition that ends a block, or of the nearest
// instruction before it that has one.
func position(b *ssa.BasicBlock) token.Pos {
	if in, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if pos := in.Cond.Pos(); pos.IsValid() {
			return pos
		}
		if op, ok := in.Cond.(*ssa.UnOp); ok && op.X.Pos().IsValid() {
			return op.X.Pos()
		}
	}
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		if pos := b.Instrs[i].Pos(); pos.IsValid() {
			return pos
		}
	}
	return b.Parent().Pos()
}

func (c *compiler) ret(in *ssa.Return) func(*frame) int {
	switch len(in.Results) {
	case 0:
		return func(*frame) int { return -1 }
	case 1:
		x := c.reg(in.Results[0])
		return func(fr *frame) int {
			fr.result = fr.r[x]
			return -1
		}
	}
	var regs []int
	for _, r := range in.Results {
		regs = append(regs, c.reg(r))
	}
	return func(fr *frame) int {
		fr.result = tuple(fr.gather(regs)...)
		return -1
	}
}

// gather copies registers.
func (fr *frame) gather(regs []int) []value {
	list := make([]value, len(regs))
	for i, r := range regs {
		list[i] = fr.r[r]
	}
	return list
}
