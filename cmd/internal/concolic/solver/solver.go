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

// A Rung is the method that answered a query. They are tried in this order.
type Rung uint8

// The rungs of the ladder.
const (
	Slice  Rung = iota // the last constraint has no variable
	Cached             // the same constraints were solved before
	Order              // differences of variables, by shortest paths
	Local              // bounded local search
	Small              // a circuit in which variables are small, by SAT
	Full               // a circuit in full width, by SAT
	Rungs
)

func (r Rung) String() string {
	return [...]string{"slice", "cache", "order", "local search", "small circuit", "full circuit"}[r]
}

// Limits of effort. They count steps, so that equal queries have equal answers.
const (
	maxConstraints = 400     // of a slice, after splitting
	maxEvaluations = 600     // of a slice by local search
	maxVisits      = 500_000 // of terms by local search
	maxGates       = 10_000  // of a circuit: enough to multiply 32-bit variables, not to divide 64-bit ones
	maxCached      = 100_000 // results that are remembered
	// patience is a safety net for circuits that are small and hard. Stats.Timeouts counts
	// its uses: equal runs may differ if it is not zero.
	patience = 2 * time.Second
)

// Stats counts queries.
type Stats struct {
	Answered [Rungs]int // with a definite result, by rung
	Unknown  int
	Timeouts int
	Wrong    int // models that did not hold, and were dropped
}

// A Solver answers queries about terms. It is not safe for concurrent use.
type Solver struct {
	terms *Terms
	cache map[string]answer
	rand  uint64
	Stats Stats
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
func (s *Solver) Solve(constraints []*Term, near Model) (Model, Status, Rung) {
	parts, vars := s.slice(constraints)
	if len(vars) == 0 {
		last := constraints[len(constraints)-1]
		s.Stats.Answered[Slice]++
		if s.terms.Eval(nil, last)[0] == 0 {
			return nil, Unsat, Slice
		}
		return near, Sat, Slice
	}
	key := cacheKey(parts)
	if a, ok := s.cache[key]; ok {
		s.Stats.Answered[Cached]++
		return a.merge(near), a.status, Cached
	}
	model, status, rung := s.climb(parts, vars, near)
	if status == Unknown {
		s.Stats.Unknown++
	} else {
		s.Stats.Answered[rung]++
	}
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
	return a.merge(near), status, rung
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

// climb tries the rungs in turn.
func (s *Solver) climb(parts []*Term, vars []int32, near Model) (Model, Status, Rung) {
	if m, status := s.order(parts); status != Unknown {
		if status == Unsat || s.holds(m, parts) {
			return m, status, Order
		}
	}
	if len(parts) > maxConstraints {
		return nil, Unknown, Local
	}
	if m, ok := s.local(parts, vars, near); ok {
		return m, Sat, Local
	}
	for _, rung := range [...]Rung{Small, Full} {
		m, status := s.circuit(parts, vars, rung == Small)
		if status == Unsat && rung == Full {
			return nil, Unsat, Full
		}
		if status == Sat && s.holds(m, parts) {
			return m, Sat, rung
		}
	}
	return nil, Unknown, Full
}

// holds checks a model by evaluation, so that no method needs to be trusted.
func (s *Solver) holds(m Model, parts []*Term) bool {
	if s.terms.Holds(m, parts) < 0 {
		return true
	}
	s.Stats.Wrong++
	return false
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

func meet(a, b []int32) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
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
