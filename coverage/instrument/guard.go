package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"
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

// known is what holds at some point, by what it is about; nil if that point is
// never reached.
type known map[string]fact

// A fact bounds an integer, or names the relations that two values may have.
type fact struct {
	subject
	lo, hi   int64   // of an integer; the extremes stand for no bound
	not      []int64 // what it is not
	possible relation
	why      string // the condition that taught it last
}

// A subject is what a fact is about.
type subject struct {
	key    string
	vars   []types.Object // that it reads
	memory bool           // that it reads what a store or call may change
}

// A relation is a set of ways in which two values may compare.
type relation uint8

const (
	less relation = 1 << iota
	equal
	greater
	unordered // of NaN, or of values that are only equal or not

	ordering = less | equal | greater
	anyOrder = ordering | unordered
)

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

// A bound is a comparison: with a number, or as one of possible relations.
type bound struct {
	op token.Token
	n  int64
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

var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
}

// relations are the relations of which one holds where a comparison is true. What
// is false for unordered values is true as the opposite.
func relations(op token.Token) relation {
	switch op {
	case token.EQL:
		return equal
	case token.NEQ:
		return anyOrder &^ equal
	case token.LSS:
		return less
	case token.LEQ:
		return less | equal
	case token.GTR:
		return greater
	}
	return greater | equal
}

// with returns f narrowed by a comparison that is true, and whether anything is
// left. Of pairs the opposite of < is not >=, for which n is not zero.
func (f fact) with(op token.Token, n int64) (fact, bool) {
	if f.possible != 0 {
		f.possible &= relations(op)
		return f, f.possible != 0
	}
	switch op {
	case token.EQL:
		if n < f.lo || n > f.hi || slices.Contains(f.not, n) {
			return f, false
		}
		f.lo, f.hi = n, n
	case token.NEQ:
		f.not = append(slices.Clone(f.not), n)
	case token.LSS:
		f.hi = min(f.hi, n-1)
	case token.LEQ:
		f.hi = min(f.hi, n)
	case token.GTR:
		f.lo = max(f.lo, n+1)
	case token.GEQ:
		f.lo = max(f.lo, n)
	}
	for f.lo <= f.hi && slices.Contains(f.not, f.lo) {
		f.lo++
	}
	for f.lo <= f.hi && slices.Contains(f.not, f.hi) {
		f.hi--
	}
	return f, f.lo <= f.hi
}

// join returns what is known where two ways meet.
func join(a, b known) known {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	both := make(known)
	for key, f := range a {
		h, ok := b[key]
		if !ok {
			continue
		}
		f.lo, f.hi, f.possible = min(f.lo, h.lo), max(f.hi, h.hi), f.possible|h.possible
		f.not = slices.DeleteFunc(slices.Clone(f.not), func(n int64) bool {
			return n >= h.lo && n <= h.hi && !slices.Contains(h.not, n)
		})
		both[key] = f
	}
	return both
}

// comparison returns the fact that nothing is known of what x compares, and how.
func (g *guarder) comparison(x ast.Expr) (fact, bound, bool) {
	e, ok := x.(*ast.BinaryExpr)
	if !ok {
		s, ok := g.subject(x)
		s.key = "bool " + s.key
		return fact{subject: s, possible: anyOrder}, bound{op: token.EQL}, ok
	}
	if !isComparison(e.Op) || g.w.hasUntypedShift(e.X) || g.w.hasUntypedShift(e.Y) {
		return fact{}, bound{}, false
	}
	a, okA := g.subject(e.X)
	b, okB := g.subject(e.Y)
	if !okA || !okB {
		return fact{}, bound{}, false
	}
	if n, ok := g.number(e.Y); ok {
		if f, ok := g.integer(e.X, a); ok {
			return f, bound{e.Op, n}, true
		}
	}
	if n, ok := g.number(e.X); ok {
		if f, ok := g.integer(e.Y, b); ok {
			return f, bound{mirrored(e.Op), n}, true
		}
	}
	op, possible := e.Op, anyOrder
	if isOrdered(g.w.Info.TypeOf(e.X)) && isOrdered(g.w.Info.TypeOf(e.Y)) {
		possible = ordering
	} else if op != token.EQL && op != token.NEQ {
		return fact{}, bound{}, false // the opposite of < is not >=
	}
	if a.key > b.key {
		a, b, op = b, a, mirrored(op)
	}
	s := subject{a.key + " ? " + b.key, append(slices.Clone(a.vars), b.vars...), a.memory || b.memory}
	return fact{subject: s, possible: possible}, bound{op: op}, true
}

// isOrdered reports whether of any two values of type t that differ one is less.
func isOrdered(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// mirrored returns the operator for swapped operands.
func mirrored(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GTR
	case token.GTR:
		return token.LSS
	case token.LEQ:
		return token.GEQ
	case token.GEQ:
		return token.LEQ
	}
	return op
}

// number returns the value of a constant that is far from the ends of int64.
func (g *guarder) number(x ast.Expr) (int64, bool) {
	v := g.w.Info.Types[x].Value
	if v == nil || v.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(v)
	return n, exact && n > math.MinInt64+1 && n < math.MaxInt64-1
}

// integer returns the fact that x is any value of its type, if that is an integer
// type and x no constant.
func (g *guarder) integer(x ast.Expr, s subject) (fact, bool) {
	t := g.w.Info.TypeOf(x)
	if t == nil || g.w.isConstant(x) {
		return fact{}, false
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return fact{}, false
	}
	f := fact{subject: s, lo: math.MinInt64, hi: math.MaxInt64}
	if b.Info()&types.IsUnsigned != 0 {
		f.lo = 0
	}
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && (g.w.builtin(call) == "len" || g.w.builtin(call) == "cap") {
		f.lo = 0
	}
	return f, true
}

// rangeLength returns the fact that nothing is known of the number of rounds of a
// range over x.
func (g *guarder) rangeLength(x ast.Expr) (fact, bool) {
	s, ok := g.subject(x)
	if !ok {
		return fact{}, false
	}
	if f, ok := g.integer(x, s); ok {
		return f, true
	}
	s.key = "len(" + s.key + ")"
	if _, isMap := core(g.w.Info.TypeOf(x)).(*types.Map); isMap {
		s.memory = true
	}
	return fact{subject: s, lo: 0, hi: math.MaxInt64}, true
}

// subject returns a name for the value of x that other expressions with the same
// value get, too. It reports false if x may have another value the next time.
func (g *guarder) subject(x ast.Expr) (subject, bool) {
	x = ast.Unparen(x)
	if tv := g.w.Info.Types[x]; tv.Value != nil {
		return subject{key: "const " + tv.Value.ExactString()}, true
	} else if tv.IsNil() {
		return subject{key: "nil"}, true
	}
	switch e := x.(type) {
	case *ast.Ident:
		v, ok := g.w.Info.ObjectOf(e).(*types.Var)
		if !ok {
			return subject{}, false
		}
		local := v.Parent() != nil && v.Parent() != g.w.Types.Scope() && !g.w.shared[v]
		return subject{fmt.Sprintf("%s@%d", v.Name(), v.Pos()), []types.Object{v}, !local}, true
	case *ast.SelectorExpr:
		if g.w.Info.Uses[e.Sel] == nil || rootIdent(e) == nil {
			return subject{}, false
		}
		if _, field := g.w.Info.Uses[e.Sel].(*types.Var); !field {
			return subject{}, false
		}
		if id, ok := e.X.(*ast.Ident); ok {
			if _, pkg := g.w.Info.Uses[id].(*types.PkgName); pkg {
				return subject{types.ExprString(e), nil, true}, true
			}
		}
		return g.combine("."+e.Sel.Name, true, e.X)
	case *ast.StarExpr:
		return g.combine("*", true, e.X)
	case *ast.IndexExpr:
		if g.w.Info.Types[e.Index].IsType() {
			return subject{}, false
		}
		return g.combine("[]", true, e.X, e.Index)
	case *ast.UnaryExpr:
		if e.Op == token.SUB || e.Op == token.XOR || e.Op == token.ADD {
			return g.combine(e.Op.String(), false, e.X)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT:
			return g.combine(e.Op.String(), false, e.X, e.Y)
		}
	case *ast.CallExpr:
		if name := g.w.builtin(e); (name == "len" || name == "cap") && len(e.Args) == 1 {
			return g.combine(name, isMapOrChan(g.w.Info.TypeOf(e.Args[0])), e.Args[0])
		}
		if g.w.isConversion(e) {
			return g.combine(types.TypeString(g.w.Info.TypeOf(e), nil), false, e.Args[0])
		}
	}
	return subject{}, false
}

// combine names what an operation makes of operands.
func (g *guarder) combine(op string, memory bool, operands ...ast.Expr) (subject, bool) {
	whole := subject{key: op + "(", memory: memory}
	for i, x := range operands {
		s, ok := g.subject(x)
		if !ok {
			return subject{}, false
		}
		if i > 0 {
			whole.key += ", "
		}
		whole.key += s.key
		whole.vars = append(whole.vars, s.vars...)
		whole.memory = whole.memory || s.memory
	}
	whole.key += ")"
	return whole, true
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
