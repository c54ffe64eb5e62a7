package engine

import (
	"math"
	"slices"

	"foray.test/coverage"
)

// score says how near a run came to a side; smaller is nearer.
type score struct {
	away     bool   // the condition was not reached
	depth    uint64 // of a bool from elsewhere: visits that its making did not take
	distance uint64
}

func (s score) less(t score) bool {
	switch {
	case s.away != t.away:
		return t.away
	case s.depth != t.depth:
		return s.depth < t.depth
	}
	return s.distance < t.distance
}

var farthest = score{away: true, depth: math.MaxUint64, distance: math.MaxUint64}

// scoreNow scores the last run by how near it came to the side aimed at, by the operands
// of the condition. A bool computed elsewhere has no operands; it is scored by the last
// operands before it and the conditions visited to compute it.
func (f *frontier) scoreNow() score {
	c := &f.conds[f.now.cond]
	s := farthest
	t := f.tracer
	for i := t.Find(f.now.cond, 0); i >= 0; i = t.Find(f.now.cond, i+1) {
		v := t.Visit(i)
		got := score{depth: math.MaxUint64, distance: math.MaxUint64}
		if d, ok := coverage.Distance(c, f.now.side, v); ok {
			got.depth, got.distance = 0, d
		} else if v.Kind != coverage.KeyOperands { // visits before a map read tell nothing of it
			got.depth, got.distance = f.opaqueScore(f.stepOf(i), i)
		}
		if got.less(s) {
			s = got
		}
	}
	return s
}

// stepOf returns the first visit of the step that a visit is of.
func (f *frontier) stepOf(visit int) int {
	at, _ := slices.BinarySearch(f.begins, visit+1)
	if at == 0 {
		return 0
	}
	return f.begins[at-1]
}

// callee scores the visits, from one up to another, that led to a bool. The score is the
// number of conditions on end visited to make it, and the distance of the last one from
// its other side. The farther a function gets that makes a bool, the nearer it is to
// another answer.
func (f *frontier) opaqueScore(from, to int) (depth, distance uint64) {
	target := f.conds[f.now.cond].Func
	var last coverage.Visit
	visits := uint64(0)
	for i := to - 1; i >= from && visits < maxDepthSeen; i-- {
		v := f.tracer.Visit(i)
		if f.conds[v.Condition].Func == target && (visits > 0 || v.Kind == coverage.NoOperands) {
			break
		}
		if v.Kind == coverage.NoOperands {
			continue
		}
		if visits++; visits == 1 {
			last = v
		}
	}
	if visits == 0 {
		return math.MaxUint64, math.MaxUint64
	}
	c := &f.conds[last.Condition]
	distance = math.MaxUint64
	for side := c.First; side < c.First+len(c.Sides); side++ {
		if got, ok := coverage.Distance(c, side, last); ok && int32(side) != last.Side {
			distance = min(distance, got)
		}
	}
	return math.MaxUint64 - visits, distance
}
