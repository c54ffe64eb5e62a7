package catalog

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"foray.test/harness/naming"
)

var nilWord = regexp.MustCompile(`\bnil\b`)

// nilOK returns for each parameter of c, receiver first, whether c handles nil. It
// does if its body compares the parameter with nil other than to panic, or its
// documentation describes the effect of nil.
func (f *finder) nilOK(c callable, decl *ast.FuncDecl) []bool {
	params := tupleTypes(c.sig.Params())
	if c.recv != nil {
		params = append([]types.Type{c.recv}, params...)
	}
	ok := make([]bool, len(params))
	if decl == nil {
		return ok
	}
	objs := f.parameters(decl)
	if len(objs) != len(params) { // a promoted method of an interface, say
		return ok
	}
	tested := f.nilTested(decl)
	pointers := 0
	for i, t := range params {
		if nilable(t) && (i > 0 || c.recv == nil) {
			pointers++
		}
		ok[i] = objs[i] != nil && tested[objs[i]] && nilable(t)
	}
	if c.recv != nil && objs[0] != nil && !f.sameReceiver(c.recv, objs[0].Type()) {
		ok[0], objs[0] = false, nil // the body compares a part of the value that the pointer leads to
	}
	for _, s := range sentences(decl.Doc.Text()) {
		if !nilWord.MatchString(s) || panicWords.MatchString(s) || naming.IsDuty(s) {
			continue
		}
		for i, t := range params {
			only := pointers == 1 && (i > 0 || c.recv == nil)
			if nilable(t) && objs[i] != nil && saysNilOK(s, objs[i].Name(), only) {
				ok[i] = true
			}
		}
	}
	return ok
}

// sameReceiver reports whether a method of recv is declared for it, and not promoted.
func (f *finder) sameReceiver(recv, declared types.Type) bool {
	a, ptr := pointee(recv)
	b, other := pointee(declared)
	return ptr == other && (a == nil || b == nil || a.Obj() == b.Obj())
}

var returnsNil = regexp.MustCompile(`(?i)\b(return(s|ed)?|results?|err|errors?)\b.*\bnil\b|\bnil\b.*\b(cannot|returned)\b|\bnon-nil\b`)

// saysNilOK reports whether a sentence describes the effect of a nil argument. A
// sentence that describes only a nil result does not.
func saysNilOK(s, name string, only bool) bool {
	named := regexp.MustCompile(`\b(` + regexp.QuoteMeta(name) + ` (is|==|may be|can be) nil|nil ` + regexp.QuoteMeta(name) + `)\b`)
	pointee := "*" + name // the value that may be nil
	return named.MatchString(s) && !strings.Contains(s, pointee) || only && !returnsNil.MatchString(s) && !strings.Contains(s, pointee)
}

// nilTested returns the variables that the body of decl compares with nil, without
// those that it panics for when they are nil.
func (f *finder) nilTested(decl *ast.FuncDecl) map[types.Object]bool {
	tested, refused := map[types.Object]bool{}, map[types.Object]bool{}
	assigned := map[types.Object]bool{} // by statements so far: a later comparison is of another value
	if decl.Body == nil {
		return tested
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if f.panics(n.Body.List) {
				for obj := range f.nilComparisons(n.Cond, token.EQL) {
					refused[obj] = true
				}
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok {
					assigned[f.in.Info.Uses[id]] = true
				}
			}
		case ast.Expr:
			for obj := range f.nilComparisons(n, token.EQL, token.NEQ) {
				tested[obj] = tested[obj] || !assigned[obj]
			}
			return false
		}
		return true
	})
	for obj := range refused {
		delete(tested, obj)
	}
	return tested
}

func (f *finder) nilComparisons(e ast.Expr, ops ...token.Token) map[types.Object]bool {
	found := map[types.Object]bool{}
	for n := range ast.Preorder(e) {
		if b, ok := n.(*ast.BinaryExpr); ok && slices.Contains(ops, b.Op) && f.in.Info.Types[b.Y].IsNil() {
			if id, ok := ast.Unparen(b.X).(*ast.Ident); ok {
				found[f.in.Info.Uses[id]] = true
			}
		}
	}
	return found
}
