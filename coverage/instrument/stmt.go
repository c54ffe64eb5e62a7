package instrument

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"foray.test/coverage"
)

// list rewrites statements between which others can be put.
func (w *writer) list(stmts []ast.Stmt) {
	for _, s := range stmts {
		w.stmt(s, s.Pos())
		inner := s
		for {
			labeled, ok := inner.(*ast.LabeledStmt)
			if !ok {
				break
			}
			inner = labeled.Stmt
		}
		w.commaOK(inner, s.End(), "; ", "")
	}
}

// stmt rewrites a statement, which may be nil. A statement put at start runs
// before it: start is the first label of s, or s itself.
func (w *writer) stmt(s ast.Stmt, start token.Pos) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		w.group(s.X)
	case *ast.SendStmt:
		w.group(s.Chan, s.Value)
	case *ast.IncDecStmt:
		w.group(s.X)
	case *ast.AssignStmt:
		w.noteReads(s.Lhs, s.Rhs)
		w.group(slices.Concat(s.Lhs, s.Rhs)...)
	case *ast.GoStmt:
		w.group(s.Call)
	case *ast.DeferStmt:
		w.group(s.Call)
	case *ast.ReturnStmt:
		w.group(s.Results...)
	case *ast.DeclStmt:
		w.localDecl(s.Decl)
	case *ast.LabeledStmt:
		w.stmt(s.Stmt, start)
	case *ast.BlockStmt:
		w.list(s.List)
	case *ast.IfStmt:
		w.stmt(s.Init, token.NoPos)
		w.operand(s.Cond)
		w.list(s.Body.List)
		w.stmt(s.Else, token.NoPos)
	case *ast.ForStmt:
		w.forStmt(s)
	case *ast.RangeStmt:
		w.rangeStmt(s, start)
	case *ast.SwitchStmt:
		w.switchStmt(s)
	case *ast.TypeSwitchStmt:
		w.stmt(s.Init, token.NoPos)
		tag := w.newNote(switchedOn(s), "NoteType", "TakeNoted")
		w.stmt(s.Assign, token.NoPos)
		w.clauses(coverage.TypeSwitch, s.Switch, "switch "+types.ExprString(switchedOn(s))+".(type)", s.Body, tag)
	case *ast.SelectStmt:
		w.selectStmt(s)
	case *ast.BranchStmt:
		if s.Tok == token.GOTO {
			w.burn(s.Pos(), "", " ")
		}
	}
}

// forStmt rewrites a loop. One without a condition burns fuel in its body.
func (w *writer) forStmt(s *ast.ForStmt) {
	w.stmt(s.Init, token.NoPos)
	before := len(w.conds)
	if s.Cond != nil {
		w.operand(s.Cond)
	}
	if len(w.conds) == before {
		w.burn(s.Body.Lbrace+1, " ", "")
	}
	w.stmt(s.Post, token.NoPos)
	w.list(s.Body.List)
}

func (w *writer) localDecl(d ast.Decl) {
	if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.VAR {
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			w.noteReads(identExprs(v.Names), v.Values)
			w.group(v.Values...)
		}
	}
}

// commaOK marks the second result of a comma-ok form right after s, at pos,
// between the given texts.
func (w *writer) commaOK(s ast.Stmt, pos token.Pos, before, after string) {
	ok, form := okVariable(s)
	if ok == nil || ok.Name == "_" {
		return
	}
	if _, isCall := ast.Unparen(form).(*ast.CallExpr); isCall {
		return
	}
	obj := w.Info.ObjectOf(ok)
	if obj == nil || w.operands[obj] {
		return
	}
	probe := w.boolProbe(obj.Type())
	if probe == "" {
		return
	}
	side := w.condition(coverage.CommaOK, s, form.Pos(), ok.Name+" of "+types.ExprString(form), boolSides...)
	if mark := w.settle(w.notes[obj]); mark != "" && probe == "Cond" {
		probe = mark
	}
	w.insert(pos, before+w.call(probe, side)+", "+ok.Name+")"+after)
}

// okVariable returns the two sides of "_, ok = form", form perhaps a call; nils
// if s is not like that.
func okVariable(s ast.Stmt) (ok *ast.Ident, form ast.Expr) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Lhs) == 2 && len(s.Rhs) == 1 {
			ok, _ = s.Lhs[1].(*ast.Ident)
			return ok, s.Rhs[0]
		}
	case *ast.DeclStmt:
		d := s.Decl.(*ast.GenDecl)
		if d.Tok != token.VAR || len(d.Specs) != 1 {
			return nil, nil
		}
		if v := d.Specs[0].(*ast.ValueSpec); len(v.Names) == 2 && len(v.Values) == 1 {
			return v.Names[1], v.Values[0]
		}
	}
	return nil, nil
}

func (w *writer) rangeStmt(s *ast.RangeStmt, start token.Pos) {
	probe := w.rangeProbe(s)
	if probe != hitProbe {
		w.burn(s.Body.Lbrace+1, " ", "")
	}
	switch probe {
	case noProbe:
		if s.Value != nil || !isArray(w.Info.TypeOf(s.X)) { // else X might not be evaluated at all
			w.group(s.X)
		}
	case hitProbe:
		side := w.condition(coverage.Loop, s, s.For, "range "+types.ExprString(s.X), "reached", "entered")
		w.insert(start, w.call("Hit", side)+"); ")
		w.group(s.X)
		w.insert(s.Body.Lbrace+1, " "+w.call("Hit", side+1)+");")
	default:
		side := w.condition(coverage.Range, s, s.For, "range "+types.ExprString(s.X), "empty", "non-empty")
		w.insert(s.X.Pos(), w.call(probe, side)+", ")
		w.group(s.X)
		w.insert(s.X.End(), ")")
	}
	w.list(s.Body.List)
}

// Results of rangeProbe besides functions that wrap the operand of the loop.
const (
	noProbe  = ""    // no condition
	hitProbe = "Hit" // marks before the loop and in it
)

func (w *writer) rangeProbe(s *ast.RangeStmt) string {
	tv := w.Info.Types[s.X]
	if tv.Type == nil || tv.Value != nil || isArray(tv.Type) {
		return noProbe
	}
	if !w.generics || w.isConversion(s.X) { // the compiler ranges over []byte(s) without a copy
		return hitProbe
	}
	switch t := core(tv.Type).(type) {
	case *types.Slice:
		return "Slice"
	case *types.Map:
		return "Map"
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return "String"
		case t.Info()&types.IsInteger != 0 && !w.hasUntypedShift(s.X):
			return "Int"
		}
	}
	return hitProbe
}

func isArray(t types.Type) bool {
	if t == nil {
		return false
	}
	t = core(t)
	if p, ok := t.(*types.Pointer); ok {
		t = core(p.Elem())
	}
	_, ok := t.(*types.Array)
	return ok
}

// core returns the underlying type of t. For a type parameter it is the
// underlying type of the only type in its constraint, or else the constraint.
func core(t types.Type) types.Type {
	u := t.Underlying()
	if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
		return u
	}
	if constraint := u.(*types.Interface); constraint.NumEmbeddeds() == 1 {
		term := constraint.EmbeddedType(0)
		if union, ok := term.(*types.Union); ok && union.Len() == 1 {
			term = union.Term(0).Type()
		}
		if !types.IsInterface(term) {
			return term.Underlying()
		}
	}
	return u
}

func (w *writer) switchStmt(s *ast.SwitchStmt) {
	w.stmt(s.Init, token.NoPos)
	if s.Tag != nil {
		tag := w.newNote(s.Tag, w.noteFunction(s.Tag), "TakeNoted")
		w.group(s.Tag)
		if w.Info.Types[s.Tag].Value == nil {
			w.clauses(coverage.Switch, s.Switch, "switch "+types.ExprString(s.Tag), s.Body, tag)
			return
		}
	}
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		for _, x := range c.List {
			if s.Tag == nil {
				w.operand(x)
			} else {
				w.group(x)
			}
		}
		w.list(c.Body)
	}
}

// clauses rewrites the body of a switch with a tag, or of a type switch.
func (w *writer) clauses(kind coverage.Kind, pos token.Pos, text string, body *ast.BlockStmt, tag *note) {
	sides, hasDefault := clauseSides(body)
	first, hit := -1, "Hit"
	if len(sides) > 1 {
		first = w.condition(kind, body, pos, text, sides...)
		hit = cmp.Or(w.settle(tag), hit)
		if kind == coverage.Switch {
			w.conds[len(w.conds)-1].Cases = w.cases(body, len(sides))
		}
		if !hasDefault {
			w.insert(body.Lbrace+1, " default: "+w.call(hit, first+len(sides)-1)+");")
		}
	}
	for i, c := range body.List {
		c := c.(*ast.CaseClause)
		if kind == coverage.Switch {
			for _, x := range c.List {
				w.group(x)
			}
		}
		if first >= 0 {
			w.insert(c.Colon+1, " "+w.call(hit, first+i)+");")
		}
		w.list(c.Body)
	}
}

// cases returns the constants of the clauses of a switch, by side, as literals of
// their values; nil if no clause has any.
func (w *writer) cases(body *ast.BlockStmt, sides int) [][]string {
	cases, some := make([][]string, sides), false
	for i, c := range body.List {
		for _, x := range c.(*ast.CaseClause).List {
			if text := literal(w.Info.Types[x].Value); text != "" {
				cases[i] = append(cases[i], text)
				some = true
			}
		}
	}
	if !some {
		return nil
	}
	return cases
}

// literal returns a number or string as coverage.Visit.Against reads it, "" for
// anything else.
func literal(v constant.Value) string {
	if v == nil {
		return ""
	}
	switch v.Kind() {
	case constant.Int, constant.String:
		return v.ExactString()
	case constant.Float:
		f, _ := constant.Float64Val(v)
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return ""
}

// clauseSides names the sides of a switch: its clauses in source order, then "no
// match" if it has clauses but no default.
func clauseSides(body *ast.BlockStmt) (sides []string, hasDefault bool) {
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			hasDefault = true
			sides = append(sides, "default")
			continue
		}
		texts := make([]string, len(c.List))
		for i, x := range c.List {
			texts[i] = types.ExprString(x)
		}
		sides = append(sides, shorten("case "+strings.Join(texts, ", ")))
	}
	if !hasDefault && len(sides) != 0 {
		sides = append(sides, "no match")
	}
	return sides, hasDefault
}

// switchedOn returns the operand of a type switch.
func switchedOn(s *ast.TypeSwitchStmt) ast.Expr {
	var guard ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		guard = a.X
	case *ast.AssignStmt:
		guard = a.Rhs[0]
	}
	return guard.(*ast.TypeAssertExpr).X
}

// selectStmt adds no default clause to a select statement: it would change its
// behaviour.
func (w *writer) selectStmt(s *ast.SelectStmt) {
	sides := make([]string, len(s.Body.List))
	var all []ast.Expr // evaluated in one go, when the statement is entered
	for i, c := range s.Body.List {
		comm := c.(*ast.CommClause).Comm
		sides[i] = commText(comm)
		all = append(all, commExprs(comm)...)
	}
	first := -1
	if len(sides) > 1 {
		first = w.condition(coverage.Select, s.Body, s.Select, "select", sides...)
	}
	calls := w.countCalls(all...)
	for i, c := range s.Body.List {
		c := c.(*ast.CommClause)
		for _, x := range commExprs(c.Comm) {
			w.expr(x, calls)
		}
		if first >= 0 {
			w.insert(c.Colon+1, " "+w.call("Hit", first+i)+");")
		}
		w.commaOK(c.Comm, c.Colon+1, " ", ";")
		w.list(c.Body)
	}
}

// commExprs returns the expressions of a communication, in source order.
func commExprs(comm ast.Stmt) []ast.Expr {
	switch s := comm.(type) {
	case *ast.SendStmt:
		return []ast.Expr{s.Chan, s.Value}
	case *ast.ExprStmt:
		return []ast.Expr{s.X}
	case *ast.AssignStmt:
		return slices.Concat(s.Lhs, s.Rhs)
	}
	return nil
}

func commText(comm ast.Stmt) string {
	switch s := comm.(type) {
	case *ast.SendStmt:
		return shorten("case " + types.ExprString(s.Chan) + " <- " + types.ExprString(s.Value))
	case *ast.ExprStmt:
		return shorten("case " + types.ExprString(s.X))
	case *ast.AssignStmt:
		return shorten("case " + types.ExprString(s.Rhs[0]))
	}
	return "default"
}
