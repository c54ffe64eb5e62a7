package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	maxRuns   = 16 // runs of a history
	maxPoints = 64 // points of a run
)

// A Run is the course of one run.
type Run struct {
	Start   time.Time `json:"start"`
	Version string    `json:"version,omitempty"` // of the module; empty in a main module
	Points  []Point   `json:"points"`            // in order of time

	step, next time.Duration // between points; the time of the next
}

// A Point is the state of a run at one time.
type Point struct {
	Seconds   float64 `json:"seconds"` // since the run began
	Sequences uint64  `json:"sequences"`
	Sides     int     `json:"sides"` // taken
	Frontier  int     `json:"frontier"`
	Values    uint64  `json:"values"`   // distinct
	Findings  int     `json:"findings"` // confirmed
}

// firstStep is the time between the first points of a run.
const firstStep = 100 * time.Millisecond

// Due reports whether a point at a time of the run is worth adding: the points of a run are
// few, and get farther apart as it goes on.
func (r *Run) Due(elapsed time.Duration) bool { return elapsed >= r.next }

// Add adds a point at a time of the run.
func (r *Run) Add(elapsed time.Duration, p Point) {
	p.Seconds = elapsed.Seconds()
	r.Points = append(r.Points, p)
	r.step = max(r.step, firstStep)
	if len(r.Points) >= maxPoints {
		var thin []Point
		for i := 1; i < len(r.Points); i += 2 {
			thin = append(thin, r.Points[i])
		}
		r.Points, r.step = thin, 2*r.step
	}
	r.next = elapsed + r.step
}

// mergeHistory adds the runs of old to s, the earliest first. The latest stay.
func (s *State) mergeHistory(old []Run) {
	runs := slices.Concat(old, s.History)
	slices.SortStableFunc(runs, func(a, b Run) int { return a.Start.Compare(b.Start) })
	s.History = runs[max(0, len(runs)-maxRuns):]
}

// checkHistory validates a history that was read.
func checkHistory(runs []Run) error {
	for i, r := range runs {
		if len(r.Points) == 0 {
			return fmt.Errorf("run %d of the history: no points", i+1)
		}
		if !slices.IsSortedFunc(r.Points, func(a, b Point) int { return cmp.Compare(a.Seconds, b.Seconds) }) || !(r.Points[0].Seconds >= 0) {
			return errors.New("points of the history are not in order of time")
		}
	}
	return nil
}
