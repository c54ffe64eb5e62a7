package engine

import (
	"math"
	"math/bits"

	"foray.test/coverage"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// frontier is the phase of branch-directed generation [Pacheco09 §6.2]: it takes
// turns at the sides of the frontier, the least tried first. In a turn a witness
// is edited where that was seen to matter, by what the condition compared, and the
// edited sequences are run. What takes any new side is kept, whichever side it was
// meant for: of what turns find, half and more is by the way.
//
// All decisions read counts of runs and steps.
type frontier struct {
	e      *Engine
	tracer Tracer
	index  *seq.TypeIndex
	conds  []coverage.Condition
	ofSide []int32 // the condition of each side

	targets    []target     // by side
	weights    []int        // by side: the class of what lies behind it
	weighed    int          // turns until that is computed anew
	witnesses  []*witness   // all
	byCond     [][]*witness // by condition, the cheapest first
	taken      int          // entries that were looked at for witnesses
	unstable   []bool       // by condition: equal runs of all witnesses so far differ there
	edits      []editStats  // by mutators.Edits
	secondRuns map[seq.OpID]int
	costliest  int64 // of the entries: what it used

	aiming, composing effort
	owed              float64 // steps that turns may take before composition goes on
	runs              uint64
	took              []int32      // scratch: sides
	begins            []int        // by step of the run: the visits recorded before it
	underway          seq.Sequence // what runs in a turn
	now               turn
}

// A target is a side of the frontier, or one that was.
type target struct {
	turns   uint32 // taken at it
	runs    uint64
	witness uint32 // witnesses that the fixed edits have been through
	cursor  cursor
	base    seq.Sequence // what came nearest in a turn that was cut off; or nil
	started bool         // it was a side of the frontier
	edit    int          // that flipped it, plus one; or fromPerturbing, fromElsewhere; zero: composition
}

// cursor is where the edits that propose a fixed list stopped when a turn was over.
type cursor struct {
	first int // the edit they began with
	tried int // edits that are through
	skip  int // proposals of the one after
}

// Origins of a flip that is no edit's.
const (
	fromPerturbing = -1
	fromElsewhere  = -2 // another worker's, which tells of it
)

type editStats struct {
	Runs  uint64 // sequences proposed and run
	Sides uint64 // new sides that they took
}

// turnRuns is how many runs a turn may take: some milliseconds, so that the sides
// of a frontier of a hundred have all had a first turn within a second.
const turnRuns = 400

// maxWitnesses bounds the witnesses of a condition.
const maxWitnesses = 4

// An effort is what turns, or composition beside them, have come to of late.
type effort struct {
	steps, sides float64
}

func (e *effort) add(steps, sides int) {
	e.steps += float64(steps)
	e.sides += float64(sides)
}

// yield is the sides taken a step, as if one more had come of newSteps more: what
// was hardly tried is as good as the best.
func (e *effort) yield() float64 { return (e.sides + 1) / (e.steps + newSteps) }

// Turns take as many steps as composition does, or up to so many times more or
// fewer, by what both yield. Both go on: what composes into new states is what
// turns start from.
const (
	maxShare    = 4
	newSteps    = 1 << 16
	effortSteps = 1 << 22 // that the yields look back on, about
	headSteps   = 1 << 10 // that composition is ahead by: a process that a turn ends has done something else
)

func newFrontier(e *Engine, t Tracer, conds []coverage.Condition, sides int) *frontier {
	f := &frontier{
		e: e, tracer: t, index: e.pool.Index, conds: conds,
		ofSide: make([]int32, sides), targets: make([]target, sides), weights: make([]int, sides), byCond: make([][]*witness, len(conds)),
		unstable: make([]bool, len(conds)), edits: make([]editStats, len(mutators.Edits)), secondRuns: map[seq.OpID]int{},
		owed: -headSteps,
	}
	for side := range f.ofSide {
		f.ofSide[side] = -1
	}
	for i := range conds {
		for j := range conds[i].Sides {
			f.ofSide[conds[i].First+j] = int32(i)
		}
	}
	return f
}

// due reports whether the next unit of work is a turn and not a composed sequence.
func (f *frontier) due() bool { return f.owed >= 0 }

// composed takes in that a sequence was composed beside turns.
func (f *frontier) composed(steps, sides int) {
	f.composing.add(steps, sides)
	f.owed += float64(steps) * min(max(f.aiming.yield()/f.composing.yield(), 1.0/maxShare), maxShare)
	if f.aiming.steps+f.composing.steps > effortSteps {
		for _, e := range []*effort{&f.aiming, &f.composing} {
			e.steps, e.sides = e.steps/2, e.sides/2
		}
	}
}

// spent takes in that turns have run so many steps.
func (f *frontier) spent(steps int) {
	f.aiming.add(steps, 0)
	f.owed -= float64(steps)
}

// take takes one turn of at most max runs. It reports false if no side is to be
// aimed at. A call may end its goroutine: nothing that a turn calls is deferred.
func (f *frontier) take(max int) bool {
	f.findWitnesses()
	if f.weighed--; f.weighed < 0 {
		f.weigh()
	}
	side := f.next()
	if side >= 0 {
		f.e.sink.Turn(side)
		f.aim(side, min(max, turnRuns))
	}
	f.tracer.Fuel(0)
	return side >= 0
}

// abandon ends the turn, of which a run did not come to its end, and returns what
// of it ran. It counts, and the next turn at the side is another witness's.
func (f *frontier) abandon() seq.Sequence {
	s := f.underway
	f.underway = nil
	f.tracer.Trace(TraceNothing)
	f.tracer.Fuel(0)
	if s != nil {
		t := &f.targets[f.now.side]
		t.turns++
		t.pass()
		f.spent(len(s))
	}
	return s
}

// next chooses the side of the next turn: of those with the fewest turns one whose
// condition compares something, since a bool from elsewhere is often what another
// side sets; of those the one with the most behind it, then with the shortest witness.
func (f *frontier) next() int {
	best, bestKey := -1, [4]int{}
	for i := range f.conds {
		c := &f.conds[i]
		if len(f.byCond[i]) == 0 || f.unstable[i] {
			continue
		}
		taken := 0
		for side := c.First; side < c.First+len(c.Sides); side++ {
			if f.e.covered.Has(side) {
				taken++
			}
		}
		if taken == 0 || taken == len(c.Sides) {
			continue
		}
		for j := range c.Sides {
			side := c.First + j
			t := &f.targets[side]
			if f.e.covered.Has(side) {
				continue
			}
			t.started = true
			key := [4]int{int(t.turns), 0, -f.weights[side], len(f.byCond[i][0].steps)}
			if c.Kind == coverage.Bool && c.Op == "" {
				key[1] = 1
			}
			if best < 0 || less(key, bestKey) {
				best, bestKey = side, key
			}
		}
	}
	return best
}

// weighEvery is how many turns the weights hold for: what lies behind a side
// changes slowly, and finding it may take as long as a turn.
const weighEvery = 64

// weigh classes the sides of the frontier by how many sides lie behind them whose
// condition no run has reached [Burnim08 §4]: what a flip may be good for.
func (f *frontier) weigh() {
	f.weighed = weighEvery
	sides := coverage.Frontier(f.conds, f.e.covered)
	for i, r := range coverage.ReachOf(f.conds, f.e.covered, sides) {
		f.weights[sides[i]] = bits.Len(uint(r.Unreached))
	}
}

func less(a, b [4]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// result is what one run of a turn showed.
type result uint8

const (
	nothing result = iota
	useless        // it broke or ran out of fuel: nothing to go on from
	gained         // it took some new side and was kept: others have run since
	flipped        // … the side aimed at
)

// run runs s and takes in what is new. edit is credited with it.
func (f *frontier) run(s seq.Sequence, side, edit int) result {
	e := f.e
	for i := range s {
		e.boxNew(s[i].Args)
		if !e.tolerates(&s[i]) {
			return useless
		}
	}
	if e.schedule.held(s) {
		return useless
	}
	out, ran := f.execute(s)
	f.runs++
	e.counts.Sequences++
	e.counts.Aimed++
	e.counts.Steps += uint64(ran)
	f.spent(ran)
	if edit >= 0 {
		f.edits[edit].Runs++
	}
	if f.tracer.Out() {
		f.credit(out.Hits, side, edit)
		e.cover(out.Hits)
		f.outOfFuel(s[:ran])
		return useless
	}
	if out.Verdict != nil {
		f.credit(out.Hits, side, edit)
		e.takeVerdict(out, s[:ran])
		return useless
	}
	if !coverage.HasNew(e.kept, out.Hits) {
		return nothing
	}
	r := f.credit(out.Hits, side, edit)
	if en, ok := e.keepNew(s, out, false); ok {
		if out := e.study(en.Steps); out.Verdict != nil {
			e.takeVerdict(out, en.Steps)
		}
	} else if r == gained {
		return nothing // not to be kept: nothing has run since
	}
	return r
}

// execute runs s without contracts: what is new is judged when it is kept.
func (f *frontier) execute(s seq.Sequence) (out Outcome, ran int) {
	x := f.e.exec
	x.Begin(false)
	f.begins = f.begins[:0]
	for i := range s {
		ran++
		f.underway = s[:ran]
		f.begins = append(f.begins, f.tracer.Logged())
		if status, _ := x.Append(s[i]); status >= Broken {
			break
		}
	}
	f.underway = nil
	return x.End(s[:ran], nil), ran
}

// credit notes which edit took the sides that are new, before they are covered.
func (f *frontier) credit(hits []byte, side, edit int) result {
	f.took = f.e.covered.AppendNew(f.took[:0], hits)
	r := gained // if not new, then of no entry yet
	for _, s := range f.took {
		if edit >= 0 {
			f.targets[s].edit = edit + 1
			f.edits[edit].Sides++
		} else {
			f.targets[s].edit = edit
		}
		if int(s) == side {
			r = flipped
		}
	}
	if edit != fromElsewhere {
		f.aiming.add(0, len(f.took))
	}
	return r
}

// outOfFuel follows up a sequence that used up its fuel: perhaps it is endless and
// a finding, unless it has written fields. For each operation one sequence gets much
// more; if it uses up that too, others find out whether it ends. An operation that has
// ended a process was found out about.
func (f *frontier) outOfFuel(s seq.Sequence) {
	f.now.outs++
	op := s[len(s)-1].Op
	if f.secondRuns[op]++; f.secondRuns[op] > 1 || f.e.writes(s) || f.e.schedule.stats[op].tame == smallOnly {
		return
	}
	s = s.Clone()
	f.tracer.Fuel(longFuel)
	if _, ran := f.execute(s); f.tracer.Out() {
		f.e.sink.Endless(s[:ran])
	}
	f.tracer.Fuel(f.now.fuel)
}

// longFuel is what an operation gets to show that it ends after all: as much as there
// is time for, see harness.
const longFuel = 1 << 25

// distantFuel is the most that a run of a turn may use, whatever its witness does.
const distantFuel = 1 << 22

// composeFuel bounds a composed sequence, where there is fuel: some 20 ms, a thousand
// times what one takes. A loop without end then costs no process.
const composeFuel = 1 << 21

// fuelFor bounds the runs around a witness by what it used itself.
func (f *frontier) fuelFor(w *witness) int64 {
	return min(20*w.spent+1<<14, max(distantFuel, 2*w.spent))
}

// composeFuel returns the fuel of a composed sequence: enough for what is kept.
func (f *frontier) composeFuel() int64 { return max(composeFuel, 2*f.costliest) }

// Side is what became of one side of the frontier.
type Side struct {
	Side   int32
	Status string // see the constants
	// Edit names what flipped it.
	Edit      string `json:",omitempty"`
	Turns     uint32 `json:",omitempty"`
	Runs      uint64 `json:",omitempty"` // in turns at it
	Witnesses int    `json:",omitempty"`
}

// The statuses of a side.
const (
	SideFlipped     = "flipped"      // in the frontier once, and taken since
	SideUnstable    = "unstable"     // equal runs differ there: map order, once a process
	SideNoInfluence = "no influence" // no input position was seen to change anything there
	SideConstant    = "constant"     // … to change more than how often it is visited: its operands never varied
	SideTried       = "tried"        // changed, without success
	SideUntried     = "untried"      // no turn yet
)

// Sides lists the sides that are or were in the frontier since the phase began,
// in order.
func (f *frontier) sides() []Side {
	var list []Side
	for i := range f.conds {
		c := &f.conds[i]
		reached := false
		for j := range c.Sides {
			reached = reached || f.e.covered.Has(c.First+j)
		}
		for j := range c.Sides {
			side := c.First + j
			t := &f.targets[side]
			switch covered := f.e.covered.Has(side); {
			case covered && t.started && t.edit != fromElsewhere:
				list = append(list, Side{Side: int32(side), Status: SideFlipped, Edit: editName(t.edit), Turns: t.turns, Runs: t.runs})
			case !covered && reached:
				list = append(list, Side{Side: int32(side), Status: f.status(i, j), Turns: t.turns, Runs: t.runs, Witnesses: len(f.byCond[i])})
			}
		}
	}
	return list
}

func (f *frontier) status(cond, j int) string {
	c := &f.conds[cond]
	t := &f.targets[c.First+j]
	switch {
	case f.unstable[cond]:
		return SideUnstable
	case t.turns == 0:
		return SideUntried
	}
	operands, visits := false, false
	for _, w := range f.byCond[cond] {
		if inf := w.influence[int32(cond)]; inf != nil {
			operands = operands || len(inf.operands) > 0
			visits = visits || len(inf.visits) > 0
		}
	}
	switch {
	case operands || visits && c.Kind == coverage.Bool && c.Op == "": // what such a bool is made of does not show
		return SideTried
	case visits:
		return SideConstant
	}
	return SideNoInfluence
}

// editName names what flipped a side.
func editName(edit int) string {
	switch {
	case edit > 0:
		return mutators.Edits[edit-1].Name
	case edit == fromPerturbing:
		return "perturbation"
	}
	return "composition"
}

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
