package concolic

import (
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic/solver"
)

func (c *compiler) binary(in *ssa.BinOp) {
	k := kindOf(in.X.Type())
	x, y, d := c.reg(in.X), c.reg(in.Y), c.reg(in)
	switch {
	case in.Op == token.EQL || in.Op == token.NEQ:
		c.equality(in, x, y, d)
	case in.Op == token.SHL || in.Op == token.SHR:
		c.shift(in.Op, k, kindOf(in.Y.Type()), x, y, d)
	case k.class == intClass && (in.Op == token.QUO || in.Op == token.REM):
		c.divide(in.Op, k, x, y, d)
	case k.class == intClass:
		c.integers(in.Op, k, x, y, d)
	case k.class == floatClass:
		c.floats(in.Op, k, x, y, d)
	case k.class == complexClass:
		c.complexes(in.Op, k, x, y, d)
	case k.class == stringClass && in.Op == token.ADD:
		c.emit(func(fr *frame) { fr.r[d] = value{x: fr.m.concat(fr.r[x].str(), fr.r[y].str())} })
	case k.class == stringClass:
		c.orderText(in.Op, x, y, d)
	default:
		c.unsupported(ReasonUnsupported)
	}
}

func (c *compiler) equality(in *ssa.BinOp, x, y, d int) {
	t, negate := in.X.Type(), in.Op == token.NEQ
	if (kindOf(t).class == ifaceClass) != (kindOf(in.Y.Type()).class == ifaceClass) {
		c.unsupported(ReasonUnsupported) // go/ssa converts one of them first
		return
	}
	c.emit(func(fr *frame) {
		same, term := fr.m.equal(t, &fr.r[x], &fr.r[y])
		if negate {
			same = !same
			if term != nil {
				term = fr.m.terms.Not(term)
			}
		}
		fr.r[d] = value{n: solver.Truth(same), e: concrete(term)}
	})
}

// intOps are the operators on integers that cannot fail, and their terms.
var intOps = map[token.Token]struct {
	f  func(a, b uint64) uint64
	op solver.Op
}{
	token.ADD:     {func(a, b uint64) uint64 { return a + b }, solver.Add},
	token.SUB:     {func(a, b uint64) uint64 { return a - b }, solver.Sub},
	token.MUL:     {func(a, b uint64) uint64 { return a * b }, solver.Mul},
	token.AND:     {func(a, b uint64) uint64 { return a & b }, solver.And},
	token.OR:      {func(a, b uint64) uint64 { return a | b }, solver.Or},
	token.XOR:     {func(a, b uint64) uint64 { return a ^ b }, solver.Xor},
	token.AND_NOT: {func(a, b uint64) uint64 { return a &^ b }, solver.And},
}

func (c *compiler) integers(op token.Token, k kind, x, y, d int) {
	o, ok := intOps[op]
	if !ok {
		c.orderIntegers(op, k, x, y, d)
		return
	}
	c.emit(func(fr *frame) {
		a, b := &fr.r[x], &fr.r[y]
		v := value{n: k.extend(o.f(a.n, b.n))}
		if a.e != nil || b.e != nil {
			p, q := fr.m.term(a, k.width), fr.m.term(b, k.width)
			if op == token.AND_NOT {
				q = fr.m.terms.Binary(solver.Xor, q, fr.m.terms.Const(k.width, ^uint64(0)))
			}
			v.e = concrete(fr.m.terms.Binary(o.op, p, q))
		}
		fr.r[d] = v
	})
}

// ordered compares by an operator, given both orders.
func ordered(op token.Token, less, greater bool) bool {
	switch op {
	case token.LSS:
		return less
	case token.LEQ:
		return !greater
	case token.GTR:
		return greater
	}
	return !less
}

func (c *compiler) orderIntegers(op token.Token, k kind, x, y, d int) {
	less := solver.ULt
	if k.signed {
		less = solver.SLt
	}
	swap, negate := op == token.LEQ || op == token.GTR, op == token.LEQ || op == token.GEQ
	c.emit(func(fr *frame) {
		a, b := &fr.r[x], &fr.r[y]
		if swap {
			a, b = b, a
		}
		lt := a.n < b.n
		if k.signed {
			lt = int64(a.n) < int64(b.n)
		}
		v := boolean(lt != negate)
		if a.e != nil || b.e != nil {
			t := fr.m.terms.Binary(less, fr.m.term(a, k.width), fr.m.term(b, k.width))
			if negate {
				t = fr.m.terms.Not(t)
			}
			v.e = concrete(t)
		}
		fr.r[d] = v
	})
}

func (c *compiler) orderText(op token.Token, x, y, d int) {
	swap, negate := op == token.LEQ || op == token.GTR, op == token.LEQ || op == token.GEQ
	c.emit(func(fr *frame) {
		a, b := fr.r[x].str(), fr.r[y].str()
		if swap {
			a, b = b, a
		}
		less, term := fr.m.lessText(a, b)
		v := value{n: solver.Truth(less != negate), e: term}
		if negate && term != nil {
			v.e = fr.m.terms.Not(term)
		}
		fr.r[d] = v
	})
}

func (c *compiler) divide(op token.Token, k kind, x, y, d int) {
	site := c.site(Divisor)
	sop := solver.UDiv
	switch {
	case op == token.REM && k.signed:
		sop = solver.SRem
	case op == token.REM:
		sop = solver.URem
	case k.signed:
		sop = solver.SDiv
	}
	c.emit(func(fr *frame) {
		a, b := &fr.r[x], &fr.r[y]
		if b.e != nil {
			zero := fr.m.terms.Binary(solver.Eq, b.e, fr.m.terms.Const(k.width, 0))
			fr.m.decide(site, value{n: solver.Truth(b.n == 0), e: zero})
		}
		if b.n == 0 {
			fr.m.throw("runtime error: integer divide by zero")
		}
		v := value{n: k.extend(quotient(op, k, a.n, b.n))}
		if a.e != nil || b.e != nil {
			v.e = concrete(fr.m.terms.Binary(sop, fr.m.term(a, k.width), fr.m.term(b, k.width)))
		}
		fr.r[d] = v
	})
}

func quotient(op token.Token, k kind, a, b uint64) uint64 {
	switch {
	case !k.signed && op == token.QUO:
		return a / b
	case !k.signed:
		return a % b
	case op == token.QUO:
		return uint64(int64(a) / int64(b))
	}
	return uint64(int64(a) % int64(b))
}

func (c *compiler) shift(op token.Token, k, by kind, x, y, d int) {
	site := c.site(Negative)
	sop := solver.Shl
	if op == token.SHR && k.signed {
		sop = solver.AShr
	} else if op == token.SHR {
		sop = solver.LShr
	}
	wide := max(k.width, by.width)
	c.emit(func(fr *frame) {
		a, b := &fr.r[x], &fr.r[y]
		negative := by.signed && int64(b.n) < 0
		if by.signed && b.e != nil {
			t := fr.m.terms.Binary(solver.SLt, b.e, fr.m.terms.Const(by.width, 0))
			fr.m.decide(site, value{n: solver.Truth(negative), e: t})
		}
		if negative {
			fr.m.throw("runtime error: negative shift amount")
		}
		v := value{n: k.extend(shifted(op, k, a.n, b.n))}
		if a.e != nil || b.e != nil {
			p := fr.m.terms.Convert(fr.m.term(a, k.width), wide, k.signed)
			q := fr.m.terms.Convert(fr.m.term(b, by.width), wide, false)
			v.e = concrete(fr.m.terms.Convert(fr.m.terms.Binary(sop, p, q), k.width, false))
		}
		fr.r[d] = v
	})
}

func shifted(op token.Token, k kind, a, b uint64) uint64 {
	switch {
	case op == token.SHL:
		return a << b
	case k.signed:
		return uint64(int64(a) >> b)
	}
	return a >> b
}

func (c *compiler) floats(op token.Token, k kind, x, y, d int) {
	c.emit(func(fr *frame) {
		a, b := fr.r[x].float(), fr.r[y].float()
		switch op {
		case token.ADD:
			fr.r[d] = k.float(a + b)
		case token.SUB:
			fr.r[d] = k.float(a - b)
		case token.MUL:
			fr.r[d] = k.float(a * b)
		case token.QUO:
			fr.r[d] = k.float(a / b)
		case token.LEQ, token.GEQ:
			fr.r[d] = boolean(ordered(op, a < b, a > b) && a == a && b == b)
		default:
			fr.r[d] = boolean(ordered(op, a < b, a > b))
		}
	})
}

func (c *compiler) complexes(op token.Token, k kind, x, y, d int) {
	c.emit(func(fr *frame) {
		a, b := fr.r[x].x.(complex128), fr.r[y].x.(complex128)
		switch op {
		case token.ADD:
			a += b
		case token.SUB:
			a -= b
		case token.MUL:
			a *= b
		default:
			a /= b
		}
		fr.r[d] = k.complex(a)
	})
}

// convert compiles a conversion that may change the representation.
func (c *compiler) convert(in, x ssa.Value) {
	from, to := kindOf(x.Type()), kindOf(in.Type())
	r, d := c.reg(x), c.reg(in)
	switch {
	case from.class == intClass && to.class == intClass:
		c.emit(func(fr *frame) {
			v := value{n: to.extend(fr.r[r].n)}
			if e := fr.r[r].e; e != nil {
				v.e = concrete(fr.m.terms.Convert(e, to.width, from.signed))
			}
			fr.r[d] = v
		})
	case from.class == intClass && to.class == floatClass:
		c.emit(func(fr *frame) { fr.r[d] = float(intToFloat(from, to, fr.r[r].n)) })
	case from.class == floatClass && to.class == intClass:
		c.emit(func(fr *frame) { fr.r[d] = value{n: to.extend(floatToInt(to, fr.r[r].float()))} })
	case from.class == floatClass && to.class == floatClass:
		c.emit(func(fr *frame) { fr.r[d] = to.float(fr.r[r].float()) })
	case from.class == complexClass && to.class == complexClass:
		c.emit(func(fr *frame) { fr.r[d] = to.complex(fr.r[r].x.(complex128)) })
	default:
		c.convertText(in, x, from, to)
	}
}

func intToFloat(from, to kind, n uint64) float64 {
	switch {
	case from.signed && to.width == 32:
		return float64(float32(int64(n)))
	case from.signed:
		return float64(int64(n))
	case to.width == 32:
		return float64(float32(n))
	}
	return float64(n)
}

func floatToInt(to kind, f float64) uint64 {
	if to.signed || f < math.MaxInt64 {
		return uint64(int64(f))
	}
	return uint64(f)
}

// convertText compiles conversions of strings, slices and pointers.
func (c *compiler) convertText(in, x ssa.Value, from, to kind) {
	r, d := c.reg(x), c.reg(in)
	switch {
	case from.class == intClass && to.class == stringClass:
		c.emit(func(fr *frame) { fr.r[d] = value{x: fr.m.encode(&fr.r[r], from)} })
	case from.class == stringClass && to.class == stringClass:
		c.copyTo(in, x)
	case to.class == stringClass:
		runes := elemWidth(x.Type()) == 32
		c.emit(func(fr *frame) { fr.r[d] = fr.m.joined(&fr.r[r], runes) })
	case from.class == stringClass:
		runes := elemWidth(in.Type()) == 32
		site := c.site(Choice)
		c.emit(func(fr *frame) { fr.r[d] = fr.m.split(fr.r[r].str(), runes, site) })
	case isUnsafe(in.Type()) && from.class != intClass:
		t := x.Type()
		c.emit(func(fr *frame) {
			if v := fr.r[r]; v.x == nil {
				fr.r[d] = value{}
			} else {
				fr.r[d] = value{x: &opaque{v, t}}
			}
		})
	case isUnsafe(x.Type()) && to.class != intClass:
		t := in.Type()
		c.emit(func(fr *frame) {
			p, ok := fr.r[r].x.(*opaque)
			switch {
			case fr.r[r].x == nil:
				fr.r[d] = value{}
			case ok && alike(elemOf(p.t), elemOf(t)):
				fr.r[d] = p.p
			case ok && kindOf(elemOf(t)).class == stringClass && elemWidth(elemOf(p.t)) == 8: // of bytes, which are copied
				s := fr.m.joined(p.p.x.(*value), false)
				fr.r[d] = value{x: &s}
			case ok && isArrayOf(elemOf(t), elemOf(p.t)):
				first := p.p
				fr.r[d] = value{x: &value{x: &aggregate{contiguous(&first, int(elemOf(t).Underlying().(*types.Array).Len()))}}}
			default:
				fr.m.abort(ReasonUnsafe, "conversion to "+t.String())
			}
		})
	default:
		c.unsupported(ReasonUnsafe)
	}
}

func elemOf(pointer types.Type) types.Type {
	if p, ok := pointer.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return types.Typ[types.Invalid]
}

// alike reports whether values of two types have the same form here and in memory.
func alike(a, b types.Type) bool {
	a, b = a.Underlying(), b.Underlying()
	if types.Identical(a, b) {
		return a != types.Typ[types.Invalid]
	}
	switch x := a.(type) {
	case *types.Basic:
		p, q := kindOf(a), kindOf(b)
		return p.width == q.width && (p.class == intClass || p.class == floatClass) && (q.class == intClass || q.class == floatClass) &&
			(p.class == q.class && p.signed == q.signed || p.width == 64)
	case *types.Struct:
		y, ok := b.(*types.Struct)
		if !ok || x.NumFields() != y.NumFields() {
			return false
		}
		for i := range x.NumFields() {
			if !alike(x.Field(i).Type(), y.Field(i).Type()) {
				return false
			}
		}
		return true
	case *types.Slice:
		y, ok := b.(*types.Slice)
		return ok && alike(x.Elem(), y.Elem())
	case *types.Array:
		y, ok := b.(*types.Array)
		return ok && x.Len() == y.Len() && alike(x.Elem(), y.Elem())
	}
	return false
}

func isArrayOf(array, elem types.Type) bool {
	a, ok := array.Underlying().(*types.Array)
	return ok && alike(a.Elem(), elem)
}

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func elemWidth(t types.Type) uint8 {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return kindOf(s.Elem()).width
	}
	return 0
}

// joined returns the string of a []byte or a []rune.
func (m *Machine) joined(v *value, runes bool) value {
	list := v.elems()
	m.allocate(len(list) / 16)
	if !runes {
		return value{x: textOf(list, lengthOf(v).e)}
	}
	s := noText
	for i := range list {
		s = m.concat(s, m.encode(&list[i], kind{intClass, 32, true}))
	}
	return value{x: s}
}

// split returns the []byte or the []rune of a string.
func (m *Machine) split(s *str, runes bool, site int32) value {
	if !runes {
		return value{x: &slice{m.bytesOf(s), s.n}}
	}
	list := []value{}
	for i := 0; i < len(s.s); {
		r, width := m.decode(s, i, site)
		list = append(list, r)
		i += width
	}
	m.allocate(len(list))
	return value{x: &slice{a: list}}
}
