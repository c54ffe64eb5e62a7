package instrument

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"foray.test/coverage"
)

// analysisForm maps probe functions to their replacements in the analysis form.
var analysisForm = map[string]string{
	"Cond": "Visit", "Bool": "VisitBool", "Hit": "Take",
	"Slice": "RangeSlice", "Map": "RangeMap", "String": "RangeString", "Int": "RangeInt",
}

// indexOf returns the index, in the table of all packages, of the condition that
// has the given side.
func (w *writer) indexOf(side int) int {
	i, found := slices.BinarySearchFunc(w.conds, side, func(c coverage.Condition, side int) int { return c.First - side })
	if !found {
		i--
	}
	return w.FirstCondition + i
}

// burn inserts a count of fuel between the given texts.
func (w *writer) burn(pos token.Pos, before, after string) {
	if w.Analysis {
		w.insert(pos, before+w.probe+".Burn();"+after)
	}
}

// burnIfCalling counts fuel at the entry of a function that calls, because it
// may be part of a recursion. Calls that it defers at its beginning come before: a goroutine that
// is ended for want of fuel must tell those that wait for it.
func (w *writer) burnIfCalling(body *ast.BlockStmt) {
	calls := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			calls = calls || w.isCall(e)
		case *ast.RangeStmt:
			if t := w.Info.TypeOf(e.X); t != nil {
				_, iterator := core(t).(*types.Signature)
				calls = calls || iterator
			}
		}
		return !calls
	})
	if !calls {
		return
	}
	pos, before := body.Lbrace+1, " "
	for _, stmt := range body.List {
		if _, ok := stmt.(*ast.DeferStmt); !ok {
			break
		}
		pos, before = stmt.End(), "; "
	}
	w.burn(pos, before, "")
}

// A form is how the analysis form of a condition gets at the operands.
type form struct {
	op   string // as in Condition.Op
	kind operandKind
	mark func(w *writer, x ast.Expr, side int, before, end string)
}

// An operandKind begins the names of the probe functions that compare operands of
// the kind, and says how they are converted.
type operandKind struct{ name, open, close string }

var noOperands operandKind

// formOf returns the form of x, which has no parentheses around it. A form without
// mark means that no operands can be had.
func (w *writer) formOf(x ast.Expr) form {
	switch e := x.(type) {
	case *ast.BinaryExpr:
		if isComparison(e.Op) {
			return w.comparisonForm(e)
		}
	case *ast.CallExpr:
		if f := w.textFunction(e, types.Bool); f != nil {
			op := f.Name()
			if op == "Equal" {
				op = "=="
			}
			return form{op: op, mark: (*writer).markCall}
		}
	case *ast.Ident:
		if w.noteOf(e) != nil {
			return form{mark: (*writer).markNoted}
		}
	case *ast.IndexExpr:
		if w.isMapRead(e) && w.noteFunction(e.Index) != "" {
			return form{mark: (*writer).markMapRead}
		}
	}
	return form{}
}

func (w *writer) comparisonForm(e *ast.BinaryExpr) form {
	op := e.Op.String()
	if call, ok := ast.Unparen(e.X).(*ast.CallExpr); ok && ast.Unparen(e.X) == e.X && w.isConstant(e.Y) {
		if f := w.textFunction(call, types.Int); f != nil {
			return form{op: w.opOfCompared(f, e), mark: (*writer).markCompared}
		}
	}
	if w.isNil(e.X) || w.isNil(e.Y) {
		return w.nilForm(e)
	}
	kind := w.kindOfPair(e)
	if kind == noOperands {
		return form{}
	}
	f := form{op: op, kind: kind}
	if w.settledBeside(e) {
		f.mark = func(w *writer, x ast.Expr, side int, before, end string) {
			w.markComparison(e, kind, side, before, end)
		}
	}
	return f
}

// opOfCompared names the relation of the arguments of f that a comparison of its
// result with a constant is, "" if there is none.
func (w *writer) opOfCompared(f *types.Func, e *ast.BinaryExpr) string {
	n, exact := constant.Int64Val(w.Info.Types[e.Y].Value)
	switch {
	case !exact:
	case f.Name() == "Compare" && n == 0:
		return e.Op.String()
	case n == 0 && e.Op == token.GEQ, n == -1 && (e.Op == token.NEQ || e.Op == token.GTR):
		return f.Name() // an index: it is there
	}
	return ""
}

// nilForm is comparisonForm for a comparison with nil.
func (w *writer) nilForm(e *ast.BinaryExpr) form {
	f := form{op: e.Op.String(), mark: (*writer).markNil}
	x := e.X
	if w.isNil(x) {
		x = e.Y
	}
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && w.noteOf(id) != nil {
		f.mark = (*writer).markNoted
		return f
	}
	kind := w.kindOf(w.Info.TypeOf(x))
	if (kind.name == "Pointer" || kind.name == "Any") && w.settledBeside(e) {
		f.mark = func(w *writer, _ ast.Expr, side int, before, end string) {
			w.markComparison(e, kind, side, before, end)
		}
	}
	return f
}

func (w *writer) isNil(x ast.Expr) bool { return w.Info.Types[x].IsNil() }

// kindOfPair returns the kind of the operands of a comparison.
func (w *writer) kindOfPair(e *ast.BinaryExpr) operandKind {
	if w.hasUntypedShift(e.X) || w.hasUntypedShift(e.Y) {
		return noOperands
	}
	x, y := w.Info.TypeOf(e.X), w.Info.TypeOf(e.Y)
	if x == nil || y == nil {
		return noOperands
	}
	a, b := w.kindOf(x), w.kindOf(y)
	equality := e.Op == token.EQL || e.Op == token.NEQ
	switch {
	case a.name == "Any" || b.name == "Any": // a comparison with an interface
		if equality && a.name != "Of" && b.name != "Of" {
			return anyKind
		}
	case a.name == "Of" || b.name == "Of":
		if types.Identical(x, y) {
			return ofKind
		}
	case a == b:
		if a.name != "Pointer" || equality {
			return a
		}
	}
	return noOperands
}

var (
	intKind     = operandKind{"Int", "Int64(", ")"}
	uintKind    = operandKind{"Uint", "Uint64(", ")"}
	floatKind   = operandKind{"Float", "Float64(", ")"}
	textKind    = operandKind{"String", "Text(", ")"}
	pointerKind = operandKind{"Pointer", "Pointer(", ")"}
	anyKind     = operandKind{"Any", "", ""} // interfaces: assignable to any
	ofKind      = operandKind{"Of", "", ""}  // type parameters of several kinds
)

// kindOf returns the kind of operands of type t.
func (w *writer) kindOf(t types.Type) operandKind {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return w.kindOfParam(tp)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsUnsigned != 0:
			return uintKind
		case info&types.IsInteger != 0:
			return intKind
		case info&types.IsFloat != 0:
			return floatKind
		case info&types.IsString != 0:
			return textKind
		case u.Kind() == types.UnsafePointer:
			return pointerKind
		}
	case *types.Pointer:
		return pointerKind
	case *types.Interface:
		return anyKind
	}
	return noOperands
}

// kindOfParam returns the kind that all types have that may stand for a type
// parameter, or "Of".
func (w *writer) kindOfParam(tp *types.TypeParam) operandKind {
	terms, ok := typeSet(tp.Constraint().Underlying().(*types.Interface))
	if !ok || len(terms) == 0 {
		return ofKind
	}
	kind := w.kindOf(terms[0])
	for _, t := range terms[1:] {
		if w.kindOf(t) != kind {
			return ofKind
		}
	}
	if kind == noOperands || kind == floatKind { // constants would have to be rounded, or not
		return ofKind
	}
	return kind
}

// typeSet returns the types of the terms of a constraint that is, plainly, one
// union. It reports false for any other.
func typeSet(constraint *types.Interface) (terms []types.Type, ok bool) {
	if constraint.NumEmbeddeds() != 1 {
		return nil, false
	}
	union, ok := types.Unalias(constraint.EmbeddedType(0)).(*types.Union)
	if !ok {
		switch u := constraint.EmbeddedType(0).Underlying().(type) {
		case *types.Interface:
			return typeSet(u)
		default:
			return []types.Type{u}, true
		}
	}
	for term := range union.Terms() {
		switch u := term.Type().Underlying().(type) {
		case *types.Interface:
			inner, ok := typeSet(u)
			if !ok {
				return nil, false
			}
			terms = append(terms, inner...)
		default:
			terms = append(terms, u)
		}
	}
	return terms, true
}

// settledBeside reports whether e can become a call that takes its operands as
// arguments. It can if e calls nothing, or if no call can change an operand
// that is not a call itself.
func (w *writer) settledBeside(e *ast.BinaryExpr) bool {
	return w.countCalls(e) == 0 || w.settled(e.X) && w.settled(e.Y)
}

// settled reports whether x has one value whenever it is read beside calls.
func (w *writer) settled(x ast.Expr) bool {
	if tv := w.Info.Types[x]; tv.Value != nil || tv.IsType() || tv.IsNil() {
		return true
	}
	switch e := x.(type) {
	case *ast.ParenExpr:
		return w.settled(e.X)
	case *ast.Ident:
		v, ok := w.Info.ObjectOf(e).(*types.Var)
		return ok && v.Parent() != w.Types.Scope() && v.Parent() != types.Universe && !w.shared[v]
	case *ast.CallExpr:
		if w.isCall(e) {
			return true
		}
		for _, arg := range e.Args { // a conversion, len …
			if !w.settled(arg) {
				return false
			}
		}
		return w.builtin(e) != "len" && w.builtin(e) != "cap" || !isMapOrChan(w.Info.TypeOf(e.Args[0]))
	case *ast.UnaryExpr:
		return e.Op != token.AND && w.settled(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT:
			return w.settled(e.X) && w.settled(e.Y)
		}
	}
	return false
}

func isMapOrChan(t types.Type) bool {
	if t == nil {
		return true
	}
	switch core(t).(type) {
	case *types.Map, *types.Chan, *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// sharedVariables returns the variables of p that may change outside the
// statements of their function: those that function literals use, and those
// with their address taken.
func sharedVariables(p *Package) map[types.Object]bool {
	shared := make(map[types.Object]bool)
	share := func(x ast.Expr) {
		if id := rootIdent(x); id != nil {
			shared[p.Info.ObjectOf(id)] = true
		}
	}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.FuncLit:
				ast.Inspect(e.Body, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						if obj := p.Info.Uses[id]; obj != nil && (obj.Pos() < e.Pos() || obj.Pos() >= e.End()) {
							shared[obj] = true
						}
					}
					return true
				})
			case *ast.UnaryExpr:
				if e.Op == token.AND {
					share(e.X)
				}
			case *ast.SliceExpr:
				share(e.X) // of an array
			case *ast.SelectorExpr:
				if _, method := p.Info.Uses[e.Sel].(*types.Func); method {
					share(e.X)
				}
			case *ast.RangeStmt:
				if t := p.Info.TypeOf(e.X); t != nil {
					if _, iterator := core(t).(*types.Signature); iterator { // its body is a function
						ast.Inspect(e, func(n ast.Node) bool {
							if id, ok := n.(*ast.Ident); ok {
								shared[p.Info.ObjectOf(id)] = true
							}
							return true
						})
					}
				}
			}
			return true
		})
	}
	return shared
}

// rootIdent returns the variable that x is part of, nil if none is.
func rootIdent(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e
		case *ast.ParenExpr:
			x = e.X
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		default:
			return nil
		}
	}
}

// markComparison turns x < y into a call with the operands as arguments.
func (w *writer) markComparison(e *ast.BinaryExpr, kind operandKind, side int, before, end string) {
	calls := w.countCalls(e)
	w.insert(e.Pos(), before+w.call(kind.name+operatorNames[e.Op], side)+", ")
	w.convert(e.X, kind, calls)
	w.replace(e.OpPos, e.Op.String(), ",")
	w.convert(e.Y, kind, calls)
	w.insert(e.End(), end)
}

// operatorNames end the names of the probe functions that compare.
var operatorNames = map[token.Token]string{
	token.EQL: "Eq", token.NEQ: "Ne", token.LSS: "Lt", token.LEQ: "Le", token.GTR: "Gt", token.GEQ: "Ge",
}

// convert rewrites an operand and converts it to the type of its kind.
func (w *writer) convert(x ast.Expr, kind operandKind, calls int) {
	open, end := kind.open, kind.close
	if open != "" {
		open = w.probe + "." + open
	}
	if b, ok := w.Info.TypeOf(x).Underlying().(*types.Basic); ok && b.Kind() == types.Float32 && kind == floatKind {
		// A constant is rounded first, as it would be.
		open, end = open+w.probe+".Float32(", end+")"
	}
	w.insert(x.Pos(), open)
	w.expr(x, calls)
	w.insert(x.End(), end)
}

// markNil marks a comparison with nil of a value without an address.
func (w *writer) markNil(x ast.Expr, side int, before, end string) {
	function := "Nil"
	if x.(*ast.BinaryExpr).Op == token.NEQ {
		function = "NotNil"
	}
	w.insert(x.Pos(), before+w.call(function, side)+", ")
	w.children(x, w.countCalls(x))
	w.insert(x.End(), end)
}

// textFunction returns the function of package strings or bytes called by e, if
// it takes two strings or two byte slices and returns one value of the given
// kind.
func (w *writer) textFunction(e *ast.CallExpr, result types.BasicKind) *types.Func {
	if len(e.Args) != 2 || e.Ellipsis.IsValid() {
		return nil
	}
	f, ok := w.named(e.Fun)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "strings" && f.Pkg().Path() != "bytes" {
		return nil
	}
	s := f.Signature()
	if s.Recv() != nil || s.TypeParams() != nil || s.Params().Len() != 2 || s.Results().Len() != 1 {
		return nil
	}
	a, b := s.Params().At(0).Type(), s.Params().At(1).Type()
	if !types.Identical(a, b) || !isText(a) || !types.Identical(s.Results().At(0).Type(), types.Typ[result]) {
		return nil
	}
	if bytes.ContainsRune(w.source(e.Args[1].End(), e.Rparen), ',') {
		return nil
	}
	return f
}

// named returns the function that an expression names.
func (w *writer) named(fun ast.Expr) (f *types.Func, ok bool) {
	switch x := fun.(type) {
	case *ast.Ident:
		f, ok = w.Info.Uses[x].(*types.Func)
	case *ast.SelectorExpr:
		f, ok = w.Info.Uses[x.Sel].(*types.Func)
	}
	return f, ok
}

// isText reports whether t is string or []byte.
func isText(t types.Type) bool {
	if s, ok := t.(*types.Slice); ok {
		return types.Identical(s.Elem(), types.Typ[types.Byte])
	}
	return types.Identical(t, types.Typ[types.String])
}

// source returns the text between two positions.
func (w *writer) source(from, to token.Pos) []byte {
	return w.src[w.tok.Offset(from):w.tok.Offset(to)]
}

// textCall names the probe function for e.
func (w *writer) textCall(prefix string, e *ast.CallExpr) string {
	if t, ok := w.Info.TypeOf(e.Fun).(*types.Signature); ok {
		if _, ok := t.Params().At(0).Type().(*types.Slice); ok {
			return prefix + "Bytes"
		}
	}
	return prefix + "Texts"
}

// markCall turns strings.HasPrefix(s, t) into a call of the probe that makes it.
func (w *writer) markCall(x ast.Expr, side int, before, end string) {
	e := x.(*ast.CallExpr)
	w.insert(x.Pos(), before+w.call(w.textCall("Call", e), side)+", ")
	w.replace(e.Lparen, "(", ", ")
	w.group(e.Args...)
	w.replace(e.Rparen, ")", end)
}

// markCompared does the same for strings.Index(s, t) >= 0.
func (w *writer) markCompared(x ast.Expr, side int, before, end string) {
	compared := x.(*ast.BinaryExpr)
	e := compared.X.(*ast.CallExpr)
	w.insert(x.Pos(), before+w.call(w.textCall("Compare", e), side)+", "+w.probe+"."+operatorNames[compared.Op]+", ")
	w.replace(e.Lparen, "(", ", ")
	w.group(e.Args...)
	w.replace(e.Rparen, ")", "")
	w.replace(compared.OpPos, compared.Op.String(), ",")
	w.insert(x.End(), end)
}

// A note is an operand that is evaluated before its condition is known. settle
// completes the edit that wraps a probe function around it.
type note struct {
	edit     int
	function string // that notes
	mark     string // marks a side with the noted operand
	end      token.Pos
}

// newNote prepares a note of x, nil if function is empty.
func (w *writer) newNote(x ast.Expr, function, mark string) *note {
	if !w.Analysis || !w.generics || function == "" {
		return nil
	}
	return &note{w.reserve(x.Pos()), function, mark, x.End()}
}

// settle completes n for the condition made last. It returns the probe function
// that marks its sides; "" if there is nothing to complete.
func (w *writer) settle(n *note) (mark string) {
	if n == nil || n.function == "" {
		return ""
	}
	w.edits[n.edit].text = w.probe + "." + n.function + "(" + strconv.Itoa(w.FirstCondition+len(w.conds)-1) + ", "
	w.insert(n.end, ")")
	n.function = ""
	return n.mark
}

// noteFunction returns the probe function that notes x, "" if none does.
func (w *writer) noteFunction(x ast.Expr) string {
	t := w.Info.TypeOf(x)
	if t == nil || w.isConstant(x) || w.hasUntypedShift(x) {
		return ""
	}
	switch w.kindOf(t).name {
	case "Int", "Uint":
		return "NoteInt"
	case "Float":
		return "NoteFloat"
	case "String":
		return "NoteText"
	case "Any", "Of":
		return "NoteAny"
	}
	return ""
}

// noteReads prepares notes for the last variable of lhs: the key of a map read,
// or the type of an asserted value.
func (w *writer) noteReads(lhs, rhs []ast.Expr) {
	if !w.Analysis {
		return
	}
	var obj types.Object
	for _, x := range lhs {
		if id, ok := x.(*ast.Ident); ok {
			obj = w.Info.ObjectOf(id)
			delete(w.notes, obj)
		} else {
			obj = nil
		}
	}
	if obj == nil || len(rhs) != 1 {
		return
	}
	all := append(slices.Clone(lhs), rhs...)
	var n *note
	switch e := ast.Unparen(rhs[0]).(type) {
	case *ast.IndexExpr:
		if w.isMapRead(e) && w.countCalls(all...) == w.countCalls(e.Index) {
			n = w.newNote(e.Index, w.noteFunction(e.Index), "VisitKey")
		}
	case *ast.TypeAssertExpr:
		if len(lhs) == 2 && e.Type != nil && w.countCalls(all...) == w.countCalls(e.X) {
			n = w.newNote(e.X, "NoteType", "VisitNoted")
		}
	}
	if n != nil {
		w.notes[obj] = n
	}
}

// noteOf returns the pending note of a variable, nil if a condition has taken
// it.
func (w *writer) noteOf(id *ast.Ident) *note {
	if n := w.notes[w.Info.ObjectOf(id)]; n != nil && n.function != "" {
		return n
	}
	return nil
}

func identExprs(ids []*ast.Ident) []ast.Expr {
	list := make([]ast.Expr, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	return list
}

func (w *writer) isMapRead(e *ast.IndexExpr) bool {
	t := w.Info.TypeOf(e.X)
	if t == nil {
		return false
	}
	_, isMap := core(t).(*types.Map)
	return isMap
}

// markNoted marks a condition on a variable for which something was noted.
func (w *writer) markNoted(x ast.Expr, side int, before, end string) {
	v := x
	if e, ok := x.(*ast.BinaryExpr); ok { // with nil
		if v = e.X; w.isNil(v) {
			v = e.Y
		}
	}
	mark := cmp.Or(w.settle(w.notes[w.Info.ObjectOf(ast.Unparen(v).(*ast.Ident))]), "Cond")
	w.insert(x.Pos(), before+w.call(mark, side)+", ")
	w.insert(x.End(), end)
}

// markMapRead marks a condition that is a map read itself.
func (w *writer) markMapRead(x ast.Expr, side int, before, end string) {
	e := x.(*ast.IndexExpr)
	w.insert(x.Pos(), before+w.call("VisitKey", side)+", ")
	calls := w.countCalls(e)
	w.expr(e.X, calls)
	n := w.newNote(e.Index, w.noteFunction(e.Index), "VisitKey")
	w.expr(e.Index, calls)
	w.settle(n)
	w.insert(x.End(), end)
}
