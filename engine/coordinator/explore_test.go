package coordinator

import (
	"reflect"
	"testing"
	"time"

	"foray.test/engine"
	"foray.test/engine/internal/workertest"
)

// An exhaustive search comes to the same end with any number of workers: the same counts,
// and the same findings by the same sequences, in the same order. Where calls end processes
// and none is disabled, counts and findings are the same; another sequence may show one.
func TestExploreWorkers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ops   []string
		scope engine.Scope
		lost  bool
	}{
		{"all", []string{"Crash", "Count"}, engine.Scope{Calls: 4, Values: 2, States: 1 << 16}, false},
		{"full", []string{"Crash", "Count"}, engine.Scope{Calls: 5, Values: 3, States: 300}, false},
		{"deaths", []string{"Leave"}, engine.Scope{Calls: 4, Values: 2, States: 1 << 16, Objects: 1}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table := workertest.Table(tt.ops...)
			var want engine.Explored
			var findings []string
			for _, parallel := range []int{1, 2, 3} {
				c, rec := config(t, table)
				c.Parallel, c.Explore, c.confirmTime, c.Spare = parallel, &tt.scope, unbounded, true
				res := run1(t, c)
				var got []string
				for _, f := range rec.findings {
					if got = append(got, f.Verdict.DedupKey()); !tt.lost {
						got = append(got, table.String(f.Original))
					}
				}
				if parallel == 1 {
					want, findings = res.Explored, got
				}
				if !reflect.DeepEqual(res.Explored, want) || !reflect.DeepEqual(got, findings) {
					t.Errorf("%d workers: %+v\n%q\nwant %+v\n%q", parallel, res.Explored, got, want, findings)
				}
				if !res.Explored.Over() || res.Explored.Failures == 0 && !tt.lost || tt.lost && (res.Explored.Lost == 0 || res.Deaths == 0) {
					t.Errorf("%d workers: %+v, %d deaths; warnings %q", parallel, res.Explored, res.Deaths, rec.warnings)
				}
			}
			if len(findings) == 0 {
				t.Error("no findings")
			}
		})
	}
}

// A search that a forecast takes for too long stops, and says what is to be expected. One
// that is not asked does not.
func TestExploreAsks(t *testing.T) {
	for _, tt := range []struct {
		name    string
		states  int
		unasked time.Duration
		stops   bool
	}{{"asked", 1 << 30, 1, true}, {"not asked", 3000, 0, false}, {"an hour", 3000, time.Hour, false}} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := config(t, workertest.Table("Count"))
			c.Parallel, c.Explore, c.Spare, c.Unasked = 1, &engine.Scope{Calls: 20, Values: 3, States: tt.states}, true, tt.unasked
			res := run1(t, c)
			if stopped := res.Stopped == "too long"; stopped != tt.stops || stopped == res.Explored.Over() {
				t.Errorf("ended: %s, after %+v", res.Stopped, res.Explored)
			}
			if x := &res.Expected; x.PerSecond <= 0 || len(x.Depths) != 20 || x.Depths[19] < float64(res.Explored.Transitions) {
				t.Errorf("expected: %+v, want twenty depths", x)
			}
		})
	}
}
