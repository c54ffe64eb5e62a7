package catalog

import (
	"go/ast"
)

// forwards returns the member to which c only passes its arguments on, as
// UnmarshalJSON often does to FromJSON, or "".
func (f *finder) forwards(c callable) string {
	decl := f.source.decl(c.fn)
	if decl == nil || decl.Body == nil || len(decl.Body.List) != 1 {
		return ""
	}
	var e ast.Expr
	switch stmt := decl.Body.List[0].(type) {
	case *ast.ExprStmt:
		e = stmt.X
	case *ast.ReturnStmt:
		if len(stmt.Results) == 1 {
			e = stmt.Results[0]
		}
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return ""
	}
	callee := f.callee(call)
	if callee == nil || !callee.Exported() || callee.Pkg() != f.pkg || callee.Origin() == c.fn.Origin() {
		return ""
	}
	given := call.Args
	recv := callee.Signature().Recv()
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && recv != nil {
		given = append([]ast.Expr{sel.X}, given...)
	}
	if !f.areParameters(given, decl) {
		return ""
	}
	if recv == nil {
		return callee.Name()
	}
	named, ptr := pointee(recv.Type())
	if named == nil {
		return ""
	}
	return memberName(named.Obj(), ptr, callee.Name())
}

// areParameters reports whether the expressions are the receiver and the parameters
// of decl, in order.
func (f *finder) areParameters(list []ast.Expr, decl *ast.FuncDecl) bool {
	params := f.parameters(decl)
	if len(list) != len(params) {
		return false
	}
	for i, e := range list {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok || params[i] == nil || f.in.Info.Uses[id] != params[i] {
			return false
		}
	}
	return true
}
