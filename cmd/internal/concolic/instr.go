package concolic

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic/solver"
)

// emit appends code.
func (c *compiler) emit(f func(*frame)) { c.code = append(c.code, f) }

// site numbers the place of the instruction that is compiled.
func (c *compiler) site(k SiteKind) int32 {
	return c.m.newSite(Site{Function: c.f.ssa, Kind: k, Pos: c.at.Pos()})
}

// instruction compiles an instruction that is not the last of its block.
func (c *compiler) instruction(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.DebugRef, *ssa.Phi:
	case *ssa.Alloc:
		t, d := in.Type().Underlying().(*types.Pointer).Elem(), c.reg(in)
		c.emit(func(fr *frame) {
			p := new(value)
			*p = fr.m.zero(t)
			fr.m.allocate(1)
			fr.r[d] = value{x: p}
		})
	case *ssa.BinOp:
		c.binary(in)
	case *ssa.UnOp:
		c.unary(in)
	case *ssa.Call:
		d := c.reg(in)
		call := c.call(&in.Call)
		if c.f.ssa.Synthetic == "package initializer" {
			c.emit(func(fr *frame) { fr.r[d] = fr.m.attempt(in.Type(), func() value { return call(fr)() }) })
			return
		}
		c.emit(func(fr *frame) { fr.r[d] = call(fr)() })
	case *ssa.Defer:
		c.deferCall(in)
	case *ssa.RunDefers:
		c.emit(func(fr *frame) {
			fr.runDefers()
			if fr.panicked != nil {
				panic(fr.panicked)
			}
		})
	case *ssa.Store:
		p, v := c.reg(in.Addr), c.reg(in.Val)
		c.emit(func(fr *frame) { fr.m.store(fr.deref(p), fr.r[v]) })
	case *ssa.Go, *ssa.Select, *ssa.Send, *ssa.MakeChan:
		c.unsupported(ReasonGoroutine)
	case *ssa.MapUpdate:
		c.mapUpdate(in)
	default:
		c.values(in)
	}
}

// values compiles instructions that make a value of others.
func (c *compiler) values(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.ChangeInterface:
		c.copyTo(in, in.X)
	case *ssa.ChangeType:
		c.copyTo(in, in.X)
	case *ssa.Convert:
		c.convert(in, in.X)
	case *ssa.MultiConvert:
		c.convert(in, in.X)
	case *ssa.Extract:
		c.field(in, in.Tuple, in.Index)
	case *ssa.Field:
		c.field(in, in.X, in.Field)
	case *ssa.FieldAddr:
		x, d, i := c.reg(in.X), c.reg(in), in.Field
		c.emit(func(fr *frame) { fr.r[d] = value{x: &fr.deref(x).fields()[i]} })
	case *ssa.Index:
		c.index(in)
	case *ssa.IndexAddr:
		c.indexAddr(in)
	case *ssa.Slice:
		c.slice(in)
	case *ssa.SliceToArrayPointer:
		c.toArrayPointer(in)
	case *ssa.MakeSlice:
		c.makeSlice(in)
	case *ssa.Lookup:
		c.lookup(in)
	case *ssa.MakeMap:
		d := c.reg(in)
		c.emit(func(fr *frame) { fr.r[d] = value{x: &mapping{at: map[any]int{}, run: fr.m.runs}} })
	case *ssa.Range:
		c.rangeOver(in)
	case *ssa.Next:
		c.next(in)
	case *ssa.MakeClosure:
		fn, d := c.m.function(in.Fn.(*ssa.Function)), c.reg(in)
		free := c.regsOf(in.Bindings)
		c.emit(func(fr *frame) { fr.r[d] = value{x: &closure{fn, fr.gather(free)}} })
	case *ssa.MakeInterface:
		x, d, t := c.reg(in.X), c.reg(in), c.m.rtypeOf(in.X.Type())
		c.emit(func(fr *frame) { fr.r[d] = value{x: &iface{t, fr.r[x]}} })
	case *ssa.TypeAssert:
		c.typeAssert(in)
	default:
		c.unsupported(ReasonUnsupported)
	}
}

func (c *compiler) field(in, of ssa.Value, i int) {
	x, d := c.reg(of), c.reg(in)
	c.emit(func(fr *frame) { fr.r[d] = fr.r[x].fields()[i] })
}

func (c *compiler) regsOf(vs []ssa.Value) []int {
	var regs []int
	for _, v := range vs {
		regs = append(regs, c.reg(v))
	}
	return regs
}

func (c *compiler) unsupported(r Reason) {
	what := c.at.String()
	if v, ok := c.at.(ssa.Value); ok {
		c.reg(v)
	}
	c.emit(func(fr *frame) { fr.m.abort(r, what) })
}

func (c *compiler) copyTo(d, x ssa.Value) {
	from, to := c.reg(x), c.reg(d)
	c.emit(func(fr *frame) { fr.r[to] = fr.r[from] })
}

// deref returns the memory that a register points to.
func (fr *frame) deref(r int) *value { return fr.m.deref(&fr.r[r]) }

// deref returns the memory that a pointer points to.
func (m *Machine) deref(pointer *value) *value {
	switch p := pointer.x.(type) {
	case *value:
		return p
	case nil:
		m.throw("runtime error: invalid memory address or nil pointer dereference")
	case *element:
		return p.p
	}
	m.abort(ReasonUnsafe, "a pointer that is none")
	return nil
}

func (c *compiler) unary(in *ssa.UnOp) {
	x, d := c.reg(in.X), c.reg(in)
	k := kindOf(in.Type())
	switch in.Op {
	case token.MUL:
		c.load(in)
	case token.NOT:
		c.emit(func(fr *frame) {
			v := value{n: 1 - fr.r[x].n}
			if e := fr.r[x].e; e != nil {
				v.e = fr.m.terms.Not(e)
			}
			fr.r[d] = v
		})
	case token.SUB:
		c.negate(k, x, d)
	case token.XOR:
		c.emit(func(fr *frame) {
			v := value{n: k.extend(^fr.r[x].n)}
			if e := fr.r[x].e; e != nil {
				v.e = fr.m.terms.Binary(solver.Xor, e, fr.m.terms.Const(k.width, ^uint64(0)))
			}
			fr.r[d] = v
		})
	default:
		c.unsupported(ReasonGoroutine)
	}
}

func (c *compiler) negate(k kind, x, d int) {
	c.emit(func(fr *frame) {
		switch k.class {
		case floatClass:
			fr.r[d] = float(-fr.r[x].float())
		case complexClass:
			fr.r[d] = value{x: -fr.r[x].x.(complex128)}
		default:
			v := value{n: k.extend(-fr.r[x].n)}
			if e := fr.r[x].e; e != nil {
				v.e = fr.m.terms.Binary(solver.Sub, fr.m.terms.Const(k.width, 0), e)
			}
			fr.r[d] = v
		}
	})
}

// load compiles the reading of memory. A symbolic index in a table of constants stays
// symbolic.
func (c *compiler) load(in *ssa.UnOp) {
	x, d, site := c.reg(in.X), c.reg(in), c.site(Pin)
	c.emit(func(fr *frame) {
		switch p := fr.r[x].x.(type) {
		case *value:
			if fr.m.heap != nil {
				fr.r[d] = fr.m.read(p)
				return
			}
			if _, ok := p.x.(*aggregate); ok {
				fr.m.allocate(1)
				fr.r[d] = clone(*p)
				return
			}
			fr.r[d] = *p
		case *element:
			fr.r[d] = fr.m.choose(p, site)
		default:
			fr.deref(x)
		}
	})
}

// maxTable bounds the tables that are looked up by a symbolic index.
const maxTable = 1 << 10

// choose returns the element with a symbolic index, or pins the index.
func (m *Machine) choose(p *element, site int32) value {
	m.readAll(p.all)
	k := kindOf(p.typ)
	v := clone(*p.p)
	if (k.class == intClass || k.class == boolClass) && len(p.all) <= maxTable {
		key := make([]byte, 0, 8*len(p.all))
		for i := range p.all {
			if p.all[i].e != nil {
				key = nil
				break
			}
			for shift := uint8(0); shift < k.width; shift += 8 {
				key = append(key, byte(p.all[i].n>>shift))
			}
		}
		if key != nil {
			v.e = m.lookupTerm(key, k.width, p.index.e, func(i int) uint64 { return p.all[i].n }, len(p.all))
			return v
		}
	}
	m.pin(site, &p.index, p.index.e.Width)
	return v
}

// lookupTerm returns a lookup in a table with given content.
func (m *Machine) lookupTerm(content []byte, width uint8, index *solver.Term, at func(int) uint64, n int) *solver.Term {
	key := string(append(content, width))
	table := m.tables[key]
	if table == nil {
		table = make([]uint64, n)
		for i := range table {
			table[i] = at(i) & (^uint64(0) >> (64 - width))
		}
		m.tables[key] = table
	}
	return concrete(m.terms.Lookup(table, width, index))
}

// onlyLoaded reports whether all uses of an address read from it.
func onlyLoaded(in *ssa.IndexAddr) bool {
	for _, r := range *in.Referrers() {
		if op, ok := r.(*ssa.UnOp); !ok || op.Op != token.MUL {
			return false
		}
	}
	return true
}

func (c *compiler) indexAddr(in *ssa.IndexAddr) {
	x, i, d := c.reg(in.X), c.reg(in.Index), c.reg(in)
	k := kindOf(in.Index.Type())
	bounds, pin := c.site(Bounds), c.site(Pin)
	lazy := onlyLoaded(in)
	elem := in.Type().Underlying().(*types.Pointer).Elem()
	_, isSlice := in.X.Type().Underlying().(*types.Slice)
	c.emit(func(fr *frame) {
		var all []value
		var length value
		if isSlice {
			all = fr.r[x].elems()
			length = lengthOf(&fr.r[x])
		} else {
			all = fr.deref(x).fields()
			length = integer(len(all))
		}
		at := fr.m.inBounds(bounds, &fr.r[i], k, length)
		if idx := fr.r[i]; idx.e != nil {
			if lazy {
				fr.r[d] = value{x: &element{all: all, p: &all[at], index: idx, typ: elem}}
				return
			}
			fr.m.pin(pin, &idx, k.width)
		}
		fr.r[d] = value{x: &all[at]}
	})
}

// lengthOf returns the length of a slice.
func lengthOf(v *value) value {
	if s, ok := v.x.(*slice); ok {
		return value{n: uint64(len(s.a)), e: s.n}
	}
	return value{}
}

// inBounds checks an index, which is a branch.
func (m *Machine) inBounds(site int32, i *value, k kind, length value) int {
	ok := i.n < length.n
	if i.e != nil || length.e != nil {
		// Negative numbers are large as unsigned ones.
		idx := m.term(i, k.width)
		if idx.Width < 64 {
			idx = m.terms.Convert(idx, 64, k.signed)
		}
		m.decide(site, value{n: solver.Truth(ok), e: m.terms.Binary(solver.ULt, idx, m.term(&length, 64))})
	}
	if !ok {
		m.throw("runtime error: index out of range")
	}
	return int(i.n)
}

func (c *compiler) index(in *ssa.Index) {
	x, i, d := c.reg(in.X), c.reg(in.Index), c.reg(in)
	k := kindOf(in.Index.Type())
	bounds, pin := c.site(Bounds), c.site(Pin)
	elem := in.Type()
	isText := kindOf(in.X.Type()).class == stringClass
	c.emit(func(fr *frame) {
		if isText {
			fr.r[d] = fr.m.indexText(fr.r[x].str(), fr.r[i], k, bounds, pin)
			return
		}
		all := fr.r[x].fields()
		at := fr.m.inBounds(bounds, &fr.r[i], k, integer(len(all)))
		if fr.r[i].e != nil {
			fr.r[d] = fr.m.choose(&element{all: all, p: &all[at], index: fr.r[i], typ: elem}, pin)
			return
		}
		fr.r[d] = all[at]
	})
}

// indexText returns s[i].
func (m *Machine) indexText(s *str, i value, k kind, bounds, pin int32) value {
	at := m.inBounds(bounds, &i, k, s.length())
	if i.e == nil {
		return s.byteAt(at)
	}
	if !s.symbolic() && len(s.s) <= maxTable {
		return value{n: uint64(s.s[at]), e: m.lookupTerm([]byte(s.s), 8, i.e, func(i int) uint64 { return uint64(s.s[i]) }, len(s.s))}
	}
	m.pin(pin, &i, k.width)
	return s.byteAt(at)
}

func (c *compiler) lookup(in *ssa.Lookup) {
	x, i, d := c.reg(in.X), c.reg(in.Index), c.reg(in)
	mt, ok := in.X.Type().Underlying().(*types.Map)
	if !ok {
		k, bounds, pin := kindOf(in.Index.Type()), c.site(Bounds), c.site(Pin)
		c.emit(func(fr *frame) { fr.r[d] = fr.m.indexText(fr.r[x].str(), fr.r[i], k, bounds, pin) })
		return
	}
	site, commaOk := c.site(Key), in.CommaOk
	c.emit(func(fr *frame) {
		v, found := fr.m.find(mt, &fr.r[x], &fr.r[i], site)
		if commaOk {
			v = tuple(v, boolean(found))
		}
		fr.r[d] = v
	})
}

func (c *compiler) typeAssert(in *ssa.TypeAssert) {
	x, d, to, commaOk := c.reg(in.X), c.reg(in), in.AssertedType, in.CommaOk
	target, isIface := to.Underlying().(*types.Interface)
	want := c.m.rtypeOf(to)
	c.emit(func(fr *frame) {
		i := fr.r[x].iface()
		v, ok := value{}, false
		switch {
		case i == nil:
		case isIface:
			v, ok = fr.r[x], fr.m.implements(i.t, target)
		default:
			v, ok = i.v, i.t == want
		}
		if !ok {
			if !commaOk {
				fr.m.throw("interface conversion: not a " + to.String())
			}
			v = fr.m.zero(to)
		}
		if commaOk {
			v = tuple(v, boolean(ok))
		}
		fr.r[d] = v
	})
}

func (m *Machine) implements(t *rtype, i *types.Interface) bool {
	if t == m.fault {
		for f := range i.Methods() {
			if f.Name() != "Error" && f.Name() != "RuntimeError" {
				return false
			}
		}
		return true
	}
	return types.Implements(t.typ, i)
}
