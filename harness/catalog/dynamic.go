package catalog

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
)

// Generic code may ask for the dynamic type of a value of its type parameter:
//
//	switch any(key).(type) {
//	case string:
//	case encoding.TextMarshaler:
//
// Such types become type arguments.

// An asked type is one that code asks for.
type asked struct {
	t       types.Type
	pointer bool // t is an interface, and code asks whether a pointer to the value has it
	order   int  // of places in the source
}

// A flow tells that all types asked for at to are asked for at from, too: a variable of an
// interface type, or the type parameters in a type.
type flow struct {
	from types.Object
	in   types.Type // if from is nil
	to   types.Object
}

// dynamic collects the types that the package asks for.
type dynamic struct {
	f     *finder
	asked map[types.Object][]asked // by variable of an interface type, and by type parameter
	flows []flow
	count int // of places
}

// surveyDynamic returns the types that code asks for, by type parameter.
func (f *finder) surveyDynamic() map[types.Object][]asked {
	d := &dynamic{f: f, asked: map[types.Object][]asked{}}
	for _, file := range f.in.Files {
		for n := range ast.Preorder(file) {
			d.node(n)
		}
	}
	for again := true; again; {
		again = false
		for _, w := range d.flows {
			for _, a := range slices.Clone(d.asked[w.to]) {
				again = d.pass(w, a) || again
			}
		}
	}
	for _, list := range d.asked { // in one order for all type parameters that share them
		slices.SortStableFunc(list, func(a, b asked) int { return cmp.Compare(a.order, b.order) })
	}
	return d.asked
}

func (d *dynamic) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.TypeSwitchStmt:
		d.typeSwitch(n)
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			d.ask(n.X, n.Type)
		}
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for i, to := range n.Lhs {
				d.flow(n.Rhs[i], d.variable(to))
			}
		}
	case *ast.ValueSpec:
		if len(n.Names) == len(n.Values) {
			for i, to := range n.Names {
				d.flow(n.Values[i], d.variable(to))
			}
		}
	case *ast.CallExpr:
		d.call(n)
	case *ast.Ident:
		d.instance(n)
	}
}

func (d *dynamic) typeSwitch(n *ast.TypeSwitchStmt) {
	for a := range ast.Preorder(n.Assign) {
		guard, ok := a.(*ast.TypeAssertExpr)
		if !ok || guard.Type != nil {
			continue
		}
		for _, s := range n.Body.List {
			for _, e := range s.(*ast.CaseClause).List {
				d.ask(guard.X, e)
			}
		}
	}
}

// ask notes that code asks whether the value of x has a type.
func (d *dynamic) ask(x, typ ast.Expr) {
	tv := d.f.in.Info.Types[typ]
	if !tv.IsType() || mentionsParam(tv.Type) || isAny(tv.Type) {
		return
	}
	d.count++
	from, in := d.value(x)
	d.pass(flow{from: from, in: in}, asked{t: types.Unalias(tv.Type), order: d.count})
}

// value returns the variable that an expression of an interface type names, and the type of
// another expression. Conversions to an interface are left out.
func (d *dynamic) value(e ast.Expr) (types.Object, types.Type) {
	e = ast.Unparen(e)
	call, ok := e.(*ast.CallExpr)
	tv, known := d.f.in.Info.Types[e]
	switch {
	case !known || tv.Type == nil:
		return nil, nil
	case !holds(tv.Type):
		return nil, tv.Type
	case ok && len(call.Args) == 1 && d.f.in.Info.Types[call.Fun].IsType():
		return d.value(call.Args[0])
	}
	return d.variable(e), nil
}

// variable returns the variable of an interface type that e names, or nil.
func (d *dynamic) variable(e ast.Expr) types.Object {
	obj := d.f.named(e)
	if id, ok := e.(*ast.Ident); ok && obj == nil {
		obj = d.f.in.Info.Defs[id]
	}
	if v, ok := obj.(*types.Var); ok && holds(v.Type()) {
		return v.Origin()
	}
	return nil
}

// holds reports whether a value of type t has a dynamic type.
func holds(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return !param && types.IsInterface(t)
}

func (d *dynamic) flow(from ast.Expr, to types.Object) {
	if to == nil {
		return
	}
	if v, in := d.value(from); v != nil || in != nil && mentionsParam(in) {
		d.flows = append(d.flows, flow{v, in, to})
	}
}

// call notes the arguments for parameters of an interface type.
func (d *dynamic) call(n *ast.CallExpr) {
	decl := d.f.source.decl(d.f.callee(n))
	if decl == nil {
		return
	}
	params := d.f.parameters(&ast.FuncDecl{Type: decl.Type})
	for i, arg := range n.Args {
		if i < len(params) && params[i] != nil && holds(params[i].Type()) {
			d.flow(arg, params[i])
		}
	}
}

// instance notes that an instance of a generic function or type of the package is named, as in the
// receiver of a method. Types that a function asks for are asked for at the generic types it names,
// too, so that both have the same type arguments.
func (d *dynamic) instance(id *ast.Ident) {
	obj := d.f.in.Info.Uses[id]
	inst, ok := d.f.in.Info.Instances[id]
	if !ok || obj == nil || obj.Pkg() != d.f.pkg {
		return
	}
	var params *types.TypeParamList
	_, isType := obj.(*types.TypeName)
	switch t := types.Unalias(obj.Type()).(type) {
	case *types.Named:
		params = t.Origin().TypeParams()
	case *types.Signature:
		params = t.TypeParams()
	}
	for i := range min(params.Len(), inst.TypeArgs.Len()) {
		arg, param := inst.TypeArgs.At(i), params.At(i)
		if mentionsParam(arg) {
			d.flows = append(d.flows, flow{in: arg, to: param.Obj()})
		}
		if p, ok := arg.(*types.TypeParam); ok && isType {
			d.flows = append(d.flows, flow{in: param, to: p.Obj()})
		}
	}
}

// pass notes at the start of a flow that its end is asked for a, and reports whether that is new.
func (d *dynamic) pass(w flow, a asked) bool {
	switch {
	case w.from != nil:
		return d.add(w.from, a)
	case w.in != nil:
		return d.bind(w.in, a)
	}
	return false
}

// bind finds the types that type parameters in t have if t is the type that is asked for.
func (d *dynamic) bind(t types.Type, a asked) bool {
	p, ok := types.Unalias(t).(*types.TypeParam)
	switch {
	case ok:
		news := d.add(p.Obj(), a)
		core := coreOf(p)
		return core != nil && !a.pointer && d.bind(core, a) || news
	case a.pointer:
		return false
	case types.IsInterface(a.t):
		ptr, ok := types.Unalias(t).(*types.Pointer)
		return ok && d.bind(ptr.Elem(), asked{a.t, true, a.order})
	}
	from, to := Parts(t), Parts(a.t)
	if !sameForm(t, a.t) || len(from) != len(to) {
		return false
	}
	news := false
	for i := range from {
		news = d.bind(from[i], asked{t: to[i], order: a.order}) || news
	}
	return news
}

// sameForm reports whether t and u are both pointers, slices …, or instances of one type.
func sameForm(t, u types.Type) bool {
	a, ok1 := types.Unalias(t).(*types.Named)
	b, ok2 := types.Unalias(u).(*types.Named)
	if ok1 && ok2 {
		return a.Origin() == b.Origin()
	}
	return fmt.Sprintf("%T", types.Unalias(t)) == fmt.Sprintf("%T", types.Unalias(u))
}

func (d *dynamic) add(to types.Object, a asked) bool {
	same := func(b asked) bool { return a.pointer == b.pointer && types.Identical(a.t, b.t) }
	list := d.asked[to]
	i := slices.IndexFunc(list, same)
	switch {
	case i < 0:
		d.asked[to] = append(list, a)
	case a.order < list[i].order:
		list[i].order = a.order
	default:
		return false
	}
	return true
}

// mentionsParam reports whether there is a type parameter in t.
func mentionsParam(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	return slices.ContainsFunc(Parts(t), mentionsParam)
}

// askedTypes returns the types that code asks for of values of p, but for those in have: basic ones first.
// The first type of which values implement an interface that code asks for is the second.
func (f *finder) askedTypes(p *types.TypeParam, have, candidates []types.Type) (list []types.Type) {
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	add := func(to []types.Type, t types.Type) []types.Type {
		if contains(have, t) || contains(to, t) || f.reach(t) != everywhere || hasLock(t) || !types.Satisfies(t, constraint) {
			return to
		}
		return append(to, t)
	}
	var others, implement []types.Type
	for _, a := range f.dynamic[p.Obj()] {
		switch {
		case types.IsInterface(a.t):
			one := func(t types.Type) bool { return a.holds(t) && len(add(nil, t)) > 0 }
			if i := slices.IndexFunc(candidates, one); i >= 0 && !slices.ContainsFunc(slices.Concat(have, implement), a.holds) {
				implement = append(implement, candidates[i])
			}
		case isBasic(a.t):
			list = add(list, a.t)
		default:
			others = add(others, a.t)
		}
	}
	n, m := min(len(list), 1), min(len(implement), 1)
	return slices.Concat(list[:n], implement[:m], list[n:], others, implement[m:])
}

// holds reports whether a value of type t, or a pointer to one, is of the type that is asked for.
func (a asked) holds(t types.Type) bool {
	if a.pointer {
		t = types.NewPointer(t)
	}
	return types.AssignableTo(t, a.t)
}
