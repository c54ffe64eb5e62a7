package concolic

import (
	"fmt"
	"go/types"
	"regexp"
	"strings"
)

// sprintf formats as fmt does. Strings that %s and %v write as they are keep their symbols;
// those of all else are lost.
func sprintf(m *Machine, a []value) value { return value{x: m.format(a[0].str(), a[1].elems())} }

func sprint(m *Machine, a []value) value { return text(fmt.Sprint(m.formatted(a[0].elems(), 'v')...)) }

func sprintln(m *Machine, a []value) value {
	return text(fmt.Sprintln(m.formatted(a[0].elems(), 'v')...))
}

// fprint returns the model of a function that writes what another one returns.
func fprint(of func(m *Machine, a []value) value) func(m *Machine, a []value) value {
	return func(m *Machine, a []value) value {
		w := a[0].iface()
		if w == nil {
			m.throw("runtime error: invalid memory address or nil pointer dereference")
		}
		s := of(m, a[1:])
		write := m.exported(w.t, "Write")
		if write == nil {
			m.abort(ReasonNoBody, "fmt.Fprint to "+w.t.typ.String())
		}
		return m.call(write, []value{w.v, {x: &slice{m.bytesOf(s.str()), s.str().n}}}, nil)
	}
}

// errorf returns an error that wraps the last argument that is an error.
func errorf(m *Machine, a []value) value {
	var wrapped value
	for _, v := range a[1].elems() {
		if i := v.iface(); i != nil && types.Implements(i.t.typ, types.Universe.Lookup("error").Type().Underlying().(*types.Interface)) {
			wrapped = v
		}
	}
	if !wrapsError.MatchString(a[0].str().s) {
		wrapped = value{}
	}
	return m.model("Errorf", sprintf(m, a), wrapped)
}

// errorsAs is errors.As along Unwrap() error. Methods As are not asked.
func errorsAs(m *Machine, a []value) value {
	target := a[1].iface()
	want := elemOf(target.t.typ)
	for err := a[0].iface(); err != nil; {
		if want, ok := want.Underlying().(*types.Interface); ok && types.Implements(err.t.typ, want) {
			m.store(target.v.x.(*value), value{x: err})
			return boolean(true)
		}
		if types.Identical(err.t.typ, want) {
			m.store(target.v.x.(*value), err.v)
			return boolean(true)
		}
		unwrap := m.exported(err.t, "Unwrap")
		if unwrap == nil || kindOf(unwrap.ssa.Signature.Results().At(0).Type()).class != ifaceClass {
			break
		}
		next := m.call(unwrap, []value{err.v}, nil)
		err = next.iface()
	}
	return boolean(false)
}

var (
	verbs      = regexp.MustCompile(`%[-+# 0]*[0-9]*(\.[0-9]*)?[a-zA-Z%]|[^%]+|%`)
	wrapsError = regexp.MustCompile(`%w`)
)

// format formats one verb after the other, unless they name their arguments.
func (m *Machine) format(format *str, args []value) *str {
	s := noText
	next := 0
	for _, part := range verbs.FindAllString(format.s, -1) {
		switch {
		case part == "%" || len(args) == next && part[0] == '%' && part != "%%":
			return &str{s: fmt.Sprintf(format.s, m.formatted(args, 'v')...)}
		case part[0] != '%' || part == "%%":
			s = m.concat(s, &str{s: strings.ReplaceAll(part, "%%", "%")})
			continue
		}
		if i := args[next].iface(); i != nil && kindOf(i.t.typ).class == stringClass && (part == "%s" || part == "%v") && m.texter(i.t) == nil {
			s = m.concat(s, i.v.str())
		} else {
			if part[len(part)-1] == 'w' {
				part = part[:len(part)-1] + "v"
			}
			s = m.concat(s, &str{s: fmt.Sprintf(part, m.formatted(args[next:next+1], part[len(part)-1])...)})
		}
		next++
	}
	return s
}

// formatted returns arguments as fmt can print them.
func (m *Machine) formatted(args []value, verb byte) []any {
	list := make([]any, len(args))
	for i := range args {
		if it := args[i].iface(); it != nil {
			list[i] = m.printable(it, verb)
		}
	}
	return list
}

// exported returns the method of a type with a name, or nil.
func (m *Machine) exported(t *rtype, name string) *function {
	if t == m.fault {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(t.typ, false, nil, name)
	method, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	return m.method(t, method)
}

// texter returns the Error or String of a type, or nil.
func (m *Machine) texter(t *rtype) *function {
	for _, name := range [...]string{"Error", "String"} {
		if f := m.exported(t, name); f != nil {
			if sig := f.ssa.Signature; sig.Params().Len() == 0 && sig.Results().Len() == 1 && kindOf(sig.Results().At(0).Type()).class == stringClass {
				return f
			}
		}
	}
	return nil
}

// shown is the text of a value that is no string: operands of Sprint have a space between them
// unless one is.
type shown struct{ text string }

func (s shown) String() string { return s.text }

// printable returns a value for fmt, with the text of its method if a verb asks for that. Of
// one that is neither a scalar, text nor a list of them, and has no such method, there is the
// type.
func (m *Machine) printable(it *iface, verb byte) any {
	if m.fault == it.t {
		return it.v.str().s
	}
	if strings.IndexByte("vsqxX", verb) >= 0 {
		if f := m.texter(it.t); f != nil {
			s := m.call(f, []value{it.v}, nil)
			return shown{s.str().s}
		}
	}
	return m.native(it.t.typ, &it.v)
}

// native returns a value as a Go value, as far as it consists of scalars and strings.
func (m *Machine) native(t types.Type, v *value) any {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return nativeBasic(u, v)
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 {
			return []byte(textOf(v.elems(), nil).s)
		}
		list := []any{}
		for i := range v.elems() {
			e := &v.elems()[i]
			if it, ok := e.x.(*iface); ok && kindOf(u.Elem()).class == ifaceClass {
				list = append(list, m.printable(it, 'v'))
			} else if kindOf(u.Elem()).class != ifaceClass {
				list = append(list, m.native(u.Elem(), e))
			}
		}
		return list
	}
	return t.String()
}

func nativeBasic(b *types.Basic, v *value) any {
	n := v.n
	values := map[types.BasicKind]any{
		types.Bool: n != 0, types.Int: int(n), types.Int8: int8(n), types.Int16: int16(n), types.Int32: int32(n), types.Int64: int64(n),
		types.Uint: uint(n), types.Uint8: uint8(n), types.Uint16: uint16(n), types.Uint32: uint32(n), types.Uint64: n, types.Uintptr: uintptr(n),
	}
	if x, ok := values[b.Kind()]; ok {
		return x
	}
	switch b.Kind() {
	case types.Float32:
		return float32(v.float())
	case types.Float64:
		return v.float()
	case types.String:
		return v.str().s
	}
	return v.x
}
