package coverage

// A Reach counts the sides that a side leads to, as far as the source tells.
type Reach struct {
	Unreached int // sides that can be reached through it, of conditions with no covered side
	Distance  int // conditions on the way to the nearest, that one included; 0 if there is none
}

// ReachOf returns the reach of each of the given sides. It follows
// Condition.Successors through taken and untaken sides alike. So it is an upper
// bound: it does not know which sides exclude each other.
//
// A side from which the next uncovered one is few conditions away is the better
// target: [Burnim08 §4] uses that distance in the control-flow graph.
func ReachOf(conds []Condition, covered *Set, sides []int) []Reach {
	r := reacher{conds: conds, covered: covered, seen: make([]int, len(conds))}
	owner := make(map[int]int)
	for i := range conds {
		for side := range conds[i].Sides {
			owner[conds[i].First+side] = i
		}
	}
	reaches := make([]Reach, len(sides))
	for i, side := range sides {
		if c, ok := owner[side]; ok {
			reaches[i] = r.from(i+1, c, side)
		}
	}
	return reaches
}

type reacher struct {
	conds   []Condition
	covered *Set
	seen    []int // by condition: the last search that came to it
	queue   []int
}

// from searches breadth first; search is its number, greater than all before.
func (r *reacher) from(search, c, side int) Reach {
	var reach Reach
	r.queue = r.queue[:0]
	r.push(search, r.conds[c].successors(side-r.conds[c].First))
	for depth, at := 1, 0; at < len(r.queue); depth++ {
		for end := len(r.queue); at < end; at++ {
			next := &r.conds[r.queue[at]]
			uncovered := 0
			for i := range next.Sides {
				if s := next.First + i; s != side && !r.covered.Has(s) {
					uncovered++
				}
				r.push(search, next.successors(i))
			}
			if uncovered == len(next.Sides) {
				reach.Unreached += uncovered
			}
			if uncovered > 0 && reach.Distance == 0 {
				reach.Distance = depth
			}
		}
	}
	return reach
}

func (r *reacher) push(search int, conds []int) {
	for _, c := range conds {
		if c >= 0 && c < len(r.conds) && r.seen[c] != search {
			r.seen[c] = search
			r.queue = append(r.queue, c)
		}
	}
}

func (c *Condition) successors(i int) []int {
	if i < len(c.Successors) {
		return c.Successors[i]
	}
	return nil
}
