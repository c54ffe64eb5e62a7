package strategy

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"foray.test/cmd/internal/concolic"
)

// graph is the control-flow and static call graph of the functions that one reaches,
// [Burnim08 §4.1]. An edge to a side has weight one, all others have none. Calls of
// function values and of interface methods have no edges, but a function has one to the
// functions that it makes values of.
type graph struct {
	functions []*ssa.Function
	sides     []int32       // of all Ifs, in order: 2*site + side
	node      map[int32]int // of a side
	in        [][]arc       // by node
	dist      []int         // to the nearest side not taken, by node
	blocks    map[*ssa.BasicBlock]int
}

type arc struct{ from, weight int }

// far is the distance of nodes from which no such side is reached.
const far = 1 << 30

// maxFunctions bounds a graph.
const maxFunctions = 2000

func newGraph(m *concolic.Machine, fn *ssa.Function) *graph {
	g := &graph{node: map[int32]int{}, blocks: map[*ssa.BasicBlock]int{}}
	calls := map[*ssa.BasicBlock][]*ssa.Function{}
	seen := map[*ssa.Function]bool{fn: true}
	work := []*ssa.Function{fn}
	for len(work) > 0 {
		f := work[0]
		work = work[1:]
		if !m.Body(f) || len(g.functions) == maxFunctions {
			continue
		}
		g.functions = append(g.functions, f)
		for _, b := range f.Blocks {
			g.blocks[b] = g.add()
			for _, callee := range callees(b) {
				calls[b] = append(calls[b], callee)
				if !seen[callee] {
					seen[callee] = true
					work = append(work, callee)
				}
			}
		}
	}
	for _, f := range g.functions {
		for _, b := range f.Blocks {
			g.connect(m, b, calls[b])
		}
	}
	g.dist = make([]int, len(g.in))
	return g
}

func (g *graph) add() int {
	g.in = append(g.in, nil)
	return len(g.in) - 1
}

func (g *graph) link(from, to, weight int) { g.in[to] = append(g.in[to], arc{from, weight}) }

// connect adds the edges from a block.
func (g *graph) connect(m *concolic.Machine, b *ssa.BasicBlock, calls []*ssa.Function) {
	from := g.blocks[b]
	for _, callee := range calls {
		if len(callee.Blocks) > 0 {
			if entry, ok := g.blocks[callee.Blocks[0]]; ok {
				g.link(from, entry, 0)
			}
		}
	}
	if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); !ok {
		for _, succ := range b.Succs {
			g.link(from, g.blocks[succ], 0)
		}
		return
	}
	for i, succ := range b.Succs {
		side := 2*m.SiteOf(b) + int32(i)
		n := g.add()
		g.node[side] = n
		g.sides = append(g.sides, side)
		g.link(from, n, 1)
		g.link(n, g.blocks[succ], 0)
	}
}

// callees returns the functions that a block calls statically, or makes values of.
func callees(b *ssa.BasicBlock) []*ssa.Function {
	var list []*ssa.Function
	for _, in := range b.Instrs {
		for _, op := range in.Operands(nil) {
			if fn, ok := (*op).(*ssa.Function); ok && !slices.Contains(list, fn) {
				list = append(list, fn)
			}
		}
	}
	return list
}

// measure computes the distance of each node to the nearest side that is not taken, by a
// search backwards with weights zero and one.
func (g *graph) measure(taken map[int32]bool) {
	var level, next []int
	for i := range g.dist {
		g.dist[i] = far
	}
	for _, side := range g.sides {
		if n := g.node[side]; !taken[side] {
			g.dist[n] = 0
			level = append(level, n)
		}
	}
	for d := 0; len(level) > 0; d++ {
		for len(level) > 0 {
			n := level[len(level)-1]
			level = level[:len(level)-1]
			if g.dist[n] != d {
				continue
			}
			for _, a := range g.in[n] {
				if d+a.weight >= g.dist[a.from] {
					continue
				}
				g.dist[a.from] = d + a.weight
				if a.weight == 0 {
					level = append(level, a.from)
				} else {
					next = append(next, a.from)
				}
			}
		}
		level, next = next, level
	}
}

// distance returns how far a side is from one that is not taken. The side itself counts:
// at distance zero it is not taken.
func (g *graph) distance(side int32) int {
	if n, ok := g.node[side]; ok {
		return g.dist[n]
	}
	return far
}
