package usage

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"slices"

	"foray.test/engine/seq"
	"foray.test/harness/catalog"
)

// expectsPanic matches the names of functions that expect a function to panic.
var expectsPanic = regexp.MustCompile(`(?i)panic`)

// expectsNone matches those that expect none.
var expectsNone = regexp.MustCompile(`(?i)(not|no|never|without)_?panic`)

// call reads a call and returns its results.
func (r *reader) call(s *state, f *frame, e *ast.CallExpr) []value {
	fun := ast.Unparen(e.Fun)
	if tv := r.unit.Info.Types[fun]; tv.IsType() {
		if len(e.Args) != 1 {
			return nil
		}
		return []value{r.convert(s, r.eval(s, f, e.Args[0]), tv.Type)}
	} else if tv.IsBuiltin() {
		return []value{r.builtin(s, f, e)}
	}
	if lit, ok := fun.(*ast.FuncLit); ok {
		return r.inline(s, f, &funcValue{typ: lit.Type, body: lit.Body}, r.evalAll(s, f, e.Args))
	}
	return r.named(s, f, e, fun)
}

// named reads the call of a function or method that has a name.
func (r *reader) named(s *state, f *frame, e *ast.CallExpr, fun ast.Expr) []value {
	callee, recv, obj := r.callee(s, f, fun)
	name := calleeName(fun)
	if lit := lastFunc(e.Args); lit != nil && (callee.Func == nil || callee.Func.Pkg() == nil || callee.Func.Pkg().Path() != r.path || r.functions[callee.Func] != nil) {
		if r.passedFunc(s, f, e, name, lit) {
			return nil
		}
	}
	if f.fuzz && name == "Add" && callee.Func != nil && callee.Func.FullName() == "(*testing.F).Add" {
		f.rows = append(f.rows, r.evalAll(s, f, e.Args))
		return nil
	}
	args := r.evalAll(s, f, e.Args)
	if v, ok := obj.(*types.Var); ok {
		fn := r.variable(s, f, v)
		switch {
		case fn.kind != function:
			return nil
		case fn.fn.obj == nil:
			return r.inline(s, f, fn.fn, args)
		}
		callee = catalog.Callee{Func: fn.fn.obj, Sig: fn.fn.obj.Signature()}
	}
	if callee.Func == nil {
		return nil
	}
	callee.Spread = e.Ellipsis.IsValid()
	return r.declared(s, f, e, callee, recv, args)
}

// declared reads the call of a declared function or method.
func (r *reader) declared(s *state, f *frame, e *ast.CallExpr, callee catalog.Callee, recv value, args []value) []value {
	if decl := r.functions[callee.Func.Origin()]; decl != nil {
		if decl.Recv != nil {
			for _, name := range decl.Recv.List[0].Names {
				s.vars[r.unit.Info.Defs[name]] = recv
			}
		}
		return r.inline(s, f, &funcValue{typ: decl.Type, body: decl.Body}, args)
	}
	if found := r.lookup(e, callee); len(found.ids) > 0 {
		return r.operation(s, f, e, callee, found, recv, args)
	}
	if callee.Func.Pkg() != nil && callee.Func.Pkg().Path() == r.path { // it has no operation
		if callee.Func.Exported() {
			r.places[e.Lparen] = true
		}
		r.leaveOut(s, callee, recv, args)
		return nil
	}
	return r.foreign(s, callee, recv, args)
}

// evalAll returns the values of expressions, or those of the only one, a call with several results.
func (r *reader) evalAll(s *state, f *frame, list []ast.Expr) []value {
	values := make([]value, 0, len(list))
	if len(list) == 1 {
		if call, ok := ast.Unparen(list[0]).(*ast.CallExpr); ok && r.unit.Info.Types[list[0]].Value == nil {
			if _, isTuple := r.typeOf(call).(*types.Tuple); isTuple {
				return r.call(s, f, call)
			}
		}
	}
	for _, e := range list {
		values = append(values, r.eval(s, f, e))
	}
	return values
}

// callee returns the function that a call names, with the value of its receiver, or the
// object that holds it.
func (r *reader) callee(s *state, f *frame, fun ast.Expr) (c catalog.Callee, recv value, obj types.Object) {
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.IndexExpr:
		return r.callee(s, f, x.X)
	case *ast.IndexListExpr:
		return r.callee(s, f, x.X)
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
		if sel, ok := r.unit.Info.Selections[x]; ok {
			recv = r.eval(s, f, x.X)
			fn, isFunc := sel.Obj().(*types.Func)
			sig, isSig := sel.Type().(*types.Signature)
			if !isFunc || !isSig || sel.Kind() != types.MethodVal {
				return c, recv, nil
			}
			return catalog.Callee{Func: fn, Sig: sig, Recv: sel.Recv()}, recv, fn
		}
	default:
		return c, recv, nil
	}
	obj = r.unit.Info.Uses[id]
	fn, ok := obj.(*types.Func)
	if !ok {
		return c, recv, obj
	}
	c = catalog.Callee{Func: fn, Sig: fn.Signature()}
	if inst, ok := r.unit.Info.Instances[id]; ok {
		if sig, ok := inst.Type.(*types.Signature); ok {
			c.Sig = sig
		}
		c.TypeArgs = slices.Collect(inst.TypeArgs.Types())
	}
	return c, recv, fn
}

// calleeName returns the last name in the text of a called function.
func calleeName(fun ast.Expr) string {
	switch x := fun.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return calleeName(x.X)
	}
	return ""
}

// lastFunc returns the func literal among the arguments of a call, nil if there is none.
func lastFunc(args []ast.Expr) *ast.FuncLit {
	for i := len(args) - 1; i >= 0; i-- {
		if lit, ok := ast.Unparen(args[i]).(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// passedFunc reads a func literal that is handed to a function which is known to call it.
// It is the body of a subtest or of a fuzz target, or a function that is to panic. The function
// that calls it is one of the tests, or of a package that is not under test.
func (r *reader) passedFunc(s *state, f *frame, e *ast.CallExpr, name string, lit *ast.FuncLit) (done bool) {
	fn := &funcValue{typ: lit.Type, body: lit.Body}
	switch {
	case expectsNone.MatchString(name):
		r.inline(s, f, fn, nil)
	case expectsPanic.MatchString(name):
		guard := &frame{depth: f.depth + 1, guarded: true}
		r.exec(s, guard, lit.Body.List)
		r.catch(guard)
	case name == "Run":
		for _, a := range e.Args {
			if a != ast.Expr(lit) {
				r.eval(s, f, a)
			}
		}
		sub := s.fork()
		r.inline(sub, f, fn, nil)
		r.emit(sub.draft.Steps, sub.from)
	case f.fuzz && name == "Fuzz":
		for _, row := range f.rows {
			sub := s.fork()
			r.inline(sub, f, fn, append([]value{{}}, row...))
			r.emit(sub.draft.Steps, sub.from)
		}
	default:
		return false
	}
	return true
}

// catch notes the calls under guard. A test expects the last of them to panic.
func (r *reader) catch(f *frame) {
	for i, g := range f.caught {
		g.call.Caught = i == len(f.caught)-1
		r.observe(g.op, g.call)
	}
}

// inline reads the body of a function with its arguments and returns its results.
func (r *reader) inline(s *state, f *frame, fn *funcValue, args []value) []value {
	if fn.body == nil || f.depth >= maxDepth {
		for _, a := range args {
			s.lose(a)
		}
		return nil
	}
	inner := &frame{depth: f.depth + 1, guarded: f.guarded}
	i := 0
	for _, field := range fn.typ.Params.List {
		_, variadic := field.Type.(*ast.Ellipsis)
		for _, name := range field.Names {
			obj := r.unit.Info.Defs[name]
			switch {
			case obj == nil:
			case variadic:
				rest := args[min(i, len(args)):]
				s.vars[obj] = value{kind: literal, typ: obj.Type(), lit: &composite{typ: obj.Type(), elems: rest}}
			case i < len(args):
				s.vars[obj] = args[i]
			default:
				s.vars[obj] = value{}
			}
			i++
		}
	}
	results := r.namedResults(fn.typ)
	for _, obj := range results {
		if obj != nil {
			s.vars[obj] = zero(obj.Type())
		}
	}
	r.exec(s, inner, fn.body.List)
	if f.guarded {
		f.caught = append(f.caught, inner.caught...)
	} else if inner.guarded {
		r.catch(inner)
	}
	if inner.results == nil {
		for _, obj := range results {
			inner.results = append(inner.results, s.vars[obj])
		}
	}
	return inner.results
}

// namedResults returns the named results of a function.
func (r *reader) namedResults(t *ast.FuncType) (list []types.Object) {
	if t.Results == nil {
		return nil
	}
	for _, field := range t.Results.List {
		for _, name := range field.Names {
			list = append(list, r.unit.Info.Defs[name])
		}
	}
	return list
}

// A lookup is the operations that make a call. They are those of a generic function with
// other type arguments if it is loose.
type lookup struct {
	ids   []seq.OpID
	loose bool
}

// lookup finds the operations that make a call.
func (r *reader) lookup(e *ast.CallExpr, c catalog.Callee) lookup {
	found, ok := r.lookups[e]
	if !ok {
		found.ids, found.loose = r.operations.candidates(c)
		r.lookups[e] = found
	}
	return found
}

// operation adds the step that makes a call. Without one, nothing more is known of the
// values that the call takes.
func (r *reader) operation(s *state, f *frame, e *ast.CallExpr, c catalog.Callee, found lookup, recv value, args []value) []value {
	ids := found.ids
	r.notePlace(ids[0], e.Lparen) // e begins where a call before it in a chain does
	given := args
	if c.Recv != nil {
		args = append([]value{recv}, args...)
	}
	r.noteLiterals(ids[0], args)
	call := s.observed(&r.table.Ops[ids[0]], args)
	if !f.guarded {
		r.observe(ids[0], call)
	} else {
		f.caught = append(f.caught, guarded{ids[0], call})
		r.expressed[e.Lparen] = true // and meant to be in no sequence
		return nil
	}
	for _, id := range ids {
		op := &r.table.Ops[id]
		if len(s.draft.Steps) >= maxDraft {
			break
		}
		if out, ok := r.arguments(s, op, args, found.loose); ok {
			r.expressed[e.Lparen] = true
			return r.results(s.draft.Add(id, out), op, c.Sig)
		}
	}
	r.leaveOut(s, c, recv, given)
	return nil
}

// results returns the results of a step that begin at a slot.
func (r *reader) results(slot int, op *seq.Operation, sig *types.Signature) []value {
	var list []value
	for i := range op.Results {
		v := value{kind: result, slot: int32(slot + i)}
		if i < sig.Results().Len() {
			v.typ = sig.Results().At(i).Type()
		}
		list = append(list, v)
	}
	return list
}

// leaveOut leaves out a call. Of the values that it may have changed nothing more is known.
func (r *reader) leaveOut(s *state, c catalog.Callee, recv value, args []value) {
	if c.Recv != nil && (changeable(c.Recv) || changeable(c.Func.Signature().Recv().Type())) {
		s.lose(recv)
	}
	for _, a := range args {
		if changeable(a.typ) {
			s.lose(a)
		}
	}
}

// changeable reports whether a function can change a value of type t that it is handed.
func changeable(t types.Type) bool {
	if t == nil {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Struct, *types.Array:
		return false
	}
	return true
}

// noteLiterals notes the constants among the arguments of a call.
func (r *reader) noteLiterals(id seq.OpID, args []value) {
	op := &r.table.Ops[id]
	if !op.Accepts(len(args)) {
		return
	}
	for i, a := range args {
		if at := min(i, len(op.Params)-1); a.kind == constval {
			r.noteLiteral(parameter{id, at}, a.con)
		} else if a.kind == literal && a.lit.isText { // it is made by a conversion
			for _, from := range r.table.Types[op.Params[at]].Assignable {
				for _, conv := range r.operations.texts[from] {
					r.noteLiteral(parameter{conv, 0}, constant.MakeString(a.lit.text))
				}
			}
		}
	}
}

// noteLiteral notes a constant that is handed to a parameter.
func (r *reader) noteLiteral(p parameter, c constant.Value) {
	op := &r.table.Ops[p.op]
	if _, ok := seq.ConstantAs(c, &r.table.Types[op.Params[p.index]]); !ok {
		return
	}
	if t := goText(c); t != "" {
		r.addLiteral(p, t)
	}
}
