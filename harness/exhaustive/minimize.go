package exhaustive

import "slices"

// Minimize returns the identity of a small case for which fails holds, starting from
// one of which that is known. Fewer choices are smaller, then lower ones. No case that
// comes of removing one choice, or of lowering one by half or by one, is smaller and
// fails. If fails does not hold of the case that it starts from, it returns id.
func (s *Cases[T]) Minimize(id string, fails func(T) bool) string {
	given, err := parse(id)
	if err != nil {
		return id
	}
	best := s.minimize(given, func(_ *C, v T) bool { return fails(v) })
	if best == nil {
		return id
	}
	return format(best)
}

// minimize returns nil if fails does not hold of the given case.
func (s *Cases[T]) minimize(given []choice, fails func(*C, T) bool) []choice {
	m := &minimizer[T]{fails: fails}
	m.c, m.run = s.newC()
	m.c.lenient = true
	m.try(given)
	for before := []choice{}; m.best != nil && !slices.Equal(before, m.best); {
		before = m.best
		m.remove()
		m.lower()
	}
	return m.best
}

type minimizer[T any] struct {
	c     *C
	run   func() T
	fails func(*C, T) bool
	best  []choice
}

// try makes given the best case if it fails and is smaller.
func (m *minimizer[T]) try(given []choice) bool {
	m.c.load(given)
	v, ok := once(m.c, m.run)
	if !ok || m.best != nil && !smaller(m.c.made, m.best) || !m.fails(m.c, v) {
		return false
	}
	m.best = append(make([]choice, 0, len(m.c.made)+1), m.c.made...)
	return true
}

// smaller orders cases by the number of choices first.
func smaller(a, b []choice) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return compare(a, b) < 0
}

// remove takes out spans of choices, long ones first.
func (m *minimizer[T]) remove() {
	for span := max(len(m.best)/2, 1); span > 0; span /= 2 {
		for i := 0; i+span <= len(m.best); {
			if !m.try(m.without(i, span)) {
				i++
			}
		}
	}
}

// lower reduces single choices. A number of parts is often followed by the parts, so
// one choice after it may have to go, too.
func (m *minimizer[T]) lower() {
	for i := 0; i < len(m.best); i++ {
		for _, f := range []func(int) int{func(int) int { return 0 }, func(v int) int { return v / 2 }, func(v int) int { return v - 1 }} {
			for span := 0; i < len(m.best) && m.best[i].value > 0 && span <= 4; span++ {
				given := m.without(min(i+1, len(m.best)), span)
				given[i].value = f(given[i].value)
				if m.try(given) {
					break
				}
			}
		}
	}
}

// without returns a copy of best that lacks span choices from i on.
func (m *minimizer[T]) without(i, span int) []choice {
	given := append([]choice{}, m.best[:i]...)
	return append(given, m.best[min(i+span, len(m.best)):]...)
}
