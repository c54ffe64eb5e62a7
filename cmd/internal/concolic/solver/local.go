package solver

import "slices"

// search is a local search: it repairs a violated part by inverting the operators on the
// way to a variable, as far as that leaves few other parts violated.
type search struct {
	*Solver
	parts  []*Term
	vars   []int32
	model  Model
	budget int // evaluations that are left
	visits int // of terms, at which the search ends
	moves  []move
	wants  int // terms visited for the moves
}

// move assigns a variable.
type move struct {
	v   int32
	val uint64
}

// Limits of one step. Terms share operands, so that a walk without a limit takes time
// exponential in their depth.
const (
	maxMoves = 24    // that are tried
	maxWants = 1_000 // terms visited for them
)

// local looks for a model, near a given one, within maxEvaluations evaluations.
func (s *Solver) local(parts []*Term, vars []int32, near Model) (Model, bool) {
	s.rand = uint64(len(parts))
	l := &search{Solver: s, parts: parts, vars: vars, model: slices.Clone(near), budget: maxEvaluations, visits: s.terms.visits + maxVisits}
	best := l.violated()
	for l.budget > 0 && best > 0 && s.terms.visits < l.visits {
		l.propose()
		var chosen move
		least := 1 << 30
		for _, m := range l.moves {
			old := l.model.value(m.v)
			if old == m.val {
				continue
			}
			l.model = l.model.set(m.v, m.val)
			n := l.violated()
			l.model[m.v] = old
			if n < least || n == least && l.random(2) == 0 {
				chosen, least = m, n
			}
			if n == 0 {
				break
			}
		}
		if least == 1<<30 {
			return nil, false
		}
		l.model = l.model.set(chosen.v, chosen.val)
		best = least
	}
	return l.model, best == 0
}

// violated counts the parts that do not hold.
func (l *search) violated() int {
	l.budget--
	n := 0
	for _, v := range l.terms.Eval(l.model, l.parts...) {
		n += int(1 - v)
	}
	return n
}

// propose makes the moves of a step: repairs of a violated part, and a random one.
func (l *search) propose() {
	l.moves, l.wants = l.moves[:0], 0
	var broken []*Term
	for i, v := range l.terms.Eval(l.model, l.parts...) {
		if v == 0 {
			broken = append(broken, l.parts[i])
		}
	}
	l.want(broken[l.random(len(broken))], 1)
	v := l.vars[l.random(len(l.vars))]
	l.moves = append(l.moves, move{v, (l.model.value(v) + 1) & mask(l.terms.Variables[v].Width)})
}

// val is the value of t in the current model: propose has evaluated the parts.
func (l *search) val(t *Term) uint64 { return l.terms.eval(l.model, t) }

// want adds moves that may give t a value.
func (l *search) want(t *Term, v uint64) {
	if l.wants++; l.wants > maxWants || len(l.moves) >= maxMoves || len(t.vars) == 0 {
		return
	}
	v &= mask(t.Width)
	switch t.Op {
	case Var:
		l.moves = append(l.moves, move{int32(t.Val), v})
	case Eq, ULt, SLt:
		l.wantComparison(t, v)
	case Ite:
		l.wantChoice(t, v)
	case ZExt:
		if v <= mask(t.A.Width) {
			l.want(t.A, v)
		}
	case SExt:
		l.want(t.A, v)
	case Trunc:
		l.want(t.A, l.val(t.A)&^mask(t.Width)|v)
	case Lookup:
		from := l.random(len(t.Table))
		found := 0
		for i := range t.Table {
			at := (from + i) % len(t.Table)
			if t.Table[at] == v && found < 4 {
				found++
				l.want(t.A, uint64(at))
			}
		}
	case And, Or:
		l.wantLogic(t, v)
	default:
		l.wantArithmetic(t, v)
	}
}

func (l *search) wantComparison(t *Term, v uint64) {
	a, b := l.val(t.A), l.val(t.B)
	switch {
	case t.Op == Eq && v == 1:
		l.want(t.A, b)
		l.want(t.B, a)
	case t.Op == Eq:
		l.want(t.A, b+1)
		l.want(t.B, a+1)
		l.want(t.A, b-1)
	case v == 1:
		l.want(t.A, b-1)
		l.want(t.B, a+1)
		l.want(t.A, 0)
	default:
		l.want(t.A, b)
		l.want(t.B, a)
		l.want(t.A, b+1)
	}
}

func (l *search) wantChoice(t *Term, v uint64) {
	if t.A.Op == Const || l.val(t.C) == 0 {
		if l.val(t.A) == v {
			l.want(t.C, 1)
		}
	} else {
		l.want(t.A, v)
	}
	if t.B.Op == Const || l.val(t.C) == 1 {
		if l.val(t.B) == v {
			l.want(t.C, 0)
		}
	} else {
		l.want(t.B, v)
	}
}

// wantLogic handles And and Or. Bits in which the other operand decides stay.
func (l *search) wantLogic(t *Term, v uint64) {
	a, b := l.val(t.A), l.val(t.B)
	if t.Op == And {
		l.want(t.A, a&^b|v)
		l.want(t.B, b&^a|v)
		return
	}
	l.want(t.A, a&b&v|v&^b)
	l.want(t.B, a&b&v|v&^a)
	if t.Width == 1 && v == 1 {
		l.want(t.A, 1)
		l.want(t.B, 1)
	}
}

func (l *search) wantArithmetic(t *Term, v uint64) {
	a, b := l.val(t.A), l.val(t.B)
	switch t.Op {
	case Add:
		l.want(t.A, v-b)
		l.want(t.B, v-a)
	case Sub:
		l.want(t.A, v+b)
		l.want(t.B, a-v)
	case Xor:
		l.want(t.A, v^b)
		l.want(t.B, v^a)
	case Mul:
		l.wantFactor(t.A, b, v)
		l.wantFactor(t.B, a, v)
	case Shl:
		l.want(t.A, applyShift(LShr, t.Width, v, b))
	case LShr, AShr:
		l.want(t.A, applyShift(Shl, t.Width, v, b)|a&^applyShift(Shl, t.Width, mask(t.Width), b))
	case UDiv, SDiv:
		l.want(t.A, v*b)
		l.want(t.A, v*b+b-1)
	case URem, SRem:
		l.want(t.A, a-applyDivision(t.Op, t.Width, a, b)+v)
		l.want(t.A, v)
	}
}

// wantFactor wants t times f to be v.
func (l *search) wantFactor(t *Term, f, v uint64) {
	if f == 0 {
		l.want(t, 1)
		return
	}
	if f&1 == 1 {
		inverse := f // correct in three bits; each round doubles them
		for range 5 {
			inverse *= 2 - f*inverse
		}
		l.want(t, v*inverse)
		return
	}
	l.want(t, v/f)
}
