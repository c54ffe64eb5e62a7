package engine

import (
	"encoding/binary"
	"fmt"

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

	// At and Next are where the search goes on: the state that is extended, from one on, and
	// its calls so far. Nodes are the states, in a form for another process to go on with:
	// in a report, those since the last one.
	At, Next int
	Nodes    []byte
}

// A LeftOut is an operation that is not called, or not in all ways, and the reason.
type LeftOut struct {
	Op  seq.OpID
	Why string
}

// Explored returns how far the search has come, and nil if the engine does not explore.
// The states are those since the last call.
func (e *Engine) Explored() *Explored {
	if e.explorer == nil {
		return nil
	}
	p := e.explorer.Explored
	e.explorer.Nodes = nil
	return &p
}

// ExploresOn reports whether there is more to explore.
func (e *Engine) ExploresOn() bool { return e.explorer != nil && !e.explorer.over() }

// Explore goes on with the search of other processes, with all of their states. It does not
// run sequences again that have ended a process.
func (e *Engine) Explore(p Explored, lethal [][]byte) error {
	x := e.explorer
	for _, s := range lethal {
		x.skip[string(s)] = true
	}
	if len(p.Nodes) == 0 {
		return nil // no process had begun
	}
	if err := x.restore(p.Nodes); err != nil {
		return err
	}
	x.Explored = p
	x.Nodes = nil
	if x.Done || x.At == 0 {
		return nil
	}
	x.At--
	x.Open++
	x.expandNext()
	x.Next = p.Next
	return nil
}

// record puts a state into its binary form: depth, hash and steps. States at the bound of
// calls have no steps, since they are not extended.
func (x *explorer) record(n node) {
	b := binary.AppendUvarint(x.Nodes, uint64(n.depth))
	b = binary.LittleEndian.AppendUint64(b, n.hash)
	var steps []byte
	if n.depth < x.scope.Calls {
		steps = seq.AppendBinary(nil, n.steps)
	}
	b = binary.AppendUvarint(b, uint64(len(steps)))
	x.Nodes = append(b, steps...)
}

// restore takes in the states of other processes, in binary form.
func (x *explorer) restore(data []byte) error {
	x.nodes = x.nodes[:0]
	clear(x.seen)
	for len(data) > 0 {
		depth, k := binary.Uvarint(data)
		if k <= 0 || len(data) < k+9 {
			return fmt.Errorf("state %d: cut off", len(x.nodes))
		}
		n := node{depth: int(depth), hash: binary.LittleEndian.Uint64(data[k:])}
		data = data[k+8:]
		size, k := binary.Uvarint(data)
		if data = data[max(k, 0):]; k <= 0 || size > uint64(len(data)) {
			return fmt.Errorf("state %d: cut off", len(x.nodes))
		}
		x.seen[n.hash] = true
		if n.depth < x.scope.Calls {
			var err error
			if n.steps, err = seq.DecodeBinary(x.e.runner.table, x.space.pool.Literals, data[:size]); err != nil {
				return fmt.Errorf("state %d: %w", len(x.nodes), err)
			}
			x.nodes = append(x.nodes, n)
		}
		data = data[size:]
	}
	return nil
}
