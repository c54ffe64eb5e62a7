package usage

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"foray.test/engine/seq"
)

// eval returns what is known of the value of an expression, and adds the calls in it.
func (r *reader) eval(s *state, f *frame, e ast.Expr) value {
	tv, typed := r.unit.Info.Types[e]
	if typed && tv.Value != nil {
		return constOf(tv.Value, tv.Type)
	}
	v := r.evalNode(s, f, e)
	if v.typ == nil && typed {
		v.typ = tv.Type
	}
	return v
}

func (r *reader) evalNode(s *state, f *frame, e ast.Expr) value {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.eval(s, f, e.X)
	case *ast.Ident:
		return r.variable(s, f, r.object(e))
	case *ast.CompositeLit:
		return r.literal(s, f, e, r.typeOf(e))
	case *ast.FuncLit:
		return value{kind: function, typ: r.typeOf(e), fn: r.funcValue(e.Type, e.Body)}
	case *ast.UnaryExpr:
		return r.unary(s, f, e)
	case *ast.BinaryExpr:
		return binary(e.Op, r.eval(s, f, e.X), r.eval(s, f, e.Y))
	case *ast.CallExpr:
		if results := r.call(s, f, e); len(results) > 0 {
			return results[0]
		}
	case *ast.SelectorExpr:
		return r.selector(s, f, e)
	case *ast.IndexExpr:
		return r.element(s, r.eval(s, f, e.X), r.eval(s, f, e.Index))
	case *ast.SliceExpr:
		return r.slice(s, f, e)
	case *ast.StarExpr:
		return r.deref(s, r.eval(s, f, e.X), r.typeOf(e))
	case *ast.TypeAssertExpr:
		if v := r.eval(s, f, e.X); v.kind == result {
			if to, ok := r.typeID(r.typeOf(e)); ok {
				return r.step(s, v.slot, to, r.typeOf(e), seq.Assert)
			}
		}
	}
	return value{}
}

func (r *reader) typeOf(e ast.Expr) types.Type { return r.unit.Info.Types[e].Type }

func (r *reader) object(id *ast.Ident) types.Object {
	if obj := r.unit.Info.Uses[id]; obj != nil {
		return obj
	}
	return r.unit.Info.Defs[id]
}

// variable returns what an identifier names.
func (r *reader) variable(s *state, f *frame, obj types.Object) value {
	switch obj := obj.(type) {
	case *types.Nil:
		return value{kind: null}
	case *types.Func:
		return r.functionValue(obj)
	case *types.Var:
		if v, ok := s.vars[obj]; ok {
			return v
		}
		if init, ok := r.globals[obj]; ok {
			s.vars[obj] = value{typ: obj.Type()} // should it refer to itself
			v := zero(obj.Type())
			if init != nil {
				v = r.eval(s, f, init)
			}
			s.vars[obj] = v
			return v
		}
		if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
			return r.packageVariable(s, obj)
		}
	}
	return value{}
}

func (r *reader) funcValue(typ *ast.FuncType, body *ast.BlockStmt) *funcValue {
	fn := &funcValue{typ: typ, body: body}
	if body != nil {
		fn.src = &source{info: r.unit.Info, pkg: r.writer.pkg, fn: &ast.FuncLit{Type: typ, Body: body}}
	}
	return fn
}

// functionValue returns a declared function.
func (r *reader) functionValue(obj *types.Func) value {
	fn := &funcValue{name: obj.Name(), obj: obj}
	if decl := r.functions[obj.Origin()]; decl != nil {
		fn = r.funcValue(decl.Type, decl.Body)
		fn.name, fn.obj = obj.Name(), obj
	}
	return value{kind: function, typ: obj.Type(), fn: fn}
}

// packageVariable reads a variable of the package under test, or of another one that the
// table names.
func (r *reader) packageVariable(s *state, obj *types.Var) value {
	name := obj.Pkg().Path() + "." + obj.Name()
	id, ok := r.operations.byName["var "+name]
	if list := r.operations.standard[name]; !ok && len(list) > 0 && len(r.table.Ops[list[0]].Params) == 0 {
		id, ok = list[0], true
	}
	if !ok {
		if _, isFunc := obj.Type().Underlying().(*types.Signature); isFunc {
			return value{kind: function, typ: obj.Type(), fn: &funcValue{name: obj.Name()}}
		}
		if p, ok := obj.Type().(*types.Pointer); ok && (name == "os.Stdout" || name == "os.Stderr") { // any writer will do
			return value{kind: address, typ: obj.Type(), lit: &composite{typ: p.Elem()}}
		}
		return value{}
	}
	return value{kind: result, typ: obj.Type(), slot: int32(s.draft.Add(id, nil))}
}

// literal returns a composite literal of a type.
func (r *reader) literal(s *state, f *frame, e *ast.CompositeLit, t types.Type) value {
	if t == nil {
		return value{}
	}
	elided, isPointer := types.Unalias(t).(*types.Pointer) // in a literal of pointers &T may be left out
	if isPointer {
		t = elided.Elem()
	}
	c := &composite{typ: t}
	v := value{kind: literal, typ: t, lit: c}
	if isPointer {
		v = value{kind: address, typ: elided, lit: c}
	}
	st, isStruct := t.Underlying().(*types.Struct)
	for i, elt := range e.Elts {
		key, val := ast.Expr(nil), elt
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			key, val = kv.Key, kv.Value
		}
		elem := r.literalElement(s, f, val, elemType(t, i, key))
		switch {
		case isStruct:
			c.names = append(c.names, fieldName(st, i, key))
		case key != nil && isMap(t):
			c.keys = append(c.keys, r.literalElement(s, f, key, t.Underlying().(*types.Map).Key()))
		case key != nil: // an index
			n, ok := constant.Int64Val(constant.ToInt(r.constantOf(key)))
			for ok && int64(len(c.elems)) < min(n, maxRows) {
				c.elems = append(c.elems, zero(elemType(t, 0, nil)))
			}
		}
		c.elems = append(c.elems, elem)
	}
	return v
}

func (r *reader) constantOf(e ast.Expr) constant.Value {
	if tv := r.unit.Info.Types[e]; tv.Value != nil {
		return tv.Value
	}
	return constant.MakeUnknown()
}

// literalElement returns an element of a composite literal, of which the type may be left out.
func (r *reader) literalElement(s *state, f *frame, e ast.Expr, t types.Type) value {
	if c, ok := e.(*ast.CompositeLit); ok && c.Type == nil {
		return r.literal(s, f, c, t)
	}
	return r.eval(s, f, e)
}

// elemType returns the type of element i of a composite literal of type t, nil if it is not known.
func elemType(t types.Type, i int, key ast.Expr) types.Type {
	switch u := t.Underlying().(type) {
	case interface{ Elem() types.Type }:
		return u.Elem()
	case *types.Struct:
		name := fieldName(u, i, key)
		for fld := range u.Fields() {
			if fld.Name() == name {
				return fld.Type()
			}
		}
	}
	return nil
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// fieldName returns the name of the field that element i of a struct literal sets.
func fieldName(st *types.Struct, i int, key ast.Expr) string {
	if id, ok := key.(*ast.Ident); ok {
		return id.Name
	}
	if i < st.NumFields() {
		return st.Field(i).Name()
	}
	return ""
}

func (r *reader) unary(s *state, f *frame, e *ast.UnaryExpr) value {
	v := r.eval(s, f, e.X)
	switch {
	case e.Op == token.AND && v.kind == literal:
		return value{kind: address, typ: r.typeOf(e), lit: v.lit}
	case e.Op == token.AND && v.kind == result:
		return v // converted to the pointer where it is wanted
	case e.Op == token.AND && r.typeOf(e.X) != nil:
		return value{kind: address, typ: r.typeOf(e), lit: &composite{typ: r.typeOf(e.X)}}
	case v.kind == constval && (e.Op == token.SUB || e.Op == token.NOT || e.Op == token.ADD):
		if c := constant.UnaryOp(e.Op, v.con, 0); c.Kind() != constant.Unknown {
			return constOf(c, v.typ)
		}
	}
	return value{}
}

// binary returns the value of x op y.
func binary(op token.Token, x, y value) value {
	if (op == token.EQL || op == token.NEQ) && known(x) && known(y) && (x.kind == null || y.kind == null) {
		return constOf(constant.MakeBool((x.kind == y.kind) == (op == token.EQL)), types.Typ[types.Bool])
	}
	if x.kind != constval || y.kind != constval {
		return value{}
	}
	a, b := x.con, y.con
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if comparable(a, b) {
			return constOf(constant.MakeBool(constant.Compare(a, op, b)), types.Typ[types.Bool])
		}
		return value{}
	case token.SHL, token.SHR:
		n, ok := constant.Uint64Val(constant.ToInt(b))
		if a.Kind() != constant.Int || !ok || n > 64 {
			return value{}
		}
		return constOf(constant.Shift(a, op, uint(n)), x.typ)
	}
	if !computable(op, a, b) {
		return value{}
	}
	if op == token.QUO && a.Kind() == constant.Int && b.Kind() == constant.Int {
		op = token.QUO_ASSIGN // integer division
	}
	return constOf(constant.BinaryOp(a, op, b), x.typ)
}

// computable reports whether a op b is a constant of moderate size.
func computable(op token.Token, a, b constant.Value) bool {
	const maxBits = 512
	if !comparable(a, b) {
		return false
	}
	switch a.Kind() {
	case constant.Bool:
		return op == token.LAND || op == token.LOR
	case constant.String:
		return op == token.ADD && len(constant.StringVal(a))+len(constant.StringVal(b)) <= maxText
	}
	switch op {
	case token.ADD, token.SUB, token.MUL:
		return a.Kind() != constant.Int || b.Kind() != constant.Int || constant.BitLen(a)+constant.BitLen(b) < maxBits
	case token.QUO:
		return constant.Sign(b) != 0
	case token.REM:
		return a.Kind() == constant.Int && b.Kind() == constant.Int && constant.Sign(b) != 0
	case token.AND, token.OR, token.XOR, token.AND_NOT:
		return a.Kind() == constant.Int && b.Kind() == constant.Int
	}
	return false
}

// known reports whether v is nil or surely not nil.
func known(v value) bool {
	return v.kind == null || v.kind == address || v.kind == literal || v.kind == function
}

// comparable reports whether two constants are both numbers, both text, or both truth values.
func comparable(a, b constant.Value) bool {
	number := func(c constant.Value) bool { return c.Kind() == constant.Int || c.Kind() == constant.Float }
	return number(a) && number(b) || a.Kind() == b.Kind() && a.Kind() != constant.Unknown
}

// selector returns a field, a variable of another package, or a function.
func (r *reader) selector(s *state, f *frame, e *ast.SelectorExpr) value {
	sel, ok := r.unit.Info.Selections[e]
	if !ok {
		return r.variable(s, f, r.unit.Info.Uses[e.Sel])
	}
	if sel.Kind() != types.FieldVal {
		return value{}
	}
	v := r.eval(s, f, e.X)
	if len(sel.Index()) > 1 {
		return value{typ: sel.Type()}
	}
	return r.field(s, v, e.Sel.Name, sel.Type())
}

// field returns a field of a struct.
func (r *reader) field(s *state, v value, name string, t types.Type) value {
	switch {
	case v.kind == literal || v.kind == address:
		if len(s.made[v.lit]) > 0 { // calls may have changed it
			if id, ok := r.typeID(types.NewPointer(v.lit.typ)); ok {
				if arg, ok := r.made(s, v, id); ok {
					return r.field(s, value{kind: result, slot: arg.Slot}, name, t)
				}
			}
		}
		now := s.now(v.lit)
		if i := slices.Index(now.names, name); i >= 0 {
			return now.elems[i]
		}
		if s.gone[v.lit] {
			return value{typ: t}
		}
		return zero(t)
	case v.kind == result && !s.isLost(v):
		if id, ok := r.operations.fields[field{seq.FieldGet, s.draft.Types[v.slot], name}]; ok {
			return value{kind: result, typ: t, slot: int32(s.draft.Add(id, []seq.Arg{seq.Slot(int(v.slot))}))}
		}
	}
	return value{typ: t}
}

// element returns an element of a slice, an array, a map or a string.
func (r *reader) element(s *state, v, index value) value {
	switch {
	case v.kind == literal && index.kind == constval:
		if i := s.now(v.lit).place(index.con); i >= 0 {
			return s.now(v.lit).elems[i]
		}
	case v.kind == result && !s.isLost(v):
		id, ok := r.operations.index(s.draft.Types[v.slot])
		if !ok {
			break
		}
		if arg, ok := r.argument(s, index, r.table.Ops[id].Params[1], false); ok {
			return value{kind: result, slot: int32(s.draft.Add(id, []seq.Arg{seq.Slot(int(v.slot)), arg}))}
		}
	}
	return value{}
}

// slice returns x[i:j] of constant text or a composite.
func (r *reader) slice(s *state, f *frame, e *ast.SliceExpr) value {
	v := r.eval(s, f, e.X)
	var bounds [2]int64
	elems := s.elements(v)
	n := int64(len(elems))
	if v.kind == constval && v.con.Kind() == constant.String {
		n = int64(len(constant.StringVal(v.con)))
	}
	bounds[1] = n
	for i, b := range []ast.Expr{e.Low, e.High} {
		if b == nil {
			continue
		}
		x, ok := r.eval(s, f, b), false
		if x.kind != constval {
			return value{}
		}
		if bounds[i], ok = constant.Int64Val(constant.ToInt(x.con)); !ok {
			return value{}
		}
	}
	lo, hi := bounds[0], bounds[1]
	switch {
	case lo < 0 || lo > hi || hi > n || e.Max != nil:
	case v.kind == constval:
		return constOf(constant.MakeString(constant.StringVal(v.con)[lo:hi]), v.typ)
	case v.kind == literal && !v.lit.isText && v.lit.names == nil && v.lit.keys == nil:
		return value{kind: literal, typ: v.typ, lit: &composite{typ: r.typeOf(e), elems: elems[lo:hi]}}
	}
	return value{}
}

// elements returns the elements of a composite.
func (s *state) elements(v value) []value {
	if v.kind != literal && v.kind != address {
		return nil
	}
	return s.now(v.lit).elems
}

// place returns which element of c has an index or key, or -1.
func (c *composite) place(index constant.Value) int {
	if c.keys != nil || isMap(c.typ) {
		return slices.IndexFunc(c.keys, func(k value) bool {
			return k.kind == constval && comparable(k.con, index) && constant.Compare(k.con, token.EQL, index)
		})
	}
	if i, ok := constant.Int64Val(constant.ToInt(index)); ok && i >= 0 && i < int64(len(c.elems)) {
		return int(i)
	}
	return -1
}

// deref returns the value that a pointer leads to.
func (r *reader) deref(s *state, v value, t types.Type) value {
	switch v.kind {
	case address:
		return value{kind: literal, typ: t, lit: v.lit}
	case result:
		if to, ok := r.typeID(t); ok {
			return r.step(s, v.slot, to, t, forms...)
		}
	}
	return value{}
}

// step adds a step from one form of a value to another.
func (r *reader) step(s *state, slot int32, to seq.TypeID, t types.Type, kinds ...seq.Kind) value {
	if s.lost[slot] {
		return value{typ: t}
	}
	if r.table.AssignableTo(s.draft.Types[slot], to) {
		return value{kind: result, typ: t, slot: slot}
	}
	id, ok := r.operations.step(s.draft.Types[slot], to, kinds...)
	if !ok {
		return value{typ: t}
	}
	return value{kind: result, typ: t, slot: int32(s.draft.Add(id, []seq.Arg{seq.Slot(int(slot))}))}
}
