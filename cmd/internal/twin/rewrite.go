package twin

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A rewriter rewrites a declaration by edits of its text, so that it reads cells. The
// rest of it stays as its author wrote it.
type rewriter struct {
	*generator
	parents []ast.Node
	edits   []edit
}

// An edit replaces the text from pos to end.
type edit struct {
	pos, end token.Pos
	text     string
	before   int // inserted before what other edits insert at pos, the greatest first
}

// rewrite returns the rewritten text of a declaration.
func (g *generator) rewrite(decl ast.Node) string {
	r := &rewriter{generator: g}
	ast.Inspect(decl, func(n ast.Node) bool {
		if n != nil {
			r.parents = append(r.parents, n)
			return true
		}
		n = r.parents[len(r.parents)-1]
		r.parents = r.parents[:len(r.parents)-1]
		r.node(n)
		return true
	})
	return r.apply(decl)
}

func (r *rewriter) apply(decl ast.Node) string {
	slices.SortStableFunc(r.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(b.before, a.before))
	})
	source := string(r.source(decl))
	var b strings.Builder
	at := decl.Pos()
	for _, e := range r.edits {
		b.WriteString(source[at-decl.Pos() : e.pos-decl.Pos()])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(source[at-decl.Pos():])
	return b.String()
}

// after inserts text at the end of an expression, in front of it, or replaces text.
func (r *rewriter) after(n ast.Node, text string) { r.replace(n.End(), n.End(), text) }
func (r *rewriter) front(n ast.Node, text string) {
	r.edits = append(r.edits, edit{n.Pos(), n.Pos(), text, 1 + len(r.edits)})
}
func (r *rewriter) replace(pos, end token.Pos, text string) {
	r.edits = append(r.edits, edit{pos, end, text, 0})
}

// parent returns the i-th node around the one that is rewritten, parentheses apart, and
// the child in it that holds it.
func (r *rewriter) parent(n ast.Node, i int) (parent, child ast.Node) {
	child = n
	for at := len(r.parents) - 1; at >= 0; at-- {
		parent = r.parents[at]
		if _, ok := parent.(*ast.ParenExpr); !ok {
			if i == 0 {
				return parent, child
			}
			i--
		}
		child = parent
	}
	return nil, child
}

// node makes the edits of one node, those of its children being made.
func (r *rewriter) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Ident:
		r.ident(n)
	case *ast.SelectorExpr:
		r.selector(n)
	case *ast.IndexExpr:
		if s := r.listOf(n.X); s != nil {
			r.replace(n.Lbrack, n.Lbrack+1, ".At(")
			r.replace(n.Rbrack, n.Rbrack+1, ")")
			s.some = true
			r.wanted(n, "an element")
			r.useList(n, s.elem)
		}
	case *ast.StarExpr:
		if r.info.Types[n].IsValue() && r.structOf(r.info.TypeOf(n)) != nil {
			r.replace(n.Star, n.Star+1, "")
			r.wanted(n, "a structure")
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND && r.structOf(r.info.TypeOf(n.X)) != nil {
			r.replace(n.OpPos, n.OpPos+1, "")
		}
	case *ast.CompositeLit:
		r.makes(n, r.info.TypeOf(n))
	case *ast.CallExpr:
		r.call(n)
	case *ast.RangeStmt:
		r.ranges(n)
	case *ast.BinaryExpr:
		if s := r.structOf(r.info.TypeOf(n.X)); s != nil && (n.Op == token.EQL || n.Op == token.NEQ) {
			r.problem(n.Pos(), fmt.Sprintf("compares two %s by value", s.obj.Name()), "compare their fields")
		}
	case *ast.ValueSpec:
		if t := r.info.TypeOf(n.Names[0]); len(n.Values) == 0 && !isPointer(t) {
			r.makes(n, t)
		}
	}
}

// makes reports that n makes a value of type t, if that is a structure.
func (r *rewriter) makes(n ast.Node, t types.Type) {
	if s := r.structOf(t); s != nil {
		r.problem(n.Pos(), "makes a "+s.obj.Name(), "a predicate only reads the structure that it is given")
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// ident renames types and functions that have a twin.
func (r *rewriter) ident(n *ast.Ident) {
	obj := r.info.Uses[n]
	if obj == nil {
		obj = r.info.Defs[n]
	}
	switch obj := obj.(type) {
	case *types.PkgName:
		r.replace(n.Pos(), n.End(), r.imported(obj.Imported().Path(), obj.Imported().Name()))
	case *types.TypeName:
		if s := r.structs[obj]; s != nil {
			s.used = true
			r.replace(n.Pos(), n.End(), s.twin())
			if !r.starred(n) {
				r.front(n, "*")
			}
		} else if r.helper(obj) {
			r.replace(n.Pos(), n.End(), r.helperName(obj))
		}
	case *types.Func:
		if !r.needsTwin(obj) {
			return
		}
		if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			if r.info.Uses[n] != nil {
				r.problem(n.Pos(), "calls "+obj.Name()+", a method of an interface", "call a function of the package that only reads")
			}
			return
		}
		r.wantFunc(obj.Origin(), n.Pos())
		if obj.Signature().Recv() == nil {
			r.replace(n.Pos(), n.End(), r.funcName(obj.Origin()))
		}
	case *types.Var:
		if obj.Pkg() == r.pkg.Types && obj.Parent() == r.pkg.Types.Scope() && r.involves(obj.Type()) {
			r.problem(n.Pos(), fmt.Sprintf("reads the variable %s, of which there is no twin", obj.Name()), "let the predicate read only what it is given")
		}
	}
}

// starred reports whether a type's name is written with a star.
func (r *rewriter) starred(n ast.Node) bool {
	parent, child := r.parent(n, 0)
	switch p := parent.(type) {
	case *ast.IndexExpr:
		if p.X == child {
			parent, _ = r.parent(n, 1)
		}
	case *ast.IndexListExpr:
		if p.X == child {
			parent, _ = r.parent(n, 1)
		}
	}
	_, ok := parent.(*ast.StarExpr)
	return ok
}

// selector has cells read. Fields of embedded structs are written out, for their twins
// are not embedded.
func (r *rewriter) selector(n *ast.SelectorExpr) {
	sel := r.info.Selections[n]
	if sel == nil {
		return
	}
	index, t := sel.Index(), sel.Recv()
	for i, at := range index {
		t = pointee(t)
		if i == len(index)-1 && sel.Kind() != types.FieldVal {
			return
		}
		v := t.Underlying().(*types.Struct).Field(at)
		last := i == len(index)-1
		if !last {
			r.after(n.X, "."+v.Name())
		}
		if s := r.structOf(t); s != nil {
			r.read(n, r.fields[v.Origin()], last)
		}
		t = v.Type()
	}
}

// read makes the edits of a read of f, the field that n names or an embedded one on
// the way there.
func (r *rewriter) read(n *ast.SelectorExpr, f *field, last bool) {
	f.read = true
	if !last {
		if f.kind == ref {
			r.after(n.X, ".Get()")
		}
		return
	}
	switch f.kind {
	case plain:
		r.readPlain(n, f)
		return
	case val, ref:
		r.after(n, ".Get()")
	}
	r.wanted(n, "the field "+f.String())
	r.useList(n, f.shape)
}

// readPlain reports a read of a field that has no cell, unless its value is known.
func (r *rewriter) readPlain(n ast.Node, f *field) {
	if _, ok := f.t.Underlying().(*types.Struct); r.copied(f) || ok && !r.involves(f.origin.Type()) {
		return // a mutex has its zero value
	}
	if f.tag.Skip {
		return
	}
	hint := "leave it out of the predicate, or tag it `exhaustive:\"-\"` for its zero value, or `exhaustive:\"like\"` for that of a value you give"
	if f.owner != r.root {
		hint = fmt.Sprintf("leave it out of the predicate, or tag the fields that lead to %s: in %s with `exhaustive:\"like\"` for that of a value you give, elsewhere with `exhaustive:\"-\"`", f.owner.obj.Name(), r.root.obj.Name())
	}
	r.problem(n.Pos(), fmt.Sprintf("reads %s, of type %s, for which there is no cell", f, r.original(f.origin.Type())), hint)
}

// wanted reports a use of n other than its value.
func (r *rewriter) wanted(n ast.Expr, what string) {
	parent, child := r.parent(n, 0)
	writes := false
	switch p := parent.(type) {
	case *ast.AssignStmt:
		writes = slices.ContainsFunc(p.Lhs, func(x ast.Expr) bool { return x == child })
	case *ast.IncDecStmt:
		writes = true
	case *ast.RangeStmt:
		writes = p.Key == child || p.Value == child
	case *ast.UnaryExpr:
		if p.Op == token.AND && r.structOf(r.info.TypeOf(n)) == nil {
			r.problem(p.Pos(), "takes the address of "+what, "read its value where it is needed")
		}
	}
	if writes {
		r.problem(n.Pos(), "writes "+what, "a predicate only reads: keep what it notes in variables of its own")
	}
}

// listOf returns the shape of a field or an element that is a list, nil for other
// expressions.
func (r *rewriter) listOf(x ast.Expr) *shape {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		if sel := r.info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal {
			if f := r.fields[sel.Obj().(*types.Var).Origin()]; f != nil && f.kind == list {
				return f.shape
			}
		}
	case *ast.IndexExpr:
		if s := r.listOf(x.X); s != nil && s.elem.kind == list {
			return s.elem
		}
	}
	return nil
}

// useList reads all elements of a list unless its parent reads only some.
func (r *rewriter) useList(n ast.Expr, s *shape) {
	if s.kind != list {
		return
	}
	parent, child := r.parent(n, 0)
	switch p := parent.(type) {
	case *ast.IndexExpr:
		if p.X == child {
			return
		}
	case *ast.RangeStmt:
		if p.X == child {
			return
		}
	case *ast.CallExpr:
		if r.measures(p) {
			return
		}
	case *ast.SliceExpr:
		s.some = true
		r.after(n, ".Values()")
		return
	}
	s.some = true
	t := r.info.TypeOf(n)
	switch _, named := types.Unalias(t).(*types.Named); {
	case s.n >= 0 || s.elem.kind == list:
		r.problem(n.Pos(), "uses the "+r.original(t)+" as a whole", "read its elements")
	case named:
		r.front(n, r.text(t)+"(")
		r.after(n, ".Values())")
	default:
		r.after(n, ".Values()")
	}
}

// measures reports whether a call is len(x) or cap(x).
func (r *rewriter) measures(n *ast.CallExpr) bool {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := r.info.Uses[id].(*types.Builtin)
	return ok && (b.Name() == "len" || b.Name() == "cap")
}

// allowed are the packages whose functions may be given a structure as an interface.
const allowed = " errors fmt log maps slices sort "

func (r *rewriter) call(n *ast.CallExpr) {
	if r.measures(n) && r.listOf(n.Args[0]) != nil {
		r.replace(n.Pos(), n.Args[0].Pos(), "")
		r.replace(n.Args[0].End(), n.End(), ".Len()")
		return
	}
	if b, ok := typeutil.Callee(r.info, n).(*types.Builtin); ok {
		if b.Name() == "new" {
			r.makes(n, r.info.TypeOf(n.Args[0]))
		}
		return
	}
	sig, ok := r.info.TypeOf(n.Fun).Underlying().(*types.Signature)
	if !ok || r.info.Types[n.Fun].IsType() {
		return
	}
	callee := typeutil.Callee(r.info, n)
	if callee != nil && callee.Pkg() != nil && strings.Contains(allowed, " "+callee.Pkg().Path()+" ") {
		return
	}
	for i, arg := range n.Args {
		p := sig.Params().At(min(i, sig.Params().Len()-1)).Type()
		if sig.Variadic() && i >= sig.Params().Len()-1 && !n.Ellipsis.IsValid() {
			p = p.(*types.Slice).Elem()
		}
		_, generic := types.Unalias(p).(*types.TypeParam)
		if t := r.info.TypeOf(arg); types.IsInterface(p) && !generic && !types.IsInterface(t) && r.involves(t) {
			r.problem(arg.Pos(), fmt.Sprintf("gives a %s to %s, which takes a %s", r.original(t), types.ExprString(n.Fun), r.original(p)), "call what takes the type itself")
		}
	}
}

// ranges has a loop over a list read as many elements as it looks at.
func (r *rewriter) ranges(n *ast.RangeStmt) {
	s := r.listOf(n.X)
	if s == nil {
		return
	}
	if n.Value == nil || isBlank(n.Value) {
		r.after(n.X, ".Len()")
		if n.Value != nil {
			r.replace(n.Key.End(), n.Value.End(), "")
		}
		return
	}
	s.some = true
	if s.elem.kind == list {
		r.problem(n.Value.Pos(), "uses the "+r.original(s.elem.t)+" as a whole", "read its elements")
	}
	r.after(n.X, ".All()")
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}
