package engine

import (
	"math"

	"foray.test/coverage"
)

// score says how near a run came to a side; smaller is nearer.
type score struct {
	away     bool // the condition was not reached
	distance uint64
}

func (s score) less(t score) bool {
	if s.away != t.away {
		return t.away
	}
	return s.distance < t.distance
}

var farthest = score{away: true, distance: math.MaxUint64}

// scoreNow scores the last run by how near it came to the side aimed at, by the operands
// of the condition. A bool computed elsewhere has none: all its visits are as far.
func (f *frontier) scoreNow() score {
	c := &f.conds[f.now.cond]
	s := farthest
	t := f.tracer
	for i := t.Find(f.now.cond, 0); i >= 0; i = t.Find(f.now.cond, i+1) {
		got := score{distance: math.MaxUint64}
		if d, ok := coverage.Distance(c, f.now.side, t.Visit(i)); ok {
			got.distance = d
		}
		if got.less(s) {
			s = got
		}
	}
	return s
}
