package engine

import (
	"time"

	"foray.test/coverage"
)

// rareSides tell sides seen in exactly one sampled sequence from those seen in more.
type rareSides struct {
	once  *coverage.Set // seen in a sampled sequence
	twice *coverage.Set // seen in two
}

func newRareSides(sides int) rareSides {
	return rareSides{coverage.NewSet(sides), coverage.NewSet(sides)}
}

// sample takes in the sides of one sequence in eight.
func (r *rareSides) sample(hits []byte, c *Counts) {
	if c.Sequences%sampleOneIn != 0 {
		return
	}
	c.Sampled++
	r.twice.AddBoth(r.once, hits)
	r.once.AddHits(hits)
	c.Once = uint64(r.once.Count() - r.twice.Count())
}

// Discovery estimates the probability that one more sequence takes a branch side
// that none has: the share of sides seen exactly once (Good and Turing).
func (c Counts) Discovery() float64 {
	if c.Sampled == 0 {
		return 1
	}
	return min(1, float64(c.Once)/float64(c.Sampled))
}

// Plateau reports whether a run is on its plateau after so many sequences and so long.
// It last found something new at sequence lastNew, after lastNewAt.
func Plateau(sequences uint64, elapsed time.Duration, lastNew uint64, lastNewAt time.Duration) bool {
	return sequences > 2*lastNew+plateauSequences && elapsed > 2*lastNewAt+plateauTime
}
