package engine

// A Forecast tells how long an exhaustive search will be, from the states that it has shown.
type Forecast struct {
	// Depths has the transitions of a search of 1, 2, … calls, up to the bound of calls:
	// those that were run, and then those that are expected.
	Depths []float64
	// States has the states of such searches, the empty one included.
	States []float64
	// Bounded is the transitions of this search, which ends at its bound of states.
	Bounded float64
}

// Calls returns how many calls a search within a number of transitions and of states may
// have, 0 if none may.
func (f *Forecast) Calls(transitions, states float64) int {
	n := 0
	for n < len(f.Depths) && f.Depths[n] <= transitions && f.States[n] < states {
		n++
	}
	return n
}

// A level counts the states of one depth, and what has come of those that were extended.
type level struct {
	states, extended, transitions uint64
}

// Forecast estimates the rest of the search. It reports false until there are extensions of
// two depths: a single state shows nothing.
//
// The states of each depth are taken for a geometric series, whose factor shrinks as it did
// at last: matching finds more and more states known. It does not grow, so the forecast is
// low where each call adds a value.
func (x *Exploration) Forecast() (f Forecast, ok bool) {
	if len(x.levels) < 2 || x.levels[1].extended == 0 {
		return f, false
	}
	var each, growth, shrinks float64 = 0, 1, 1 // transitions of a state, states of the next depth for each of this one
	states, found := float64(x.levels[0].states), float64(x.levels[0].states)
	transitions, open := 0.0, true
	for depth := range x.scope.Calls {
		last := growth
		switch l := x.level(depth); {
		case l.extended == l.states && l.states > 0: // complete
			each = float64(l.transitions) / float64(l.states)
			growth = float64(x.level(depth+1).states) / float64(l.states)
			if depth > 1 {
				shrinks = min(1, growth/last)
			}
		case l.extended > 0: // its first states find more new ones than the last do
			each = float64(l.transitions) / float64(l.extended)
			growth = min(float64(x.level(depth+1).states)/float64(l.extended), max(last, 1))
		default:
			growth *= shrinks
		}
		transitions += each * states
		next := states * growth
		if left := float64(x.scope.States) - found; open && next > left {
			f.Bounded, open = transitions-each*states*(1-left/next), false
		}
		states = next
		found += next
		f.Depths, f.States = append(f.Depths, transitions), append(f.States, found)
	}
	if open {
		f.Bounded = transitions
	}
	return f, true
}

// level returns the counts of a depth, none if no state of it is known.
func (x *Exploration) level(depth int) level {
	if depth < len(x.levels) {
		return x.levels[depth]
	}
	return level{}
}
