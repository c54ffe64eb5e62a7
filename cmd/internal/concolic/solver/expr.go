// Package solver finds values of variables for which constraints hold. Constraints are
// terms over bit vectors. Operators mean what they do in Go: arithmetic wraps around, and
// a shift by the width or more gives zero or copies of the sign.
//
//	t := solver.NewTerms()
//	x := t.Var(solver.Variable{Width: 32})
//	path := []*solver.Term{t.Binary(solver.Eq, t.Binary(solver.Mul, x, t.Const(32, 3)), t.Const(32, 21))}
//	model, status := solver.New(t).Solve(path, solver.Model{0})
//
// It has no theory of arrays, strings or floating point.
package solver

import "slices"

// An Op is the operator of a term.
type Op uint8

// Operators. Comparisons and logical terms have a width of one bit.
const (
	Const Op = iota
	Var
	Add
	Sub
	Mul
	UDiv // by zero: all bits one, as in SMT-LIB
	SDiv
	URem
	SRem
	And
	Or
	Xor
	Shl
	LShr
	AShr
	Eq
	ULt
	SLt
	Ite    // A if C else B
	ZExt   // of A to Width
	SExt   // of A to Width
	Trunc  // of A to Width
	Lookup // the element A of a table of constants; zero beyond its end
)

// A Term is an immutable expression. Equal terms of one [Terms] have one address.
type Term struct {
	Op      Op
	Width   uint8  // in bits, 1 to 64
	ID      uint32 // in order of creation
	Val     uint64 // of a Const, zero-extended; the number of a Var
	A, B, C *Term
	Table   []uint64 // of a Lookup
	vars    []int32  // the numbers of the variables in it, in order
	mark    uint32   // memo is its value in this evaluation
	memo    uint64
}

// A Variable describes a variable.
type Variable struct {
	Width uint8
	Max   uint64 // the largest value it may have, as unsigned number; zero: any
}

// A Model has the value of each variable, by number. A missing value is zero.
type Model []uint64

// Value returns the value of a variable.
func (m Model) Value(v *Term) uint64 { return m.value(int32(v.Val)) }

type termKey struct {
	op      Op
	width   uint8
	val     uint64
	a, b, c *Term
	table   *uint64
}

// Terms makes terms and variables. It is not safe for concurrent use.
type Terms struct {
	Variables []Variable
	seen      map[termKey]*Term
	byVar     []*Term
	next      uint32
	round     uint32
	visits    int // terms evaluated
}

// NewTerms returns a Terms without variables.
func NewTerms() *Terms { return &Terms{seen: map[termKey]*Term{}} }

// Len returns the number of terms that are remembered.
func (ts *Terms) Len() int { return len(ts.seen) }

// Forget drops the terms that are remembered. They stay usable, but terms made later
// differ from them. It bounds the memory of a long search.
func (ts *Terms) Forget() { ts.seen = map[termKey]*Term{} }

// Var returns a new variable.
func (ts *Terms) Var(v Variable) *Term {
	t := &Term{Op: Var, Width: v.Width, ID: ts.next, Val: uint64(len(ts.Variables)), vars: []int32{int32(len(ts.Variables))}}
	ts.next++
	ts.Variables = append(ts.Variables, v)
	ts.byVar = append(ts.byVar, t)
	return t
}

// Const returns a constant, of which the low width bits count.
func (ts *Terms) Const(width uint8, val uint64) *Term {
	return ts.make(termKey{op: Const, width: width, val: val & mask(width)}, nil)
}

// Bool returns a constant of one bit.
func (ts *Terms) Bool(b bool) *Term {
	return ts.Const(1, Truth(b))
}

func (ts *Terms) make(k termKey, table []uint64) *Term {
	if t := ts.seen[k]; t != nil {
		return t
	}
	t := &Term{Op: k.op, Width: k.width, ID: ts.next, Val: k.val, A: k.a, B: k.b, C: k.c, Table: table}
	ts.next++
	for _, s := range [...]*Term{k.a, k.b, k.c} {
		if s != nil {
			t.vars = union(t.vars, s.vars)
		}
	}
	ts.seen[k] = t
	return t
}

// union merges two ordered lists. It returns one of them if that has all elements.
func union(a, b []int32) []int32 {
	if len(a) < len(b) {
		a, b = b, a
	}
	if !slices.ContainsFunc(b, func(x int32) bool { return !contains(a, x) }) {
		return a
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// meet reports whether two ordered lists have an element in common.
func meet(a, b []int32) bool {
	return slices.ContainsFunc(a, func(x int32) bool { return contains(b, x) })
}

func contains(ordered []int32, x int32) bool {
	_, ok := slices.BinarySearch(ordered, x)
	return ok
}

func mask(width uint8) uint64 { return ^uint64(0) >> (64 - width) }

func signed(width uint8, v uint64) int64 { return int64(v<<(64-width)) >> (64 - width) }

// Truth returns a bool as a number of one bit.
func Truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Not returns the negation of a term of one bit.
func (ts *Terms) Not(a *Term) *Term { return ts.Binary(Xor, a, ts.Const(1, 1)) }

// Binary returns the term a op b, simplified. Operands have the same width.
func (ts *Terms) Binary(op Op, a, b *Term) *Term {
	width := a.Width
	if op == Eq || op == ULt || op == SLt {
		width = 1
	}
	if a.Op == Const && b.Op == Const {
		return ts.Const(width, apply(op, a.Width, a.Val, b.Val))
	}
	if commutes(op) && (a.Op == Const || b.Op != Const && a.ID > b.ID) {
		a, b = b, a
	}
	if s := ts.identity(op, a, b); s != nil {
		return s
	}
	if op == Eq || op == ULt || op == SLt {
		if s := ts.compare(op, a, b); s != nil {
			return s
		}
	}
	return ts.make(termKey{op: op, width: width, a: a, b: b}, nil)
}

func commutes(op Op) bool {
	switch op {
	case Add, Mul, And, Or, Xor, Eq:
		return true
	}
	return false
}

// identity simplifies a op b by the laws of the operator, or returns nil.
func (ts *Terms) identity(op Op, a, b *Term) *Term {
	if a == b {
		switch op {
		case Sub, Xor, URem, SRem:
			return ts.Const(a.Width, 0)
		case And, Or:
			return a
		case Eq:
			return ts.Bool(true)
		case ULt, SLt:
			return ts.Bool(false)
		}
	}
	if b.Op != Const {
		return nil
	}
	all := b.Val == mask(b.Width)
	switch op {
	case Add, Sub, Or, Xor, Shl, LShr, AShr:
		if b.Val == 0 {
			return a
		}
		if op == Or && all {
			return b
		}
	case Mul, And:
		if b.Val == 0 {
			return b
		}
		if op == And && all || op == Mul && b.Val == 1 {
			return a
		}
	case UDiv, SDiv:
		if b.Val == 1 && b.Width > 1 {
			return a
		}
	}
	same := a.Op == op && a.B != nil && a.B.Op == Const
	switch {
	case same && (op == Add || op == Xor || op == And || op == Or || op == Mul):
		return ts.Binary(op, a.A, ts.Const(b.Width, apply(op, b.Width, a.B.Val, b.Val)))
	case op == Sub:
		return ts.Binary(Add, a, ts.Const(b.Width, -b.Val))
	}
	return nil
}

// compare simplifies comparisons of extended terms and choices with constants, or returns
// nil.
func (ts *Terms) compare(op Op, a, b *Term) *Term {
	if op == ULt && b.Op == Const && b.Val == 0 || op == ULt && a.Op == Const && a.Val == mask(a.Width) {
		return ts.Bool(false)
	}
	if op == Eq && a.Width == 1 && b.Op == Const {
		if b.Val == 1 {
			return a
		}
		return ts.Not(a)
	}
	if a.Op == b.Op && (a.Op == ZExt || a.Op == SExt) && a.A.Width == b.A.Width {
		if a.Op == ZExt && op == SLt {
			op = ULt
		}
		if a.Op == ZExt || op != ULt {
			return ts.Binary(op, a.A, b.A)
		}
		return nil
	}
	x, k, flipped := a, b, false
	if x.Op == Const {
		x, k, flipped = b, a, true
	}
	if k.Op != Const {
		return nil
	}
	switch {
	case x.Op == Ite && x.A.Op == Const && x.B.Op == Const:
		yes, no := apply(op, x.Width, x.A.Val, k.Val), apply(op, x.Width, x.B.Val, k.Val)
		if flipped {
			yes, no = apply(op, x.Width, k.Val, x.A.Val), apply(op, x.Width, k.Val, x.B.Val)
		}
		return ts.Ite(x.C, ts.Const(1, yes), ts.Const(1, no))
	case x.Op == ZExt:
		return ts.compareNarrow(op, x, k, flipped)
	case op == Eq && x.Op == Add && x.B.Op == Const:
		return ts.Binary(Eq, x.A, ts.Const(k.Width, k.Val-x.B.Val))
	}
	return nil
}

// compareNarrow compares a zero-extended term with a constant in the width of the term.
func (ts *Terms) compareNarrow(op Op, x, k *Term, flipped bool) *Term {
	narrow := x.A.Width
	if k.Val <= mask(narrow) {
		if op == SLt {
			op = ULt
		}
		c := ts.Const(narrow, k.Val)
		if flipped {
			return ts.Binary(op, c, x.A)
		}
		return ts.Binary(op, x.A, c)
	}
	if op == Eq {
		return ts.Bool(false)
	}
	// x is below a large constant, and above a negative one.
	return ts.Bool((op == SLt && signed(k.Width, k.Val) < 0) == flipped)
}

// Ite returns a if c holds, else b.
func (ts *Terms) Ite(c, a, b *Term) *Term {
	switch {
	case a == b:
		return a
	case c.Op == Const && c.Val == 1:
		return a
	case c.Op == Const:
		return b
	case a.Width == 1 && a.Op == Const && b.Op == Const:
		if a.Val == 1 {
			return c
		}
		return ts.Not(c)
	}
	return ts.make(termKey{op: Ite, width: a.Width, a: a, b: b, c: c}, nil)
}

// Convert returns a truncated or extended to a width.
func (ts *Terms) Convert(a *Term, width uint8, signExtend bool) *Term {
	op := ZExt
	switch {
	case width == a.Width:
		return a
	case width < a.Width:
		op = Trunc
	case signExtend:
		op = SExt
	}
	switch {
	case a.Op == Const && op == SExt:
		return ts.Const(width, uint64(signed(a.Width, a.Val)))
	case a.Op == Const:
		return ts.Const(width, a.Val)
	case op == Trunc && (a.Op == ZExt || a.Op == SExt):
		return ts.Convert(a.A, width, a.Op == SExt)
	case op == ZExt && a.Op == ZExt, op == SExt && a.Op == SExt:
		a = a.A
	case op == SExt && a.Op == ZExt:
		op, a = ZExt, a.A
	}
	return ts.make(termKey{op: op, width: width, a: a}, nil)
}

// Lookup returns the element of a table that has the index a. The table must not change.
func (ts *Terms) Lookup(table []uint64, width uint8, a *Term) *Term {
	if a.Op == Const {
		return ts.Const(width, element(table, a.Val))
	}
	return ts.make(termKey{op: Lookup, width: width, a: a, table: &table[0], val: uint64(len(table))}, table)
}

func element(table []uint64, i uint64) uint64 {
	if i < uint64(len(table)) {
		return table[i]
	}
	return 0
}

// apply computes a op b in a width.
func apply(op Op, width uint8, a, b uint64) uint64 {
	m := mask(width)
	switch op {
	case Add:
		return (a + b) & m
	case Sub:
		return (a - b) & m
	case Mul:
		return (a * b) & m
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	case Shl, LShr, AShr:
		return applyShift(op, width, a, b)
	case Eq:
		return Truth(a == b)
	case ULt:
		return Truth(a < b)
	case SLt:
		return Truth(signed(width, a) < signed(width, b))
	}
	return applyDivision(op, width, a, b)
}

func applyShift(op Op, width uint8, a, b uint64) uint64 {
	switch {
	case op == AShr:
		return uint64(signed(width, a)>>min(b, 63)) & mask(width)
	case b >= uint64(width):
		return 0
	case op == Shl:
		return a << b & mask(width)
	}
	return a >> b
}

func applyDivision(op Op, width uint8, a, b uint64) uint64 {
	m := mask(width)
	sa, sb := signed(width, a), signed(width, b)
	switch {
	case b == 0 && (op == URem || op == SRem):
		return a
	case b == 0 && op == SDiv && sa < 0:
		return 1
	case b == 0:
		return m
	case op == UDiv:
		return a / b
	case op == URem:
		return a % b
	case op == SDiv:
		if sb == -1 {
			return -a & m
		}
		return uint64(sa/sb) & m
	}
	if sb == -1 {
		return 0
	}
	return uint64(sa%sb) & m
}

// Eval returns the values of terms under a model, one after the other.
func (ts *Terms) Eval(m Model, terms ...*Term) []uint64 {
	ts.round++
	out := make([]uint64, len(terms))
	for i, t := range terms {
		out[i] = ts.eval(m, t)
	}
	return out
}

// Holds reports whether all terms are true under a model.
func (ts *Terms) Holds(m Model, terms []*Term) bool {
	ts.round++
	return !slices.ContainsFunc(terms, func(t *Term) bool { return ts.eval(m, t) == 0 })
}

func (ts *Terms) eval(m Model, t *Term) uint64 {
	switch {
	case t.Op == Const:
		return t.Val
	case t.Op == Var:
		return m.Value(t) & mask(t.Width)
	case t.mark == ts.round:
		return t.memo
	}
	ts.visits++
	a := ts.eval(m, t.A)
	var v uint64
	switch t.Op {
	case Ite:
		if ts.eval(m, t.C) != 0 {
			v = a
		} else {
			v = ts.eval(m, t.B)
		}
	case ZExt:
		v = a
	case SExt:
		v = uint64(signed(t.A.Width, a)) & mask(t.Width)
	case Trunc:
		v = a & mask(t.Width)
	case Lookup:
		v = element(t.Table, a)
	default:
		v = apply(t.Op, t.A.Width, a, ts.eval(m, t.B))
	}
	t.mark, t.memo = ts.round, v
	return v
}
