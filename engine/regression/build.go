package regression

import (
	"errors"
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A Builder makes tests of the sequences of one package, one after the other.
type Builder struct {
	table *seq.Table
	index *seq.TypeIndex
	run   func(seq.Sequence) (Run, bool)
	// Observers is how many calls of observers a test ends in, at most.
	Observers int
	// MaxText bounds the bytes of the texts that a test is given; zero does not.
	MaxText int

	covered  map[int32]bool   // branch sides that tests take
	unfit    map[seq.OpID]int // how often an operation turned out to be no observer
	asserted map[string]int   // how often a member was chosen as an observer
	seen     map[string]bool  // tests, by all that they do
	literals map[seq.TypeID]*seq.Step
	asked    map[string][]string // observers that were chosen, by the shape of the sequence
	bases    []seq.Sequence      // the calls of tests before their observers
	called   map[string]bool     // members that tests call
	changed  map[string]bool     // … so that they change a value
}

// Bounds, as tried on containers: more observers kill no more mutants there, and an
// operation that has changed a value twice does so mostly.
const (
	observers     = 6
	maxCandidates = 96
	maxUnfit      = 2
	repeats       = 2 // runs that must agree before a result is used
	maxInPlay     = 3 // arguments of one type that an observer is tried with
)

// steadyRuns is how many runs must agree before a result is asserted. Loops over a Go
// map of two have the other order in an eighth of the cases. All of 64 runs miss that in
// 0.02 % of the cases.
const steadyRuns = 64

// Reasons why there is no test of a sequence.
var (
	ErrRun     = errors.New("it does not end any more")
	ErrNothing = errors.New("it returns nothing to assert")
	ErrTwice   = errors.New("another test asserts the same")
	ErrLong    = errors.New("its texts are longer than a person reads")
)

// NewBuilder returns a Builder over t. run runs a sequence from a fresh state; it
// reports false if the process ended or does not return. The sides of a test are
// counted if the runs have them.
func NewBuilder(t *seq.Table, run func(seq.Sequence) (Run, bool)) *Builder {
	return &Builder{
		table: t, index: seq.NewTypeIndex(t), run: run, Observers: observers,
		covered: map[int32]bool{}, unfit: map[seq.OpID]int{}, asserted: map[string]int{}, seen: map[string]bool{}, literals: map[seq.TypeID]*seq.Step{}, asked: map[string][]string{}, called: map[string]bool{}, changed: map[string]bool{},
	}
}

// Learn notes which calls of a run change values: they are no observers. Learn from all
// sequences first: then no test observes an empty stack by Pop.
func (b *Builder) Learn(s seq.Sequence, run Run) {
	for i, st := range run.Steps {
		if !st.Pure {
			b.unfit[s[i].Op]++
		}
	}
}

// Test makes a test of s. It asserts results that were the same in several runs, and
// no call twice in one state. Each step is needed: without it an assertion would not
// hold, or a later step would not change the value that it changes. A step is also
// needed if it takes a branch side of s that no earlier test takes.
func (b *Builder) Test(s seq.Sequence) (Test, error) {
	run, ok := b.record(s)
	for n := finished(run); ok && n < len(run.Steps); n = finished(run) {
		s, _ = seq.Remove(b.table, s, n) // a step that panics has no results
		run, ok = b.record(s)
	}
	if !ok || len(run.Steps) != len(s) || len(s) == 0 {
		return Test{}, ErrRun
	}
	if shorter, changed := b.direct(s, run); changed {
		if again, ok := b.record(shorter); ok && finished(again) == len(shorter) {
			s, run = shorter, again
		}
	}
	if s, run = b.brief(s, run); b.MaxText > 0 && s.TextBytes() > b.MaxText {
		return Test{}, ErrLong
	}
	needed := b.fresh(run.Sides)
	s, run = b.observe(s, run)
	if run, ok = b.agree(s, run, steadyRuns); !ok {
		return Test{}, ErrRun
	}
	t := b.assert(s, run)
	if t.Assertions() == 0 {
		return Test{}, ErrNothing
	}
	t = b.minimize(t, needed)
	if run, ok = b.record(t.Steps); ok {
		run, ok = b.agree(t.Steps, run, steadyRuns)
	}
	if !ok || !t.holds(run) {
		return Test{}, ErrNothing // its steps show the same only beside others
	}
	if key := t.key(b.table); b.seen[key] {
		return Test{}, ErrTwice
	} else {
		b.seen[key] = true
	}
	t.Fresh = b.fresh(t.Sides)
	for _, side := range t.Sides {
		b.covered[side] = true
	}
	for i, st := range t.Steps {
		member := b.table.Ops[st.Op].Member
		b.called[member] = true
		b.changed[member] = b.changed[member] || !t.Pure[i]
	}
	b.bases = append(b.bases, t.changing())
	return t, nil
}

// changing returns the steps up to the last that changes a value, or all if none does.
func (t *Test) changing() seq.Sequence {
	n := len(t.Steps)
	for n > 0 && t.Pure[n-1] {
		n--
	}
	if n == 0 {
		return t.Steps
	}
	return t.Steps[:n]
}

// fresh returns the sides that no test takes yet.
func (b *Builder) fresh(sides []int32) []int32 {
	var list []int32
	for _, side := range sides {
		if !b.covered[side] {
			list = append(list, side)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// finished returns how many steps of a run did not panic.
func finished(r Run) int {
	for i := range r.Steps {
		if r.Steps[i].Status == engine.Broken {
			return i
		}
	}
	return len(r.Steps)
}

// record runs s several times and returns the results that were the same in all runs.
func (b *Builder) record(s seq.Sequence) (Run, bool) {
	run, ok := b.run(s)
	if !ok {
		return run, false
	}
	return b.agree(s, run, repeats)
}

// agree runs s until there are so many runs of it. It leaves in run the results that were
// the same in all of them.
func (b *Builder) agree(s seq.Sequence, run Run, runs int) (Run, bool) {
	for range runs - 1 {
		if again, ok := b.run(s); !ok || !run.join(again) {
			return run, false
		}
	}
	return run, true
}

// join leaves in r the results that another run of the sequence has, too. It reports
// false if that took other steps.
func (r *Run) join(other Run) bool {
	if len(r.Steps) != len(other.Steps) {
		return false
	}
	for i := range r.Steps {
		st, again := &r.Steps[i], &other.Steps[i]
		if st.Status != again.Status || len(st.Results) != len(again.Results) {
			return false
		}
		st.Pure = st.Pure && again.Pure
		for k := range st.Results {
			if st.Results[k] != again.Results[k] {
				st.Results[k] = Result{}
			}
		}
		if st.Calls != nil && (again.Calls == nil || *st.Calls != *again.Calls) {
			st.Calls = nil
		}
	}
	r.Ends = slices.DeleteFunc(r.Ends, func(e End) bool { return !slices.Contains(other.Ends, e) })
	r.Sides = slices.DeleteFunc(r.Sides, func(side int32) bool { return !slices.Contains(other.Sides, side) })
	return true
}

// assert returns the test that asserts all results of run.
func (b *Builder) assert(s seq.Sequence, run Run) Test {
	t := Test{Steps: s, Asserts: make([][]Result, len(s)), Calls: make([]*Calls, len(s)), Ends: run.Ends, Sides: run.Sides}
	slot := int32(0)
	var state []seq.Step // calls that were asserted since a value has changed
	for i, st := range run.Steps {
		first := slot
		slot += int32(len(b.table.Ops[s[i].Op].Results))
		t.Pure = append(t.Pure, st.Pure)
		if !st.Pure {
			state = state[:0]
		}
		if !b.tells(s[i].Op) || slices.ContainsFunc(state, func(earlier seq.Step) bool { return b.sameCall(earlier, s[i]) }) {
			continue
		}
		asserts, any := make([]Result, len(st.Results)), false
		for k, r := range st.Results {
			// A later step that takes it would fail without it.
			if r.How == NotNil && s.Takes(first+int32(k)) {
				r = Result{}
			}
			asserts[k] = r
			any = any || r.How != None
		}
		if any {
			t.Asserts[i] = asserts
		}
		t.Calls[i] = st.Calls
		if st.Pure && (any || st.Calls != nil) {
			state = append(state, s[i])
		}
	}
	t.spare()
	return t
}

// spare drops assertions that a result is not nil if others say more.
func (t *Test) spare() {
	more := len(t.Ends) > 0
	for i := range t.Steps {
		more = more || t.Calls[i] != nil || slices.ContainsFunc(t.Asserts[i], func(r Result) bool { return r.How != None && r.How != NotNil })
	}
	for i := range t.Asserts {
		left := 0
		for k, r := range t.Asserts[i] {
			if more && r.How == NotNil {
				t.Asserts[i][k] = Result{}
			} else if r.How != None {
				left++
			}
		}
		if left == 0 {
			t.Asserts[i] = nil
		}
	}
}

// tells reports whether the results of an operation say something about the package.
func (b *Builder) tells(id seq.OpID) bool {
	op := &b.table.Ops[id]
	return op.API || op.Kind == seq.FieldGet
}

// sameCall reports whether two steps are written alike: the table may list a method both
// of its type and of an interface.
func (b *Builder) sameCall(x, y seq.Step) bool {
	return b.table.Ops[x.Op].Template == b.table.Ops[y.Op].Template && slices.EqualFunc(x.Args, y.Args, seq.Arg.Equal)
}

// minimize removes the steps without which all assertions hold, the other steps change
// the values that they changed, and no needed side is lost.
func (b *Builder) minimize(t Test, needed []int32) Test {
	for again := true; again; {
		again = false
		for i := len(t.Steps) - 1; i >= 0; i-- {
			if i >= len(t.Steps) {
				continue
			}
			if less, ok := b.without(t, i, needed); ok {
				t, again = less, true
			}
		}
	}
	return t
}

// without returns t without step i and the steps that depend on it, if none of them is
// asserted, and the rest shows the same.
func (b *Builder) without(t Test, i int, needed []int32) (Test, bool) {
	less, keep, ok := b.rest(t, i)
	if !ok {
		return t, false
	}
	run, ok := b.record(less.Steps)
	if !ok || !less.holds(run) {
		return t, false
	}
	for _, side := range needed {
		if slices.Contains(t.Sides, side) && !slices.Contains(run.Sides, side) {
			return t, false
		}
	}
	less.Sides = run.Sides
	for _, st := range run.Steps {
		less.Pure = append(less.Pure, st.Pure)
	}
	// Clear of an empty value would show nothing.
	left := 0
	for j, kept := range keep {
		if kept {
			if less.Pure[left] && !t.Pure[j] {
				return t, false
			}
			left++
		}
	}
	return less, true
}

// rest returns t without step i and the steps that depend on it, before it is run, and
// which steps those are not. It reports false if one of them is asserted.
func (b *Builder) rest(t Test, i int) (less Test, keep []bool, ok bool) {
	keep = make([]bool, len(t.Steps))
	for j := range keep {
		keep[j] = j != i
	}
	var number []int32
	less.Steps, number = seq.Filter(b.table, t.Steps, keep)
	for j := range t.Steps {
		if !keep[j] {
			if t.Asserts[j] != nil || t.Calls[j] != nil {
				return less, nil, false
			}
			continue
		}
		asserts := slices.Clone(t.Asserts[j])
		for k := range asserts {
			if r := &asserts[k]; r.How == Same {
				if r.Slot = number[r.Slot]; r.Slot < 0 {
					return less, nil, false
				}
			}
		}
		less.Asserts, less.Calls = append(less.Asserts, asserts), append(less.Calls, t.Calls[j])
	}
	for _, e := range t.Ends {
		if e.Slot = number[e.Slot]; e.Slot < 0 {
			return less, nil, false
		}
		less.Ends = append(less.Ends, e)
	}
	return less, keep, true
}

// holds reports whether the assertions of t hold in run.
func (t *Test) holds(run Run) bool {
	if len(run.Steps) != len(t.Steps) || finished(run) < len(t.Steps) {
		return false
	}
	for _, e := range t.Ends {
		if !slices.Contains(run.Ends, e) {
			return false
		}
	}
	for i, st := range run.Steps {
		for k, r := range t.Asserts[i] {
			if r.How != None && (k >= len(st.Results) || st.Results[k] != r) {
				return false
			}
		}
		if c := t.Calls[i]; c != nil && (st.Calls == nil || *st.Calls != *c) {
			return false
		}
	}
	return true
}

// key is equal for tests that do and assert the same.
func (t *Test) key(table *seq.Table) string {
	key := table.String(t.Steps)
	for i := range t.Steps {
		for _, r := range t.Asserts[i] {
			key += "\x00" + string(rune('0'+r.How)) + r.Text
		}
		if c := t.Calls[i]; c != nil {
			key += "\x01" + c.Text
		}
	}
	for _, e := range t.Ends {
		key += "\x02" + e.Text
	}
	return key
}
