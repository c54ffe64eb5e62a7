package engine

import (
	"encoding/binary"
	"fmt"
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

// An explorer runs the calls that extend the states of its shares: its part of an
// [Exploration], which is breadth first. Of the sequences that leave equal states only the
// first, which is one of the shortest, is extended. So all sequences have been run, as far
// as states tell the behaviour of later calls. The search is that of [Visser04 §4.1], by
// re-execution: a sequence begins from a fresh state.
//
// The order follows from the table and the scope alone.
type explorer struct {
	e       *Engine
	scope   Scope
	space   *space
	lethal  map[string]bool  // sequences that ended a process, in binary form
	stalls  map[seq.OpID]int // sequences that did not come to their end, by their last operation
	leftOut []LeftOut
	// seen has the states that are known: the lowest number of a state of this engine's that
	// led there, or dealtBefore.
	seen map[uint64]int

	queue []State
	done  []Extension
	extension
	now      Extension // of the state that is extended, if extends is set
	extends  bool
	running  bool // a call of it is under way
	replays  bool // its own sequence is
	lastCall seq.OpID
}

// dealtBefore marks states that all engines know: they were found before any state of a
// share was extended.
const dealtBefore = -1

// An extension is the state that is extended, with buffers for its sequences.
type extension struct {
	base  seq.Sequence
	count int32          // its slots
	made  []liveSlot     // … those that may be arguments
	edges []seq.Sequence // the calls that extend it
	next  int            // … of those the next one
	steps seq.Sequence   // base and an edge
	live  []liveSlot     // of steps
	slots []int32        // … in another form
	all   []int32        // the slots from 0 on
}

// Reasons for which operations are left out.
const (
	leftImpossible = "no value of a parameter's type can be made"
	leftMany       = "too many calls with different arguments"
	leftStalled    = "its calls do not return"
	leftDisabled   = "it ended too many processes"
)

func newExplorer(e *Engine, c *Config) *explorer {
	return &explorer{
		e: e, scope: *c.Explore, space: newSpace(c.Table, c.Pool, c.Explore.Values),
		lethal: map[string]bool{}, stalls: map[seq.OpID]int{}, seen: map[uint64]int{},
	}
}

// Extend has the engine extend the states of a share, after those of earlier ones.
func (e *Engine) Extend(s Share) {
	x := e.explorer
	x.queue = append(x.queue, s.States...)
	for seen := s.Seen; len(seen) >= 8; seen = seen[8:] {
		x.seen[binary.LittleEndian.Uint64(seen)] = dealtBefore
	}
	for _, steps := range s.Lethal {
		x.lethal[string(steps)] = true
	}
	for _, l := range s.LeftOut {
		x.leave(l)
	}
}

// Extends reports whether the engine has states to extend.
func (e *Engine) Extends() bool { return e.explorer.extends || len(e.explorer.queue) > 0 }

// Extended returns the extensions that are complete since its last call.
func (e *Engine) Extended() []Extension {
	done := e.explorer.done
	e.explorer.done = nil
	return done
}

// step runs one sequence. Its place in the order is noted before it runs: a run that is
// abandoned is not run again.
func (x *explorer) step() {
	x.settle()
	for !x.extends || x.next >= len(x.edges) {
		if x.finish(); len(x.queue) == 0 {
			return
		}
		x.begin()
	}
	edge := x.edges[x.next]
	x.next++
	if x.skips(edge) || x.callsLeft(edge) {
		return
	}
	x.lastCall, x.running = edge[len(edge)-1].Op, true
	x.runEdge(edge)
	x.running = false
	if x.next == len(x.edges) {
		x.finish()
	}
}

// finish ends the extension under way, if there is one.
func (x *explorer) finish() {
	if !x.extends {
		return
	}
	x.extends = false
	x.now.LeftOut = slices.Concat(x.space.leftOut, x.leftOut)
	x.done = append(x.done, x.now)
}

// settle takes in that the last run was abandoned, if it was.
func (x *explorer) settle() {
	if x.replays {
		x.replays = false
		x.now.Unstable++
	}
	if x.running {
		x.running = false
		x.now.Transitions++
		x.now.Lost++
		if x.stalls[x.lastCall]++; x.stalls[x.lastCall] == maxStalls {
			x.leave(LeftOut{x.lastCall, leftStalled})
		}
	}
}

// leave has an operation be left out from now on.
func (x *explorer) leave(l LeftOut) {
	if l.Why != leftMany && !x.leaves(l.Op) {
		x.leftOut = append(x.leftOut, l)
	}
}

// callsLeft reports whether a sequence takes an operation that is left out.
func (x *explorer) callsLeft(s seq.Sequence) bool {
	return slices.ContainsFunc(s, func(st seq.Step) bool {
		if x.e.schedule.stats[st.Op].disabled {
			x.leave(LeftOut{st.Op, leftDisabled})
		}
		return x.leaves(st.Op)
	})
}

func (x *explorer) leaves(op seq.OpID) bool {
	return slices.ContainsFunc(x.leftOut, func(l LeftOut) bool { return l.Op == op })
}

// skips reports whether a sequence has ended a process, and counts it.
func (x *explorer) skips(edge seq.Sequence) bool {
	if len(x.lethal) == 0 || !x.lethal[string(seq.AppendBinary(nil, slices.Concat(x.base, edge)))] {
		return false
	}
	x.now.Transitions++
	x.now.Lost++
	return true
}

// begin makes ready to extend the next state.
func (x *explorer) begin() {
	n := x.queue[0]
	x.queue = x.queue[1:]
	x.now, x.extends, x.edges, x.next = Extension{Number: n.Number}, true, nil, 0
	x.base = nil
	if len(n.Steps) > 0 {
		var err error
		if x.base, err = seq.DecodeBinary(x.e.runner.table, x.space.pool.Literals, n.Steps); err != nil {
			panic(fmt.Sprintf("engine: state %d: %v", n.Number, err))
		}
	}
	if len(x.base) > 0 && x.lethal[string(n.Steps)] || x.callsLeft(x.base) {
		x.now.Skipped++
		return
	}
	x.replays = true
	live, hash, whole := x.replay(x.base)
	x.replays = false
	if whole && hash != n.Hash && len(x.base) > 0 {
		x.now.Unstable++
	}
	x.edges = x.space.extending(live, x.count)
}

// replay runs the sequence of a state again, and returns its live slots.
func (x *explorer) replay(s seq.Sequence) (live []liveSlot, hash uint64, whole bool) {
	r := x.e.runner
	x.made, x.count = x.made[:0], 0
	r.box(s)
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
	x.now.Transitions++
	if outcome.Verdict != nil {
		x.now.Illegal += count(outcome.Verdict.Tier == Illegal)
		x.now.Failures += count(outcome.Verdict.Tier != Illegal)
	} else if out.Status < Broken {
		x.found(hash, whole)
	}
	e.archive.rare.sample(outcome.Hits, &r.counts)
	if e.archive.isNew(outcome.Hits) || outcome.Verdict != nil {
		e.keeper.take(Entry{Steps: s}, outcome, 0)
	}
}

// found notes the state that the steps have left, unless it is known. If it is known by a
// state of a higher number, which was extended first, this one is the first in order.
func (x *explorer) found(hash uint64, whole bool) {
	if by, known := x.seen[hash]; whole && known && by <= x.now.Number {
		return
	}
	if whole {
		x.seen[hash] = x.now.Number
	}
	x.now.Found = appendFound(x.now.Found, hash, whole, seq.AppendBinary(nil, x.steps))
}
