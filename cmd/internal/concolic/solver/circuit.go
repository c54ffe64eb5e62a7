package solver

import (
	"slices"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/logic"
	"github.com/go-air/gini/z"
)

// blaster turns terms into circuits. Words are lists of literals, the low bit first.
type blaster struct {
	c     *logic.C
	words map[*Term][]z.Lit
	vars  map[int32][]z.Lit
	small bool
	over  bool // the circuit is too large
}

// smallBits is the width that variables have in a small circuit, with their sign.
const smallBits = 8

// circuit solves parts by SAT. If small, it looks only for small values, and Unsat says
// nothing about others.
//
// The solver knows only definitions of gates, and gets the parts as assumptions. gini
// v1.0.4 ends the process if it is asked again after clauses alone were contradictory.
func (s *Solver) circuit(parts []*Term, vars []int32, small bool) (Model, Status) {
	b := &blaster{c: logic.NewC(), words: map[*Term][]z.Lit{}, vars: map[int32][]z.Lit{}, small: small}
	roots := make([]z.Lit, 0, len(parts))
	for _, p := range parts {
		lit := b.word(p)[0]
		if b.over {
			return nil, Unknown
		}
		switch lit {
		case b.c.F:
			return nil, Unsat
		case b.c.T:
		default:
			roots = append(roots, lit)
		}
	}
	g := gini.New()
	b.c.ToCnfFrom(g, roots...)
	g.Assume(roots...)
	switch s.try(g) {
	case -1:
		return nil, Unsat
	case 0:
		return nil, Unknown
	}
	var m Model
	for _, v := range vars {
		var val uint64
		for i, lit := range b.vars[v] {
			if lit.Var() <= g.MaxVar() && lit != b.c.F && lit != b.c.T && g.Value(lit) {
				val |= 1 << i
			}
		}
		m = m.set(v, val)
	}
	return m, Sat
}

// try has gini solve a circuit. It returns 1 if there is a model, -1 if there is none, and 0 if that
// takes too much effort. gini can be paused after each tick, of 20,000 propagations.
func (s *Solver) try(g *gini.Gini) int {
	began, solve := time.Now(), g.GoSolve()
	for n := 0; n < maxTicks && time.Since(began) < patience; n++ {
		res, paused := solve.Pause()
		if !paused {
			return res
		}
		solve.Unpause()
	}
	res := solve.Stop()
	if res == 0 {
		s.Timeouts++
	}
	return res
}

func (b *blaster) constant(width uint8, v uint64) []z.Lit {
	w := make([]z.Lit, width)
	for i := range w {
		w[i] = b.c.F
		if v>>i&1 == 1 {
			w[i] = b.c.T
		}
	}
	return w
}

// word returns the circuit of a term.
func (b *blaster) word(t *Term) []z.Lit {
	if w, ok := b.words[t]; ok {
		return w
	}
	w := b.make(t)
	b.words[t] = w
	if b.c.Len() > maxGates {
		b.over = true
	}
	return w
}

func (b *blaster) make(t *Term) []z.Lit {
	switch {
	case b.over:
		return b.constant(t.Width, 0)
	case t.Op == Const:
		return b.constant(t.Width, t.Val)
	case t.Op == Var:
		return b.variable(t)
	}
	a := b.word(t.A)
	switch t.Op {
	case ZExt:
		return append(slices.Clone(a), b.constant(t.Width-t.A.Width, 0)...)
	case SExt:
		return extend(a, int(t.Width))
	case Trunc:
		return a[:t.Width]
	case Ite:
		return b.choose(b.word(t.C)[0], a, b.word(t.B))
	case Lookup:
		return b.lookup(t, a)
	}
	return b.binary(t, a, b.word(t.B))
}

func (b *blaster) variable(t *Term) []z.Lit {
	n := int(t.Width)
	if b.small {
		n = min(n, smallBits)
	}
	w := make([]z.Lit, n)
	for i := range w {
		w[i] = b.c.Lit()
	}
	w = extend(w, int(t.Width))
	b.vars[int32(t.Val)] = w
	return w
}

// extend repeats the sign.
func extend(w []z.Lit, width int) []z.Lit {
	w = slices.Clone(w)
	for len(w) < width {
		w = append(w, w[len(w)-1])
	}
	return w
}

func (b *blaster) binary(t *Term, x, y []z.Lit) []z.Lit {
	switch t.Op {
	case Add:
		sum, _ := b.add(x, y, b.c.F)
		return sum
	case Sub:
		diff, _ := b.add(x, invert(y), b.c.T)
		return diff
	case Mul:
		return b.multiply(x, y)
	case And:
		return each(x, y, b.c.And)
	case Or:
		return each(x, y, b.c.Or)
	case Xor:
		return each(x, y, b.c.Xor)
	case Shl, LShr, AShr:
		return b.shift(t.Op, x, y)
	case Eq:
		return []z.Lit{b.c.Ands(invert(each(x, y, b.c.Xor))...)}
	case ULt:
		return []z.Lit{b.below(x, y)}
	case SLt:
		return []z.Lit{b.below(flipSign(x), flipSign(y))}
	case UDiv, URem:
		q, r := b.divide(x, y)
		if t.Op == UDiv {
			return q
		}
		return r
	}
	return b.signedDivision(t.Op, x, y)
}

func each(x, y []z.Lit, f func(a, b z.Lit) z.Lit) []z.Lit {
	w := make([]z.Lit, len(x))
	for i := range x {
		w[i] = f(x[i], y[i])
	}
	return w
}

func invert(x []z.Lit) []z.Lit {
	w := make([]z.Lit, len(x))
	for i := range x {
		w[i] = x[i].Not()
	}
	return w
}

func flipSign(x []z.Lit) []z.Lit {
	w := slices.Clone(x)
	w[len(w)-1] = w[len(w)-1].Not()
	return w
}

func (b *blaster) add(x, y []z.Lit, carry z.Lit) (sum []z.Lit, out z.Lit) {
	sum = make([]z.Lit, len(x))
	for i := range x {
		half := b.c.Xor(x[i], y[i])
		sum[i] = b.c.Xor(half, carry)
		carry = b.c.Or(b.c.And(x[i], y[i]), b.c.And(half, carry))
	}
	return sum, carry
}

// below returns x < y as unsigned numbers.
func (b *blaster) below(x, y []z.Lit) z.Lit {
	_, carry := b.add(x, invert(y), b.c.T)
	return carry.Not()
}

func (b *blaster) choose(c z.Lit, x, y []z.Lit) []z.Lit {
	return each(x, y, func(p, q z.Lit) z.Lit {
		if p == q {
			return p
		}
		return b.c.Choice(c, p, q)
	})
}

func (b *blaster) multiply(x, y []z.Lit) []z.Lit {
	product := b.constant(uint8(len(x)), 0)
	for i := range y {
		if y[i] == b.c.F || b.over {
			continue
		}
		row := b.constant(uint8(len(x)), 0)
		for j := i; j < len(x); j++ {
			row[j] = b.c.And(x[j-i], y[i])
		}
		product, _ = b.add(product, row, b.c.F)
		b.over = b.over || b.c.Len() > maxGates
	}
	return product
}

// shift shifts by each bit of y in turn.
func (b *blaster) shift(op Op, x, y []z.Lit) []z.Lit {
	fill := b.c.F
	if op == AShr {
		fill = x[len(x)-1]
	}
	w := slices.Clone(x)
	for i := range y {
		moved := make([]z.Lit, len(w))
		for j := range w {
			from := len(w)
			if i < 7 {
				from = j + 1<<i
				if op == Shl {
					from = j - 1<<i
				}
			}
			moved[j] = fill
			if from >= 0 && from < len(w) {
				moved[j] = w[from]
			}
		}
		w = b.choose(y[i], moved, w)
	}
	return w
}

// divide returns quotient and remainder of unsigned numbers, by restoring division.
func (b *blaster) divide(x, y []z.Lit) (q, r []z.Lit) {
	n := len(x)
	q = make([]z.Lit, n)
	wide := append(slices.Clone(y), b.c.F)
	rest := b.constant(uint8(n+1), 0)
	for i := n - 1; i >= 0; i-- {
		if b.over {
			return x, x
		}
		rest = append([]z.Lit{x[i]}, rest[:n]...)
		diff, carry := b.add(rest, invert(wide), b.c.T)
		q[i] = carry
		rest = b.choose(carry, diff, rest)
		b.over = b.c.Len() > maxGates
	}
	return q, rest[:n]
}

func (b *blaster) signedDivision(op Op, x, y []z.Lit) []z.Lit {
	sx, sy := x[len(x)-1], y[len(y)-1]
	q, r := b.divide(b.negateIf(sx, x), b.negateIf(sy, y))
	if op == SDiv {
		return b.negateIf(b.c.Xor(sx, sy), q)
	}
	return b.negateIf(sx, r)
}

func (b *blaster) negateIf(c z.Lit, x []z.Lit) []z.Lit {
	neg, _ := b.add(b.constant(uint8(len(x)), 0), invert(x), b.c.T)
	return b.choose(c, neg, x)
}

// lookup is a tree of choices over the bits of the index.
func (b *blaster) lookup(t *Term, index []z.Lit) []z.Lit {
	level := make([][]z.Lit, len(t.Table))
	for i, v := range t.Table {
		level[i] = b.constant(t.Width, v)
	}
	zero := b.constant(t.Width, 0)
	beyond := b.c.F
	for _, bit := range index {
		if len(level) == 1 {
			beyond = b.c.Or(beyond, bit)
			continue
		}
		if len(level)%2 == 1 {
			level = append(level, zero)
		}
		for i := 0; i < len(level); i += 2 {
			level[i/2] = b.choose(bit, level[i+1], level[i])
		}
		level = level[:len(level)/2]
	}
	return b.choose(beyond, zero, level[0])
}
