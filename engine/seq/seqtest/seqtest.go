// Package seqtest makes small tables and sequences for tests, and completes tables that tests
// write by hand.
package seqtest

import (
	"go/ast"
	"go/parser"
	"go/types"
	"regexp"
	"strings"

	"foray.test/engine/seq"
)

// Describe sets the form of a type from its name, as harness/catalog does from the type
// itself: "[]byte" is a slice of byte. Qualifiers stand for the import path that paths
// has for them, or for themselves. What the name does not tell is left alone: the kind
// of a declared type that has one already, methods.
func Describe(ty *seq.Type, paths map[string]string) {
	expr, err := parser.ParseExpr(ty.Name)
	if err != nil {
		panic("seqtest: type " + ty.Name + ": " + err.Error())
	}
	ty.Path, ty.Base = declared(expr, paths)
	switch x := expr.(type) {
	case *ast.StarExpr:
		ty.Kind, ty.Elem = seq.PointerType, types.ExprString(x.X)
	case *ast.ArrayType:
		ty.Kind, ty.Elem = seq.SliceType, types.ExprString(x.Elt)
		if x.Len != nil {
			ty.Kind = seq.ArrayType
		}
	case *ast.MapType:
		ty.Kind, ty.Elem, ty.Key = seq.MapType, types.ExprString(x.Value), types.ExprString(x.Key)
	case *ast.ChanType:
		ty.Kind, ty.Elem = seq.ChanType, types.ExprString(x.Value)
	case *ast.FuncType:
		ty.Kind, ty.Iterator = seq.FuncType, rangeable(x)
		ty.Params, ty.Results = fields(x.Params), fields(x.Results)
	case *ast.StructType:
		ty.Kind = seq.StructType
	case *ast.InterfaceType:
		ty.Kind = seq.InterfaceType
	default:
		switch {
		case ty.Kind != 0:
		case ty.Interface:
			ty.Kind = seq.InterfaceType
		case ty.Literal != seq.NoLiteral:
			ty.Kind = seq.BasicType
		case ty.Path == "iter":
			ty.Kind, ty.Iterator = seq.FuncType, true
		default:
			ty.Kind = seq.StructType
		}
	}
}

// declared returns the path and the name of a declared type, or of the one that x points to.
func declared(x ast.Expr, paths map[string]string) (path, name string) {
	switch x := x.(type) {
	case *ast.StarExpr:
		return declared(x.X, paths)
	case *ast.IndexExpr:
		return declared(x.X, paths)
	case *ast.IndexListExpr:
		return declared(x.X, paths)
	case *ast.Ident:
		if x.Name == "any" {
			return "", "" // as go/types has it
		}
		return "", x.Name
	case *ast.SelectorExpr:
		path := types.ExprString(x.X)
		if p := paths[path]; p != "" {
			path = p
		}
		return path, x.Sel.Name
	}
	return "", ""
}

func fields(list *ast.FieldList) []string {
	if list == nil {
		return nil
	}
	var all []string
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			all = append(all, types.ExprString(f.Type))
		}
	}
	return all
}

// rangeable reports whether range takes functions of type x.
func rangeable(x *ast.FuncType) bool {
	params := fields(x.Params)
	if len(params) != 1 || x.Results != nil {
		return false
	}
	yield, ok := x.Params.List[0].Type.(*ast.FuncType)
	if !ok {
		return false
	}
	n := len(fields(yield.Params))
	return (n == 1 || n == 2) && strings.Join(fields(yield.Results), " ") == "bool"
}

var qualifier = regexp.MustCompile(`\b(\w+)\.`)

// Implement sets the standard interfaces of type id: those that its name tells, and
// those that the methods among the operations of t make it implement.
func Implement(t *seq.Table, id seq.TypeID, paths map[string]string) {
	ty := &t.Types[id]
	text := func(ids []seq.TypeID) string {
		var names []string
		for _, id := range ids {
			names = append(names, qualifier.ReplaceAllStringFunc(t.Types[id].Name, func(q string) string {
				if p := paths[strings.TrimSuffix(q, ".")]; p != "" {
					return p + "."
				}
				return q
			}))
		}
		return strings.Join(names, ", ")
	}
	signatures := map[string]string{}
	for i := range t.Ops {
		op := &t.Ops[i]
		if op.Kind != seq.Method || op.Params[0] != id && "*"+t.Types[op.Params[0]].Name != ty.Name {
			continue
		}
		results := text(op.Results)
		if len(op.Results) > 1 {
			results = "(" + results + ")"
		}
		signatures[op.Base] = strings.TrimSpace("(" + text(op.Params[1:]) + ") " + results)
	}
	ty.Std = seq.Implemented(func(name string) string { return signatures[name] })
	if ty.Interface {
		ty.Std |= seq.StdNamed(strings.TrimPrefix(ty.Path+"."+ty.Base, "."))
	}
}
