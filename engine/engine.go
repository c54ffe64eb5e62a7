package engine

import (
	"slices"
	"strings"

	"foray.test/corpus"
	"foray.test/coverage"
	"foray.test/engine/draw"
	"foray.test/engine/seq"
)

// A Sink takes what a run finds. Its methods are called between sequences; the
// sequences they are given are theirs to keep.
type Sink interface {
	// Entry takes a sequence that took branch sides no other had.
	Entry(Entry)
	// Finding takes the first finding of a signature, minimized in this process.
	Finding(Finding)
	// Turn takes the side that a turn is to begin at, which may end the process.
	Turn(side int)
	// Endless takes a sequence that has used up more fuel than any that is known to
	// end: whether it ends is for another process to see.
	Endless(seq.Sequence)
}

// An Entry is a kept sequence with the branch sides it was kept for; without any
// it was kept for the value it makes.
type Entry struct {
	Steps seq.Sequence
	Sides []int32
	Rank  int8 // see Outcome; not below zero
}

// A Finding is a verdict with its sequence.
type Finding struct {
	Verdict  Verdict
	Steps    seq.Sequence // minimized
	Original seq.Sequence // as it was found
}

// Config says what an engine runs.
type Config struct {
	Table    *seq.Table
	Pool     *Pool
	Executor Executor
	Source   *draw.Source
	Sides    int // number of branch sides
	Params   Params
	Sink     Sink
	// Tracer, if there is one, and the conditions it tells of, make the engine aim
	// at the frontier besides composing.
	Tracer     Tracer
	Conditions []coverage.Condition
}

// Counts are totals since the engine began.
type Counts struct {
	Sequences uint64 // executed sequences: composed ones and those aimed at the frontier
	Aimed     uint64 // … of them at the frontier
	Distinct  uint64 // … of them not executed before, as far as a lossy set can tell
	Steps     uint64 // executed steps of composed sequences
	Replayed  uint64 // steps executed to minimize and prune
	Values    uint64 // distinct values, as far as a lossy set can tell
	Illegal   uint64 // sequences that ended at a broken precondition, and calls that were refused
	Findings  uint64 // sequences that ended in a finding, repeats included
	Abandoned uint64 // runs given up because a call did not come back
	LastNew   uint64 // the sequence that last took a new branch side
	Once      uint64 // branch sides seen in exactly one of the Sampled sequences
	Sampled   uint64
}

// An Engine composes and runs sequences. It is not safe for concurrent use. With
// equal configurations and entries two engines have equal histories.
type Engine struct {
	table  *seq.Table
	pool   *Pool
	exec   Executor
	src    *draw.Source
	params Params
	sink   Sink

	components *corpus.Components
	values     *corpus.ValueSet
	executed   *corpus.ValueSet
	covered    *coverage.Set // sides taken by any sequence
	kept       *coverage.Set // sides taken by entries
	once       *coverage.Set // sides seen in a sampled sequence
	twice      *coverage.Set // sides seen in two
	entries    []Entry
	ranked     bool               // some entries have a rank
	resumed    bool               // there were entries before it composed
	known      map[string]bool    // see Verdict.News
	hits       map[string]uint64  // see Hits
	refusals   map[refusal]uint64 // see Refusals
	schedule   *schedule
	frontier   *frontier // nil without a tracer
	callees    []callee
	makers     [][]seq.OpID   // by wanted type: operations whose results may stand there
	doubtful   []bool         // by operation: see index
	wanted     [][]seq.TypeID // by result type: parameter types it may stand for

	flat    []bool // by type, if set: interface parameters take no values of the others
	touched uint32 // what corpus.ValueSet.Touch returned: nothing
	counts  Counts
	cur     current
	// salvage reports what the run under way has come to, should it be abandoned.
	// It is set while sequences run to minimize a finding or to prune an entry.
	salvage func()
}

// current is the sequence being composed.
type current struct {
	steps     []seq.Step
	args      []seq.Arg // what steps' arguments are cut from
	slots     []slotInfo
	live      []ring // by wanted type
	epoch     uint32
	fresh     []int32   // slots whose value was new
	hash      uint64    // of the steps
	span      int       // range of small integers in use
	anyType   int       // which literal type interface parameters take
	writes    bool      // fields and variables may be written
	size      magnitude // of the numbers drawn
	broken    bool
	refused   int  // calls that were refused
	slow      bool // a call cost much: nothing is built on it
	composing bool // it is not counted yet
	length    int  // steps aimed at
	newSides  []int32
}

type slotInfo struct {
	ty    seq.TypeID
	made  int32 // the step that made it
	takes int32 // how many steps took it
	fit   bool  // to be an argument
}

// ring holds the last few slots that may stand for a wanted type. Bounding what
// is live bounds what a digest costs and keeps calls meeting the same values.
type ring struct {
	epoch uint32
	n     uint32
	slots [8]int32
}

func (r *ring) push(epoch uint32, slot int32) {
	if r.epoch != epoch {
		r.epoch, r.n = epoch, 0
	}
	r.slots[r.n%uint32(len(r.slots))] = slot
	r.n++
}

// New returns an engine.
func New(c Config) *Engine {
	p := c.Params.orDefault()
	e := &Engine{
		table: c.Table, pool: c.Pool, exec: c.Executor, src: c.Source, params: p, sink: c.Sink,
		components: corpus.NewComponents(c.Pool.Index, p.ComponentsPerType),
		values:     corpus.NewValueSet(valueSetBytes),
		executed:   corpus.NewValueSet(executedSetBytes),
		covered:    coverage.NewSet(c.Sides),
		kept:       coverage.NewSet(c.Sides),
		once:       coverage.NewSet(c.Sides),
		twice:      coverage.NewSet(c.Sides),
		known:      map[string]bool{},
		hits:       map[string]uint64{},
		refusals:   map[refusal]uint64{},
		doubtful:   make([]bool, len(c.Table.Ops)),
		makers:     make([][]seq.OpID, len(c.Table.Types)),
		wanted:     c.Pool.Index.Wanted,
	}
	e.index()
	e.callees = newCallees(c.Table, c.Pool)
	e.schedule = newSchedule(c.Table, Impossible(c.Table))
	e.cur.live = make([]ring, len(c.Table.Types))
	if c.Tracer != nil && len(c.Conditions) > 0 {
		e.frontier = newFrontier(e, c.Tracer, c.Conditions, c.Sides)
	}
	return e
}

// Sizes of the lossy sets: 262,144 values and 65,536 sequences. Exact sets cost
// 32 ns an add and grow without end. Larger ones do not stay in the second-level
// cache beside what the code under test uses; then an add is some 100 ns.
const (
	valueSetBytes    = 1 << 20
	executedSetBytes = 1 << 18
)

// index fills makers, which Ban changes, and doubtful.
func (e *Engine) index() {
	for to, isParam := range e.pool.Index.IsParam {
		if isParam {
			e.makers[to] = slices.Clone(e.pool.Index.Makers[to])
		}
	}
	for i := range e.table.Ops {
		e.doubtful[i] = Doubtful(e.table, &e.table.Ops[i])
	}
}

// Doubtful reports whether op makes a value that its package may not expect: the
// zero value of a type that offers a constructor, or a literal with pointers set,
// such as a tree put together from another's nodes.
func Doubtful(t *seq.Table, op *seq.Operation) bool {
	if op.Kind != seq.Composite {
		return false
	}
	for _, p := range op.Params {
		if ty := &t.Types[p]; ty.Nilable && strings.HasPrefix(ty.Name, "*") {
			return true
		}
	}
	return op.Zero
}

// Counts returns the totals so far.
func (e *Engine) Counts() Counts { return e.counts }

// Hits tells by signature how many sequences ended in a finding, known ones
// included. It is the engine's: read only, between runs.
func (e *Engine) Hits() map[string]uint64 { return e.hits }

// Covered returns the branch sides taken so far. It is the engine's: read only,
// between runs.
func (e *Engine) Covered() *coverage.Set { return e.covered }

// Run executes n sequences.
func (e *Engine) Run(n int) {
	for end := e.counts.Sequences + uint64(n); e.counts.Sequences < end; {
		e.Step(int(end - e.counts.Sequences))
	}
}

// Step composes and executes one sequence, or takes a turn of at most max at a
// side of the frontier.
func (e *Engine) Step(max int) {
	if f := e.frontier; f != nil && f.due() && f.take(max) {
		return
	}
	f := e.frontier
	if f == nil {
		e.compose()
		e.finish()
		return
	}
	before := e.covered.Count()
	f.tracer.Fuel(f.composeFuel())
	e.compose()
	e.finish()
	f.tracer.Fuel(0)
	f.composed(len(e.cur.steps), e.covered.Count()-before)
}

// Quiet reports that aiming at the frontier promises more than composing alone:
// composition has not taken a new side for some time, or has gone on for long.
func (e *Engine) Quiet() bool {
	after := uint64(max(e.params.QuietAfter, 0))
	if e.resumed {
		after = (after + resumedShare - 1) / resumedShare
	}
	return after > 0 && (e.counts.Sequences-e.counts.LastNew >= after || e.counts.Sequences >= loudAfter*after)
}

// resumedShare is by how much sooner composition is quiet that goes on from entries:
// what is easily found they have.
const resumedShare = 8

// loudAfter is how many times the sequences of quiet make up for sides that keep
// coming, though seldom: on packages that work on text they do for minutes.
const loudAfter = 4

// Aims reports whether the engine aims at the frontier.
func (e *Engine) Aims() bool { return e.frontier != nil }

// Resume tells the engine what earlier processes have tried, so that the sides
// that have had fewer turns come first, and which sides are taken, though perhaps
// by no entry.
func (e *Engine) Resume(sides []Side, covered []int32) {
	for _, side := range covered {
		e.covered.Add(int(side))
	}
	for _, s := range sides {
		if f := e.frontier; f != nil && int(s.Side) < len(f.targets) {
			f.targets[s.Side] = target{turns: s.Turns, runs: s.Runs, started: true}
		}
	}
}

// Frontier tells what became of the sides of the frontier, in order; nothing
// without a tracer.
func (e *Engine) Frontier() []Side {
	if e.frontier == nil {
		return nil
	}
	return e.frontier.sides()
}

// Add runs an entry that another engine or an earlier run kept. It keeps it if it
// takes sides that are new here, and what makes new values as components. One that
// calls what is held back it leaves alone.
func (e *Engine) Add(s seq.Sequence) {
	if e.schedule.held(s) {
		return
	}
	out := e.study(s)
	if out.Verdict != nil || e.cur.broken || out.Rank < 0 {
		return
	}
	if sides := e.kept.AppendNew(nil, out.Hits); len(sides) > 0 {
		if e.frontier != nil {
			e.frontier.credit(out.Hits, -1, fromElsewhere)
		}
		e.kept.AddHits(out.Hits)
		e.covered.AddHits(out.Hits)
		e.resumed = e.resumed || e.counts.Sequences == 0
		e.keep(Entry{Steps: s, Sides: sides, Rank: out.Rank}, out.Allocated > tameBytes)
	}
}

// study runs a kept sequence, judges it, and keeps what makes new values as
// components.
func (e *Engine) study(s seq.Sequence) Outcome {
	c := &e.cur
	e.reset()
	e.exec.Begin(true)
	found := e.counts.Values
	e.replay(s)
	e.counts.Replayed += uint64(len(c.steps))
	if !c.broken && !e.params.Undirected {
		e.takeDigests()
	}
	e.counts.Values = found // who kept it has counted them
	if f := e.frontier; f != nil && !c.broken {
		f.costliest = max(f.costliest, f.tracer.Spent())
	}
	return e.exec.End(c.steps, c.fresh)
}

// Novel reports whether a run with these hits takes sides that no entry does.
func (e *Engine) Novel(hits []byte) bool { return len(e.kept.AppendNew(nil, hits)) > 0 }

// Representatives returns components that make distinct values: of each type that
// operations want the shortest, at most perType and max in all.
func (e *Engine) Representatives(perType, max int) []seq.Sequence {
	var list []seq.Sequence
	for ty := range e.wanted {
		if len(e.wanted[ty]) == 0 || e.table.Types[ty].Literal != seq.NoLiteral {
			continue
		}
		comps := slices.Clone(e.components.Of(seq.TypeID(ty)))
		comps = slices.DeleteFunc(comps, func(c corpus.Component) bool { return c.Steps.Calls(e.table) == 0 })
		slices.SortStableFunc(comps, func(a, b corpus.Component) int { return len(a.Steps) - len(b.Steps) })
		for _, c := range comps[:min(len(comps), perType)] {
			list = append(list, c.Steps)
		}
	}
	return list[:min(len(list), max)]
}

// Know tells the engine of a finding that is reported already: see [Verdict.News].
func (e *Engine) Know(news string) { e.known[news] = true }

// NoHuge lists the operations that get no huge numbers any more, because they
// allocated much when they did.
func (e *Engine) NoHuge() []seq.OpID {
	var list []seq.OpID
	for i := range e.schedule.stats {
		if e.schedule.stats[i].tame == noHuge {
			list = append(list, seq.OpID(i))
		}
	}
	return list
}

// DenyHuge gives an operation no huge numbers from now on.
func (e *Engine) DenyHuge(op seq.OpID) {
	st := &e.schedule.stats[op]
	st.tame = max(st.tame, noHuge)
}

// Tame gives an operation small literals only from now on: it ended a process.
func (e *Engine) Tame(op seq.OpID) { e.schedule.stats[op].tame = smallOnly }

// Flatten keeps values that can hold others out of interface parameters from now
// on: a list that was put into itself has ended a process that walked it.
func (e *Engine) Flatten() {
	e.flat = make([]bool, len(e.table.Types))
	for i := range e.table.Types {
		ty := &e.table.Types[i]
		holds := ty.Interface || strings.Contains(ty.Name, "*") || strings.Contains(ty.Name, "any") || strings.Contains(ty.Name, "interface")
		e.flat[i] = !holds
	}
}

// Ban takes an operation out of composition: it ended the process too often.
// Entries that call it are no more to start from.
func (e *Engine) Ban(op seq.OpID) {
	e.schedule.ban(op)
	e.entries = slices.DeleteFunc(e.entries, func(en Entry) bool {
		return slices.ContainsFunc(en.Steps, func(st seq.Step) bool { return st.Op == op })
	})
	for t := range e.makers {
		e.makers[t] = slices.DeleteFunc(e.makers[t], func(id seq.OpID) bool { return id == op })
	}
}
