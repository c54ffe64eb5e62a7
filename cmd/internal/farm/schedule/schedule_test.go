package schedule

import (
	"math"
	"testing"
	"time"

	"foray.test/cmd/internal/farm/ledger"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestWeight(t *testing.T) {
	for _, tt := range []struct {
		name  string
		was   *ledger.Target
		build string
		open  int
		want  float64
	}{
		{"never run", nil, "b", 0, 4},
		{"code changed", &ledger.Target{Build: "a", BuildRuns: 9}, "b", 0, 4},
		{"code changed a run ago", &ledger.Target{Build: "b", BuildRuns: 1}, "b", 0, 4},
		{"something new just now", &ledger.Target{Build: "b", BuildRuns: 9}, "b", 0, 1},
		{"nothing new for 20 minutes", &ledger.Target{Build: "b", BuildRuns: 9, Dry: 1200}, "b", 0, 0.25},
		{"nothing new for a day", &ledger.Target{Build: "b", BuildRuns: 9, Dry: 86400}, "b", 0, 0.1},
		{"nothing new, but the code changed", &ledger.Target{Build: "a", BuildRuns: 9, Dry: 86400}, "b", 0, 0.4},
		{"a finding", &ledger.Target{Build: "b", BuildRuns: 9}, "b", 3, 0.5},
		{"a finding and nothing new", &ledger.Target{Build: "b", BuildRuns: 9, Dry: 86400}, "b", 3, 0.1},
		{"does not build", &ledger.Target{Build: "b", BuildRuns: 9, Problem: "no", Last: now.Add(-time.Minute)}, "b", 0, 0},
		{"did not build, and changed", &ledger.Target{Build: "a", BuildRuns: 9, Problem: "no", Last: now.Add(-time.Minute)}, "b", 0, 4},
		{"did not build an hour ago", &ledger.Target{Build: "b", BuildRuns: 9, Problem: "no", Last: now.Add(-time.Hour)}, "b", 0, 1},
		{"did not build, and the clock went back", &ledger.Target{Build: "b", BuildRuns: 9, Problem: "no", Last: now.Add(time.Hour)}, "b", 0, 1},
	} {
		if got := Weight(tt.was, tt.build, tt.open, now); got != tt.want {
			t.Errorf("%s: weight %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The time of targets is proportional to their weights, and none starves.
func TestShares(t *testing.T) {
	weights := map[string]float64{"a": 4, "b": 1, "c": 0.1, "parked": 0}
	var s Scheduler
	count := map[string]int{}
	const jobs = 5100
	for range jobs {
		count[s.Next(weights, time.Minute)]++
	}
	for id, w := range weights {
		if want := jobs * w / 5.1; math.Abs(float64(count[id])-want) > 2 {
			t.Errorf("%s: %d jobs, want %.0f", id, count[id], want)
		}
	}
}

// A target that is parked for some time is not owed that time, and every target of a fresh
// farm has a turn before one has two.
func TestParkedAndFresh(t *testing.T) {
	var s Scheduler
	equal := map[string]float64{"a": 1, "b": 1, "c": 1}
	seen := map[string]bool{}
	for range equal {
		seen[s.Next(equal, time.Minute)] = true
	}
	if len(seen) != len(equal) {
		t.Errorf("%v had a turn, want all of %v", seen, equal)
	}
	for range 100 {
		s.Next(map[string]float64{"a": 1, "b": 1, "c": 0}, time.Minute)
	}
	count := map[string]int{}
	for range 30 {
		count[s.Next(equal, time.Minute)]++
	}
	if count["c"] > 12 {
		t.Errorf("after parking, %d of 30 jobs go to c, want about 10", count["c"])
	}
	if got := s.Next(map[string]float64{"a": 0}, time.Minute); got != "" {
		t.Errorf("chose %q of parked targets", got)
	}
}
