package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
)

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

// A bound is a comparison: with a number, or as one of possible relations.
type bound struct {
	op token.Token
	n  int64
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
