package catalog

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
)

var blocking = regexp.MustCompile(`^(R?Lock|Wait|Accept|Serve|ListenAndServe|ListenAndServeTLS|Listen|Dial|DialContext|Recv|Receive|Sleep|Run|Acquire)$`)

// blockingName reports whether functions of that name wait by design.
func blockingName(name string) bool { return blocking.MatchString(name) }

// blockingCall reports whether c waits by its name. A Join without parameters waits
// for threads; a Join with parameters joins strings.
func blockingCall(c callable) bool {
	name := c.fn.Name()
	return blockingName(name) || name == "Join" && c.recv != nil && c.sig.Params().Len() == 0
}

var (
	// blocks matches documentation of a call that waits for others.
	blocks = regexp.MustCompile(`(?i)\b(will|may|can|to) block\b|\bblocks?,? (if|until|while|when|indefinitely|the call\w*)\b`)
	// goesOn matches documentation of a call that does not wait.
	goesOn = regexp.MustCompile(`(?i)(\bnot|n['’]t) block`)
)

// saysBlocks reports whether a sentence documents that the call may wait.
func saysBlocks(sentence string) bool {
	return blocks.MatchString(sentence) && !goesOn.MatchString(sentence)
}

// waits are functions of the standard library that wait for something else.
var waits = map[string]bool{
	"(*sync.Cond).Wait": true, "(*sync.WaitGroup).Wait": true, "time.Sleep": true,
	"(net.Listener).Accept": true, "(*os/exec.Cmd).Wait": true,
}

// bodyBlocks reports whether decl, or a function of the package that it calls,
// depth calls away, waits on a channel or condition outside of goroutines and
// func literals. One that it made itself is its own matter: that nobody ends the
// wait is no design.
func (f *finder) bodyBlocks(decl *ast.FuncDecl, depth int) bool {
	if decl == nil || decl.Body == nil {
		return false
	}
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.SelectStmt:
			found = found || !hasDefault(n)
			return !hasDefault(n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW && !f.isLocal(n.X, decl.Body)
		case *ast.SendStmt:
			found = found || !f.isLocal(n.Chan, decl.Body)
		case *ast.RangeStmt:
			if t := f.in.Info.TypeOf(n.X); t != nil {
				_, isChan := t.Underlying().(*types.Chan)
				found = found || isChan && !f.isLocal(n.X, decl.Body)
			}
		case *ast.CallExpr:
			if fn := f.callee(n); fn != nil {
				sel, isMethod := ast.Unparen(n.Fun).(*ast.SelectorExpr)
				own := isMethod && f.isLocal(sel.X, decl.Body)
				found = found || waits[fn.Origin().FullName()] && !own || depth > 0 && f.bodyBlocks(f.source.decl(fn), depth-1)
			}
		}
		return !found
	})
	return found
}

// isLocal reports whether x is a variable that was declared in body.
func (f *finder) isLocal(x ast.Expr, body *ast.BlockStmt) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	obj := f.in.Info.ObjectOf(id)
	return obj != nil && body.Pos() <= obj.Pos() && obj.Pos() < body.End()
}

func hasDefault(s *ast.SelectStmt) bool {
	return slices.ContainsFunc(s.Body.List, func(clause ast.Stmt) bool { return clause.(*ast.CommClause).Comm == nil })
}

// callbacks are the methods that other packages call on any value, with the
// number of their parameters.
var callbacks = map[string]int{
	"String": 0, "GoString": 0, "Error": 0, "Format": 2,
	"MarshalJSON": 0, "MarshalText": 0, "MarshalBinary": 0, "MarshalXML": 2, "MarshalXMLAttr": 1,
	"GobEncode": 0, "AppendText": 1, "AppendBinary": 1, "LogValue": 0, "Hash": 0, "IsZero": 0, "Value": 0,
}

// callback reports whether a method is one of callbacks.
func callback(name string, sig *types.Signature) bool {
	n, ok := callbacks[name]
	if !ok || n != sig.Params().Len() {
		return false
	}
	switch name {
	case "Format":
		return true
	case "String", "GoString", "Error": // a csv.Writer has another Error
		return sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.String])
	case "Value": // of database/sql/driver, which says that it must not panic
		return sig.Results().Len() == 2 && types.TypeString(sig.Results().At(0).Type(), nil) == "database/sql/driver.Value"
	}
	return sig.Results().Len() > 0
}
