package main

import (
	"testing"
	"time"
)

// The parts of a run with a time leave it no more than two seconds to end in, however long
// those before them took.
func TestBudget(t *testing.T) {
	const late = 2 * time.Second
	for _, d := range []time.Duration{minTime, time.Second, 3 * time.Second, 10 * time.Second, time.Hour} {
		for _, spent := range []time.Duration{0, d / 2, d, d + time.Second, d + late} {
			b := budget{duration: d, began: time.Now().Add(-spent)}
			limit, most := b.reviewTime()
			if limit > most || most > d {
				t.Errorf("%v: a review of %v, %v in all", d, limit, most)
			}
			if got := b.searchTime(); got != minTime && spent+got > d {
				t.Errorf("%v after %v: a search of %v", d, spent, got)
			}
			if got := b.shorterTime(); got > 0 && spent+got > d+late/2 {
				t.Errorf("%v after %v: %v for a shorter sequence", d, spent, got)
			}
			if got := b.closeTime(); got != minTime && spent+got >= d+late {
				t.Errorf("%v after %v: %v at the end", d, spent, got)
			}
		}
	}
	// Where a count ends the run, no clock does.
	var counted budget
	if _, most := counted.reviewTime(); most < time.Minute || counted.shorterTime() < time.Minute {
		t.Errorf("a counted run: a review of %v, %v for a shorter sequence", most, counted.shorterTime())
	}
}
