package event

import (
	"fmt"
	"time"

	"foray.test/cmd/internal/text"
	"foray.test/coverage"
	"foray.test/engine/coordinator"
)

// A Status is the state of a run on a package.
type Status struct {
	coordinator.Snapshot
	Package    string
	Conditions []coverage.Condition
	Sides      int
	Earlier    int           // entries of earlier runs
	Time       time.Duration // the most that the run may take; 0 if a count ends it
}

// perSecond returns the rate of a count.
func perSecond(n uint64, elapsed time.Duration) float64 {
	return float64(n) / max(elapsed.Seconds(), 0.001)
}

// Line returns the state as a line.
func (s *Status) Line() string {
	n := found(s.Findings)
	if s.Confirming {
		return fmt.Sprintf("fuzz: elapsed: %ds, the search is over; findings: %d, to confirm: %d", int(s.Elapsed.Seconds()), n, s.Pending)
	}
	line := fmt.Sprintf("fuzz: elapsed: %ds, sequences: %d (%.0f/sec), findings: %d, sides: %d/%d, values: %d, new entries: %d (total: %d)",
		int(s.Elapsed.Seconds()), s.Counts.Sequences, perSecond(s.Counts.Sequences, s.Elapsed), n,
		s.Covered.Count(), s.Sides, s.Counts.Values, s.Entries, s.Entries+s.Earlier)
	return line + when(s.Pending > 0, ", to confirm: %d", s.Pending) + when(s.Deaths > 0, ", restarts: %d", s.Deaths)
}

// Block returns the state as some short lines, which a terminal shows in one place.
func (s *Status) Block() []string {
	phase := "composing sequences"
	switch {
	case s.Confirming:
		phase = "confirming findings"
	case s.Counts.Sequences == 0:
		phase = "starting"
	case s.Aiming:
		phase = "aiming at the frontier"
	}
	clock := fmt.Sprintf("%ds", int(s.Elapsed.Seconds())) + when(s.Time > 0, " of %ds", int(s.Time.Seconds()))
	var n FindingsByTier
	n.Add(s.Findings)
	found := fmt.Sprintf("findings  %d error, %d panic, %d suspect%s%s", n.Error, n.Panic, n.Suspect,
		when(s.Pending > 0, ", %d to confirm", s.Pending), when(s.Deaths > 0, ", %s", text.Plural(s.Deaths, "restart")))
	return []string{
		fmt.Sprintf("%s  %s, %s", s.Package, phase, clock),
		fmt.Sprintf("sequences %d (%.0f/s), values %d, entries %d (%d new)", s.Counts.Sequences, perSecond(s.Counts.Sequences, s.Elapsed), s.Counts.Values, s.Entries+s.Earlier, s.Entries),
		fmt.Sprintf("sides     %d of %d, frontier %d", s.Covered.Count(), s.Sides, len(coverage.Frontier(s.Conditions, s.Covered))),
		found,
	}
}
