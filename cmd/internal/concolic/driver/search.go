package driver

import (
	"fmt"
	"slices"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/strategy"
	"foray.test/engine/seq"
)

// Options bound a search.
type Options struct {
	Runs int         // of each sequence, at most
	Seed uint64      // of random choices
	Stop func() bool // is asked before each run
}

// Stats tells what a search came to.
type Stats struct {
	Sequences int // of the list, interpreted
	Near      int // … that come to a branch of which none takes the other side
	strategy.Stats
	Timeouts int // of the solver
}

// Search looks for values of the literals of sequences, with which these take sides that
// none of them takes. propose gets the sequences found. All of this is by the account of
// the interpreter: only a native run shows more.
//
// It is aiming [Pacheco09 §6.2] with a solver in place of edits.
func Search(prog *concolic.Program, t *seq.Table, list []seq.Sequence, o Options, propose func(seq.Sequence)) Stats {
	s := &search{
		prog: prog, table: t, m: prog.NewMachine(concolic.Limits{Steps: 200_000}), sides: strategy.NewSides(), panics: map[string]bool{}, o: o, propose: propose,
	}
	for _, steps := range list {
		if c := s.compile(steps); c != nil && !o.Stop() {
			s.first(c)
			s.queue = append(s.queue, c)
		}
	}
	s.Sequences = len(s.queue)
	for i := 0; i < len(s.queue) && i < len(list)+maxFound; i++ {
		c := s.queue[i]
		if i >= s.Sequences {
			s.first(c)
		}
		if i < s.Sequences && s.near(c) {
			s.Near++
		}
		s.aim(c)
	}
	return s.Stats
}

// maxFound bounds the sequences found that are solved for, too: one may lead to the next.
const maxFound = 64

// search is the state of a search.
type search struct {
	Stats
	prog     *concolic.Program
	table    *seq.Table
	m        *concolic.Machine
	sides    *strategy.Sides
	panics   map[string]bool
	queue    []*candidate // those of the list, and those found
	compiled int
	o        Options
	propose  func(seq.Sequence)
}

// candidate is one sequence.
type candidate struct {
	driver *Driver
	in     *concolic.Input
	open   []int32 // sides beside those that it takes, not taken by those before it
}

// room is how much longer than in the sequence a string may become.
const room = 8

// compile returns nil for a sequence that does not compile: it may name what only the
// worker has.
func (s *search) compile(steps seq.Sequence) *candidate {
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
func (s *search) first(c *candidate) {
	x := s.explorer(c, 1, nil)
	run, _ := x.Run(c.in.Model(c.driver.Values))
	s.note(run)
	c.open = x.Beside(run)
	s.add(x)
}

// near reports whether a sequence comes to a branch whose other side is yet to be taken.
func (s *search) near(c *candidate) bool {
	return slices.ContainsFunc(c.open, func(side int32) bool { return !s.sides.Taken(side) })
}

// aim solves for the sides beside those of a sequence, first in the sequence itself.
func (s *search) aim(c *candidate) {
	if !s.near(c) {
		return
	}
	s.solve(c)
	if !s.near(c) {
		return
	}
	for _, steps := range lengthen(s.table, c.driver.steps) {
		if v := s.compile(steps); v != nil && !s.o.Stop() {
			s.first(v)
			s.solve(v)
		}
	}
}

// solve runs a sequence with other values. It proposes those that take new sides, or panic
// as none has, and queues the first.
func (s *search) solve(c *candidate) {
	x := s.explorer(c, s.o.Runs, func(run *concolic.Run, news bool) {
		if !news && (run.Panic == "" || s.panics[run.Panic]) {
			return
		}
		s.note(run)
		steps := c.driver.Sequence(c.in.Values(run.Input))
		s.propose(steps)
		if found := s.compile(steps); found != nil && news {
			s.queue = append(s.queue, found)
		}
	})
	strategy.Frontier.Search(x)
	s.add(x)
}

func (s *search) explorer(c *candidate, runs int, visit func(run *concolic.Run, news bool)) *strategy.Explorer {
	return strategy.New(s.m, c.in, strategy.Options{
		Runs: runs, Seed: s.o.Seed, Stop: s.o.Stop, Sides: s.sides, Package: s.prog.Targets[0], Start: c.in.Model(c.driver.Values), Visit: visit,
	})
}

func (s *search) add(x *strategy.Explorer) {
	s.Stats.Stats.Add(&x.Stats)
	s.Timeouts += x.Solver().Timeouts
}

// note remembers a panic, so that it is proposed once.
func (s *search) note(run *concolic.Run) {
	if run.Panic != "" {
		s.panics[run.Panic] = true
	}
}
