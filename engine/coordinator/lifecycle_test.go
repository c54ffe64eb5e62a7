package coordinator

import (
	"testing"

	"foray.test/engine/internal/workertest"
)

// A run of one worker that ends by a count times no step: its history must repeat itself.
func TestCountedRunIsUntimed(t *testing.T) {
	for _, test := range []struct {
		sequences uint64
		parallel  int
		want      bool
	}{{1000, 1, true}, {1000, 2, false}, {0, 1, false}} {
		c, _ := config(t, workertest.Table())
		c.Sequences = test.sequences
		r := newRun(c)
		for range test.parallel {
			r.slots = append(r.slots, &slot{})
		}
		if got := r.params().Untimed; got != test.want {
			t.Errorf("%d workers, %d sequences: untimed %v, want %v", test.parallel, test.sequences, got, test.want)
		}
	}
}
