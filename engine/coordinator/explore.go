package coordinator

import (
	"foray.test/engine"
	"foray.test/engine/wire"
)

// explored is the state of an exhaustive search as of the last report. A worker that takes
// over goes on from there. It runs some sequences again, and none that ended a process.
type explored struct {
	engine.Explored
	nodes  []byte   // all states: see engine.Explored
	lethal [][]byte // sequences that ended a process
}

// takeExplored takes in a report.
func (r *run) takeExplored(p *engine.Explored) {
	if p == nil {
		return
	}
	r.explored.nodes = append(r.explored.nodes, p.Nodes...)
	r.explored.Explored = *p
	r.explored.Nodes = nil
}

// explore returns the order for a worker that explores, or nil.
func (r *run) explore() *wire.Explore {
	if r.config.Explore == nil {
		return nil
	}
	from := r.explored.Explored
	from.Nodes = r.explored.nodes
	return &wire.Explore{Scope: *r.config.Explore, From: from, Lethal: r.explored.lethal}
}
