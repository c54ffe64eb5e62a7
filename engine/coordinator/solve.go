package coordinator

import (
	"context"
	"time"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// solving hands the entries of a run on its plateau to [Config.Solve].
type solving struct {
	results chan Late
	busy    bool
	began   time.Time // … at that time
	covered int       // sides when it was last asked; 0 if it was not
	seeds   uint64    // begun by workers when all that it proposed has run
	until   time.Time // … which is not waited for longer
	waits   bool      // for that
	total   Solved
}

// Solved tells what solving came to.
type Solved struct {
	Asked    int           // how often
	Proposed int           // sequences
	Sides    int           // that entries from them took first
	Time     time.Duration // in which it ran
}

// Solving once takes at most a share of the time of the run so far, but may take some
// seconds. solvedTime bounds the wait for the sequences that were proposed. Not measured.
const (
	solveShare = 0.25
	solveTime  = 5 * time.Second
	solvedTime = 5 * time.Second
)

// onPlateau reports whether new sides have not come for as long as it took to get here.
func (r *run) onPlateau() bool {
	return engine.Plateau(r.counts().Sequences, time.Since(r.began), r.archive.lastNew, r.archive.lastNewAt)
}

// underWay reports whether something may still come of it.
func (s *solving) underWay() bool { return s.busy || s.waits }

// solve asks for proposals if the run is on its plateau, unless it has asked for the same
// sides.
func (r *run) solve(ctx context.Context) {
	s := &r.solving
	if s.waits {
		s.waits = r.counts().Seeds < s.seeds && time.Now().Before(s.until)
	}
	c := &r.config
	covered := r.archive.covered.Count()
	if c.Solve == nil || c.Sequences > 0 || c.Late != nil || r.stopping || s.underWay() || covered == s.covered || covered == c.Sides || !r.onPlateau() {
		return
	}
	var entries []seq.Sequence
	for _, e := range r.archive.entries {
		if steps, err := seq.DecodeBinary(c.Table, c.Pool.Literals, e.steps); err == nil {
			entries = append(entries, steps)
		}
	}
	s.busy, s.covered, s.began = true, covered, time.Now()
	s.total.Asked++
	limited, cancel := context.WithTimeout(ctx, max(solveTime, time.Duration(solveShare*float64(time.Since(r.began)))))
	go func() {
		defer cancel()
		s.results <- c.Solve(limited, entries)
	}()
}

// takeSolved has the workers run the sequences that solving proposed.
func (r *run) takeSolved(l Late) {
	s := &r.solving
	s.busy = false
	s.total.Time += time.Since(s.began)
	if r.stopping {
		return
	}
	if n := len(l.Seeds); n > 0 {
		s.total.Proposed += n
		s.seeds, s.until, s.waits = r.counts().Seeds+uint64(n), time.Now().Add(solvedTime), true
	}
	r.takeLate(l)
}
