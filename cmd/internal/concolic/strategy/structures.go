package strategy

import (
	"fmt"
	"slices"
	"strings"

	"foray.test/cmd/internal/concolic"
	"foray.test/cmd/internal/concolic/solver"
)

// Structures takes the paths of a function on structures that meet its precondition
// [Visser04 §4.3], as far as the budget of runs goes, short paths first. It calls found for
// a run of each. A branch that is forced yields a structure of which only what the function
// has read so far is chosen. The precondition chooses the rest: if it accepts none of the
// completions, the path is not followed.
//
// If the function is a precondition itself, its paths are those of all structures that it
// accepts [Visser04 §4.2].
func Structures(x *Explorer, found func(*concolic.Run)) {
	s := &structures{Explorer: x, found: found}
	if x.in.IsPrecondition() {
		run, _ := x.Run(x.in.Zero())
		s.enumerate(run, 0)
		return
	}
	s.start(x.in.Zero(), 0)
	for len(s.queue) > 0 {
		at := s.queue[0]
		s.queue = s.queue[1:]
		for i := at.from; i < at.run.Own && !s.Done(); i++ {
			if model, ok := s.solve(at.run, i); ok {
				s.start(model, i+1)
			}
		}
	}
}

type structures struct {
	*Explorer
	found func(*concolic.Run)
	queue []pending
}

// pending is a run of which branches are to be forced.
type pending struct {
	run  *concolic.Run
	from int
}

// enumerate forces the branches of a precondition, the last ones first.
func (s *structures) enumerate(run *concolic.Run, from int) {
	if run.Valid {
		s.found(run)
	}
	for i := len(run.Path) - 1; i >= from && !s.Done(); i-- {
		if next, predicted, _ := s.Force(run, i); predicted {
			s.enumerate(next, i+1)
		}
	}
}

// maxCompletions bounds the runs of a precondition that look for one completion.
const maxCompletions = 2000

// start runs the function on a structure that meets the precondition, if there is one for
// which the path begins as with a model.
func (s *structures) start(model solver.Model, length int) {
	c := completion{structures: s, stop: length, left: maxCompletions}
	var valid *concolic.Run
	for c.most = 0; c.most <= s.in.Bound() && valid == nil; c.most++ {
		valid = c.search(model, length)
	}
	if valid == nil {
		if c.left == 0 {
			s.Unfinished++
		}
		return
	}
	run := s.in.Follow(valid)
	s.note(run)
	if run.Reason != concolic.ReasonNone {
		return
	}
	if !run.Valid || !samePath(run, valid, length) {
		s.Strayed++
		return
	}
	s.queue = append(s.queue, pending{run, length})
	s.found(run)
}

// A completion looks for a structure that meets the precondition, with few objects.
type completion struct {
	*structures
	stop int // constraints of the function
	most int // objects of a type, if there are not more already
	left int // runs
}

// search asks the precondition, and forces its branches from some branch on until it accepts
// the structure.
func (c *completion) search(model solver.Model, from int) *concolic.Run {
	run := c.in.Probe(model, c.stop, c.most)
	if run.Reason != concolic.ReasonNone {
		c.Aborted[run.Reason]++
		return nil
	}
	if run.Valid {
		return run
	}
	for i := len(run.Path) - 1; i >= from && c.left > 0; i-- {
		model, ok := c.solve(run, i)
		if !ok {
			continue
		}
		c.left--
		c.Completions++
		if valid := c.search(model, i+1); valid != nil {
			return valid
		}
	}
	return nil
}

// Cover returns runs that together take the sides that count, of those that all of them
// take, and panic as they do. Each time it takes the run that adds most.
func Cover(runs []*concolic.Run, counts func(side int32) bool) []*concolic.Run {
	covered := map[any]bool{}
	adds := func(run *concolic.Run) (list []any) {
		for key := range run.Sides {
			if side := int32(key & (1<<32 - 1)); counts(side) && !covered[side] {
				list = append(list, side)
			}
		}
		if run.Panic != "" && !covered[run.Panic] {
			list = append(list, run.Panic)
		}
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return slices.Compact(list) // a side has a key for each call
	}
	var chosen []*concolic.Run
	for {
		var best *concolic.Run
		most := 0
		for _, run := range runs {
			if n := len(adds(run)); n > most {
				best, most = run, n
			}
		}
		if best == nil {
			return chosen
		}
		for _, k := range adds(best) {
			covered[k] = true
		}
		chosen = append(chosen, best)
	}
}

// samePath reports whether the paths of two runs begin alike.
func samePath(a, b *concolic.Run, length int) bool {
	if len(a.Path) < length || len(b.Path) < length {
		return false
	}
	for i := range length {
		if a.Path[i].Term != b.Path[i].Term {
			return false
		}
	}
	return true
}
