package seq

import (
	"fmt"
	"go/ast"
)

// operand reads n as an argument where type want is wanted.
func (m *matcher) operand(n ast.Expr, want TypeID) (Arg, bool) {
	exact := m.exact
	if id, ok := n.(*ast.Ident); ok && isValueName(id.Name) {
		return m.value(id, want)
	}
	if r, ok := readRaw(n, m.mathName); ok {
		return m.untyped(n, r, want)
	}
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || call.Ellipsis.IsValid() {
		return Arg{}, false
	}
	typ := m.typeOf(call.Fun)
	if typ == 0 {
		return Arg{}, false
	}
	if typ == want && m.t.Types[typ].Literal == NoLiteral { // any(v0): see Table.Wrap
		a, ok := m.operand(call.Args[0], typ)
		m.exact = exact
		return a, ok
	}
	r, ok := readRaw(call.Args[0], m.mathName)
	if !ok {
		return Arg{}, false
	}
	v, ok := r.as(&m.t.Types[typ])
	if !ok || !m.t.AssignableTo(typ, want) {
		return Arg{}, m.fail(misfit, n, func() string {
			return fmt.Sprintf("%s is not a value of type %s", clip(string(m.source(n))), m.t.Types[want].Name)
		})
	}
	m.exact = m.exact && typ == want
	return Arg{Lit: &Literal{Type: typ, Value: v}}, true
}

func (m *matcher) value(id *ast.Ident, want TypeID) (Arg, bool) {
	slot, ok := m.values[id.Name]
	if !ok {
		return Arg{}, m.fail(noValue, id, func() string { return "no value " + id.Name })
	}
	if slot < 0 {
		return Arg{}, m.fail(noValue, id, func() string { return "hangs on " + id.Name + ", which was dropped" })
	}
	typ := m.slots[slot]
	if typ != want {
		if !m.t.AssignableTo(typ, want) {
			return Arg{}, m.fail(misfit, id, func() string {
				return fmt.Sprintf("%s has type %s, want %s", id.Name, m.t.Types[typ].Name, m.t.Types[want].Name)
			})
		}
		m.exact = false
	}
	return Slot(int(slot)), true
}

// untyped reads an untyped literal: as the wanted type, or where that takes no
// literals, an interface, as its default type.
func (m *matcher) untyped(n ast.Expr, r rawLiteral, want TypeID) (Arg, bool) {
	typ := want
	if def := m.types[r.def]; r.def != "" {
		if m.t.Types[want].Literal == NoLiteral || r.constant == nil {
			typ = def
		}
		m.exact = m.exact && def == want
	}
	v, ok := r.as(&m.t.Types[typ])
	if !ok || typ == 0 || !m.t.AssignableTo(typ, want) {
		return Arg{}, m.fail(misfit, n, func() string {
			return fmt.Sprintf("%s is not a value of type %s", clip(string(m.source(n))), m.t.Types[want].Name)
		})
	}
	return Arg{Lit: &Literal{Type: typ, Value: v}}, true
}

// typeOf returns the type that n names, or zero.
func (m *matcher) typeOf(n ast.Expr) TypeID {
	if p, ok := n.(*ast.ParenExpr); ok {
		n = p.X
	}
	if id, ok := n.(*ast.Ident); ok {
		return m.types[id.Name]
	}
	return m.types[compact(string(m.source(n)))]
}
