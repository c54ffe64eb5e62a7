package strategy

import (
	"maps"
	"slices"

	"foray.test/cmd/internal/concolic"
)

// A Strategy decides which branches are forced.
type Strategy struct {
	Name   string
	Search func(*Explorer)
}

// The strategies.
var (
	// RandomInput runs random inputs, and solves nothing [Burnim08 §3].
	RandomInput = Strategy{"random-input", randomInput}
	// DepthFirst forces the branches of a run in order, and recurs [Burnim08 §2.4].
	DepthFirst = Strategy{"depth-first", depthFirst}
	// UniformRandom draws each path with the same probability for each of its branches [Burnim08 §3.1].
	UniformRandom = Strategy{"uniform-random", uniformRandom}
	// RandomBranch forces a random branch of the last run [Burnim08 §3.2].
	RandomBranch = Strategy{"random-branch", randomBranch}
	// Directed forces branches from which a side not taken is near [Burnim08 §4].
	Directed = Strategy{"directed", directed}
	// Mixed takes turns with Directed and RandomBranch, and returns to earlier runs [Burnim08 §3.2, §4].
	Mixed = Strategy{"mixed", mixed}
	// Frontier forces the branches of runs of which no run has taken the other side: [Pacheco09 §6.2], by solving.
	Frontier = Strategy{"frontier", frontier}
)

// All lists the strategies, the default first.
var All = []Strategy{Mixed, Directed, RandomBranch, UniformRandom, DepthFirst, Frontier, RandomInput}

func randomInput(x *Explorer) {
	for !x.Done() {
		x.Run(x.Random())
	}
}

// depthFirst begins at zero, and begins again with random inputs until the budget is used
// up, unless it has no bound: then it has tried all paths.
func depthFirst(x *Explorer) {
	depth := x.options.Depth
	model := x.in.Zero()
	for !x.Done() {
		run, _ := x.Run(model)
		if depth == 0 {
			deepen(x, run, 0, 1<<30)
			return
		}
		deepen(x, run, 0, depth)
		model = x.Random()
	}
}

// deepen forces depth branches of a run from branch i on. Those that cannot be forced do
// not count.
func deepen(x *Explorer, run *concolic.Run, i, depth int) {
	for ; i < len(run.Path) && depth > 0 && !x.Done(); i++ {
		next, predicted, _ := x.Force(run, i)
		if next == nil {
			continue
		}
		depth--
		if predicted {
			deepen(x, next, i+1, depth)
		}
	}
}

func uniformRandom(x *Explorer) {
	model := x.in.Zero()
	for !x.Done() {
		run, _ := x.Run(model)
		for i := 0; i < len(run.Path) && !x.Done(); i++ {
			if x.rand.IntN(2) == 0 {
				continue
			}
			if next, predicted, _ := x.Force(run, i); next != nil && predicted {
				run = next
			}
		}
		model = x.Random()
	}
}

// patience is how many queries in a row may bring nothing new before a search begins
// again. On the programs of testdata, 20 covered a little more than 50, and 200 less.
const patience = 20

func randomBranch(x *Explorer) {
	model := x.in.Zero()
	for !x.Done() {
		run, _ := x.Run(model)
		wander(x, run, x.options.Runs)
		model = x.Random()
	}
}

// wander forces random branches, until patience is at its end or after some runs.
func wander(x *Explorer, run *concolic.Run, runs int) {
	until := x.Runs + runs
	for fruitless := 0; fruitless < patience && len(run.Path) > 0 && x.Runs < until && !x.Done(); fruitless++ {
		next, predicted, news := x.Force(run, x.rand.IntN(len(run.Path)))
		if next != nil && (predicted || news) {
			run = next
		}
		if news {
			fruitless = 0
		}
	}
}

func directed(x *Explorer) {
	model := x.in.Zero()
	for !x.Done() {
		run, _ := x.Run(model)
		d := &director{Explorer: x, tried: map[int32]int{}}
		for run != nil && !x.Done() {
			run = d.step(run)
		}
		model = x.Random()
	}
}

// shift is how many runs Mixed gives to random branches at a time.
const shift = 30

// mixed is directed as long as that brings new sides. Then it sweeps, forces random
// branches, and begins again at a random input.
func mixed(x *Explorer) {
	run, _ := x.Run(x.in.Zero())
	w := &sweeper{Explorer: x, done: map[*concolic.Run]bool{}}
	for !x.Done() {
		d := &director{Explorer: x, tried: map[int32]int{}}
		last := run
		for run != nil && !x.Done() {
			last, run = run, d.step(run)
		}
		if run = w.sweep(); run == nil {
			wander(x, last, shift)
			run, _ = x.Run(x.Random())
		}
	}
}

// maxFrontierTries bounds how often a side is forced, in all runs that come to its branch.
const maxFrontierTries = 8

// A Part of a search by Frontier. Flips cost least for what they yield.
type Part uint8

// Parts.
const (
	Whole    Part = iota // Flips, and an Approach
	Flips                // force the branches of which the other side is not taken
	Approach             // force branches before conditions of which a side is not taken
	// Sweep forces branches of which the other side is new in a function that the same call
	// entered. A side that no run has taken may come after one that only failing calls take.
	Sweep
)

// frontier ends when no branch is left to force.
func frontier(x *Explorer) {
	start := x.options.Start
	if start == nil {
		start = x.in.Zero()
	}
	if x.Done() {
		return
	}
	run, _ := x.Run(start)
	if len(x.kept) == 0 { // it takes what others have taken
		x.kept = append(x.kept, run)
	}
	flipped, done := 0, 0
	if x.options.Part > Flips {
		flipped = 1 // by an earlier search
	}
	w := &sweeper{Explorer: x, done: map[*concolic.Run]bool{}}
	for done < len(x.kept) {
		switch {
		case flipped < len(x.kept):
			x.flip(x.kept[flipped])
			flipped++
		case x.options.Part == Flips:
			return
		case x.options.Part == Sweep:
			done = len(x.kept)
			w.sweep()
		default:
			x.approach(x.kept[done])
			done++
		}
	}
}

// flip forces the branches of a run whose other side is not taken. If none of the inputs
// solves the whole path, one may do that solves for the branch alone. It is likely to stray
// before it comes there, but a run costs less than to find out: optimistic solving, [Yun18].
func (x *Explorer) flip(run *concolic.Run) {
	for j := range run.Path {
		c := &run.Path[j]
		side := 2*c.Site + 1 - int32(c.Side)
		if x.Taken(side) || x.attempts[side] >= maxFrontierTries || x.m.Sites[c.Site].Kind == concolic.Pin || !x.owns(c.Site) {
			continue
		}
		x.attempts[side]++
		if x.Force(run, j); !x.Taken(side) {
			x.Relax(run, j)
		}
	}
}

// approach forces some branches before the conditions of a run of which one side is not
// taken. A condition that does not depend on the input itself is often decided by a branch
// in a function that was called shortly before.
func (x *Explorer) approach(run *concolic.Run) {
	for _, key := range slices.Sorted(maps.Keys(run.Sides)) {
		side := int32(key&(1<<32-1)) ^ 1
		if x.Taken(side) || !x.owns(side/2) {
			continue
		}
		from := min(run.Sides[key], len(run.Path)) - x.options.Distance*reach
		for j := from - 1; j >= max(0, from-reach) && !x.Taken(side) && x.approaches[side] < (x.options.Distance+1)*reach*maxFrontierTries; j-- {
			if x.m.Sites[run.Path[j].Site].Kind != concolic.Pin {
				x.approaches[side]++
				x.Force(run, j)
			}
		}
	}
}

// reach is how many branches before a condition approach forces at once. From what ten seconds
// of fuzzing had kept of four parsers, Frontier takes 136 sides with it, and 93 without.
const reach = 8

// sweeper is the state of a search that returns to earlier runs. The distances of a
// director do not see that a function is called from several places, nor that a result
// decides a condition of the caller. So a side counts as new if no run has taken it in a
// function that the same call entered.
type sweeper struct {
	*Explorer
	done map[*concolic.Run]bool
}

// maxTries bounds how often a side is swept for, by the call.
const maxTries = 4

// sweep forces branches of the kept runs, the last run first, whose other side is new in
// that sense. It returns a run that took such a side, or nil if there is none left.
func (w *sweeper) sweep() *concolic.Run {
	for i := len(w.kept) - 1; i >= 0 && !w.Done(); i-- {
		run := w.kept[i]
		if w.done[run] {
			continue
		}
		for j := len(run.Path) - 1; j >= 0 && !w.Done(); j-- {
			c := &run.Path[j]
			key := concolic.SideKey(c.Call, c.Site, 1-c.Side)
			if w.entered[key] || w.swept[key] >= maxTries || w.m.Sites[c.Site].Kind == concolic.Pin {
				continue
			}
			w.swept[key]++
			known := len(w.kept)
			if next, _, _ := w.Force(run, j); next != nil && len(w.kept) > known {
				return next
			}
		}
		w.done[run] = true
	}
	return nil
}

// director is the state of a search that the control flow directs.
type director struct {
	*Explorer
	tried map[int32]int // how often a side was forced since the last new one
}

// implicitWeight is the distance of a side that no condition of the source has, such as
// an index out of bounds. Such sides come after those that are a condition or two away.
const implicitWeight = 3

// score estimates the distance of the other side of a branch.
func (d *director) score(c *concolic.Constraint) int {
	side := 2*c.Site + 1 - int32(c.Side)
	n := d.flow().distance(side)
	if k := d.m.Sites[c.Site].Kind; k != concolic.If {
		n = far
		if k != concolic.Pin && !d.taken[side] {
			n = implicitWeight
		} else if k == concolic.Pin {
			n = 2 * implicitWeight
		}
	}
	return min(n+d.tried[side], far)
}

// step forces branches of a run, the nearest to a side that is not taken first, each at
// most once, and follows static paths from there. It returns the run that took a new
// side, or nil if none did.
func (d *director) step(run *concolic.Run) *concolic.Run {
	used := make([]bool, len(run.Path))
	for !d.Done() {
		best, least, ties := -1, far, 0
		for i := range run.Path {
			if used[i] {
				continue
			}
			n := d.score(&run.Path[i])
			if n == least && n < far {
				if ties++; d.rand.IntN(ties) == 0 {
					best = i
				}
			} else if n < least {
				best, least, ties = i, n, 1
			}
		}
		if best < 0 {
			return nil
		}
		used[best] = true
		next, predicted, news := d.Force(run, best)
		if next != nil && !news && predicted {
			next, news = d.along(next, best+1, least)
		}
		if news {
			clear(d.tried)
			return next
		}
		c := &run.Path[best]
		d.tried[2*c.Site+1-int32(c.Side)]++
	}
	return nil
}

// along forces a run to follow the static paths of a weight that lead from branch i on to
// a side not taken, [Burnim08 §4.2]. Branches inside calls that a path skips have no
// weight. Common beginnings of paths are forced once.
func (d *director) along(run *concolic.Run, i, weight int) (*concolic.Run, bool) {
	if i == 0 || i > len(run.Path) {
		return nil, false
	}
	depth := run.Path[i-1].Depth
	for ; i < len(run.Path) && weight > 0 && !d.Done(); i++ {
		c := &run.Path[i]
		if c.Depth > depth && d.flow().distance(2*c.Site+1-int32(c.Side)) >= weight {
			continue
		}
		depth = min(depth, c.Depth)
		if d.score(c) < weight {
			next, predicted, news := d.Force(run, i)
			if news {
				return next, true
			}
			if next != nil && predicted {
				if found, news := d.along(next, i+1, weight-1); news {
					return found, true
				}
			}
		}
		weight--
	}
	return nil, false
}
