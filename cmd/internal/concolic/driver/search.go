package driver

import (
	"cmp"
	"fmt"
	"slices"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/strategy"
	"foray.test/coverage"
	"foray.test/engine/seq"
)

// Options bound a search.
type Options struct {
	Runs       int    // of each sequence, at most
	Seed       uint64 // of random choices
	Conditions []coverage.Condition
}

// Stats tells what a search came to.
type Stats struct {
	Sequences int // of the list, interpreted
	Near      int // … that come to a branch of which none takes the other side
	strategy.Stats
	Timeouts int // of the solver
}

// A Search looks for values of the literals of sequences, with which these take sides that
// none of them takes. All of this is by the account of the interpreter: only a native run
// shows more.
//
// It is aiming [Pacheco09 §6.2] with a solver in place of edits.
type Search struct {
	Stats
	Round
	prog     *concolic.Program
	table    *seq.Table
	m        *concolic.Machine
	sides    *strategy.Sides
	places   *conditionMap
	panics   map[string]bool
	known    map[string]bool // sequences of the lists, encoded
	fresh    []seq.Sequence  // … that have not run
	queue    []*candidate    // to be solved for, in two stages
	all      []*candidate    // … those before included, but neither lengthened nor settled ones
	found    int             // … of them, those that solving found
	compiled int
	o        Options
}

// A Round is a part of a search.
type Round struct {
	// Stop is asked before each run; the next round goes on from there.
	Stop func() bool
	// Covered, if set, reports whether the package itself has taken a side of the conditions.
	// Sequences that fail take sides, too, and are in no list.
	Covered func(side int) bool
	// Propose gets the sequences found.
	Propose func(seq.Sequence)
}

// NewSearch returns a search that no sequences are known to.
func NewSearch(prog *concolic.Program, t *seq.Table, o Options) *Search {
	return &Search{
		prog: prog, table: t, m: prog.NewMachine(concolic.Limits{Steps: 200_000}), sides: strategy.NewSides(), o: o,
		places: newConditionMap(o.Conditions, prog.Targets[0].Pkg.Path()), panics: map[string]bool{}, known: map[string]bool{},
	}
}

// Run runs the sequences that are new, and goes on solving.
func (s *Search) Run(list []seq.Sequence, r Round) {
	s.Round = r
	if r.Covered != nil {
		s.sides.Ask(s.taken)
	}
	for _, steps := range list {
		if key := string(seq.AppendBinary(nil, steps)); !s.known[key] {
			s.known[key] = true
			s.fresh = append(s.fresh, steps)
		}
	}
	for ; len(s.fresh) > 0 && !s.Stop(); s.fresh = s.fresh[1:] {
		if c := s.compile(s.fresh[0]); c != nil {
			s.first(c)
			s.Sequences++
			s.all = append(s.all, c)
			s.enqueue(c)
		}
	}
	for len(s.fresh) == 0 && len(s.queue) > 0 && !s.Stop() {
		c := s.queue[0]
		if !c.counted && s.near(c) {
			c.counted = true
			s.Near++
		}
		s.m.Release()
		s.step(c)
		if s.Stop() {
			break
		}
		at := slices.Index(s.queue, c) // what it found may come before it
		s.queue = slices.Delete(s.queue, at, at+1)
		if c.stage++; !s.near(c) {
			c.stage = max(c.stage, sweeping)
		}
		if c.stage < stages {
			s.enqueue(c)
		}
	}
	s.settle()
}

// settle drops the sequences that went through all stages and are near no side that is left:
// nothing runs them again.
func (s *Search) settle() {
	s.all = slices.DeleteFunc(s.all, func(c *candidate) bool {
		settled := c.stage >= stages && !s.near(c)
		if settled {
			s.m.Drop(c.in)
		}
		return settled
	})
}

// maxFound bounds the sequences found that are solved for, too: one may lead to the next.
const maxFound = 64

// candidate is one sequence.
type candidate struct {
	driver  *Driver
	in      *concolic.Input
	open    []int32 // sides beside those that it takes, not taken by those before it
	stage   int     // the number of those behind it
	steps   int     // of its first run
	counted bool    // as near
	longer  bool    // than an entry: it is solved for in one stage
}

// A sequence is solved for in stages: its branches are flipped, then those farther and farther
// before the conditions. Of four parsers, one such stage takes 131 sides, three take 136.
// Then it is swept and lengthened: the latter took no more there, but it reaches conditions on
// state that no entry makes.
const (
	flipping    = 0
	approaching = 1
	sweeping    = 4
	lengthening = 5
	stages      = 6
)

// room is how much longer than in the sequence a string may become.
const room = 8

// compile returns nil for a sequence that does not compile: it may name what only the
// worker has.
func (s *Search) compile(steps seq.Sequence) *candidate {
	d := New(s.table, steps)
	s.compiled++
	pkg, err := s.prog.Compile(fmt.Sprintf("foray.test/sequence/%d", s.compiled), d.Source)
	if err != nil {
		return nil
	}
	longest := 0
	for _, v := range d.Values {
		if text, ok := v.(string); ok {
			longest = max(longest, len(text))
		}
	}
	in, err := s.m.NewInput(pkg.Func(Name), concolic.Shape{MaxLength: longest + room})
	if err != nil {
		return nil
	}
	return &candidate{driver: d, in: in}
}

// first runs a sequence as it is, so that no side is solved for that another one takes.
func (s *Search) first(c *candidate) {
	x := s.explorer(c, 1, nil)
	run, _ := x.Run(c.in.Model(c.driver.Values))
	s.note(run)
	c.open, c.steps = x.Beside(run), run.Steps
	s.add(x)
}

// enqueue queues a sequence behind those of its stage that cost less: one that does much
// work would use up the time of many.
func (s *Search) enqueue(c *candidate) {
	at, _ := slices.BinarySearchFunc(s.queue, c, func(q, c *candidate) int {
		if q.stage == c.stage && q.steps == c.steps {
			return -1
		}
		return cmp.Or(cmp.Compare(q.stage, c.stage), cmp.Compare(q.steps, c.steps))
	})
	s.queue = slices.Insert(s.queue, at, c)
}

// near reports whether a sequence comes to a branch whose other side is yet to be taken.
func (s *Search) near(c *candidate) bool {
	return slices.ContainsFunc(c.open, func(side int32) bool { return !s.sides.Taken(side) })
}

// step does a stage of solving for the sides beside those of a sequence.
func (s *Search) step(c *candidate) {
	if c.stage == sweeping || c.stage < lengthening && s.near(c) {
		s.solve(c)
	}
	if c.stage < lengthening || !s.near(c) {
		return
	}
	for _, steps := range lengthen(s.table, c.driver.steps) {
		if v := s.compile(steps); v != nil {
			if !s.Stop() {
				v.longer = true
				s.first(v)
				s.solve(v)
			}
			s.m.Drop(v.in)
		}
	}
}

// solve runs a sequence with other values. It proposes those that take new sides, or panic
// as none has, and queues the first.
func (s *Search) solve(c *candidate) {
	x := s.explorer(c, s.o.Runs, func(run *concolic.Run, news bool) {
		if !news && (run.Panic == "" || s.panics[run.Panic]) {
			return
		}
		s.note(run)
		steps := c.driver.Sequence(c.in.Values(run.Input))
		s.known[string(seq.AppendBinary(nil, steps))] = true
		s.Propose(steps)
		if !news || s.found == maxFound {
			return
		}
		if found := s.compile(steps); found != nil {
			s.found++
			found.counted = true
			s.first(found)
			s.all = append(s.all, found)
			s.enqueue(found)
		}
	})
	strategy.Frontier.Search(x)
	s.add(x)
}

func (s *Search) explorer(c *candidate, runs int, visit func(run *concolic.Run, news bool)) *strategy.Explorer {
	o := strategy.Options{
		Runs: runs, Seed: s.o.Seed, Stop: s.Stop, Sides: s.sides, Package: s.prog.Targets[0], Start: c.in.Model(c.driver.Values), Visit: visit,
	}
	switch {
	case c.stage == sweeping:
		o.Part = strategy.Sweep
	case c.stage >= approaching && c.stage < sweeping:
		o.Part, o.Distance = strategy.Approach, c.stage-approaching
	case c.stage == flipping && !c.longer:
		o.Part = strategy.Flips
	}
	return strategy.New(s.m, c.in, o)
}

func (s *Search) add(x *strategy.Explorer) {
	s.Stats.Stats.Add(&x.Stats)
	s.Timeouts += x.Timeouts()
}

// note remembers a panic, so that it is proposed once.
func (s *Search) note(run *concolic.Run) {
	if run.Panic != "" {
		s.panics[run.Panic] = true
	}
}
