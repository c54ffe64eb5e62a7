package driver

import (
	"foray.test/cmd/internal/concolic"
	"foray.test/coverage"
)

// Reasons why a side of the frontier is left.
const (
	LeftKind       = "a range, a type switch or the like, whose sides the interpreter does not match"
	LeftUnreached  = "no entry comes to the condition in the interpreter"
	LeftUnrelated  = "the condition does not depend on literals"
	LeftUntried    = "not tried yet"
	LeftRefuted    = "no path that was tried allows it"
	LeftUnknown    = "the solver gave up"
	LeftStrayed    = "the solved literals took another path"
	LeftMismatched = "taken in the interpreter, and natively not, or not yet"
)

// reasons of a condition of which several branches are known: the last that applies counts.
var reasons = []string{LeftKind, LeftUnreached, LeftUnrelated, LeftUntried, LeftRefuted, LeftUnknown, LeftStrayed, LeftMismatched}

// Left returns the reasons why sides of the frontier are left, by the number of the side. The
// round's Covered tells which sides were taken.
func (s *Search) Left(r Round) map[int]string {
	s.Round = r
	worst := map[int]int{}
	ran := s.sides.Ran()
	for site := range s.m.Sites {
		if s.m.Sites[site].Kind != concolic.If {
			continue
		}
		for side := int32(2 * site); side < int32(2*site+2); side++ {
			if numbers := s.conditionSides(side); len(numbers) == 1 {
				worst[numbers[0]] = max(worst[numbers[0]], s.reason(side, ran))
			}
		}
	}
	left := map[int]string{}
	for i := range s.o.Conditions {
		c := &s.o.Conditions[i]
		if c.Package != s.prog.Targets[0].Pkg.Path() {
			continue
		}
		var open []int
		absent := c.Kind == coverage.Bool || c.Kind == coverage.Switch
		for j := range c.Sides {
			if !s.Covered(c.First + j) {
				open = append(open, c.First+j)
			}
			absent = absent && worst[c.First+j] < 2
		}
		if len(open) == len(c.Sides) {
			continue // nothing has come to it
		}
		for _, side := range open {
			reason := worst[side]
			if reason == 0 && absent {
				reason = 1
			}
			left[side] = reasons[reason]
		}
	}
	return left
}

// reason returns the number of the reason why a side of an If was not taken natively.
func (s *Search) reason(side int32, ran map[int32]bool) int {
	e := s.sides.Effort(side)
	switch {
	case ran[side]:
		return 7
	case !ran[side^1]:
		return 1
	case e == nil:
		return 2
	case e.Strayed > 0:
		return 6
	case e.Unknown > 0:
		return 5
	case e.Unsat > 0:
		return 4
	}
	return 3
}
