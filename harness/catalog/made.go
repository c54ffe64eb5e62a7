package catalog

import (
	"go/ast"
	"go/types"
	"slices"
)

// surveyMade adds to made the types of which the package sets hidden fields outside of their
// own methods. It does so in a literal or, if a type has no other fields, by an assignment. Nobody
// else can set them, so the package makes their values, in whatever form it hands them out.
func (f *finder) surveyMade(made map[*types.TypeName]bool) {
	for _, file := range f.in.Files {
		for _, decl := range file.Decls {
			var own *types.TypeName
			if fn, ok := decl.(*ast.FuncDecl); ok {
				own = f.receiverName(fn)
			}
			for n := range ast.Preorder(decl) {
				for _, named := range f.setsHidden(n) {
					if named.Obj() != own {
						made[named.Obj()] = true
					}
				}
			}
		}
	}
}

// receiverName returns the type that fn is a method of, or nil.
func (f *finder) receiverName(fn *ast.FuncDecl) *types.TypeName {
	obj, ok := f.in.Info.Defs[fn.Name].(*types.Func)
	if !ok || obj.Signature().Recv() == nil {
		return nil
	}
	named, _ := pointee(obj.Signature().Recv().Type())
	if named == nil {
		return nil
	}
	return named.Obj()
}

// setsHidden returns the types of which n itself sets a hidden field.
func (f *finder) setsHidden(n ast.Node) []*types.Named {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if named, st := f.ownStruct(f.in.Info.Types[n].Type); st != nil && f.fillsHidden(n, st) {
			return []*types.Named{named}
		}
	case *ast.AssignStmt:
		var list []*types.Named
		for _, x := range n.Lhs {
			sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
			if !ok || sel.Sel.IsExported() || f.in.Info.Selections[sel] == nil {
				continue
			}
			if named, st := f.ownStruct(f.in.Info.Selections[sel].Recv()); st != nil && hidesReference(st) {
				list = append(list, named)
			}
		}
		return list
	}
	return nil
}

// ownStruct returns the struct type of the package that t is or points to, or nil.
func (f *finder) ownStruct(t types.Type) (*types.Named, *types.Struct) {
	if t == nil {
		return nil, nil
	}
	named, _ := pointee(t)
	if named == nil || named.Obj().Pkg() != f.pkg {
		return nil, nil
	}
	st, _ := named.Underlying().(*types.Struct)
	return named, st
}

// fillsHidden reports whether a literal of st sets a hidden field.
func (f *finder) fillsHidden(lit *ast.CompositeLit, st *types.Struct) bool {
	for i, x := range lit.Elts {
		name := ""
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				name = id.Name
			}
		} else if i < st.NumFields() {
			name = st.Field(i).Name()
		}
		if name != "" && !ast.IsExported(name) {
			return true
		}
	}
	return false
}

// setsReceiver reports whether the body of fn, a method, assigns to its receiver or to a part of
// it, or gives the address of one to another function. Of a body that is not at hand, as that of a
// method which a type has from another package, the receiver tells: it is a pointer.
func (f *finder) setsReceiver(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil {
		return false
	}
	decl := f.source.decl(fn)
	if decl == nil || decl.Body == nil {
		_, pointer := recv.Type().(*types.Pointer)
		return pointer
	}
	return f.assigns(decl)
}

// assigns reports whether the body of a method assigns to its receiver, or may.
func (f *finder) assigns(decl *ast.FuncDecl) bool {
	recv := f.parameters(decl)[0]
	isRecv := func(x ast.Expr) bool { return recv != nil && f.rootOf(x) == recv }
	for n := range ast.Preorder(decl.Body) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if _, whole := x.(*ast.Ident); !whole && isRecv(x) {
					return true
				}
			}
		case *ast.CallExpr:
			if fun, method := ast.Unparen(n.Fun).(*ast.SelectorExpr); method && isRecv(fun.X) || slices.ContainsFunc(n.Args, isRecv) {
				return true
			}
		}
	}
	return false
}

// returnsMinusOne reports whether the body of fn returns the constant -1, and nothing else beside it.
func (f *finder) returnsMinusOne(fn *types.Func) bool {
	decl := f.source.decl(fn)
	if decl == nil || decl.Body == nil {
		return false
	}
	for n := range ast.Preorder(decl.Body) {
		if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
			if v := f.in.Info.Types[ret.Results[0]].Value; v != nil && v.ExactString() == "-1" {
				return true
			}
		}
	}
	return false
}

// rootOf returns the variable that x is a part of, or the address of a part.
func (f *finder) rootOf(x ast.Expr) types.Object {
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.UnaryExpr:
			x = e.X
		case *ast.Ident:
			return f.in.Info.Uses[e]
		default:
			return nil
		}
	}
}
