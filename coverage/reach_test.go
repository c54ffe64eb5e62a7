package coverage

import (
	"math/rand/v2"
	"testing"
)

// TestReachTwin compares with the distances of all pairs of conditions, on small
// random tables.
func TestReachTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		conds, sides := randomTable(r)
		covered := NewSet(sides)
		for side := range sides {
			if r.IntN(3) > 0 {
				covered.Add(side)
			}
		}
		var all []int
		for side := range sides {
			all = append(all, side)
		}
		for side, got := range ReachOf(conds, covered, all) {
			if want := naiveReach(conds, covered, side); got != want {
				t.Fatalf("ReachOf side %d of %+v, covered %v: got %+v, want %+v", side, conds, covered, got, want)
			}
		}
	}
}

func randomTable(r *rand.Rand) (conds []Condition, sides int) {
	n := 1 + r.IntN(7)
	for range n {
		c := Condition{First: sides}
		for range 2 + r.IntN(2) {
			c.Sides = append(c.Sides, "")
			var behind []int
			for range r.IntN(3) {
				behind = append(behind, r.IntN(n))
			}
			c.Successors = append(c.Successors, behind)
		}
		conds, sides = append(conds, c), sides+len(c.Sides)
	}
	return conds, sides
}

// naiveReach finds the conditions after side by adding to them until none is
// new.
func naiveReach(conds []Condition, covered *Set, side int) Reach {
	dist := make(map[int]int)
	for _, c := range conds {
		if at := side - c.First; at >= 0 && at < len(c.Sides) {
			for _, next := range c.Successors[at] {
				dist[next] = 1
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i, c := range conds {
			for _, behind := range c.Successors {
				for _, next := range behind {
					if d, ok := dist[next]; dist[i] > 0 && (!ok || d > dist[i]+1) {
						dist[next], changed = dist[i]+1, true
					}
				}
			}
		}
	}
	var reach Reach
	for i, d := range dist {
		uncovered := 0
		for j := range conds[i].Sides {
			if s := conds[i].First + j; s != side && !covered.Has(s) {
				uncovered++
			}
		}
		if uncovered == 0 {
			continue
		}
		if uncovered == len(conds[i].Sides) {
			reach.Unreached += uncovered
		}
		if reach.Distance == 0 || d < reach.Distance {
			reach.Distance = d
		}
	}
	return reach
}
