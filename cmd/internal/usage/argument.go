package usage

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"foray.test/cmd/internal/consumer"
	"foray.test/engine/seq"
)

// argument returns v as an argument where a type is wanted, adding the steps that make it.
// With loose, a constant of another kind will do: the table may have a generic function for
// other types than the test.
func (r *reader) argument(s *state, v value, want seq.TypeID, loose bool) (seq.Arg, bool) {
	if s.isLost(v) {
		return seq.Arg{}, false
	}
	switch v.kind {
	case constval:
		return r.constant(v, want, loose)
	case null:
		l := r.pool.Nil(want)
		return seq.Arg{Lit: l}, l != nil
	case result:
		return r.converted(s, v.slot, want)
	case literal, address:
		return r.composite(s, v, want)
	case function:
		return r.function(s, v.fn, want)
	}
	return seq.Arg{}, false
}

// arguments returns values as the arguments of an operation, adding the steps that make them.
func (r *reader) arguments(s *state, op *seq.Operation, values []value, loose bool) ([]seq.Arg, bool) {
	if !op.Accepts(len(values)) {
		return nil, false
	}
	args := make([]seq.Arg, 0, len(values))
	for i, v := range values {
		arg, ok := r.argument(s, v, op.Param(i), loose)
		if !ok {
			return nil, false
		}
		args = append(args, arg)
	}
	return args, true
}

// constant returns a constant as a literal.
func (r *reader) constant(v value, want seq.TypeID, loose bool) (seq.Arg, bool) {
	ty := want
	if r.table.Types[want].Literal == seq.NoLiteral {
		if v.typ == nil {
			return seq.Arg{}, false
		}
		var ok bool
		if ty, ok = r.typeID(types.Default(v.typ)); !ok || !r.table.AssignableTo(ty, want) {
			return seq.Arg{}, false
		}
	}
	basic, ok := seq.ConstantAs(v.con, &r.table.Types[ty])
	if !ok && loose {
		basic, ok = r.standIn(v.con, &r.table.Types[ty])
	}
	if text, isText := basic.(string); !ok || isText && len(text) > maxText {
		return seq.Arg{}, false
	}
	return seq.Lit(r.pool.Intern(&seq.Literal{Type: ty, Value: basic})), true
}

// standIn returns a literal for a constant of another kind: equal ones for equal constants,
// small numbers for text.
func (r *reader) standIn(c constant.Value, ty *seq.Type) (any, bool) {
	i := slices.Index(r.standIns, c.ExactString())
	if i < 0 {
		i = len(r.standIns)
		r.standIns = append(r.standIns, c.ExactString())
	}
	switch ty.Literal {
	case seq.Int:
		return int64(i & 127), true
	case seq.Uint:
		return uint64(i & 127), true
	case seq.Float:
		return float64(i), true
	case seq.String:
		return strings.Trim(c.ExactString(), `"`), true
	case seq.Bool:
		return i&1 == 0, true
	}
	return nil, false
}

// Kinds of operations that hand on a value in another form.
var forms = []seq.Kind{seq.Index, seq.Composite, seq.Convert}

// converted returns a slot as an argument, in another form if that is wanted: the pointer to
// a copy, or the value that a pointer leads to.
func (r *reader) converted(s *state, slot int32, want seq.TypeID) (seq.Arg, bool) {
	have := s.draft.Types[slot]
	if r.table.AssignableTo(have, want) {
		return seq.Slot(int(slot)), true
	}
	key := conversion{from: have, to: want}
	if to, ok := s.other[key][slot]; ok {
		return seq.Slot(int(to)), true
	}
	op, ok := r.operations.step(have, want, forms...)
	if !ok {
		return seq.Arg{}, false
	}
	to := s.draft.Add(op, []seq.Arg{seq.Slot(int(slot))})
	if s.other[key] == nil {
		s.other[key] = map[int32]int32{}
	}
	s.other[key][slot] = int32(to)
	return seq.Slot(to), true
}

// composite returns a composite, or its address, as an argument. It is made once, so that
// later steps see what earlier ones did to it.
func (r *reader) composite(s *state, v value, want seq.TypeID) (seq.Arg, bool) {
	for _, slot := range s.made[v.lit] {
		if r.table.AssignableTo(s.draft.Types[slot], want) && r.hasForm(s, v, slot) {
			return seq.Slot(int(slot)), true
		}
	}
	if arg, ok := r.made(s, v, want); ok {
		return arg, true
	}
	switch {
	case len(s.draft.Steps) >= maxDraft:
		return seq.Arg{}, false
	case v.lit.typ == nil:
		return r.similar(s, v, want)
	}
	if arg, ok := r.built(s, v, v.lit.typ, want); ok {
		return arg, true
	}
	if r.table.Types[want].IsAny() {
		for _, t := range wider(v.lit.typ) {
			if arg, ok := r.built(s, v, t, want); ok {
				return arg, true
			}
		}
	}
	if arg, ok := r.emptyComposite(s, v, want); ok {
		return arg, true
	}
	return r.similar(s, v, want)
}

// built adds the steps that make a composite as a value of type t, or the pointer to one.
func (r *reader) built(s *state, v value, t types.Type, want seq.TypeID) (seq.Arg, bool) {
	tree := r.tree(s, value{kind: literal, typ: t, lit: v.lit}, 0)
	pointer := consumer.Value{Type: types.NewPointer(r.spelled(t)), Elems: []consumer.Value{tree}}
	forms := []consumer.Value{tree, pointer}
	if v.kind == address && r.table.Types[want].Interface { // which takes both
		slices.Reverse(forms)
	}
	for _, form := range forms {
		id, ok := r.typeID(form.Type)
		if !ok || !r.table.AssignableTo(id, want) {
			continue
		}
		if arg, ok := r.builder.Append(&s.draft, form); ok && arg.Lit == nil {
			s.made[v.lit] = append(s.made[v.lit], arg.Slot)
			return arg, true
		}
	}
	return seq.Arg{}, false
}

// wider returns types whose values may hold those of a map or a slice of type t.
func wider(t types.Type) []types.Type {
	anything := types.Universe.Lookup("any").Type()
	switch u := t.Underlying().(type) {
	case *types.Map:
		list := []types.Type{types.NewMap(u.Key(), anything), types.NewMap(anything, anything)}
		if b, ok := u.Key().Underlying().(*types.Basic); ok && b.Kind() == types.String {
			list = slices.Insert(list, 1, types.Type(types.NewMap(types.Typ[types.String], anything)))
		}
		return list
	case *types.Slice:
		return []types.Type{types.NewSlice(anything)}
	}
	return nil
}

// hasForm reports whether a slot of a composite is in the form of v: where v is an address, a
// pointer, or what only an interface tells.
func (r *reader) hasForm(s *state, v value, slot int32) bool {
	ty := &r.table.Types[s.draft.Types[slot]]
	return v.kind != address || ty.Kind == seq.PointerType || ty.Interface
}

// similar makes a zero value of another type of the same kind, where an interface is wanted.
// For the pointer to a struct that only the tests declare it makes one to another struct. Where the
// interface has methods, as io.Writer has, its type may be of another kind.
func (r *reader) similar(s *state, v value, want seq.TypeID) (seq.Arg, bool) {
	if !r.table.Types[want].Interface {
		return seq.Arg{}, false
	}
	kind := seq.PointerType
	if v.kind == literal {
		kind = kindOf(v.lit.typ)
	}
	op, ok := seq.OpID(0), false
	if kind != 0 {
		op, ok = r.makerFor(want, kind)
	}
	if !ok {
		op, ok = r.operations.makers[want]
	}
	if !ok && !r.table.Types[want].IsAny() {
		op, ok = r.makerFor(want, 0)
	}
	if !ok {
		return seq.Arg{}, false
	}
	return s.emptyMade(v, op), true
}

// makerFor returns the operation that makes a zero value to stand for type want, of a type of the
// given kind or, if that is 0, of any. A type with a constructor is the last choice.
func (r *reader) makerFor(want seq.TypeID, kind seq.TypeKind) (found seq.OpID, ok bool) {
	for _, id := range r.table.Types[want].Assignable {
		op, has := r.operations.makers[id]
		if !has || kind != 0 && r.table.Types[id].Kind != kind {
			continue
		}
		if !r.table.Ops[op].Zero { // no constructor is missed
			return op, true
		}
		if !ok {
			found, ok = op, true
		}
	}
	return found, ok
}

// kindOf returns the kind of a type of which composite literals are, 0 if it is not known.
func kindOf(t types.Type) seq.TypeKind {
	if t == nil {
		return 0
	}
	switch t.Underlying().(type) {
	case *types.Struct:
		return seq.StructType
	case *types.Map:
		return seq.MapType
	case *types.Slice:
		return seq.SliceType
	}
	return 0
}

// made returns a slot that holds a composite, in the form that is wanted.
func (r *reader) made(s *state, v value, want seq.TypeID) (seq.Arg, bool) {
	for _, slot := range s.made[v.lit] {
		if r.table.Types[want].Interface && !r.hasForm(s, v, slot) {
			continue
		}
		if arg, ok := r.converted(s, slot, want); ok {
			return arg, true
		}
	}
	return seq.Arg{}, false
}

// emptyComposite makes the zero value of a type of another package, or of one whose table
// has other type arguments.
func (r *reader) emptyComposite(s *state, v value, want seq.TypeID) (seq.Arg, bool) {
	if now := s.now(v.lit); len(now.elems) > 0 || now.isText {
		return seq.Arg{}, false
	}
	op, ok := r.operations.makers[want]
	if !ok {
		if id, known := r.typeID(types.NewPointer(v.lit.typ)); known && r.table.AssignableTo(id, want) {
			op, ok = r.operations.makers[id]
		}
	}
	if !ok {
		return seq.Arg{}, false
	}
	return s.emptyMade(v, op), true
}

// emptyMade adds the step that makes a zero value for a composite.
func (s *state) emptyMade(v value, op seq.OpID) seq.Arg {
	slot := s.draft.Add(op, nil)
	s.made[v.lit] = append(s.made[v.lit], int32(slot))
	return seq.Slot(slot)
}

// tree returns a value as a builder takes it. Parts that are not known are zero.
func (r *reader) tree(s *state, v value, depth int) consumer.Value {
	tree := consumer.Value{Type: r.spelled(v.typ)}
	if depth > maxDepth || s.isLost(v) || v.typ == nil {
		return tree
	}
	switch v.kind {
	case constval:
		tree.Type = types.Default(v.typ)
		if id, ok := r.typeID(tree.Type); ok {
			tree.Basic, _ = seq.ConstantAs(v.con, &r.table.Types[id])
		}
	case result:
		tree.Basic = seq.Slot(int(v.slot))
	case function:
		if id, ok := r.typeID(v.typ); ok {
			if arg, ok := r.function(s, v.fn, id); ok {
				tree.Basic = arg
			}
		}
	case address, literal:
		if slots := s.made[v.lit]; len(slots) > 0 {
			if id, ok := r.typeID(v.typ); ok {
				if arg, ok := r.made(s, v, id); ok {
					tree.Basic = arg
					return tree
				}
			}
		}
		if v.kind == address {
			tree.Elems = []consumer.Value{r.tree(s, value{kind: literal, typ: v.lit.typ, lit: v.lit}, depth+1)}
			return tree
		}
		r.branches(s, s.now(v.lit), &tree, depth)
	}
	return tree
}

// branches fills in the parts of a composite.
func (r *reader) branches(s *state, c *composite, tree *consumer.Value, depth int) {
	if c.isText {
		tree.Basic = c.text
		return
	}
	for i, e := range c.elems {
		part := r.tree(s, e, depth+1)
		if isSlice(c.typ) && (e.kind == function || s.isLost(e)) && r.isNil(&part) {
			continue // nil may not be meant: of options, say
		}
		if c.names != nil {
			r.retype(&part, tree.Type, c.names[i])
			tree.Fields = append(tree.Fields, consumer.Field{Name: c.names[i], Value: part})
			continue
		}
		tree.Elems = append(tree.Elems, part)
		if c.keys != nil {
			tree.Keys = append(tree.Keys, r.tree(s, c.keys[i], depth+1))
		}
	}
}

// isNil reports whether a builder makes nil of a value.
func (r *reader) isNil(v *consumer.Value) bool {
	id, ok := r.typeID(v.Type)
	return v.Basic == nil && len(v.Elems)+len(v.Fields) == 0 && ok && r.table.Types[id].Nilable
}

func isSlice(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// retype gives a field of a struct that the tests declare the type that it has in the table: where
// that struct holds itself, the two differ.
func (r *reader) retype(part *consumer.Value, of types.Type, name string) {
	st, ok := of.Underlying().(*types.Struct)
	if _, known := r.typeID(part.Type); !ok || known {
		return
	}
	for fld := range st.Fields() {
		if fld.Name() == name && !types.IsInterface(fld.Type()) {
			part.Type = fld.Type()
		}
	}
}

// function returns a function as an argument: the very one if the table has it, or else the
// func literal that does the most similar thing.
func (r *reader) function(s *state, fn *funcValue, want seq.TypeID) (seq.Arg, bool) {
	if id, ok := r.operations.tested(fn.src); ok && r.table.AssignableTo(r.table.Ops[id].Results[0], want) {
		return seq.Slot(s.draft.Add(id, nil)), true
	}
	ids := slices.Clone(r.operations.funcs[want])
	for _, from := range r.table.Types[want].Assignable {
		if from != want {
			ids = append(ids, r.operations.funcs[from]...)
		}
	}
	role := fn.role()
	slices.SortStableFunc(ids, func(a, b seq.OpID) int {
		return slices.Index(role, r.table.Ops[a].Shape) - slices.Index(role, r.table.Ops[b].Shape)
	})
	for _, id := range ids {
		op := &r.table.Ops[id]
		if !slices.Contains(role, op.Shape) {
			continue
		}
		var args []seq.Arg
		for _, p := range op.Params {
			arg, ok := r.zeroArgument(s, p)
			if !ok {
				break
			}
			args = append(args, arg)
		}
		if len(args) == len(op.Params) {
			return seq.Slot(s.draft.Add(id, args)), true
		}
	}
	return seq.Arg{}, false
}

// zeroArgument returns a simple value of a type.
func (r *reader) zeroArgument(s *state, id seq.TypeID) (seq.Arg, bool) {
	if r.table.Types[id].Literal == seq.Bool {
		return seq.Lit(r.pool.Intern(&seq.Literal{Type: id, Value: true})), true
	}
	if l := r.pool.Zero(id); l != nil {
		return seq.Lit(l), true
	}
	if op, ok := r.operations.makers[id]; ok {
		return seq.Slot(s.draft.Add(op, nil)), true
	}
	return seq.Arg{}, false
}

// role returns the shapes of func literals that may stand for a function, the likeliest
// first: which operators it has, or what its name says.
func (fn *funcValue) role() []seq.Shape {
	order, equal, sum := false, false, false
	if fn.body != nil {
		for n := range ast.Preorder(fn.body) {
			if b, ok := n.(*ast.BinaryExpr); ok {
				switch b.Op {
				case token.LSS, token.GTR, token.LEQ, token.GEQ:
					order = true
				case token.EQL:
					equal = true
				case token.XOR, token.MUL, token.SHL, token.REM:
					sum = true
				}
			}
		}
	}
	name := strings.ToLower(fn.name)
	switch {
	case strings.Contains(name, "equal"):
		equal, order = true, false
	case strings.Contains(name, "less"), strings.Contains(name, "compar"), strings.Contains(name, "greater"):
		order = true
	}
	rest := []seq.Shape{seq.Constant, seq.Parameter, seq.Predicate, seq.Compare, seq.Less, seq.Same, seq.Hash, seq.Yield}
	switch {
	case order:
		return append([]seq.Shape{seq.Compare, seq.Less}, rest...)
	case sum:
		return append([]seq.Shape{seq.Hash, seq.Predicate}, rest...)
	case equal:
		return append([]seq.Shape{seq.Same, seq.Predicate}, rest...)
	}
	return append([]seq.Shape{seq.Parameter, seq.Compare, seq.Hash}, rest...)
}

// goText writes a constant as Go does, without a type; empty if it is long.
func goText(c constant.Value) string {
	switch c.Kind() {
	case constant.String:
		if s := constant.StringVal(c); len(s) <= maxText {
			return strconv.Quote(s)
		}
	case constant.Bool, constant.Int:
		return c.ExactString()
	case constant.Float:
		f, _ := constant.Float64Val(c)
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return ""
}
