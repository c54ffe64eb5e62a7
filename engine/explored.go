package engine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"foray.test/engine/seq"
)

// Explored tells how far an exhaustive search has come. Its counts are of all processes.
type Explored struct {
	Depth       int    // all sequences of so many calls were run, but those counted below
	States      uint64 // distinct ones, the empty one included
	Open        uint64 // of these, states that are yet to be extended
	Transitions uint64 // sequences that were run, each a state and one call more
	Illegal     uint64 // … that broke a precondition
	Failures    uint64 // … that ended in a finding
	Lost        uint64 // … that did not come to their end
	Skipped     uint64 // states that were not extended, as they took an operation that is left out
	Unstable    uint64 // states that another run of their sequence did not show again
	Large       uint64 // states too large to be compared: each counts as another
	LeftOut     []LeftOut
	Done        bool // the search is over
	Full        bool // it ended at the bound of states
}

// Over reports whether the search has come to its end, or to its bound of states.
func (x *Explored) Over() bool { return x.Done || x.Full }

// A LeftOut is an operation that is not called, or not in all ways, and the reason.
type LeftOut struct {
	Op  seq.OpID
	Why string
}

// An Exploration is the common part of an exhaustive search: the states, in order. Engines
// in several processes extend them, in any order, and again if a process ends. What they
// show is taken in in the order of the states. So the outcome is that of a search in one
// process.
type Exploration struct {
	Explored
	scope   Scope
	states  []State // that are to be extended, by number
	seen    map[uint64]bool
	hashes  []byte // of all states, in order, eight bytes each
	dealt   int    // states that were handed out
	again   []int  // … to a process that ended
	taken   int    // states of which the extension was taken in
	waiting map[int]Extension
	levels  []level // by depth
}

// A State is a state that is to be extended, with the first sequence that left it.
type State struct {
	Number int
	Depth  int // in calls
	Hash   uint64
	Steps  []byte // in seq's binary form
}

// A Share is work for one engine.
type Share struct {
	States  []State
	Seen    []byte    // hashes of states, eight bytes each, that are known since the last share
	Lethal  [][]byte  `json:",omitempty"` // sequences that ended a process, in seq's binary form: they are not run
	LeftOut []LeftOut `json:",omitempty"` // operations that another engine leaves out
}

// An Extension tells what has come of all calls that extend a state.
type Extension struct {
	Number      int
	Found       []byte    `json:",omitempty"` // states that the engine did not know: see appendFound
	Transitions uint64    // see [Explored]
	Illegal     uint64    `json:",omitempty"`
	Failures    uint64    `json:",omitempty"`
	Lost        uint64    `json:",omitempty"`
	Skipped     uint64    `json:",omitempty"`
	Unstable    uint64    `json:",omitempty"`
	LeftOut     []LeftOut `json:",omitempty"`
}

// NewExploration returns a search of which nothing has been run.
func NewExploration(s Scope) *Exploration {
	x := &Exploration{scope: s, seen: map[uint64]bool{}, waiting: map[int]Extension{}}
	x.add(State{}, true)
	return x
}

// add adds a state, which is to be extended if its depth is within the scope, unless it is
// known. A state that is not whole is none that is known.
func (x *Exploration) add(s State, whole bool) {
	if whole && x.seen[s.Hash] {
		return
	}
	x.States++
	for len(x.levels) <= s.Depth {
		x.levels = append(x.levels, level{})
	}
	x.levels[s.Depth].states++
	if x.Large += count(!whole); whole {
		x.seen[s.Hash] = true
		x.hashes = binary.LittleEndian.AppendUint64(x.hashes, s.Hash)
	}
	if s.Depth < x.scope.Calls {
		s.Number = len(x.states)
		x.states = append(x.states, s)
		x.Open++
	}
	x.Full = x.States >= uint64(x.scope.States)
}

func count(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Deal returns up to n states for an engine that has been told of the first known hashes, and
// how many it has been told of then. It returns none if there are none to be extended, as yet.
func (x *Exploration) Deal(n, known int) (s Share, knows int) {
	if x.Over() {
		return s, known
	}
	for len(s.States) < n && len(x.again) > 0 {
		s.States = append(s.States, x.states[x.again[0]])
		x.again = x.again[1:]
	}
	for len(s.States) < n && x.dealt < len(x.states) {
		s.States = append(s.States, x.states[x.dealt])
		x.dealt++
	}
	s.Seen, s.LeftOut = slices.Clone(x.hashes[8*known:]), slices.Clone(x.LeftOut)
	return s, len(x.hashes) / 8
}

// Ready returns how many states could be dealt.
func (x *Exploration) Ready() int { return len(x.again) + len(x.states) - x.dealt }

// Again has states be dealt again, by their numbers: their process has ended.
func (x *Exploration) Again(numbers []int) {
	x.again = append(x.again, numbers...)
	slices.Sort(x.again)
}

// Take takes in an extension. It returns the numbers of the states, in order, that have come
// to their turn with it.
func (x *Exploration) Take(e Extension) (numbers []int, err error) {
	if e.Number < x.taken || e.Number >= x.dealt {
		return nil, fmt.Errorf("state %d is not to be extended", e.Number)
	}
	x.waiting[e.Number] = e
	for !x.Over() {
		e, ok := x.waiting[x.taken]
		if !ok {
			break
		}
		delete(x.waiting, x.taken)
		if err := x.merge(e); err != nil {
			return numbers, fmt.Errorf("state %d: %w", e.Number, err)
		}
		numbers = append(numbers, e.Number)
	}
	return numbers, nil
}

// merge takes in the next extension.
func (x *Exploration) merge(e Extension) error {
	s := &x.states[x.taken]
	x.taken++
	x.Open--
	x.Depth = s.Depth
	s.Steps = nil
	x.levels[s.Depth].extended++
	x.levels[s.Depth].transitions += e.Transitions
	x.Transitions += e.Transitions
	x.Illegal += e.Illegal
	x.Failures += e.Failures
	x.Lost += e.Lost
	x.Skipped += e.Skipped
	x.Unstable += e.Unstable
	for _, l := range e.LeftOut {
		if !slices.Contains(x.LeftOut, l) {
			x.LeftOut = append(x.LeftOut, l)
		}
	}
	depth := s.Depth + 1
	for data := e.Found; len(data) > 0 && !x.Full; {
		found, whole, rest, ok := readFound(data)
		if !ok {
			return fmt.Errorf("cut off")
		}
		found.Depth = depth
		x.add(found, whole)
		data = rest
	}
	if x.taken == len(x.states) && !x.Full {
		x.Done, x.Depth = true, x.scope.Calls
	}
	return nil
}

// appendFound appends a state that was found: its hash, whether it is whole, and its steps.
func appendFound(b []byte, hash uint64, whole bool, steps []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, hash)
	b = append(b, byte(count(whole)))
	b = binary.AppendUvarint(b, uint64(len(steps)))
	return append(b, steps...)
}

// readFound reads what appendFound has appended.
func readFound(b []byte) (s State, whole bool, rest []byte, ok bool) {
	if len(b) < 10 {
		return s, false, nil, false
	}
	s.Hash, whole = binary.LittleEndian.Uint64(b), b[8] == 1
	n, k := binary.Uvarint(b[9:])
	if k <= 0 || n > uint64(len(b)-9-k) {
		return s, false, nil, false
	}
	end := 9 + k + int(n)
	s.Steps = b[9+k : end : end]
	return s, whole, b[end:], true
}
