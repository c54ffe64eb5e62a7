package coordinator

import (
	"context"
	"time"

	"foray.test/coverage"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// solving hands the entries of a run on its plateau to [Config.Solve].
type solving struct {
	results  chan Late
	proposed chan seq.Sequence // before the result
	busy     bool
	began    time.Time // when it was last asked
	covered  int       // … the sides then; 0 if it was not
	sides    int       // … those of Solved.Sides
	before   int       // … those of Solved.Proposed
	seeds    uint64    // begun by workers when all that it proposed has run
	until    time.Time // … which is not waited for longer
	waits    bool      // for that
	total    Solved
}

// Solved tells what solving came to.
type Solved struct {
	Asked    int           // how often
	Proposed int           // sequences
	Sides    int           // that entries from them took first
	Time     time.Duration // in which it ran
	// Impossible is the latest of [Late.Impossible].
	Impossible map[int]int
}

// Unsolved is what is to be solved for.
type Unsolved struct {
	Entries []seq.Sequence
	Covered *coverage.Set // sides that any sequence has taken
	Time    time.Duration // of a processor, that solving may take when it is prepared
	// Propose has a sequence run before solving is at its end.
	Propose func(seq.Sequence)
}

// onPlateau reports whether new sides have not come for as long as it took to get here.
func (r *run) onPlateau() bool {
	return engine.Plateau(r.counts().Sequences, time.Since(r.began), r.archive.lastNew, r.archive.lastNewAt)
}

// underWay reports whether something may still come of it.
func (s *solving) underWay() bool { return s.busy || s.waits }

// solveDue reports whether the run is on its plateau, or has time to ask. Near its end no time is
// left to run what would be proposed, and solving would take the processors from confirming.
func (r *run) solveDue() bool {
	s, elapsed := &r.solving, time.Since(r.began)
	if d := r.config.Duration; d > 0 && d-elapsed < solvedTime {
		return false
	}
	if r.config.Late == nil && r.onPlateau() {
		return true
	}
	share := time.Duration(solveShare)
	if s.total.Sides > s.sides {
		share = fruitfulness
	}
	return elapsed >= solveAfter && s.total.Time*share <= elapsed
}

// solve asks for proposals when it is time, unless it has asked for the same sides.
func (r *run) solve(ctx context.Context) {
	s := &r.solving
	if s.waits {
		s.waits = r.counts().Seeds < s.seeds && time.Now().Before(s.until)
	}
	c := &r.config
	covered := r.archive.covered.Count()
	if c.Solve == nil || c.Sequences > 0 || r.stopping || s.underWay() || covered == s.covered || covered == c.Sides || !r.solveDue() {
		return
	}
	u := Unsolved{Entries: r.kept(), Covered: r.archive.covered.Clone(), Time: max(solveTime, time.Since(r.began)/fruitfulness)}
	u.Propose = func(steps seq.Sequence) {
		select {
		case s.proposed <- steps:
		case <-ctx.Done():
		}
	}
	s.busy, s.covered, s.began, s.sides, s.before = true, covered, time.Now(), s.total.Sides, s.total.Proposed
	s.total.Asked++
	go func() { s.results <- c.Solve(ctx, u) }()
}

// soFar returns what solving came to, with the time of a round that has not ended.
func (s *solving) soFar() Solved {
	total := s.total
	if s.busy {
		total.Time += time.Since(s.began)
	}
	return total
}

// takeSolved has the workers run the sequences that solving proposed.
func (r *run) takeSolved(l Late) {
	s := &r.solving
	s.total, s.busy = s.soFar(), false
	if l.Impossible != nil {
		s.total.Impossible = l.Impossible
	}
	if r.stopping {
		return
	}
	for _, steps := range l.Seeds {
		r.takeProposed(steps)
	}
	if s.total.Proposed > s.before {
		s.until, s.waits = time.Now().Add(solvedTime), true
	}
	r.takeLate(Late{Note: l.Note})
}

// takeProposed has a worker run a sequence that solving proposed.
func (r *run) takeProposed(steps seq.Sequence) {
	if r.stopping {
		return
	}
	s := &r.solving
	s.total.Proposed++
	s.seeds = max(s.seeds, r.counts().Seeds) + 1
	r.takeLate(Late{Seeds: []seq.Sequence{steps}})
}
