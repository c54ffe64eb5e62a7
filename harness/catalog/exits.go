package catalog

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"foray.test/harness/naming"
)

// Some functions end the process for one setting only: for one value of a field or parameter.
//
//	switch f.errorHandling {
//	case ExitOnError:
//		os.Exit(2)
//	}
//
// They are called, and that constant is composed nowhere: only constants are values of its type.

// A branch is code that runs for particular settings only, which constants name.
type branch struct {
	settings []types.Object
	body     []ast.Stmt
}

// An exitMode says which calls that end the process keep a function out.
type exitMode uint8

const (
	unlessSet exitMode = iota // those outside of branches for settings that end the process
	allExits                  // all: the code itself chooses such a setting
	noExits                   // none: it runs for such a setting only
)

// Words in the names of constants that end the process, and of others of their type that do so, too.
var exitWord, exitWords = naming.Set("exit"), naming.Set("exit fatal")

// findExits finds the constants for which branches end the process, also by calls, and the
// variables of the package that are made with one.
func (f *finder) findExits() {
	f.exiting = map[types.Object]bool{}
	for _, obj := range f.in.Info.Uses {
		if fn, is := obj.(*types.Func); is && isExit(dangerousFunc(fn)) {
			f.findExitBranches()
			break
		}
	}
	made := maps.Clone(f.source.inits)
	for fn, decl := range f.source.funcs {
		if fn.Name() == "init" {
			f.assigned(decl, made)
		}
	}
	maps.DeleteFunc(made, func(_ types.Object, value ast.Expr) bool { return !f.chooses(value) })
	for v := range made {
		f.exiting[v] = true
	}
}

// assigned notes what a function assigns to variables.
func (f *finder) assigned(decl *ast.FuncDecl, made map[types.Object]ast.Expr) {
	for n := range ast.Preorder(decl) {
		if set, is := n.(*ast.AssignStmt); is && len(set.Lhs) == len(set.Rhs) {
			for i, to := range set.Lhs {
				if v := f.named(to); v != nil {
					made[v] = set.Rhs[i]
				}
			}
		}
	}
}

// findExitBranches looks at what branches call only once it knows of shorter ways to the end.
func (f *finder) findExitBranches() {
	for depth := range dangerDepth + 1 {
		var found []types.Object
		for _, decl := range f.source.funcs {
			list := f.branches(decl)
			for i, b := range list {
				if f.ends(b.body, slices.Concat(list[:i], list[i+1:]), depth) {
					found = append(found, b.settings...)
				}
			}
		}
		for _, obj := range found {
			f.exiting[obj] = true
		}
	}
}

// ends reports whether a branch ends the process, so many calls away and outside of others.
func (f *finder) ends(body []ast.Stmt, others []branch, depth int) bool {
	inner := map[ast.Node]bool{}
	for _, b := range others {
		for _, s := range b.body {
			inner[s] = true
		}
	}
	return slices.ContainsFunc(body, func(s ast.Stmt) bool {
		var v visit
		if f.chooses(s) {
			v.mode = allExits
		}
		return isExit(f.nodeDanger(s, inner, v, depth, map[visit]bool{}))
	})
}

// chooses reports whether code names a setting that ends the process, other than to compare with
// it or to name it in a map.
func (f *finder) chooses(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			return false
		case *ast.CaseClause:
			found = found || slices.ContainsFunc(n.Body, func(s ast.Stmt) bool { return f.chooses(s) })
			return false
		case *ast.KeyValueExpr:
			found = found || f.chooses(n.Value)
			return false
		case *ast.Ident:
			found = found || f.exiting[f.in.Info.Uses[n]]
		}
		return !found
	})
	return found
}

// excused returns the statements of a function that run only for settings that end the process.
func (f *finder) excused(decl *ast.FuncDecl) map[ast.Node]bool {
	list := map[ast.Node]bool{}
	for _, b := range f.branches(decl) {
		for _, s := range b.body {
			list[s] = !slices.ContainsFunc(b.settings, func(obj types.Object) bool { return !f.exiting[obj] })
		}
	}
	return list
}

// branches returns the code of a function that runs for particular settings only.
func (f *finder) branches(decl *ast.FuncDecl) (list []branch) {
	params := f.parameters(decl)
	for n := range ast.Preorder(decl) {
		switch n := n.(type) {
		case *ast.IfStmt:
			list = append(list, branch{f.settings(n.Cond, params), []ast.Stmt{n.Body}})
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				clause := s.(*ast.CaseClause)
				list = append(list, branch{f.caseSettings(n.Tag, clause.List, params), clause.Body})
			}
		}
	}
	return slices.DeleteFunc(list, func(b branch) bool { return len(b.settings) == 0 })
}

// caseSettings returns the settings of a clause, nil if one of its cases is none.
func (f *finder) caseSettings(tag ast.Expr, cases []ast.Expr, params []types.Object) (list []types.Object) {
	for _, e := range cases {
		if tag != nil {
			e = &ast.BinaryExpr{X: tag, Op: token.EQL, Y: e}
		}
		one := f.settings(e, params)
		if len(one) == 0 {
			return nil
		}
		list = append(list, one...)
	}
	return list
}

// settings returns the constants of which a condition asks that a field or parameter is one, or
// lies beyond it.
func (f *finder) settings(cond ast.Expr, params []types.Object) []types.Object {
	e, is := ast.Unparen(cond).(*ast.BinaryExpr)
	if !is {
		return nil
	}
	switch e.Op {
	case token.LAND:
		return slices.Concat(f.settings(e.X, params), f.settings(e.Y, params))
	case token.LOR:
		return f.caseSettings(nil, []ast.Expr{e.X, e.Y}, params)
	case token.EQL, token.GEQ, token.LEQ:
		for _, side := range [][2]ast.Expr{{e.X, e.Y}, {e.Y, e.X}} {
			c, is := f.named(side[1]).(*types.Const)
			v, held := f.named(side[0]).(*types.Var)
			if is && held && c.Pkg() == f.pkg && (v.IsField() || slices.Contains(params, types.Object(v))) {
				if _, declared := types.Unalias(c.Type()).(*types.Named); declared {
					return []types.Object{c}
				}
			}
		}
	}
	return nil
}

// named returns the object that an expression names, also after a dot.
func (f *finder) named(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return f.in.Info.Uses[e.Sel]
	case *ast.Ident:
		return f.in.Info.Uses[e]
	}
	return nil
}

// exitType reports whether a constant of type t ends the process. Of the types of other packages
// the names of constants tell.
func (f *finder) exitType(t types.Type) bool {
	named, is := types.Unalias(t).(*types.Named)
	if !is || named.Obj().Pkg() == nil {
		return false
	}
	foreign := named.Obj().Pkg() != f.pkg
	return (foreign || len(f.exiting) > 0) && slices.ContainsFunc(constantsOf(named), func(c *types.Const) bool {
		return f.exiting[c] || foreign && c.Exported() && naming.HasWord(exitWord, c.Name())
	})
}

// exits reports whether c ends the process, or says so by its name.
func (f *finder) exits(c *types.Const) bool {
	return f.exiting[c] || naming.HasWord(exitWords, c.Name()) && f.exitType(c.Type())
}

// constantsOf returns the constants of a named type that its package declares, by name.
func constantsOf(named *types.Named) (list []*types.Const) {
	for c := range objects[*types.Const](named.Obj().Pkg()) {
		if types.Identical(c.Type(), named) {
			list = append(list, c)
		}
	}
	return list
}
