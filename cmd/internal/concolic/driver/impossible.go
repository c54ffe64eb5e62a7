package driver

// Impossible returns the sides of conditions, as [coverage.Condition] numbers them, that no
// literals take along the path of any sequence that comes to the condition. With each is the
// number of its witnesses: those sequences of which a literal decides there. It returns nil if
// the search is not at its end, or is stopped.
//
// That is no proof. There are other paths to a condition, and the interpreter takes values
// for constants that depend on literals: floating-point numbers, and what its models make.
func (s *Search) Impossible(r Round) map[int]int {
	s.Round = r
	if len(s.fresh)+len(s.queue) > 0 || s.Stop() {
		return nil
	}
	witnesses, possible := map[int]int{}, map[int]bool{}
	for _, c := range s.all {
		if s.Stop() {
			return nil
		}
		if s.near(c) {
			s.refute(c, witnesses, possible)
		}
	}
	for side := range possible {
		delete(witnesses, side)
	}
	return witnesses
}

// refute counts a sequence as a witness of the sides beside its own that are refuted, and
// notes those that are not.
func (s *Search) refute(c *candidate, witnesses map[int]int, possible map[int]bool) {
	x := s.explorer(c, 1, nil)
	run, _ := x.Run(c.in.Model(c.driver.Values))
	refuted := map[int]bool{}
	for _, side := range c.open {
		numbers := s.conditionSides(side)
		if len(numbers) != 1 || s.sides.Taken(side) || possible[numbers[0]] {
			continue
		}
		switch branches, ok := x.Refutes(run, side); {
		case !ok:
			possible[numbers[0]] = true
		case branches > 0:
			refuted[numbers[0]] = true
		}
	}
	for side := range refuted {
		witnesses[side]++
	}
	s.add(x)
}
