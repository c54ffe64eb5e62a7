// Package schedule divides the time of a farm among its targets.
package schedule

import (
	"cmp"
	"slices"
	"time"

	"foray.test/cmd/internal/farm/ledger"
)

// Weights, in shares of the time of a fresh target.
const (
	floor       = 0.1 // of any target that can run
	changedCode = 4   // until changedRuns jobs ran on the new code
	changedRuns = 2
	openFinding = 0.5 // it often stops what is behind it from being reached
	halfLife    = 10 * time.Minute
	parkedUntil = 30 * time.Minute // the next try of a target that could not run
)

// Weight returns the share of time that a target deserves: it halves with every ten minutes of
// fuzzing without a new entry or branch side, never below a floor. Changed code has four
// times as much at first, a target with a finding of tier error half. Zero means not now: the
// code could not be built or run. was is nil if nothing ran on the target yet.
func Weight(was *ledger.Target, build string, openErrors int, now time.Time) float64 {
	if was == nil {
		return changedCode
	}
	since := now.Sub(was.Last) // negative if the clock went back
	if was.Problem != "" && was.Build == build && 0 <= since && since < parkedUntil {
		return 0
	}
	w := 1.0
	for dry := time.Duration(was.Dry * float64(time.Second)); dry >= halfLife && w > floor; dry -= halfLife {
		w /= 2
	}
	if openErrors > 0 {
		w *= openFinding
	}
	w = max(w, floor)
	if was.Build != build || was.BuildRuns < changedRuns {
		w *= changedCode
	}
	return w
}

// A Scheduler chooses the next target, so that the time of each is proportional to its
// weight: the target that is furthest behind comes next (stride scheduling).
type Scheduler struct {
	passed map[string]float64 // time by weight, of the targets that could run last
}

// Next returns the next of the targets with a weight above zero, which is to run for some
// time. It returns "" if there is none.
func (s *Scheduler) Next(weights map[string]float64, job time.Duration) string {
	able := make([]string, 0, len(weights))
	for id, w := range weights {
		if w > 0 {
			able = append(able, id)
		}
	}
	if len(able) == 0 {
		return ""
	}
	slices.Sort(able)
	s.admit(able)
	best := slices.MinFunc(able, func(a, b string) int { return cmp.Compare(s.passed[a], s.passed[b]) })
	s.passed[best] += job.Seconds() / weights[best]
	return best
}

// admit begins the account of targets that could not run before with that of the target
// furthest behind: nothing is owed to them for the time they were not there.
func (s *Scheduler) admit(able []string) {
	passed := make(map[string]float64, len(able))
	least, first := 0.0, true
	for _, id := range able {
		if at, ok := s.passed[id]; ok {
			passed[id] = at
			if first || at < least {
				least, first = at, false
			}
		}
	}
	for _, id := range able {
		if _, ok := passed[id]; !ok {
			passed[id] = least
		}
	}
	s.passed = passed
}
