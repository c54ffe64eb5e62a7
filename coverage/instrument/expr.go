package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"foray.test/coverage"
)

// boolSides are the sides of two-way conditions.
var boolSides = []string{"false", "true"}

// operand rewrites an expression that is evaluated on its own, as control flow:
// a condition of if or for, or an operand of && or || anywhere.
func (w *writer) operand(x ast.Expr) {
	if w.isConstant(x) {
		return
	}
	switch e := x.(type) {
	case *ast.ParenExpr:
		w.operand(e.X)
		return
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			w.operand(e.X)
			return
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			w.operand(e.X)
			w.operand(e.Y)
			return
		}
	}
	w.mark(x)
}

// mark makes x a condition, if its type allows, and rewrites its operands.
func (w *writer) mark(x ast.Expr) {
	open, end := w.wrapping(x)
	if open == "" {
		w.children(x, w.countCalls(x))
		return
	}
	side := w.condition(coverage.Bool, ast.Unparen(x), x.Pos(), types.ExprString(ast.Unparen(x)), boolSides...)
	before := ""
	if end != ")" {
		before = "("
	}
	if open == "Cond" {
		x = ast.Unparen(x)
		f := w.formOf(x)
		w.conds[len(w.conds)-1].Op = f.op
		if w.Analysis && f.mark != nil {
			f.mark(w, x, side, before, end)
			return
		}
	}
	w.insert(x.Pos(), before+w.call(open, side)+", ")
	w.children(x, w.countCalls(x))
	w.insert(x.End(), end)
}

// wrapping returns the probe function to wrap around x and the text after it.
// The function is "" if none keeps the type of x.
func (w *writer) wrapping(x ast.Expr) (function, end string) {
	t := w.Info.TypeOf(x)
	if t == nil {
		return "", ""
	}
	function = w.boolProbe(t)
	if cmp, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && isComparison(cmp.Op) && function != "Cond" && isBoolean(t) {
		// An untyped boolean that is converted to a named type. A comparison
		// makes it untyped again; it cannot use true, which the user may have
		// redeclared.
		return "Cond", ") == (0 == 0))"
	}
	return function, ")"
}

// boolProbe returns the probe function for values of type t, "" if there is none.
func (w *writer) boolProbe(t types.Type) string {
	switch b, basic := types.Unalias(t).(*types.Basic); {
	case basic && b.Info()&types.IsBoolean != 0:
		return "Cond"
	case !basic && isBoolean(t) && w.generics:
		return "Bool"
	}
	return ""
}

// isBoolean reports whether t is a boolean type or a type parameter for some.
func isBoolean(t types.Type) bool {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		terms, ok := typeSet(tp.Constraint().Underlying().(*types.Interface))
		return ok && !slices.ContainsFunc(terms, func(term types.Type) bool { return !isBoolean(term) })
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// group rewrites expressions that are evaluated together, such as the results
// of a return statement.
func (w *writer) group(list ...ast.Expr) {
	calls := w.countCalls(list...)
	for _, x := range list {
		w.expr(x, calls)
	}
}

// expr rewrites an expression that is used as a value. calls is the number of
// calls in the group of x. If some of them are outside of x, marking x could
// change when it is read, relative to them.
func (w *writer) expr(x ast.Expr, calls int) {
	if x == nil || w.isConstant(x) {
		return
	}
	switch e := x.(type) {
	case *ast.ParenExpr:
		w.expr(e.X, calls)
		return
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			w.negated(e.X, calls)
			return
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			w.operand(x)
			return
		}
		if isComparison(e.Op) && w.countCalls(x) == calls {
			w.mark(x)
			return
		}
	}
	w.children(x, calls)
}

// negated rewrites the operand of a ! that is used as a value.
func (w *writer) negated(x ast.Expr, calls int) {
	switch e := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		w.expr(e, calls)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			w.negated(e.X, calls)
			return
		}
		w.markAlone(x, calls)
	default:
		w.markAlone(x, calls)
	}
}

func (w *writer) markAlone(x ast.Expr, calls int) {
	if !w.isConstant(x) && w.countCalls(x) == calls {
		w.mark(x)
	} else {
		w.expr(x, calls)
	}
}

// children rewrites the operands of x, which are part of the same group. The
// arguments of a call are a group of their own, evaluated when the call is
// made.
func (w *writer) children(x ast.Expr, calls int) {
	x = ast.Unparen(x)
	list := parts(x)
	switch e := x.(type) {
	case *ast.CallExpr:
		if w.isCall(e) {
			calls = w.countCalls(list...)
		}
	case *ast.FuncLit:
		w.body(e.Body)
	}
	for _, x := range list {
		w.expr(x, calls)
	}
}

// parts returns the operands of x in order of evaluation, some of them nil. It
// does not enter function literals.
func parts(x ast.Expr) []ast.Expr {
	switch e := x.(type) {
	case *ast.UnaryExpr:
		return []ast.Expr{e.X}
	case *ast.BinaryExpr:
		return []ast.Expr{e.X, e.Y}
	case *ast.CallExpr:
		return append([]ast.Expr{e.Fun}, e.Args...)
	case *ast.CompositeLit:
		return e.Elts
	case *ast.KeyValueExpr:
		return []ast.Expr{e.Key, e.Value}
	case *ast.SelectorExpr:
		return []ast.Expr{e.X}
	case *ast.StarExpr:
		return []ast.Expr{e.X}
	case *ast.TypeAssertExpr:
		return []ast.Expr{e.X}
	case *ast.IndexExpr:
		return []ast.Expr{e.X, e.Index}
	case *ast.SliceExpr:
		return []ast.Expr{e.X, e.Low, e.High, e.Max}
	}
	return nil
}

// isConstant reports whether x is left alone with all that is in it: a constant,
// where a call is not allowed, or a type.
func (w *writer) isConstant(x ast.Expr) bool {
	tv := w.Info.Types[x]
	return tv.Value != nil || tv.IsType()
}

// countCalls returns the number of calls and receives in expressions, without
// those in the bodies of function literals.
func (w *writer) countCalls(list ...ast.Expr) int {
	n := 0
	for _, x := range list {
		if x == nil {
			continue
		}
		ast.Inspect(x, func(node ast.Node) bool {
			switch e := node.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if w.isCall(e) {
					n++
				}
			case *ast.UnaryExpr:
				if e.Op == token.ARROW {
					n++
				}
			}
			return true
		})
	}
	return n
}

// isCall reports whether e runs something that could have effects: it is no
// conversion, no built-in function that only computes.
func (w *writer) isCall(e *ast.CallExpr) bool {
	if w.isConversion(e) {
		return false
	}
	switch w.builtin(e) {
	case "len", "cap", "real", "imag", "complex", "min", "max", "new", "make",
		"Add", "Alignof", "Offsetof", "Sizeof", "Slice", "SliceData", "String", "StringData":
		return false
	}
	return true
}

func (w *writer) isConversion(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	return ok && w.Info.Types[call.Fun].IsType()
}

// builtin returns the name of the built-in function that e calls, "" if none.
func (w *writer) builtin(e *ast.CallExpr) string {
	if !w.Info.Types[e.Fun].IsBuiltin() {
		return ""
	}
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// hasUntypedShift reports whether x shifts an untyped constant, which takes its
// type from the context of x.
func (w *writer) hasUntypedShift(x ast.Expr) bool {
	switch e := x.(type) {
	case *ast.ParenExpr:
		return w.hasUntypedShift(e.X)
	case *ast.UnaryExpr:
		return w.hasUntypedShift(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.SHL || e.Op == token.SHR {
			return w.Info.Types[e.X].Value != nil
		}
		return w.hasUntypedShift(e.X) || w.hasUntypedShift(e.Y)
	}
	return false
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}
