package engine

import "time"

// sampleOneIn is how often a sequence's branch sides enter the estimate.
const sampleOneIn = 8

// sample counts, over every eighth sequence, the sides seen in exactly one.
func (e *Engine) sample(hits []byte) {
	if e.counts.Sequences%sampleOneIn != 0 {
		return
	}
	e.counts.Sampled++
	e.twice.AddBoth(e.once, hits)
	e.once.AddHits(hits)
	e.counts.Once = uint64(e.once.Count() - e.twice.Count())
}

// Discovery estimates the probability that one more sequence takes a branch side
// that none has: the share of sides seen exactly once (Good and Turing).
func (c Counts) Discovery() float64 {
	if c.Sampled == 0 {
		return 1
	}
	return min(1, float64(c.Once)/float64(c.Sampled))
}

// Plateau: a run that nothing new has come of for as long again as it took to get
// there, and for so many sequences and so long at the least.
const (
	plateauSequences = 200_000
	plateauTime      = 5 * time.Second
)

// Plateau reports whether a run that lasts so long and has come to so many sequences
// is on its plateau. Something new last came of it when they were lastNew and lastNewAt.
func Plateau(sequences uint64, elapsed time.Duration, lastNew uint64, lastNewAt time.Duration) bool {
	return sequences > 2*lastNew+plateauSequences && elapsed > 2*lastNewAt+plateauTime
}
