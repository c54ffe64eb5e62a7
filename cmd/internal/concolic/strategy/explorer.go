// Package strategy chooses which paths of a function concolic execution tries next.
//
//	x, err := strategy.New(m, in, strategy.Options{Runs: 500})
//	strategy.RandomBranch.Search(x)
//	taken, of := x.Coverage()
//
// The strategies of [All] force one branch of a run at a time. [Explorer.Force] solves for
// an input that takes the run up to the branch, and then the other side.
package strategy

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/solver"
)

// Options bound a search.
type Options struct {
	Runs int // of the function; zero: 500
	// Queries bounds those to the solver; zero: 20 times Runs.
	Queries int
	Seed    uint64 // of random choices
	// Idle ends the search after so many runs that brought nothing new; zero: never.
	Idle int
	// Depth of a depth-first search; zero: no bound.
	Depth int
	// Stop is asked before each run; nil: never.
	Stop func() bool
	// Sides are those taken before, to which the search adds; nil: none.
	Sides *Sides
	// Package is the one whose sides count; nil: that of the function.
	Package *ssa.Package
	// Part is what Frontier does; Distance of an Approach counts those before it, each of which
	// forces branches farther from the conditions.
	Part     Part
	Distance int
	// Start is the first input of [Frontier]; nil: zero.
	Start solver.Model
	// Visit is called for each run; news tells whether it took a side that none had taken.
	Visit func(run *concolic.Run, news bool)
}

// Sides are the sides that runs of functions of one machine have taken.
type Sides struct {
	native     func(side int32) bool // nil if nobody knows
	asked      map[int32]bool        // … and its answers, until it is set again
	taken      map[int32]bool        // of Ifs, and of implicit branches
	entered    map[uint64]bool       // likewise, by the call that entered the function
	attempts   map[int32]int         // at those not taken, by Frontier
	approaches map[int32]int         // branches forced before conditions of those not taken
	swept      map[uint64]int        // attempts by sweeping, by the key of entered
	effort     map[int32]*Effort     // at those of Ifs that some input decides
}

// Effort tells what came of queries for a side of an If on which a run depended.
type Effort struct{ Unsat, Unknown, Strayed int }

// NewSides returns no sides.
func NewSides() *Sides {
	return &Sides{
		asked: map[int32]bool{}, taken: map[int32]bool{}, entered: map[uint64]bool{}, attempts: map[int32]int{}, approaches: map[int32]int{},
		effort: map[int32]*Effort{}, swept: map[uint64]int{},
	}
}

// Taken reports whether a side was taken: 2*site + side.
func (s *Sides) Taken(side int32) bool {
	if !s.taken[side] && s.native != nil && !s.asked[side] {
		s.asked[side] = true
		s.taken[side] = s.native(side)
	}
	return s.taken[side]
}

// Ran returns the sides that runs of the interpreter have taken.
func (s *Sides) Ran() map[int32]bool {
	ran := map[int32]bool{}
	for key := range s.entered {
		ran[int32(key&(1<<32-1))] = true
	}
	return ran
}

// Effort returns what came of queries for a side, nil if no run depended on its condition.
func (s *Sides) Effort(side int32) *Effort { return s.effort[side] }

// decided returns the effort at the other side of a branch.
func (s *Sides) decided(c *concolic.Constraint) *Effort {
	side := 2*c.Site + 1 - int32(c.Side)
	e := s.effort[side]
	if e == nil {
		e = new(Effort)
		s.effort[side] = e
	}
	return e
}

// Ask has native asked, once for each side of an If, whether the program itself has taken it.
func (s *Sides) Ask(native func(side int32) bool) {
	s.native = native
	clear(s.asked)
}

// Stats counts the work of a search.
type Stats struct {
	Runs    int
	Strayed int // of them, those that did not take the side that they were meant for
	Unsat   int
	Unknown int
	Aborted [concolic.Reasons]int // runs, by reason

	// Of Structures: runs of preconditions to complete a structure, and how often they did not
	// come to an end.
	Completions, Unfinished int
}

// Add adds the counts of another search.
func (s *Stats) Add(o *Stats) {
	s.Runs += o.Runs
	s.Strayed += o.Strayed
	s.Unsat += o.Unsat
	s.Unknown += o.Unknown
	s.Completions += o.Completions
	s.Unfinished += o.Unfinished
	for i, n := range o.Aborted {
		s.Aborted[i] += n
	}
}

// An Explorer runs a function on inputs that a strategy chooses.
type Explorer struct {
	Stats
	*Sides
	options Options
	m       *concolic.Machine
	in      *concolic.Input
	solver  *solver.Solver
	rand    *rand.Rand
	graph   *graph          // nil until it is asked for
	kept    []*concolic.Run // that took new sides, or did so in a function entered by another call
	idle    int
	tries   int // queries
}

// New returns an explorer of the function that an input belongs to.
func New(m *concolic.Machine, in *concolic.Input, o Options) *Explorer {
	o.Runs = cmp.Or(o.Runs, 500)
	o.Queries = cmp.Or(o.Queries, o.Runs*queriesPerRun)
	o.Sides = cmp.Or(o.Sides, NewSides())
	o.Package = cmp.Or(o.Package, in.Function().Pkg)
	return &Explorer{
		Sides: o.Sides, options: o, m: m, in: in, solver: solver.New(m.Terms()), rand: rand.New(rand.NewPCG(o.Seed, 0)),
	}
}

// Timeouts returns how many queries the solver gave up because of their time.
func (x *Explorer) Timeouts() int { return x.solver.Timeouts }

// queriesPerRun bounds the queries of a search in which few can be answered.
const queriesPerRun = 20

// Done reports whether the budget is used up.
func (x *Explorer) Done() bool {
	if x.options.Stop != nil && x.options.Stop() {
		return true
	}
	return x.Runs >= x.options.Runs || x.tries >= x.options.Queries || x.options.Idle > 0 && x.idle >= x.options.Idle
}

// Run runs the function. It reports whether the run took a side that none had taken.
func (x *Explorer) Run(model solver.Model) (run *concolic.Run, news bool) {
	run = x.m.Run(x.in, model)
	return run, x.note(run)
}

// note counts a run, and the sides that it took.
func (x *Explorer) note(run *concolic.Run) (news bool) {
	x.Runs++
	x.idle++
	x.Aborted[run.Reason]++
	entered := len(x.entered)
	for key := range run.Sides {
		news = x.take(key) || news
	}
	for i := range run.Path {
		c := &run.Path[i]
		if k := x.m.Sites[c.Site].Kind; k == concolic.If {
			x.decided(c)
		} else if k != concolic.Pin {
			news = x.take(concolic.SideKey(c.Call, c.Site, c.Side)) || news
		}
	}
	if len(x.entered) > entered {
		x.idle = 0
		x.kept = append(x.kept, run)
	}
	if news && x.graph != nil {
		x.graph.measure(x.taken)
	}
	if x.options.Visit != nil {
		x.options.Visit(run, news)
	}
	return news
}

func (x *Explorer) take(key uint64) bool {
	side := int32(key & (1<<32 - 1))
	was := x.Taken(side)
	x.taken[side], x.entered[key] = true, true
	return !was
}

// solve looks for an input that takes the other side of branch i of a run.
func (x *Explorer) solve(run *concolic.Run, i int) (solver.Model, bool) {
	model, status := x.query(run, i)
	return model, status == solver.Sat
}

// query asks the solver for such an input.
func (x *Explorer) query(run *concolic.Run, i int) (solver.Model, solver.Status) {
	x.tries++
	e := x.decided(&run.Path[i])
	terms := make([]*solver.Term, i+1)
	for j := range i {
		if terms[j] = run.Path[j].Term; terms[j] == run.Path[i].Term {
			x.Unsat++
			e.Unsat++
			return nil, solver.Unsat // an earlier branch decides it
		}
	}
	terms[i] = x.m.Terms().Not(run.Path[i].Term)
	model, status := x.solver.Solve(terms, run.Input)
	switch status {
	case solver.Unsat:
		x.Unsat++
		e.Unsat++
	case solver.Unknown:
		x.Unknown++
		e.Unknown++
	}
	return model, status
}

// maxRefutations bounds the branches of one run at one condition.
const maxRefutations = 32

// Refutes asks whether no input takes a side along the path of a run that came to its
// condition. The path is whole. For none of its branches there an input takes the path up to
// the branch, and then the side. It returns how many branches depend on the input.
func (x *Explorer) Refutes(run *concolic.Run, side int32) (branches int, ok bool) {
	if run.Reason != concolic.ReasonNone || run.Cut {
		return 0, false
	}
	for i := range run.Path {
		if c := &run.Path[i]; 2*c.Site+1-int32(c.Side) != side {
			continue
		}
		if branches++; branches > maxRefutations {
			return branches, false
		}
		if _, status := x.query(run, i); status != solver.Unsat {
			return branches, false
		}
	}
	return branches, true
}

// Force runs the function so that it takes the other side of branch i of a run. It
// returns nil if no input is found, or if the budget is used up. The run is as predicted
// if it is like the old one up to the branch, and then takes the other side.
func (x *Explorer) Force(run *concolic.Run, i int) (next *concolic.Run, predicted, news bool) {
	if x.Done() {
		return nil, false, false
	}
	model, ok := x.solve(run, i)
	if !ok {
		return nil, false, false
	}
	next, news = x.Run(model)
	if predicted = follows(next, run, i); !predicted {
		x.Strayed++
		x.decided(&run.Path[i]).Strayed++
	}
	return next, predicted, news
}

// Relax runs the function on an input for which the other side of branch i of a run would be
// taken if the run came there.
func (x *Explorer) Relax(run *concolic.Run, i int) {
	if x.Done() {
		return
	}
	x.tries++
	model, status := x.solver.Solve([]*solver.Term{x.m.Terms().Not(run.Path[i].Term)}, run.Input)
	if status == solver.Sat {
		x.Run(model)
	}
}

// follows checks the prediction for branch i of a run.
func follows(next, run *concolic.Run, i int) bool {
	if len(next.Path) <= i {
		return false
	}
	for j := range i + 1 {
		a, b := &next.Path[j], &run.Path[j]
		if a.Site != b.Site || (a.Side == b.Side) != (j < i) {
			return false
		}
	}
	return true
}

// Random returns an input whose variables are uniformly random; numbers of more than 8
// bits are of a random width first.
func (x *Explorer) Random() solver.Model {
	m := x.in.Zero()
	for i, v := range x.m.Terms().Variables {
		n := x.rand.Uint64()
		switch {
		case v.Max > 0:
			n %= v.Max + 1
		case v.Width > 8:
			n = uint64(int64(n) >> x.rand.IntN(64))
		}
		m[i] = n & (^uint64(0) >> (64 - v.Width))
	}
	return m
}

// flow returns the graph of the function.
func (x *Explorer) flow() *graph {
	if x.graph == nil {
		x.graph = newGraph(x.m, x.in.Function())
		x.graph.measure(x.taken)
	}
	return x.graph
}

// Coverage returns how many sides of the control flow that the function reaches in its
// own package were taken, of how many.
func (x *Explorer) Coverage() (taken, of int) {
	for _, side := range x.flow().sides {
		if !x.owns(side / 2) {
			continue
		}
		of++
		if x.taken[side] {
			taken++
		}
	}
	return taken, of
}

// Own reports whether a side is one of those that Coverage counts.
func (x *Explorer) Own(side int32) bool {
	_, ok := x.flow().node[side]
	return ok && x.owns(side/2)
}

// owns reports whether a site is in the package whose sides count.
func (x *Explorer) owns(site int32) bool {
	fn := x.m.Sites[site].Function
	if fn == nil {
		return false
	}
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	return fn.Pkg == x.options.Package
}

// Beside returns the sides in the package that counts that no run has taken, at conditions
// that a run came to. The conditions need not depend on the input.
func (x *Explorer) Beside(run *concolic.Run) []int32 {
	var list []int32
	for key := range run.Sides {
		if side := int32(key&(1<<32-1)) ^ 1; !x.Taken(side) && x.owns(side/2) {
			list = append(list, side)
		}
	}
	slices.Sort(list)
	return list
}

// Untaken returns the sides that Coverage counts and no run took.
func (x *Explorer) Untaken() []int32 {
	return slices.DeleteFunc(slices.Clone(x.flow().sides), func(side int32) bool { return x.taken[side] || !x.Own(side) })
}
