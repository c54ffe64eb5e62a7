package engine

import (
	"slices"

	"foray.test/engine/seq"
)

// A Scope bounds an exhaustive search over sequences of calls. No number may be zero, but
// that of objects.
type Scope struct {
	Calls  int // of a sequence
	States int // distinct ones; the search ends when there are so many
	Values int // literals for each parameter that takes literals: the simplest
	// Objects is how many values of each type may be arguments, the oldest; 0 means all.
	Objects int
	// Shape takes states for equal that differ in basic values only: the search is smaller
	// and no longer exhaustive. See [Run].
	Shape bool
}

// An explorer runs all sequences of calls within a scope, breadth first. Of the sequences
// that leave equal states only the first, which is one of the shortest, is extended. So all
// sequences have been run, as far as states tell the behaviour of later calls. The search
// is that of [Visser04 §4.1], by re-execution: a sequence begins from a fresh state.
//
// The order follows from the table and the scope alone.
type explorer struct {
	e      *Engine
	scope  Scope
	space  *space
	skip   map[string]bool  // sequences that ended a process, in binary form
	stalls map[seq.OpID]int // sequences that did not come to their end, by their last operation
	seen   map[uint64]bool  // states

	nodes []node
	extension
	last seq.OpID // the last operation of the sequence under way, if running is set

	running, expanding bool
	Explored
}

// An extension is the state that is extended, with buffers for its sequences.
type extension struct {
	base  seq.Sequence
	count int32          // its slots
	made  []liveSlot     // … those that may be arguments
	edges []seq.Sequence // the calls that extend it
	steps seq.Sequence   // base and an edge
	live  []liveSlot     // of steps
	slots []int32        // … in another form
	all   []int32        // the slots from 0 on
}

// A node is a state that is to be extended, with the first sequence that left it.
type node struct {
	depth int // in calls
	hash  uint64
	steps seq.Sequence
}

// Bounds of an exploration. None is measured.
const (
	// maxCalls bounds the calls of one operation that extend one state: an operation with
	// more is left out.
	maxCalls = 1 << 14
	// maxStalls is how many sequences may wait for ever in an operation before it is left
	// out: each costs 4 to 100 ms.
	maxStalls = 8
)

// Reasons for which operations are left out.
const (
	leftImpossible = "no value of a parameter's type can be made"
	leftMany       = "too many calls with different arguments"
	leftStalled    = "its calls do not return"
	leftDisabled   = "it ended too many processes"
)

func newExplorer(e *Engine, c *Config) *explorer {
	x := &explorer{
		e: e, scope: *c.Explore, space: newSpace(c.Table, c.Pool, c.Explore.Values),
		skip: map[string]bool{}, stalls: map[seq.OpID]int{}, seen: map[uint64]bool{},
	}
	x.LeftOut = x.space.leftOut
	x.add(node{}, true)
	return x
}

// add adds a state, which is to be extended if its depth is within the scope. It reports
// whether it is new. A state that is not whole is always new.
func (x *explorer) add(n node, whole bool) bool {
	if whole && x.seen[n.hash] {
		return false
	}
	x.States++
	x.Large += count(!whole)
	x.seen[n.hash] = true
	if n.depth < x.scope.Calls {
		n.steps = slices.Clone(n.steps)
		x.nodes = append(x.nodes, n)
		x.Open++
	}
	x.record(n)
	x.Full = x.States >= uint64(x.scope.States)
	return true
}

func count(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// step runs one sequence. Its place in the order is noted before it runs: a run that is
// abandoned is not run again.
func (x *explorer) step() {
	x.settle()
	for x.Next >= len(x.edges) {
		if x.over() || !x.expandNext() {
			return
		}
	}
	if x.Full {
		return
	}
	edge := x.edges[x.Next]
	x.Next++
	last := edge[len(edge)-1].Op
	if x.skips(edge) || x.callsLeft(edge) {
		return
	}
	x.last, x.running = last, true
	x.runEdge(edge)
	x.running = false
}

// over reports whether the search has come to its end, or to its bound of states.
func (x *explorer) over() bool { return x.Done || x.Full }

// settle takes in that the last run was abandoned, if it was.
func (x *explorer) settle() {
	if x.expanding {
		x.expanding = false
		x.Unstable++
	}
	if x.running {
		x.running = false
		x.Transitions++
		x.Lost++
		if x.stalls[x.last]++; x.stalls[x.last] == maxStalls {
			x.LeftOut = append(x.LeftOut, LeftOut{x.last, leftStalled})
		}
	}
}

// out reports whether an operation is left out from now on.
func (x *explorer) out(op seq.OpID) bool {
	if x.e.schedule.stats[op].disabled && !x.leaves(op) {
		x.LeftOut = append(x.LeftOut, LeftOut{op, leftDisabled})
	}
	return x.leaves(op)
}

// callsLeft reports whether a sequence takes an operation that is left out.
func (x *explorer) callsLeft(s seq.Sequence) bool {
	return slices.ContainsFunc(s, func(st seq.Step) bool { return x.out(st.Op) })
}

func (x *explorer) leaves(op seq.OpID) bool {
	return slices.ContainsFunc(x.LeftOut, func(l LeftOut) bool { return l.Op == op })
}

// skips reports whether a sequence has ended a process, and counts it.
func (x *explorer) skips(edge seq.Sequence) bool {
	if len(x.skip) == 0 || !x.lethal(slices.Concat(x.base, edge)) {
		return false
	}
	x.Transitions++
	x.Lost++
	return true
}

// lethal reports whether a sequence has ended a process.
func (x *explorer) lethal(s seq.Sequence) bool {
	return x.skip[string(seq.AppendBinary(nil, s))]
}

// expandNext makes ready to extend the next state. It reports false if there is none.
func (x *explorer) expandNext() bool {
	x.edges, x.Next = x.edges[:0], 0
	if x.At++; x.At > len(x.nodes) {
		x.At, x.Done = len(x.nodes), true
		x.Depth = x.scope.Calls
		return false
	}
	x.Open--
	n := &x.nodes[x.At-1]
	x.Depth, x.base = n.depth, n.steps
	if x.lethal(x.base) || x.callsLeft(x.base) {
		x.Skipped++
		return true
	}
	x.expanding = true
	live, hash, whole := x.replay(x.base)
	x.expanding = false
	if whole && hash != n.hash && len(x.base) > 0 {
		x.Unstable++
	}
	x.edges = x.space.calls(x.edges, live, x.count)
	for _, l := range x.space.leftOut {
		if !x.leaves(l.Op) {
			x.LeftOut = append(x.LeftOut, l)
		}
	}
	return true
}

// replay runs the sequence of a state again, and returns its live slots.
func (x *explorer) replay(s seq.Sequence) (live []liveSlot, hash uint64, whole bool) {
	r := x.e.runner
	x.made, x.count = x.made[:0], 0
	r.begin(job{purpose: replaying}, RunOptions{Want: Nothing})
	for i := range s {
		out := r.append(s[i])
		x.made, x.count = x.addLive(x.made, s[i].Op, out, x.count)
		if out.Status >= Broken {
			r.end(nil)
			return nil, 0, true
		}
	}
	live, hash, whole = x.state(slices.Clone(x.made))
	r.end(nil)
	return live, hash, whole
}

// A liveSlot is a slot that may be an argument.
type liveSlot struct {
	slot int32
	ty   seq.TypeID
}

// addLive adds the results of a step to the live slots, those that may be arguments. Func
// literals are made for each call. There are count slots before the step, and next behind it.
func (x *explorer) addLive(live []liveSlot, op seq.OpID, out StepOutcome, count int32) (list []liveSlot, next int32) {
	o := &x.e.runner.table.Ops[op]
	next = count + int32(len(o.Results))
	if out.Status != Normal || o.Kind == seq.FuncLit {
		return live, next
	}
	for i, ty := range o.Results {
		if x.space.wanted[ty] {
			live = append(live, liveSlot{count + int32(i), ty})
		}
	}
	return live, next
}

// state digests the live slots of the run under way, and drops those that are no
// arguments besides others: nil and the same values.
func (x *explorer) state(live []liveSlot) ([]liveSlot, uint64, bool) {
	x.slots = x.slots[:0]
	for i := range live {
		x.slots = append(x.slots, live[i].slot)
	}
	kept, hash, whole := x.e.runner.run.State(x.slots, StateOptions{Shape: x.scope.Shape, Objects: x.scope.Objects})
	n := 0
	for _, l := range live {
		if n < len(kept) && kept[n] == l.slot {
			live[n], n = l, n+1
			hash = (hash ^ uint64(l.ty)) * 0x9e3779b97f4a7c15
			hash ^= hash >> 29
		}
	}
	return live[:n], hash, whole
}

// runEdge runs the state's sequence and an edge, and takes in where that leads.
func (x *explorer) runEdge(edge seq.Sequence) {
	e, r := x.e, x.e.runner
	x.steps = append(append(x.steps[:0], x.base...), edge...)
	s := x.steps
	r.box(s)
	r.begin(job{purpose: exploring}, RunOptions{Last: true})
	x.live = append(x.live[:0], x.made...)
	slots := x.count
	var out StepOutcome
	for i := range s {
		if out = r.append(s[i]); i >= len(x.base) {
			x.live, slots = x.addLive(x.live, s[i].Op, out, slots)
		}
		if out.Status >= Broken {
			break
		}
	}
	e.schedule.ran(s[len(s)-1].Op, out.Status, 0)
	var hash uint64
	whole := false
	if out.Status < Broken {
		x.live, hash, whole = x.state(x.live)
	}
	for n := int32(len(x.all)); n < slots; n++ {
		x.all = append(x.all, n)
	}
	outcome := r.end(x.all[:slots])
	x.Transitions++
	if outcome.Verdict != nil {
		x.Illegal += count(outcome.Verdict.Tier == Illegal)
		x.Failures += count(outcome.Verdict.Tier != Illegal)
	} else if out.Status < Broken {
		x.add(node{x.nodes[x.At-1].depth + 1, hash, s}, whole)
	}
	e.archive.rare.sample(outcome.Hits, &r.counts)
	if e.archive.isNew(outcome.Hits) || outcome.Verdict != nil {
		e.keeper.take(Entry{Steps: s}, outcome, 0)
	}
}
