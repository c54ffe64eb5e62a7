package concolic

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic/solver"
)

// call compiles a call. The result evaluates callee and arguments, and returns a function
// that makes the call.
func (c *compiler) call(in *ssa.CallCommon) func(*frame) func() value {
	args := c.regsOf(in.Args)
	enter := c.enter(in)
	if b, ok := in.Value.(*ssa.Builtin); ok {
		f := c.builtin(b.Name(), in)
		return func(fr *frame) func() value {
			vals := fr.gather(args)
			return func() value { return f(fr, vals) }
		}
	}
	if in.IsInvoke() {
		x, method := c.reg(in.Value), in.Method
		return func(fr *frame) func() value {
			i := fr.r[x].iface()
			if i == nil {
				fr.m.throw("runtime error: invalid memory address or nil pointer dereference")
			}
			f := fr.m.method(i.t, method)
			vals := append([]value{i.v}, fr.gather(args)...)
			return func() value { return enter(fr.m, f, vals, nil) }
		}
	}
	if fn, ok := in.Value.(*ssa.Function); ok {
		if fn.Synthetic == "package initializer" {
			return func(fr *frame) func() value {
				return func() value {
					fr.m.initOnce(fn.Pkg) // that it fails matters when the package is used
					return value{}
				}
			}
		}
		f := c.m.function(fn)
		return func(fr *frame) func() value {
			vals := fr.gather(args)
			return func() value { return enter(fr.m, f, vals, nil) }
		}
	}
	x := c.reg(in.Value)
	return func(fr *frame) func() value {
		cl, ok := fr.r[x].x.(*closure)
		vals := fr.gather(args)
		return func() value {
			if !ok {
				fr.m.throw("runtime error: invalid memory address or nil pointer dereference")
			}
			return enter(fr.m, cl.fn, vals, cl.free)
		}
	}
}

// enter returns a function that makes the call that is compiled, under a number of its own.
func (c *compiler) enter(in *ssa.CallCommon) func(m *Machine, f *function, args, free []value) value {
	number := c.m.callNumber(c.f.ssa.Pkg, in)
	return func(m *Machine, f *function, args, free []value) value {
		m.calling = number
		return m.call(f, args, free)
	}
}

// callNumber returns the number of a call. Calls of one function in packages that
// [Program.Compile] has added have one number.
func (m *Machine) callNumber(from *ssa.Package, in *ssa.CallCommon) int32 {
	var callee any = in.StaticCallee()
	if in.IsInvoke() {
		callee = in.Method
	}
	if from == nil || !m.prog.isAdded(from) || callee == (*ssa.Function)(nil) {
		m.calls++
		return m.calls
	}
	number, ok := m.entries[callee]
	if !ok {
		m.calls++
		number = m.calls
		m.entries[callee] = number
	}
	return number
}

func (c *compiler) deferCall(in *ssa.Defer) {
	c.f.defers = true
	if in.DeferStack != nil {
		c.unsupported(ReasonUnsupported) // of a loop body that is a function: rare
		return
	}
	call := c.call(&in.Call)
	c.emit(func(fr *frame) {
		f := call(fr)
		fr.defers = append(fr.defers, func() { f() })
	})
}

// builtin compiles a call of a predeclared function.
func (c *compiler) builtin(name string, in *ssa.CallCommon) func(fr *frame, args []value) value {
	var t types.Type
	if len(in.Args) > 0 {
		t = in.Args[0].Type()
	}
	switch name {
	case "len", "cap":
		return lengthFunc(name, t)
	case "append":
		return func(fr *frame, args []value) value { return fr.m.appended(&args[0], &args[1], t) }
	case "copy":
		return func(fr *frame, args []value) value { return fr.m.copied(&args[0], &args[1]) }
	case "delete":
		site := c.site(Key)
		return func(fr *frame, args []value) value {
			fr.m.remove(t.Underlying().(*types.Map), &args[0], &args[1], site)
			return value{}
		}
	case "min", "max":
		return c.extreme(name == "min", kindOf(t))
	case "clear":
		return func(fr *frame, args []value) value { return fr.m.cleared(&args[0], t) }
	case "recover":
		return func(fr *frame, _ []value) value {
			p := fr.panicker
			if p == nil || p.panicked == nil {
				return value{}
			}
			v := p.panicked.v
			p.panicked = nil
			return v
		}
	case "ssa:wrapnilchk":
		return func(fr *frame, args []value) value {
			if args[0].x == nil {
				fr.m.throw("value method called using nil pointer")
			}
			return args[0]
		}
	case "print", "println":
		return func(*frame, []value) value { return value{} }
	}
	return c.rareBuiltin(name)
}

func (c *compiler) rareBuiltin(name string) func(fr *frame, args []value) value {
	switch name {
	case "real":
		return func(_ *frame, args []value) value { return float(real(args[0].x.(complex128))) }
	case "imag":
		return func(_ *frame, args []value) value { return float(imag(args[0].x.(complex128))) }
	case "complex":
		return func(_ *frame, args []value) value { return value{x: complex(args[0].float(), args[1].float())} }
	case "String": // unsafe.String
		return func(fr *frame, args []value) value {
			return value{x: textOf(contiguous(&args[0], int(args[1].n)), args[1].e)}
		}
	case "Slice":
		return func(fr *frame, args []value) value {
			if args[0].x == nil {
				return value{}
			}
			return value{x: &slice{contiguous(&args[0], int(args[1].n)), args[1].e}}
		}
	case "SliceData":
		return func(fr *frame, args []value) value {
			s, ok := args[0].x.(*slice)
			if !ok || cap(s.a) == 0 {
				return value{}
			}
			return value{x: &s.a[:1][0]}
		}
	case "StringData":
		return func(fr *frame, args []value) value {
			if list := fr.m.bytesOf(args[0].str()); len(list) > 0 {
				return value{x: &list[0]}
			}
			return value{}
		}
	}
	reason := ReasonUnsafe
	if name == "close" {
		reason = ReasonGoroutine
	}
	return func(fr *frame, _ []value) value {
		fr.m.abort(reason, name)
		return value{}
	}
}

func lengthFunc(name string, t types.Type) func(fr *frame, args []value) value {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return func(*frame, []value) value { return integer(int(a.Len())) }
	}
	return func(fr *frame, args []value) value {
		switch s := args[0].x.(type) {
		case *mapping:
			return integer(s.live)
		case *slice:
			if name == "cap" {
				return integer(cap(s.a))
			}
		case nil:
			return value{}
		}
		length, _ := fr.m.extent(&args[0])
		return length
	}
}

// appended returns append(x, y...). It grows as the Go runtime does, though not by the
// same sizes.
func (m *Machine) appended(x, y *value, t types.Type) value {
	more, n := y.elems(), lengthOf(y)
	if s, ok := y.x.(*str); ok {
		more, n = m.bytesOf(s), s.length()
	}
	if len(more) == 0 && n.e == nil {
		return *x
	}
	old, length := x.elems(), lengthOf(x)
	out := &slice{}
	if length.e != nil || n.e != nil {
		out.n = m.terms.Binary(solver.Add, m.term(&length, 64), m.term(&n, 64))
	}
	if total := len(old) + len(more); total <= cap(old) {
		out.a = old[:total]
	} else {
		elem := t.Underlying().(*types.Slice).Elem()
		out.a = m.zeros(elem, max(total, 2*len(old)))[:total]
		for i := range old {
			out.a[i] = clone(old[i])
		}
	}
	m.copyElems(out.a[len(old):], more)
	return value{x: out}
}

// copyElems copies elements, which may overlap.
func (m *Machine) copyElems(to, from []value) {
	n := min(len(to), len(from))
	if n == 0 {
		return
	}
	m.steps += n
	list := make([]value, n)
	for i := range list {
		list[i] = clone(from[i])
	}
	for i := range list {
		m.store(&to[i], list[i])
	}
}

func (m *Machine) copied(to, from *value) value {
	src := from.elems()
	if s, ok := from.x.(*str); ok {
		src = m.bytesOf(s)
	}
	m.copyElems(to.elems(), src)
	return integer(min(len(to.elems()), len(src)))
}

func (m *Machine) cleared(x *value, t types.Type) value {
	switch s := x.x.(type) {
	case *mapping:
		m.change(s)
		s.at, s.live = map[any]int{}, 0
		for i := range s.gone {
			s.gone[i] = true
		}
	case *slice:
		for i := range s.a {
			m.store(&s.a[i], m.zero(t.Underlying().(*types.Slice).Elem()))
		}
	}
	return value{}
}

// extreme compiles min and max.
func (c *compiler) extreme(least bool, k kind) func(fr *frame, args []value) value {
	site := c.site(Choice)
	return func(fr *frame, args []value) value {
		best := args[0]
		for _, v := range args[1:] {
			switch k.class {
			case floatClass:
				if least {
					best = float(min(best.float(), v.float()))
				} else {
					best = float(max(best.float(), v.float()))
				}
			case stringClass:
				if less, _ := fr.m.lessText(v.str(), best.str()); less == least && v.str().s != best.str().s {
					best = v
				}
			default:
				best = fr.m.extremeOf(least, k, best, v, site)
			}
		}
		return best
	}
}

// extremeOf returns the least or greatest of two integers. Which one it is, is a branch.
func (m *Machine) extremeOf(least bool, k kind, a, b value, site int32) value {
	less, op := b.n < a.n, solver.ULt
	if k.signed {
		less, op = int64(b.n) < int64(a.n), solver.SLt
	}
	if a.e != nil || b.e != nil {
		m.decide(site, value{n: solver.Truth(less), e: m.terms.Binary(op, m.term(&b, k.width), m.term(&a, k.width))})
	}
	if less == least {
		return b
	}
	return a
}
