package solver

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"
)

// A Status is the result of a query.
type Status uint8

// Results.
const (
	Unknown Status = iota // the effort allowed was not enough
	Sat
	Unsat
)

func (s Status) String() string { return [...]string{"unknown", "satisfiable", "unsatisfiable"}[s] }

// Limits of effort. They count steps, so that equal queries have equal answers.
const (
	maxConstraints = 400     // of a slice, after splitting
	maxEvaluations = 600     // of a slice by local search
	maxVisits      = 500_000 // of terms by local search
	maxGates       = 10_000  // of a circuit: enough to multiply 32-bit variables, not to divide 64-bit ones
	maxCached      = 100_000 // results that are remembered
	// maxTicks of the SAT solver are for circuits that are small and hard. patience is a safety net:
	// the solver may take a tick more than it is asked to, and a busy machine takes longer. Solver.Timeouts
	// counts the uses of both: equal runs may differ if it is not zero.
	maxTicks = 1000
	patience = 20 * time.Second
)

// A Solver answers queries about terms. It is not safe for concurrent use.
type Solver struct {
	Timeouts int // circuits that were given up
	terms    *Terms
	cache    map[string]answer
	rand     uint64
}

// answer holds the values of the variables of a slice.
type answer struct {
	status Status
	vars   []int32
	vals   []uint64
}

// New returns a solver for terms.
func New(ts *Terms) *Solver { return &Solver{terms: ts, cache: map[string]answer{}} }

// Solve looks for a model in which all constraints hold. near is a model in which all but
// the last hold: variables that do not matter keep the values that they have there.
func (s *Solver) Solve(constraints []*Term, near Model) (Model, Status) {
	parts, vars := s.slice(constraints)
	if len(vars) == 0 {
		if s.terms.Eval(nil, constraints[len(constraints)-1])[0] == 0 {
			return nil, Unsat
		}
		return near, Sat
	}
	key := cacheKey(parts)
	if a, ok := s.cache[key]; ok {
		return a.merge(near), a.status
	}
	model, status := s.climb(parts, vars, near)
	a := answer{status: status}
	if status == Sat {
		a.vars = vars
		for _, v := range vars {
			a.vals = append(a.vals, model.value(v))
		}
	}
	if len(s.cache) >= maxCached {
		clear(s.cache)
	}
	s.cache[key] = a
	return a.merge(near), status
}

func (m Model) value(v int32) uint64 {
	if int(v) < len(m) {
		return m[v]
	}
	return 0
}

// set returns m with a value changed in place, or grown.
func (m Model) set(v int32, val uint64) Model {
	for int(v) >= len(m) {
		m = append(m, 0)
	}
	m[v] = val
	return m
}

func (a answer) merge(near Model) Model {
	if a.status != Sat {
		return nil
	}
	m := slices.Clone(near)
	for i, v := range a.vars {
		m = m.set(v, a.vals[i])
	}
	return m
}

// climb tries shortest paths for differences of variables, bounded local search, and SAT for a
// circuit in which variables are small, and for one in full width. A model is checked by
// evaluation, so that no method needs to be trusted.
func (s *Solver) climb(parts []*Term, vars []int32, near Model) (Model, Status) {
	if m, status := s.order(parts); status == Unsat || status == Sat && s.terms.Holds(m, parts) {
		return m, status
	}
	if len(parts) > maxConstraints {
		return nil, Unknown
	}
	if m, ok := s.local(parts, vars, near); ok {
		return m, Sat
	}
	for _, small := range []bool{true, false} {
		m, status := s.circuit(parts, vars, small)
		if status == Unsat && !small || status == Sat && s.terms.Holds(m, parts) {
			return m, status
		}
	}
	return nil, Unknown
}

// slice returns the constraints that share variables with the last one, directly or by
// way of others, split into conjuncts, and their variables. Bounds of variables are among
// them.
func (s *Solver) slice(constraints []*Term) ([]*Term, []int32) {
	last := len(constraints) - 1
	parts := conjuncts(nil, constraints[last])
	vars := constraints[last].vars
	used := make([]bool, len(constraints))
	used[last] = true
	for grown := true; grown; {
		grown = false
		for i, c := range constraints[:last] {
			if !used[i] && meet(vars, c.vars) {
				used[i], grown = true, true
				vars = union(vars, c.vars)
				parts = conjuncts(parts, c)
			}
		}
	}
	for _, v := range vars {
		if d := s.terms.Variables[v]; d.Max > 0 {
			beyond := s.terms.Binary(ULt, s.terms.Const(d.Width, d.Max), s.terms.byVar[v])
			parts = append(parts, s.terms.Not(beyond))
		}
	}
	slices.SortFunc(parts, func(a, b *Term) int { return int(a.ID) - int(b.ID) })
	return slices.Compact(parts), vars
}

// conjuncts appends the parts of a conjunction.
func conjuncts(list []*Term, t *Term) []*Term {
	if t.Op == And && t.Width == 1 {
		return conjuncts(conjuncts(list, t.A), t.B)
	}
	return append(list, t)
}

func cacheKey(parts []*Term) string {
	var b strings.Builder
	var buf [4]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint32(buf[:], p.ID)
		b.Write(buf[:])
	}
	return b.String()
}

// random returns a pseudorandom number below n.
func (s *Solver) random(n int) int {
	s.rand = s.rand*6364136223846793005 + 1442695040888963407
	return int(s.rand >> 33 % uint64(n))
}
