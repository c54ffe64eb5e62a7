package catalog

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// precondition returns when c may be called, according to its documentation and
// body.
func (f *finder) precondition(c callable) seq.Precondition {
	decl := f.source.decl(c.fn)
	pre := seq.Precondition{NilOK: f.nilOK(c, decl)}
	pre.Sentence = f.panicSentence(c)
	if decl != nil && decl.Body != nil {
		if guard := f.guard(decl); guard != "" && pre.Sentence == "" {
			pre.Sentence, pre.Guard = guard, true
		}
		pre.Messages = f.messages(decl, 1)
	}
	pre.Panics = pre.Sentence != ""
	pre.Blocks = blockingCall(c) || slices.ContainsFunc(sentences(f.source.doc(c.fn)), saysBlocks) || f.bodyBlocks(decl, 1)
	return pre
}

var (
	// panicWords matches documentation that mentions a panic.
	panicWords = regexp.MustCompile(`(?i)\bpanic(s|ked)?\b|run-?time error`)
	// denied matches documentation of a function that does not panic.
	denied = regexp.MustCompile(`(?i)(\b(not|never|avoids?)|n['’]t) (a )?panic`)
)

// panicSentence returns the sentence of the documentation about a panic of the call,
// else one that gives the caller a duty.
func (f *finder) panicSentence(c callable) string {
	own := sentences(f.source.doc(c.fn))
	for _, s := range own {
		if panicWords.MatchString(s) && !denied.MatchString(s) {
			return s
		}
	}
	name := regexp.MustCompile(`\b` + regexp.QuoteMeta(c.fn.Name()) + `\b`)
	for _, doc := range []string{f.receiverDoc(c), f.source.pkgDoc} {
		for _, s := range sentences(doc) {
			if panicWords.MatchString(s) && !denied.MatchString(s) && name.MatchString(s) {
				return s
			}
		}
	}
	if sentence := f.protocol(c); sentence != "" {
		return sentence
	}
	if sentence := f.likened(own); sentence != "" {
		return sentence
	}
	if returnsError(c.fn.Name(), c.sig) {
		return "" // it says so, and need not panic
	}
	if i := slices.IndexFunc(own, naming.IsDuty); i >= 0 {
		return own[i]
	}
	return ""
}

// never matches documentation that promises a callback not to be called in some way.
var never = regexp.MustCompile(`(?i)\bnever called with\b`)

// protocol returns the sentence in which a func type of the package promises its
// functions never to be given some argument, or "" if c is of no such type.
// bufio.ScanLines is a SplitFunc.
func (f *finder) protocol(c callable) string {
	if c.recv != nil {
		return ""
	}
	var found []string
	for obj, doc := range f.source.typeDocs {
		if sig, ok := obj.Type().Underlying().(*types.Signature); !ok || !types.Identical(sig, c.sig) {
			continue
		}
		for _, s := range sentences(doc) {
			if never.MatchString(s) {
				found = append(found, s)
			}
		}
	}
	return first(found)
}

// first returns the first of list in alphabetical order, "" if list is empty. The
// order of a range over a map is random.
func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return slices.Min(list)
}

// likeness matches a reference to the documentation of another function.
var likeness = regexp.MustCompile(`\b(?:like|same as|equivalent to|shorthand for|identical to|calls)\b \[?(?:\w+\.)*([A-Z]\w*)\b`)

// likened returns the sentence about a panic in the documentation of a function that
// own refers to.
func (f *finder) likened(own []string) string {
	var found []string
	for _, s := range own {
		m := likeness.FindStringSubmatch(s)
		if m == nil || denied.MatchString(s) {
			continue
		}
		for fn, decl := range f.source.funcs {
			if fn.Name() != m[1] {
				continue
			}
			for _, other := range sentences(decl.Doc.Text()) {
				if panicWords.MatchString(other) && !denied.MatchString(other) {
					found = append(found, other)
				}
			}
		}
	}
	return first(found)
}

func (f *finder) receiverDoc(c callable) string {
	if c.recv == nil {
		return ""
	}
	if named, _ := pointee(c.recv); named != nil {
		return f.source.typeDocs[named.Obj()]
	}
	return ""
}

// parameters returns the objects of decl's receiver and parameters, in order;
// nil for one without a name.
func (f *finder) parameters(decl *ast.FuncDecl) []types.Object {
	var list []types.Object
	add := func(fields *ast.FieldList) {
		if fields == nil {
			return
		}
		for _, fld := range fields.List {
			for _, id := range fld.Names {
				list = append(list, f.in.Info.Defs[id])
			}
			if len(fld.Names) == 0 {
				list = append(list, nil)
			}
		}
	}
	add(decl.Recv)
	add(decl.Type.Params)
	return list
}

// guard returns the text of a condition on the arguments under which the body
// starts with a panic, or "". Locals computed from arguments count as such; a
// loop or a return ends the start.
func (f *finder) guard(decl *ast.FuncDecl) string {
	known := map[types.Object]bool{}
	for _, obj := range f.parameters(decl) {
		if obj != nil {
			known[obj] = true
		}
	}
	for i, stmt := range decl.Body.List {
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			f.learn(stmt, known)
		case *ast.IfStmt:
			if init, ok := stmt.Init.(*ast.AssignStmt); ok {
				f.learn(init, known)
			}
			if f.mentions(stmt.Cond, known) && f.panics(stmt.Body.List) {
				return "if " + types.ExprString(stmt.Cond) + guarded
			}
		case *ast.SwitchStmt:
			if cond := f.switchGuard(stmt, known); cond != "" {
				return cond
			}
		case *ast.ExprStmt:
			if i == 0 && f.panicCall(stmt) != nil {
				return "always" + guarded
			}
		case *ast.ForStmt, *ast.RangeStmt, *ast.ReturnStmt:
			return ""
		}
	}
	return ""
}

// guarded ends a Precondition's Sentence that is the condition of a guard.
const guarded = " { panic(…) }"

func (f *finder) switchGuard(stmt *ast.SwitchStmt, known map[types.Object]bool) string {
	for _, clause := range stmt.Body.List {
		clause := clause.(*ast.CaseClause)
		if !f.panics(clause.Body) {
			continue
		}
		for _, e := range clause.List {
			if stmt.Tag == nil && f.mentions(e, known) {
				return "if " + types.ExprString(e) + guarded
			}
		}
		if stmt.Tag != nil && f.mentions(stmt.Tag, known) {
			return "switch " + types.ExprString(stmt.Tag) + guarded
		}
	}
	return ""
}

// learn adds the variables that are assigned from known ones.
func (f *finder) learn(stmt *ast.AssignStmt, known map[types.Object]bool) {
	for _, rhs := range stmt.Rhs {
		if !f.mentions(rhs, known) {
			continue
		}
		for _, lhs := range stmt.Lhs {
			if id, ok := lhs.(*ast.Ident); ok && f.in.Info.Defs[id] != nil {
				known[f.in.Info.Defs[id]] = true
			}
		}
	}
}

func (f *finder) mentions(e ast.Expr, known map[types.Object]bool) bool {
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok && known[f.in.Info.Uses[id]] {
			return true
		}
	}
	return false
}

// panics reports whether a block ends in a panic that blames the caller.
func (f *finder) panics(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	call := f.panicCall(body[len(body)-1])
	return call != nil && !naming.MayAccuseItself(f.constantText(call.Args[0]))
}

// panicCall returns the call of the predeclared panic that stmt is, or nil.
func (f *finder) panicCall(stmt ast.Node) *ast.CallExpr {
	if s, ok := stmt.(*ast.ExprStmt); ok {
		stmt = s.X
	}
	call, ok := stmt.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || f.in.Info.Uses[id] != types.Universe.Lookup("panic") {
		return nil
	}
	return call
}

// messages returns the texts of the explicit panics in decl, and in functions
// of the package that it calls, depth calls away.
func (f *finder) messages(decl *ast.FuncDecl, depth int) []string {
	var list []string
	for n := range ast.Preorder(decl.Body) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		if p := f.panicCall(call); p != nil {
			if text := f.constantText(p.Args[0]); text != "" && !naming.MayAccuseItself(text) {
				list = append(list, text)
			}
		} else if callee := f.source.decl(f.callee(call)); depth > 0 && callee != nil && callee.Body != nil && callee != decl {
			list = append(list, f.messages(callee, depth-1)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// callee returns the function that call calls, or nil if it is a value.
func (f *finder) callee(call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		fn, _ := f.in.Info.Uses[x].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := f.in.Info.Uses[x.Sel].(*types.Func)
		return fn
	}
	return nil
}

// constantText returns the constant text that e starts with: of a constant, a
// concatenation, a format, the argument of errors.New, a variable set to these.
func (f *finder) constantText(e ast.Expr) string {
	e = ast.Unparen(e)
	if v := f.in.Info.Types[e].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return f.constantText(e.X)
		}
	case *ast.CallExpr:
		if len(e.Args) == 0 {
			return ""
		}
		text := f.constantText(e.Args[0])
		if fn := f.callee(e); fn != nil && strings.HasSuffix(fn.Name(), "f") {
			text, _, _ = strings.Cut(text, "%")
		}
		return text
	case *ast.Ident:
		if init := f.source.inits[f.in.Info.Uses[e]]; init != nil {
			return f.constantText(init)
		}
	}
	return ""
}
