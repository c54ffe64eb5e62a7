package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"foray.test/coverage"
)

// A flow finds, for each side of each condition, the conditions that can be evaluated
// next. It walks each function backwards, as continuations do: the successors of a
// statement are known before the statement itself is visited. Back edges of loops are
// left out, so the graph follows the source downwards. A call leads into the function
// called, and past it.
//
// The control-flow graph of x/tools/go/cfg was considered: it keeps neither the
// branches of && and || nor the clauses of a switch together, which are conditions here.
type flow struct {
	w         *writer
	next      [][]ahead           // by condition and side
	functions map[*types.Func]int // those declared in the package
	methods   map[string][]int    // functions by the name of the method, for calls through interfaces
	entries   []ahead             // by function
	targets   []target
	fall      ahead // where fallthrough leads
}

// An ahead lists conditions that may come next, by index, and functions that may be
// called first: function f is -1-f. It is sorted and never changed.
type ahead []int

// A target is a statement that break or continue may name.
type target struct {
	label string
	loop  bool
	after ahead
}

func (a ahead) union(b ahead) ahead {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	u := append(slices.Clone(a), b...)
	slices.Sort(u)
	return slices.Compact(u)
}

// findSuccessors fills Successors of all conditions.
func (w *writer) findSuccessors() {
	f := &flow{w: w, next: make([][]ahead, len(w.conds)), functions: make(map[*types.Func]int), methods: make(map[string][]int)}
	for i := range w.conds {
		f.next[i] = make([]ahead, len(w.conds[i].Sides))
	}
	var bodies []*ast.BlockStmt
	for _, file := range w.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if obj, ok := w.Info.Defs[d.Name].(*types.Func); ok {
					f.functions[obj] = len(bodies)
				}
				if d.Recv != nil {
					f.methods[d.Name.Name] = append(f.methods[d.Name.Name], len(bodies))
				}
				bodies = append(bodies, d.Body)
			}
		}
	}
	for _, b := range bodies {
		f.entries = append(f.entries, f.list(b.List, nil))
	}
	for _, file := range w.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				f.decl(d, nil) // conditions of package variables lead nowhere
			}
		}
	}
	f.resolve()
}

// resolve replaces functions by the conditions that come first in them.
func (f *flow) resolve() {
	for i := range f.w.conds {
		c := &f.w.conds[i]
		c.Successors = make([][]int, len(c.Sides))
		for side := range c.Sides {
			c.Successors[side] = f.conditions(f.next[i][side])
		}
	}
}

func (f *flow) conditions(a ahead) []int {
	var conds []int
	var called []bool
	queue := []ahead{a}
	for len(queue) > 0 {
		a, queue = queue[0], queue[1:]
		for _, x := range a {
			if x >= 0 {
				conds = append(conds, f.w.FirstCondition+x)
				continue
			}
			if called == nil {
				called = make([]bool, len(f.entries))
			}
			if !called[-1-x] {
				called[-1-x] = true
				queue = append(queue, f.entries[-1-x])
			}
		}
	}
	slices.Sort(conds)
	return slices.Compact(conds)
}

func (f *flow) list(stmts []ast.Stmt, next ahead) ahead {
	for i := len(stmts) - 1; i >= 0; i-- {
		next = f.stmt(stmts[i], "", next)
	}
	return next
}

// stmt returns the first conditions of s, which may be nil, given that next follows
// it. label is the label of s, if any.
func (f *flow) stmt(s ast.Stmt, label string, next ahead) ahead {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok && f.w.builtin(call) == "panic" {
			next = nil
		}
		return f.exprs(next, s.X)
	case *ast.SendStmt:
		return f.exprs(next, s.Chan, s.Value)
	case *ast.IncDecStmt:
		return f.exprs(next, s.X)
	case *ast.AssignStmt:
		return f.exprs(f.exprs(f.tested(s, next), s.Rhs...), s.Lhs...)
	case *ast.GoStmt:
		return f.exprs(next, s.Call)
	case *ast.DeferStmt:
		return f.exprs(next, s.Call)
	case *ast.ReturnStmt:
		return f.exprs(nil, s.Results...)
	case *ast.DeclStmt:
		return f.decl(s.Decl.(*ast.GenDecl), f.tested(s, next))
	case *ast.LabeledStmt:
		return f.stmt(s.Stmt, s.Label.Name, next)
	case *ast.BlockStmt:
		return f.list(s.List, next)
	case *ast.IfStmt:
		return f.stmt(s.Init, "", f.operand(s.Cond, f.list(s.Body.List, next), f.stmt(s.Else, "", next)))
	case *ast.ForStmt:
		return f.forStmt(s, label, next)
	case *ast.RangeStmt:
		return f.rangeStmt(s, label, next)
	case *ast.SwitchStmt:
		return f.stmt(s.Init, "", f.switchStmt(s, label, next))
	case *ast.TypeSwitchStmt:
		bodies, rest := f.clauses(s.Body, label, next)
		return f.stmt(s.Init, "", f.stmt(s.Assign, "", f.sides(s.Body, append(bodies, rest))))
	case *ast.SelectStmt:
		return f.selectStmt(s, label, next)
	case *ast.BranchStmt:
		return f.branch(s)
	}
	return next
}

func (f *flow) decl(d *ast.GenDecl, next ahead) ahead {
	for i := len(d.Specs) - 1; i >= 0; i-- {
		if v, ok := d.Specs[i].(*ast.ValueSpec); ok && d.Tok == token.VAR {
			next = f.exprs(next, v.Values...)
		}
	}
	return next
}

// tested puts the condition before next that a comma-ok statement makes.
func (f *flow) tested(s ast.Stmt, next ahead) ahead {
	c, ok := f.w.nodes[s]
	if !ok {
		return next
	}
	f.next[c] = []ahead{next, next}
	return ahead{c}
}

func (f *flow) forStmt(s *ast.ForStmt, label string, next ahead) ahead {
	after := next
	if s.Cond == nil {
		after = nil // only break leads there
	}
	f.targets = append(f.targets, target{label, true, next})
	body := f.list(s.Body.List, f.stmt(s.Post, "", after))
	f.targets = f.targets[:len(f.targets)-1]
	if s.Cond != nil {
		body = f.operand(s.Cond, body, next)
	}
	return f.stmt(s.Init, "", body)
}

func (f *flow) rangeStmt(s *ast.RangeStmt, label string, next ahead) ahead {
	f.targets = append(f.targets, target{label, true, next})
	body := f.list(s.Body.List, next)
	f.targets = f.targets[:len(f.targets)-1]
	c, ok := f.w.nodes[s]
	if !ok {
		return f.exprs(body.union(next), s.X)
	}
	f.next[c] = []ahead{next, body}
	if f.w.conds[c].Kind == coverage.Loop {
		f.next[c][0] = next.union(body) // it is reached either way
	}
	return f.exprs(ahead{c}, s.X)
}

// clauses returns the first conditions in each clause of a switch, and the
// first ones if no clause is taken.
func (f *flow) clauses(body *ast.BlockStmt, label string, next ahead) (bodies []ahead, rest ahead) {
	fall := f.fall
	f.targets = append(f.targets, target{label, false, next})
	bodies, rest = make([]ahead, len(body.List)), next
	f.fall = nil
	for i := len(bodies) - 1; i >= 0; i-- {
		c := body.List[i].(*ast.CaseClause)
		bodies[i] = f.list(c.Body, next)
		f.fall = bodies[i]
		if c.List == nil {
			rest = bodies[i]
		}
	}
	f.targets, f.fall = f.targets[:len(f.targets)-1], fall
	return bodies, rest
}

// sides puts the condition before next that a switch makes, if it makes one.
func (f *flow) sides(body *ast.BlockStmt, next []ahead) ahead {
	c, ok := f.w.nodes[body]
	if !ok {
		var any ahead
		for _, a := range next {
			any = any.union(a)
		}
		return any
	}
	copy(f.next[c], next)
	return ahead{c}
}

func (f *flow) switchStmt(s *ast.SwitchStmt, label string, next ahead) ahead {
	bodies, rest := f.clauses(s.Body, label, next)
	if s.Tag != nil {
		before := f.sides(s.Body, append(slices.Clone(bodies), rest))
		for i := len(bodies) - 1; i >= 0; i-- {
			before = f.exprs(before, s.Body.List[i].(*ast.CaseClause).List...)
		}
		return f.exprs(before, s.Tag)
	}
	before := rest
	for i := len(bodies) - 1; i >= 0; i-- {
		list := s.Body.List[i].(*ast.CaseClause).List
		for j := len(list) - 1; j >= 0; j-- {
			before = f.operand(list[j], bodies[i], before)
		}
	}
	return before
}

func (f *flow) selectStmt(s *ast.SelectStmt, label string, next ahead) ahead {
	f.targets = append(f.targets, target{label, false, next})
	bodies := make([]ahead, len(s.Body.List))
	for i, c := range s.Body.List {
		c := c.(*ast.CommClause)
		bodies[i] = f.list(c.Body, next)
		if c.Comm != nil {
			bodies[i] = f.tested(c.Comm, bodies[i])
		}
	}
	f.targets = f.targets[:len(f.targets)-1]
	before := f.sides(s.Body, bodies)
	for i := len(bodies) - 1; i >= 0; i-- {
		before = f.exprs(before, commExprs(s.Body.List[i].(*ast.CommClause).Comm)...)
	}
	return before
}

// branch returns the target of s. A goto is not followed.
func (f *flow) branch(s *ast.BranchStmt) ahead {
	if s.Tok == token.FALLTHROUGH {
		return f.fall
	}
	for i := len(f.targets) - 1; i >= 0 && s.Tok != token.GOTO; i-- {
		t := f.targets[i]
		if s.Label != nil && s.Label.Name == t.label || s.Label == nil && (t.loop || s.Tok == token.BREAK) {
			return t.after
		}
	}
	return nil
}

func (f *flow) exprs(next ahead, list ...ast.Expr) ahead {
	for i := len(list) - 1; i >= 0; i-- {
		next = f.expr(list[i], next)
	}
	return next
}

// expr returns the first conditions of x, given that next follows it.
func (f *flow) expr(x ast.Expr, next ahead) ahead {
	if x == nil || f.w.isConstant(x) {
		return next
	}
	x = ast.Unparen(x)
	if c, ok := f.w.nodes[x]; ok {
		f.next[c] = []ahead{next, next}
		return f.inside(x, ahead{c})
	}
	return f.inside(x, next)
}

// operand returns the first conditions of x, given that yes follows if x is true and
// no if it is false.
func (f *flow) operand(x ast.Expr, yes, no ahead) ahead {
	x = ast.Unparen(x)
	if v := f.w.Info.Types[x].Value; v != nil {
		if v.String() == "true" {
			return yes
		}
		return no
	}
	if c, ok := f.w.nodes[x]; ok {
		f.next[c] = []ahead{no, yes}
		return f.inside(x, ahead{c})
	}
	switch e := x.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return f.operand(e.X, no, yes)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return f.operand(e.X, f.operand(e.Y, yes, no), no)
		case token.LOR:
			return f.operand(e.X, yes, f.operand(e.Y, yes, no))
		}
	}
	return f.expr(x, yes.union(no))
}

// inside is expr for the parts of x.
func (f *flow) inside(x ast.Expr, next ahead) ahead {
	switch e := x.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return f.operand(e, next, next)
		}
	case *ast.CallExpr:
		next = next.union(f.callees(e))
	case *ast.FuncLit: // it may be called at once
		targets, fall := f.targets, f.fall
		f.targets, f.fall = nil, nil
		body := f.list(e.Body.List, nil)
		f.targets, f.fall = targets, fall
		return next.union(body)
	}
	return f.exprs(next, parts(x)...)
}

// callees returns the functions of the package that e may call: the one it names,
// or any method of that name if it is called through an interface.
func (f *flow) callees(e *ast.CallExpr) ahead {
	fun := ast.Unparen(e.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	obj, ok := f.w.named(fun)
	if !ok {
		return nil
	}
	if i, ok := f.functions[obj.Origin()]; ok {
		return ahead{-1 - i}
	}
	var called ahead
	if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		for _, i := range f.methods[obj.Name()] {
			called = called.union(ahead{-1 - i})
		}
	}
	return called
}
