package versions

import (
	"slices"

	"foray.test/engine/seq"
)

// A request is a sequence to be examined.
type request struct {
	steps seq.Sequence
	key   uint64
	death bool
	// unstable are the operations that are known not to repeat themselves.
	unstable []seq.OpID
}

// A queue holds the mismatches that wait for the examiner.
type queue struct {
	list     []request
	tries    map[uint64]int // by key: examined in a row without news
	examined map[uint64]int // by key
}

// add adds a request, unless enough of its key wait that are as short.
func (q *queue) add(r request) {
	if q.tries[r.key] >= maxTries {
		return
	}
	waiting, longest := 0, -1
	for i, other := range q.list {
		if other.key != r.key {
			continue
		}
		if waiting++; longest < 0 || len(other.steps) > len(q.list[longest].steps) {
			longest = i
		}
	}
	switch {
	case waiting < maxWaiting && len(q.list) < maxRequests:
		q.list = append(q.list, r)
	case waiting > 0 && len(r.steps) < len(q.list[longest].steps):
		q.list[longest] = r
	}
}

// next removes the request to examine next: deaths last, as they take longest, then the
// key that was examined least, then the shortest.
func (q *queue) next() request {
	best := 0
	for i, r := range q.list {
		if q.before(r, q.list[best]) {
			best = i
		}
	}
	r := q.list[best]
	q.list = slices.Delete(q.list, best, best+1)
	q.examined[r.key]++
	return r
}

func (q *queue) before(a, b request) bool {
	if a.death != b.death {
		return b.death
	}
	if x, y := q.examined[a.key], q.examined[b.key]; x != y {
		return x < y
	}
	return len(a.steps) < len(b.steps)
}
