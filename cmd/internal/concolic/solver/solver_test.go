package solver

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// generator makes random terms over few narrow variables, so that all models can be tried.
type generator struct {
	*rand.Rand
	ts   *Terms
	vars []*Term
}

func newGenerator(seed uint64, widths ...uint8) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), ts: NewTerms()}
	for _, w := range widths {
		g.vars = append(g.vars, g.ts.Var(Variable{Width: w}))
	}
	return g
}

func (g *generator) term(width uint8, depth int) *Term {
	if depth == 0 || g.IntN(5) == 0 {
		if v := g.vars[g.IntN(len(g.vars))]; g.IntN(3) > 0 {
			return g.ts.Convert(v, width, g.IntN(2) == 0)
		}
		return g.ts.Const(width, g.Uint64())
	}
	switch g.IntN(8) {
	case 0:
		return g.ts.Ite(g.bool(depth-1), g.term(width, depth-1), g.term(width, depth-1))
	case 1:
		table := make([]uint64, 1+g.IntN(6))
		for i := range table {
			table[i] = g.Uint64() & mask(width)
		}
		return g.ts.Lookup(table, width, g.term(1+uint8(g.IntN(4)), depth-1))
	case 2:
		return g.ts.Convert(g.term(1+uint8(g.IntN(8)), depth-1), width, g.IntN(2) == 0)
	}
	op := Add + Op(g.IntN(int(AShr-Add)+1))
	return g.ts.Binary(op, g.term(width, depth-1), g.term(width, depth-1))
}

func (g *generator) bool(depth int) *Term {
	width := 1 + uint8(g.IntN(8))
	t := g.ts.Binary([]Op{Eq, ULt, SLt}[g.IntN(3)], g.term(width, depth), g.term(width, depth))
	switch g.IntN(4) {
	case 0:
		t = g.ts.Not(t)
	case 1:
		if depth > 0 {
			t = g.ts.Binary([]Op{And, Or}[g.IntN(2)], t, g.bool(depth-1))
		}
	}
	return t
}

// comparison makes a comparison between variables and constants.
func (g *generator) comparison() *Term {
	side := func() *Term {
		if g.IntN(3) == 0 {
			return g.ts.Const(6, g.Uint64())
		}
		return g.ts.Convert(g.vars[g.IntN(len(g.vars))], 6, false)
	}
	t := g.ts.Binary([]Op{Eq, SLt, SLt}[g.IntN(3)], side(), side())
	if g.IntN(2) == 0 {
		t = g.ts.Not(t)
	}
	return t
}

// satisfiable tries all models.
func (g *generator) satisfiable(parts []*Term) bool {
	m := make(Model, len(g.vars))
	var try func(i int) bool
	try = func(i int) bool {
		if i == len(m) {
			return g.ts.Holds(m, parts)
		}
		for m[i] = 0; m[i] <= mask(g.vars[i].Width); m[i]++ {
			if try(i + 1) {
				return true
			}
		}
		return false
	}
	return try(0)
}

// Every method agrees with trying all models.
func TestMethodsAgainstAllModels(t *testing.T) {
	decided := map[string]int{}
	for seed := range uint64(600) {
		g := newGenerator(seed, 3, 4, 4)
		var parts []*Term
		for range 1 + g.IntN(4) {
			if seed%2 == 0 {
				parts = append(parts, g.bool(2))
			} else {
				parts = append(parts, g.comparison())
			}
		}
		s := New(g.ts)
		parts, vars := s.slice(parts)
		for i := range parts {
			if len(parts[i].vars) == 0 {
				vars = nil
			}
		}
		if len(vars) == 0 {
			continue
		}
		want := g.satisfiable(parts)
		check := func(method string, m Model, status Status) {
			switch {
			case status == Unknown:
				return
			case (status == Sat) != want:
				t.Errorf("seed %d: %s: %v, want satisfiable %v", seed, method, status, want)
			case status == Sat && !g.ts.Holds(m, parts):
				t.Errorf("seed %d: %s: model %v does not hold", seed, method, m)
			}
			decided[method]++
		}
		m, status := s.order(parts)
		check("order", m, status)
		if m, ok := s.local(parts, vars, make(Model, 3)); ok {
			check("local search", m, Sat)
		}
		if m, status := s.circuit(parts, vars, true); status == Sat {
			check("small circuit", m, status)
		}
		m, status = s.circuit(parts, vars, false)
		check("full circuit", m, status)
		if status == Unknown {
			t.Errorf("seed %d: circuit gives up", seed)
		}
	}
	for _, method := range []string{"order", "local search", "small circuit", "full circuit"} {
		if decided[method] < 100 {
			t.Errorf("%s decided %d queries, want at least 100", method, decided[method])
		}
	}
}

// Solve keeps variables that the last constraint does not depend on, remembers results,
// and gives equal answers to equal queries.
func TestSolve(t *testing.T) {
	ts := NewTerms()
	x, y, other := ts.Var(Variable{Width: 32}), ts.Var(Variable{Width: 32}), ts.Var(Variable{Width: 8, Max: 5})
	c := func(v uint64) *Term { return ts.Const(32, v) }
	s := New(ts)
	path := []*Term{
		ts.Binary(ULt, c(10), x),
		ts.Not(ts.Binary(Eq, other, ts.Const(8, 3))),
		ts.Binary(Eq, ts.Binary(Mul, x, c(3)), ts.Binary(Add, y, c(1))),
		ts.Binary(Eq, ts.Binary(Xor, y, c(0x55)), c(0x0000_1234)),
	}
	near := Model{20, 59, 4}
	m, status := s.Solve(path, near)
	if status != Unsat { // y is 0x1261, so that 3x is 0x1262: x is 0xaaab0616 by wrapping
		if status != Sat || !ts.Holds(m, path) || m[2] != 4 {
			t.Errorf("Solve = %x, %v, want a model with %d for the third", m, status, near[2])
		}
	}
	cached := len(s.cache)
	if _, again := s.Solve(path, near); again != status || cached != 1 || len(s.cache) != cached {
		t.Errorf("again: %v, and %d answers in the cache, want %v and 1", again, len(s.cache), status)
	}
	if _, status := s.Solve([]*Term{ts.Binary(ULt, ts.Const(8, 5), other)}, near); status != Unsat {
		t.Errorf("a value above its maximum: %v, want unsatisfiable", status)
	}
	// Contradictions by clauses alone end the process in gini v1.0.4 when it is asked
	// again: here they are assumptions.
	for range 3 {
		a, b := ts.Var(Variable{Width: 1}), ts.Var(Variable{Width: 1})
		var all []*Term
		for i := range 4 {
			p, q := a, b
			if i&1 == 1 {
				p = ts.Not(a)
			}
			if i&2 == 2 {
				q = ts.Not(b)
			}
			all = append(all, ts.Binary(Or, p, q))
		}
		if _, status := s.Solve(all, nil); status != Unsat {
			t.Errorf("four clauses: %v, want unsatisfiable", status)
		}
	}
}

// The solver agrees with z3 on wide terms.
func TestAgainstZ3(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3 is not installed")
	}
	var script strings.Builder
	var want []Status
	for seed := range uint64(60) {
		g := newGenerator(seed, 8, 32, 16)
		parts := []*Term{g.bool(2), g.bool(2), g.bool(2)}
		s := New(g.ts)
		_, status := s.Solve(parts, make(Model, 3))
		if parts, _ := s.slice(parts); len(parts) == 0 || status == Unknown {
			continue
		} else {
			want = append(want, status)
			fmt.Fprintln(&script, "(push)")
			for i, v := range g.vars {
				fmt.Fprintf(&script, "(declare-const v%d (_ BitVec %d))\n", i, v.Width)
			}
			for _, p := range parts {
				fmt.Fprintf(&script, "(assert (= #b1 %s))\n", smtlib(p))
			}
			fmt.Fprintln(&script, "(check-sat)\n(pop)")
		}
	}
	cmd := exec.Command(z3, "-in", "-t:5000")
	cmd.Stdin = strings.NewReader(script.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("z3: %v\n%s", err, out)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(want) || len(want) < 30 {
		t.Fatalf("%d answers to %d queries, want at least 30 and one for each", len(lines), len(want))
	}
	for i, line := range lines {
		if line != "unknown" && (line == "sat") != (want[i] == Sat) {
			t.Errorf("query %d: %v, z3 says %s", i, want[i], line)
		}
	}
}

func smtlib(t *Term) string {
	bin := map[Op]string{Add: "bvadd", Sub: "bvsub", Mul: "bvmul", UDiv: "bvudiv", SDiv: "bvsdiv", URem: "bvurem", SRem: "bvsrem",
		And: "bvand", Or: "bvor", Xor: "bvxor", Shl: "bvshl", LShr: "bvlshr", AShr: "bvashr"}
	cmp := map[Op]string{Eq: "=", ULt: "bvult", SLt: "bvslt"}
	switch t.Op {
	case Const:
		return fmt.Sprintf("(_ bv%d %d)", t.Val, t.Width)
	case Var:
		return fmt.Sprintf("v%d", t.Val)
	case ZExt:
		return fmt.Sprintf("((_ zero_extend %d) %s)", t.Width-t.A.Width, smtlib(t.A))
	case SExt:
		return fmt.Sprintf("((_ sign_extend %d) %s)", t.Width-t.A.Width, smtlib(t.A))
	case Trunc:
		return fmt.Sprintf("((_ extract %d 0) %s)", t.Width-1, smtlib(t.A))
	case Ite:
		return fmt.Sprintf("(ite (= #b1 %s) %s %s)", smtlib(t.C), smtlib(t.A), smtlib(t.B))
	case Lookup:
		s, index := fmt.Sprintf("(_ bv0 %d)", t.Width), smtlib(t.A)
		for i, v := range t.Table {
			if uint64(i) <= mask(t.A.Width) {
				s = fmt.Sprintf("(ite (= %s (_ bv%d %d)) (_ bv%d %d) %s)", index, i, t.A.Width, v, t.Width, s)
			}
		}
		return s
	case Eq, ULt, SLt:
		return fmt.Sprintf("(ite (%s %s %s) #b1 #b0)", cmp[t.Op], smtlib(t.A), smtlib(t.B))
	}
	return fmt.Sprintf("(%s %s %s)", bin[t.Op], smtlib(t.A), smtlib(t.B))
}

// A term of 200 nodes that shares all its operands is searched in bounded effort.
func TestSharedOperands(t *testing.T) {
	ts := NewTerms()
	x, y := ts.Var(Variable{Width: 64}), ts.Var(Variable{Width: 64})
	sum := x
	for range 200 {
		sum = ts.Binary(Add, ts.Binary(URem, sum, y), ts.Binary(UDiv, sum, y))
	}
	s := New(ts)
	if _, status := s.Solve([]*Term{ts.Binary(Eq, sum, ts.Const(64, 0xdeadbeef))}, Model{1, 2}); status == Unsat {
		t.Errorf("%v, want no proof that there is none", status)
	}
	if s.Timeouts > 0 {
		t.Errorf("%d timeouts, want a limit of steps to come first", s.Timeouts)
	}
}
