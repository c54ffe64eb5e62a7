// Package invariant learns likely invariants of the calls of an API, without names. These
// are properties that hold nearly always and sometimes not [Engler01]. They have a few
// shapes, over the observers of the API itself [Ernst01].
//
// All shapes share one experiment. A sequence runs anew up to one of its calls; the
// package looks at the values around the call, makes it, and looks again:
//
//	v0 := stack.New(); v0.Push(1); v1 := v0.Clone()
//	before := fmt.Sprint(v1.Values())
//	v0.Push(2)                                       // the call
//	fmt.Sprint(v1.Values()) == before                // 812 of 812, so far
//
// A shape turns what was seen into outcomes of candidate laws. The learner counts them,
// by law and by the operation that was called. It tells of a breach in two cases. The
// operation keeps the law in nearly all contexts, and in a few it does not. Or the
// other operations of the package always keep it, and this one does not.
//
// An observer is known by digest: a method without parameters that leaves the digest of
// its receiver unchanged, and returns values that can be printed. Counts decide, not
// clocks: equal seeds give equal runs.
//
// Laws by name are those of package contract.
package invariant

import (
	"errors"
	"fmt"
	"slices"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A Caller calls operations, as contract.Caller does. The results are valid until the
// next call.
type Caller interface {
	Call(op seq.OpID, args ...any) (results []any, panicked any)
	// Do runs code of the package that no operation calls. It reports false if that panics.
	Do(f func()) bool
}

// A Part is what a law runs: an operation, as a step or an observer, or encoding/json on
// values of a type. Parts number the operations, then the types.
type Part int

// Config holds the parts of a Learner.
type Config struct {
	Table *seq.Table
	// Running is told which part runs next. A part may hang or end the process, although
	// the sequence did not: see Off.
	Running func(Part)
	// Sum digests a value. It reports false for one that is too large.
	Sum func(v any) (hash uint64, whole bool)
	// Excuses reports whether the name or the documentation of an operation has it change
	// argument i, or share it: then no breach by it is told.
	Excuses func(op seq.OpID, i int) bool
}

// A Learner counts candidate laws over the sequences that it is given. It belongs to one
// goroutine at a time.
type Learner struct {
	Config
	observers [][]*observer // by type of receiver
	laws      map[string]*law
	turns     []uint32              // by operation
	off       []bool                // by part: it is run no more
	broken    func(slot int32) bool // of the sequence under way
	told      map[engine.Signature]bool
}

// Prefix begins the names of all learned laws.
const Prefix = "likely-"

// New returns a Learner that has seen nothing.
func New(c Config) *Learner {
	l := &Learner{
		Config: c, laws: map[string]*law{}, turns: make([]uint32, len(c.Table.Ops)), off: make([]bool, len(c.Table.Ops)+len(c.Table.Types)), told: map[engine.Signature]bool{},
		observers: make([][]*observer, len(c.Table.Types)),
	}
	l.findObservers()
	return l
}

// A shape is one kind of experiment. It runs s, the last step of which is the call, and
// returns what it saw.
type shape struct {
	names []string // of the laws that it has outcomes of
	run   func(l *Learner, c Caller, s seq.Sequence) []outcome
}

var shapes = []shape{
	{[]string{argumentKept, othersKept, repeats, again}, (*Learner).around},
	{[]string{aliased}, (*Learner).alias},
	{[]string{decoded}, (*Learner).decode},
	{[]string{spareKept}, (*Learner).spare},
}

// The names of the laws.
const (
	argumentKept = Prefix + "argument-kept" // a call leaves an argument as it was
	othersKept   = Prefix + "others-kept"   // a call leaves what other objects show
	repeats      = Prefix + "repeats"       // looking again shows the same
	again        = Prefix + "again"         // a second call changes nothing
	aliased      = Prefix + "alias"         // given itself, a call does what it does given a copy
	decoded      = Prefix + "json"          // encoding/json keeps what observers tell
	spareKept    = Prefix + "spare-kept"    // a call leaves what lies behind the end of a slice
)

// An outcome says whether a candidate law held in one context.
type outcome struct {
	name    string // of the law
	key     string // of the candidate: it tells laws of one name apart
	words   string // the law, as a sentence
	unit    seq.OpID
	arg     int        // of the unit; -1 if the law is about none
	typ     seq.TypeID // that the law is about, whichever operation left the value; zero if none
	context uint64
	class   string  // of the results of the call
	copies  bool    // the objects it compares are of one type
	breach  *breach // nil if it held
}

// A breach shows that a law does not hold: see engine.Verdict.
type breach struct {
	detail         string
	before, assert string
	slots          []int32
	steps          int
}

// Learn runs s anew, in part, and counts what it sees. It returns a verdict if a law does
// not hold that has proved itself. The literals of s must be boxed. Broken reports slots
// that the caller may have broken: nothing is learned from them.
func (l *Learner) Learn(c Caller, s seq.Sequence, broken func(slot int32) bool) *engine.Verdict {
	step := l.choose(s, broken)
	if step < 0 {
		return nil
	}
	l.broken = broken
	for i := range shapes {
		for _, o := range shapes[i].run(l, c, s[:step+1]) {
			u := l.count(&o)
			if o.breach == nil || l.told[l.signature(&o)] || !u.proved(&o) || !l.shows(c, s[:step+1], &shapes[i], &o) {
				continue
			}
			l.told[l.signature(&o)] = true
			return l.verdict(&o)
		}
	}
	return nil
}

const (
	confirmTries = 4 // how often a breach is seen anew before it is told
	checkedShows = 3 // how often a sequence runs before observers are believed
)

// shows reports whether a breach shows each time: chance and random order do not count.
func (l *Learner) shows(c Caller, s seq.Sequence, sh *shape, o *outcome) bool {
	for range confirmTries {
		if !slices.ContainsFunc(sh.run(l, c, s), func(p outcome) bool { return p.breach != nil && p.name == o.name && p.key == o.key && p.unit == o.unit }) {
			return false
		}
	}
	return true
}

// Show runs s anew and looks for a breach with a signature at any call. It counts
// nothing: s is to show a finding again, in this process or another.
func (l *Learner) Show(c Caller, s seq.Sequence, broken func(slot int32) bool, want engine.Signature) *engine.Verdict {
	l.broken = broken
	for i := range shapes {
		sh := &shapes[i]
		if !slices.Contains(sh.names, want.Class) {
			continue
		}
		for step := len(s) - 1; step >= 0; step-- {
			if op := &l.Table.Ops[s[step].Op]; !op.API || op.Member != want.Where && want.Class != decoded || l.takesBroken(&s[step], broken) {
				continue
			}
			for range checkedShows { // an observer that changes its receiver is none
				sh.run(l, c, s[:step+1])
			}
			for _, o := range sh.run(l, c, s[:step+1]) {
				if u, ok := l.unitOf(&o); ok && !u.proved(&o) {
					continue // another law of the name
				}
				if o.breach != nil && l.signature(&o) == want && l.shows(c, s[:step+1], sh, &o) {
					return l.verdict(&o)
				}
			}
		}
	}
	return nil
}

// choose returns the step of s that calls the operation with the fewest turns, and takes a
// value that no literal is. Of several it is the last, and -1 if there is none.
func (l *Learner) choose(s seq.Sequence, broken func(slot int32) bool) int {
	best := -1
	for i := range s {
		op := &l.Table.Ops[s[i].Op]
		if l.off[s[i].Op] {
			break
		}
		if callable(op) && l.takesValue(&s[i]) && (best < 0 || l.turns[s[i].Op] <= l.turns[s[best].Op]) && !l.takesBroken(&s[i], broken) {
			best = i
		}
	}
	if best >= 0 {
		l.turns[s[best].Op]++
	}
	return best
}

// takesValue reports whether a step takes a value of a type without literals.
func (l *Learner) takesValue(st *seq.Step) bool {
	op := &l.Table.Ops[st.Op]
	for i, a := range st.Args {
		if a.Lit == nil && l.Table.Types[op.Param(i)].Literal == seq.NoLiteral {
			return true
		}
	}
	return false
}

func (l *Learner) takesBroken(st *seq.Step, broken func(slot int32) bool) bool {
	return slices.ContainsFunc(st.Args, func(a seq.Arg) bool { return a.Lit == nil && broken(a.Slot) })
}

func callable(op *seq.Operation) bool {
	return op.API && (op.Kind == seq.Func || op.Kind == seq.Method) && !op.Pre.Blocks
}

func (l *Learner) signature(o *outcome) engine.Signature {
	where := l.Table.Ops[o.unit].Member
	if o.typ != 0 {
		where = l.Table.Types[o.typ].Name
	}
	return engine.Signature{Kind: engine.KindContract, Class: o.name, Where: where}
}

// verdict returns the verdict on a breach. Evidence is empty in a process that has
// learned nothing.
func (l *Learner) verdict(o *outcome) *engine.Verdict {
	v := &engine.Verdict{
		Kind: engine.KindContract, Op: o.unit, Signature: l.signature(o), Contract: o.name,
		Message: fmt.Sprintf("contract %s does not hold: %s", o.name, o.breach.detail),
		Before:  o.breach.before, Assert: o.breach.assert, Slots: o.breach.slots, Steps: o.breach.steps,
	}
	reason := "likely: " + o.words
	u, ok := l.unitOf(o)
	if ok {
		v.Evidence = u.evidence(l.Table, o)
		reason += ". " + v.Evidence
	}
	if doc := l.Table.Ops[o.unit].Doc; doc != "" {
		reason += ". " + l.Table.Ops[o.unit].Short + ": \"" + doc + "\""
	}
	return v.Settle(engine.Ruling{Tier: engine.Suspect, Rule: o.name, Reason: reason}, engine.Ruling{})
}

// Off has a part be run no more: it did not return.
func (l *Learner) Off(p Part) { l.off[p] = true }

// calls makes a call, unless its operation is switched off.
func (l *Learner) calls(c Caller, op seq.OpID, args ...any) (results []any, panicked any) {
	if l.off[op] {
		return nil, errOff
	}
	l.Running(Part(op))
	return c.Call(op, args...)
}

var errOff = errors.New("switched off")
