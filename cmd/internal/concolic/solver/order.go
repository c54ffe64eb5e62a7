package solver

// Differences of variables: x - y <= c. A system of them has a solution unless its graph
// has a cycle of negative length, and shortest paths are one.

const (
	maxOffset = 1 << 50 // sums of so many constants do not overflow
	maxSplits = 64      // systems that are solved for one query
)

// difference is the constraint x - y <= c between nodes.
type difference struct {
	x, y int
	c    int64
}

// system collects the differences that parts of a query stand for.
type system struct {
	nodes  map[int32]int // by variable; node 0 is the number zero
	vars   []int32
	signed map[int32]bool // how the value of a variable is read
	list   []difference
	unlike []difference // x - y != c
	splits int
}

// order solves conjunctions of comparisons between variables and constants.
func (s *Solver) order(parts []*Term) (Model, Status) {
	sys := &system{nodes: map[int32]int{}, signed: map[int32]bool{}, vars: []int32{-1}}
	for _, p := range parts {
		if !sys.readSigns(p) {
			return nil, Unknown
		}
	}
	for _, p := range parts {
		if !sys.add(p) {
			return nil, Unknown
		}
	}
	for i, v := range sys.vars[1:] {
		width := s.terms.Variables[v].Width
		switch {
		case sys.signed[v] && width <= 32:
			sys.within(i+1, -1<<(width-1), 1<<(width-1)-1)
		case sys.signed[v]:
		case width > 32:
			return nil, Unknown
		default:
			sys.within(i+1, 0, 1<<width-1)
		}
	}
	dist, status := sys.solve(sys.list)
	if status != Sat {
		return nil, status
	}
	var m Model
	for i, v := range sys.vars[1:] {
		m = m.set(v, uint64(dist[i+1]-dist[0])&mask(s.terms.Variables[v].Width))
	}
	return m, Sat
}

func (sys *system) within(x int, least, most int64) {
	sys.list = append(sys.list, difference{x, 0, most}, difference{0, x, -least})
}

// comparison returns the comparison in p, and whether p negates it.
func comparison(p *Term) (cmp *Term, negated bool) {
	if p.Op == Xor && p.Width == 1 && p.B.Op == Const {
		p, negated = p.A, true
	}
	if p.Op != Eq && p.Op != ULt && p.Op != SLt {
		return nil, false
	}
	return p, negated
}

// readSigns finds out how the variables of a part are read. It reports false if they are
// read in two ways, or if p is no comparison.
func (sys *system) readSigns(p *Term) bool {
	cmp, _ := comparison(p)
	if cmp == nil {
		return false
	}
	for _, t := range [...]*Term{cmp.A, cmp.B} {
		v, isSigned := t, cmp.Op == SLt
		known := cmp.Op != Eq
		if t.Op == ZExt || t.Op == SExt {
			if t.Op == SExt && cmp.Op == ULt {
				return false
			}
			v, isSigned, known = t.A, t.Op == SExt, true
		}
		if v.Op == Const && v == t {
			continue
		}
		if v.Op != Var {
			return false
		}
		if was, ok := sys.signed[int32(v.Val)]; known && ok && was != isSigned {
			return false
		}
		if known {
			sys.signed[int32(v.Val)] = isSigned
		}
	}
	return true
}

// node returns a side of a comparison as a node plus a constant.
func (sys *system) node(t *Term, signedCompare bool) (node int, c int64, ok bool) {
	if t.Op == Const {
		c = signed(t.Width, t.Val)
		if !signedCompare && c < 0 {
			return 0, 0, false
		}
		return 0, c, -maxOffset < c && c < maxOffset
	}
	if t.Op == ZExt || t.Op == SExt {
		t = t.A
	}
	v := int32(t.Val)
	if _, ok := sys.signed[v]; !ok {
		sys.signed[v] = true // only ever compared for equality
	}
	n, ok := sys.nodes[v]
	if !ok {
		n = len(sys.vars)
		sys.nodes[v] = n
		sys.vars = append(sys.vars, v)
	}
	return n, 0, true
}

// add adds a part to the system.
func (sys *system) add(p *Term) bool {
	cmp, negated := comparison(p)
	signedCompare := cmp.Op == SLt
	if cmp.Op == Eq {
		signedCompare = true
		for _, t := range [...]*Term{cmp.A, cmp.B} {
			if t.Op == Var {
				s, ok := sys.signed[int32(t.Val)]
				signedCompare = signedCompare && (s || !ok)
			}
		}
	}
	a, ca, okA := sys.node(cmp.A, signedCompare)
	b, cb, okB := sys.node(cmp.B, signedCompare)
	if !okA || !okB || cmp.Op == Eq && a != 0 && b != 0 && sys.signed[sys.vars[a]] != sys.signed[sys.vars[b]] {
		return false
	}
	d := difference{a, b, cb - ca}
	switch {
	case cmp.Op == Eq && negated:
		sys.unlike = append(sys.unlike, d)
	case cmp.Op == Eq:
		sys.list = append(sys.list, d, d.reverse())
	case negated:
		sys.list = append(sys.list, d.reverse())
	default:
		d.c--
		sys.list = append(sys.list, d)
	}
	return true
}

// reverse returns x - y >= c.
func (d difference) reverse() difference { return difference{d.y, d.x, -d.c} }

// solve finds a solution of list in which the unlike are so, by cases.
func (sys *system) solve(list []difference) ([]int64, Status) {
	if sys.splits++; sys.splits > maxSplits {
		return nil, Unknown
	}
	dist, ok := sys.shortest(list)
	if !ok {
		return nil, Unsat
	}
	for _, u := range sys.unlike {
		if dist[u.x]-dist[u.y] != u.c {
			continue
		}
		below, above := u, u.reverse()
		below.c--
		above.c--
		n := len(list)
		first, status := sys.solve(append(list[:n:n], above))
		if status == Sat {
			return first, Sat
		}
		second, other := sys.solve(append(list[:n:n], below))
		if other == Unsat {
			return nil, status
		}
		return second, other
	}
	return dist, Sat
}

// shortest returns shortest paths from a source that is at distance zero of every node.
// It reports false if there is a negative cycle. It is the algorithm of Bellman and Ford.
func (sys *system) shortest(list []difference) ([]int64, bool) {
	dist := make([]int64, len(sys.vars))
	for range len(sys.vars) + 1 {
		changed := false
		for _, d := range list {
			if far := dist[d.y] + d.c; far < dist[d.x] {
				dist[d.x], changed = far, true
			}
		}
		if !changed {
			return dist, true
		}
	}
	return nil, false
}
