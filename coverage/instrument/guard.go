package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"foray.test/coverage"
)

// A guarder finds sides that cannot be taken because a condition before, on every
// way, has decided the same comparison: after
//
//	if n <= 0 {
//		return
//	}
//
// n > 0 has no side "false", nor has a range over s after len(s) == 0 returned a
// side "empty". It walks each function forwards with what is known at that point. A
// thing is known only of expressions that give the same value again: a variable
// until it is assigned, what lies in memory until anything is stored or called. Where
// statements can be reached in ways that it does not follow, it knows less.
type guarder struct {
	w *writer
}

// findGuarded fills Guarded of all conditions.
func (w *writer) findGuarded() {
	g := &guarder{w}
	for _, file := range w.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					g.function(d.Body)
				}
			case *ast.GenDecl:
				g.decl(d, known{})
			}
		}
	}
}

// function walks a body, unless it jumps.
func (g *guarder) function(body *ast.BlockStmt) {
	if !contains(body, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		return ok && b.Tok == token.GOTO
	}) {
		g.list(body.List, known{})
	}
}

func contains(n ast.Node, is func(ast.Node) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}

func (g *guarder) list(stmts []ast.Stmt, k known) known {
	for _, s := range stmts {
		k = g.stmt(s, k)
	}
	return k
}

// stmt returns what is known after s, nil if s does not end where the next
// statement begins.
func (g *guarder) stmt(s ast.Stmt, k known) known {
	switch s := s.(type) {
	case *ast.ExprStmt:
		k = g.expr(s.X, k)
		if call, ok := s.X.(*ast.CallExpr); ok && g.w.builtin(call) == "panic" {
			return nil
		}
	case *ast.SendStmt:
		return g.forget(s, g.exprs(k, s.Chan, s.Value))
	case *ast.IncDecStmt:
		return g.forget(s, g.expr(s.X, k))
	case *ast.AssignStmt:
		return g.forget(s, g.exprs(g.exprs(k, s.Rhs...), s.Lhs...))
	case *ast.GoStmt:
		return g.forget(s, g.expr(s.Call, k))
	case *ast.DeferStmt:
		return g.expr(s.Call, k)
	case *ast.DeclStmt:
		return g.decl(s.Decl.(*ast.GenDecl), k)
	case *ast.ReturnStmt:
		g.exprs(k, s.Results...)
		return nil
	case *ast.BranchStmt:
		return nil
	case *ast.LabeledStmt:
		return g.after(s, g.forget(s, k), g.stmt(s.Stmt, k))
	case *ast.BlockStmt:
		return g.list(s.List, k)
	case *ast.IfStmt:
		yes, no := g.cond(s.Cond, g.stmt(s.Init, k))
		return join(g.list(s.Body.List, yes), g.stmt(s.Else, no))
	case *ast.ForStmt:
		return g.forStmt(s, g.stmt(s.Init, k))
	case *ast.RangeStmt:
		return g.rangeStmt(s, g.expr(s.X, k))
	case *ast.SwitchStmt:
		return g.switchStmt(s, g.stmt(s.Init, k))
	case *ast.TypeSwitchStmt:
		k = g.stmt(s.Assign, g.stmt(s.Init, k))
		return g.clauses(s.Body, k, slices.Repeat([]known{k}, len(s.Body.List)), k)
	case *ast.SelectStmt:
		k = g.forget(s, k)
		for _, c := range s.Body.List {
			c := c.(*ast.CommClause)
			g.list(c.Body, g.stmt(c.Comm, k))
		}
	}
	return k
}

func (g *guarder) decl(d *ast.GenDecl, k known) known {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
			k = g.exprs(k, v.Values...)
		}
	}
	return k
}

// after returns what is known after s: end if s can only end as usual, and less,
// which holds throughout s, if a break leaves it.
func (g *guarder) after(s ast.Node, less, end known) known {
	if contains(s, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		return ok && b.Tok == token.BREAK
	}) {
		return less
	}
	return end
}

func (g *guarder) forStmt(s *ast.ForStmt, k known) known {
	k = g.forgetAll(k, s.Cond, s.Post, s.Body)
	yes, no := k, known(nil)
	if s.Cond != nil {
		yes, no = g.cond(s.Cond, k)
	}
	g.list(s.Body.List, yes)
	g.stmt(s.Post, k)
	return g.after(s.Body, k, no)
}

func (g *guarder) rangeStmt(s *ast.RangeStmt, k known) known {
	inside := g.forget(s, k)
	if c, ok := g.w.nodes[s]; ok && g.w.conds[c].Kind == coverage.Range && k != nil {
		if about, ok := g.rangeLength(s.X); ok {
			g.decide(c, about, k, bound{token.GTR, 0})
			if kept := g.forget(s, known{about.key: about}); len(kept) > 0 { // it stays so in the loop
				inside, _ = g.decide(c, about, inside, bound{token.GTR, 0})
			}
		}
	}
	g.list(s.Body.List, inside)
	return g.forget(s, k)
}

func (g *guarder) switchStmt(s *ast.SwitchStmt, k known) known {
	if s.Tag != nil {
		k = g.expr(s.Tag, k)
	}
	starts := make([]known, len(s.Body.List))
	rest := k
	for i, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			if s.Tag == nil {
				var yes known
				yes, rest = g.cond(x, rest)
				starts[i] = join(starts[i], yes)
			} else {
				rest = g.expr(x, rest)
				starts[i] = rest
			}
		}
	}
	for i, c := range s.Body.List {
		if c.(*ast.CaseClause).List == nil {
			starts[i] = rest
		}
	}
	return g.clauses(s.Body, k, starts, rest)
}

// clauses walks the clauses of a switch, each from what is known where it starts.
// before is known before the switch, rest if no clause is taken.
func (g *guarder) clauses(body *ast.BlockStmt, before known, starts []known, rest known) known {
	least := g.forget(body, before)
	falls := contains(body, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		return ok && b.Tok == token.FALLTHROUGH
	})
	var end known
	for i, c := range body.List {
		c := c.(*ast.CaseClause)
		if falls {
			starts[i] = least
		}
		end = join(end, g.list(c.Body, starts[i]))
		if c.List == nil {
			rest = nil
		}
	}
	if falls {
		return least
	}
	return g.after(body, least, join(end, rest))
}

func (g *guarder) exprs(k known, list ...ast.Expr) known {
	for _, x := range list {
		k = g.expr(x, k)
	}
	return k
}

// expr returns what is known after x is evaluated.
func (g *guarder) expr(x ast.Expr, k known) known {
	if x == nil || g.w.isConstant(x) {
		return k
	}
	x = ast.Unparen(x)
	if _, ok := g.w.nodes[x]; ok {
		return join(g.cond(x, k))
	}
	return g.inside(x, k)
}

// inside is expr for what x is made of, and what x does with it.
func (g *guarder) inside(x ast.Expr, k known) known {
	switch e := x.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return join(g.cond(e, k))
		}
	case *ast.FuncLit:
		g.function(e.Body)
	}
	k = g.exprs(k, parts(x)...)
	switch e := x.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			return g.forget(e, k)
		}
	case *ast.CallExpr:
		if g.w.isCall(e) {
			return g.forget(e, k)
		}
	}
	return k
}

// cond returns what is known if x is true and if it is false.
func (g *guarder) cond(x ast.Expr, k known) (yes, no known) {
	x = ast.Unparen(x)
	if v := g.w.Info.Types[x].Value; v != nil {
		if constant.BoolVal(v) {
			return k, nil
		}
		return nil, k
	}
	switch e := x.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			no, yes = g.cond(e.X, k)
			return yes, no
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			first, no := g.cond(e.X, k)
			yes, second := g.cond(e.Y, first)
			return yes, join(no, second)
		case token.LOR:
			yes, first := g.cond(e.X, k)
			second, no := g.cond(e.Y, first)
			return join(yes, second), no
		}
	}
	k = g.inside(x, k)
	c, ok := g.w.nodes[x]
	if !ok || k == nil {
		return k, k
	}
	about, b, ok := g.comparison(x)
	if !ok {
		return k, k
	}
	return g.decide(c, about, k, b)
}

// decide returns what is known when the condition c, a comparison of what about
// is about, has been found true or false, and notes sides that cannot be.
func (g *guarder) decide(c int, about fact, k known, b bound) (yes, no known) {
	now, learnt := k[about.key]
	if !learnt {
		now = about
	}
	cond := &g.w.conds[c]
	branch := func(side int, op token.Token) known {
		f, possible := now.with(op, b.n)
		if !possible {
			if cond.Guarded == nil {
				cond.Guarded = make([]string, len(cond.Sides))
			}
			if cond.Guarded[side] = now.why; !learnt {
				cond.Guarded[side] = "type of the operands"
			}
			return k
		}
		f.why = fmt.Sprintf("%s on line %d", cond.Text, cond.Line)
		after := maps.Clone(k)
		after[f.key] = f
		return after
	}
	return branch(1, b.op), branch(0, opposite[b.op])
}

// forget returns what is still known after n, however much of it runs.
func (g *guarder) forget(n ast.Node, k known) known {
	if len(k) == 0 {
		return k
	}
	assigned, memory := g.changes(n)
	left := make(known)
	for key, f := range k {
		if memory && f.memory || slices.ContainsFunc(f.vars, func(v types.Object) bool { return assigned[v] }) {
			continue
		}
		left[key] = f
	}
	return left
}

func (g *guarder) forgetAll(k known, cond ast.Expr, post ast.Stmt, body ast.Node) known {
	if cond != nil {
		k = g.forget(cond, k)
	}
	if post != nil {
		k = g.forget(post, k)
	}
	return g.forget(body, k)
}

// changes returns the variables that n assigns, and whether it may store or run
// anything else.
func (g *guarder) changes(n ast.Node) (assigned map[types.Object]bool, memory bool) {
	assigned = make(map[types.Object]bool)
	assign := func(x ast.Expr) {
		if x == nil {
			return
		}
		x = ast.Unparen(x)
		id, plain := x.(*ast.Ident)
		if !plain {
			memory, id = true, rootIdent(x)
		}
		if id != nil {
			obj := g.w.Info.ObjectOf(id)
			assigned[obj] = true
			v, ok := obj.(*types.Var)
			memory = memory || ok && (v.Parent() == g.w.Types.Scope() || g.w.shared[v])
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				assign(x)
			}
		case *ast.IncDecStmt:
			assign(s.X)
		case *ast.RangeStmt:
			assign(s.Key)
			assign(s.Value)
			if t := g.w.Info.TypeOf(s.X); t != nil {
				switch core(t).(type) {
				case *types.Signature, *types.Chan:
					memory = true
				}
			}
		case *ast.CallExpr:
			memory = memory || g.w.isCall(s)
		case *ast.UnaryExpr:
			memory = memory || s.Op == token.ARROW
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt:
			memory = true
		}
		return true
	})
	return assigned, memory
}
