package engine

import (
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A sampler draws operations at random, weighted by their yield.
type sampler struct {
	ops   []seq.OpID // that are drawn
	bag   []seq.OpID // each operation as often as its weight says
	even  bool       // all weigh the same
	draws int        // until the bag is filled anew
}

// draw draws an operation; ok is false if there is none.
func (l *sampler) draw(src *draw.Source, stats []opStats, now uint64) (id seq.OpID, ok bool) {
	if l.draws--; l.draws < 0 {
		l.fill(stats, now)
	}
	if len(l.bag) == 0 {
		return 0, false
	}
	return l.bag[src.Choose("operation", len(l.bag))], true
}

// fill fills the bag by the recent yield of the operations. It leaves out those
// that are backed off.
func (l *sampler) fill(stats []opStats, now uint64) {
	l.draws, l.bag = samplerDraws, l.bag[:0]
	if l.even {
		for _, id := range l.ops {
			if stats[id].until <= now {
				l.bag = append(l.bag, id)
			}
		}
		return
	}
	var sum float64
	for _, id := range l.ops {
		sum += stats[id].yieldPerTry()
	}
	byYield := float64(samplerEach * len(l.ops) * (samplerParts - 1) / samplerParts)
	for _, id := range l.ops {
		if stats[id].until > now {
			continue
		}
		n := samplerEach/samplerParts + int(byYield*stats[id].yieldPerTry()/sum)
		for range n {
			l.bag = append(l.bag, id)
		}
	}
}
