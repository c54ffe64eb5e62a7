package exhaustive

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
)

// An Op is an operation on an S. Its arguments are choices of c. An error is a failure, and
// so is a panic. A call that c drops, as [C.Assume] does, breaks a precondition: no
// sequence goes on with it.
type Op[S any] struct {
	Name string
	Do   func(c *C, s S) error
}

// Calls are the sequences of calls on a new S. Set the fields before the first call of a
// method. S is a pointer, a map, or another type that an operation changes in place.
//
// They are explored breadth first. Of the sequences that leave equal states only the first,
// one of the shortest, goes on [Visser04 §4.1]. Each begins with a new S.
//
// The identity of a sequence is its number of calls, and then, for each call, the number of
// its operation and the choices of its arguments.
type Calls[S any] struct {
	// Depth is the number of calls of a sequence, at most; 4 if it is 0.
	Depth int

	// States is the number of states after which exploring ends with an error, 1<<20 if it
	// is 0.
	States int

	// Limit is the number of transitions after which exploring ends with an error, 1<<32 if
	// it is 0. It ends early if the states that it knows are to have more.
	Limit int64

	// Abstract returns what tells states apart, the whole state if it is nil. Two of its
	// results are equal if their digests are, which have 64 bits. If it leaves out what later calls
	// depend on, fewer sequences are run, and not all [Pacheco09 §8.1].
	Abstract func(S) any

	// Shape takes states for equal that differ in basic values only, such as numbers.
	Shape bool

	start func() S
	ops   []Op[S]
}

// Explore returns the sequences of calls of operations on what start returns.
func Explore[S any](start func() S, ops []Op[S]) *Calls[S] {
	return &Calls[S]{start: start, ops: ops}
}

// Explored are the counts of an exploration.
type Explored struct {
	Depth       int   // all sequences of so many calls were run
	States      int64 // distinct ones, the first included
	Transitions int64 // calls that extend a state, dropped ones included
	Dropped     int64
}

// A ran is the end of one sequence.
type ran[S any] struct {
	state S
	err   error // of the last call
	calls *Calls[S]
	c     *C
}

// String returns the calls, and the state that they have left.
func (r ran[S]) String() string {
	return fmt.Sprintf("%s leaves %+v", r.calls.text(r.c.made), r.state)
}

// Cases returns the sequences as cases, of which no two count as one. They are for
// [Cases.Replay] and [Cases.Decode], or to be walked without states. A case whose
// last call fails panics.
func (x *Calls[S]) Cases() *Cases[S] {
	return Generate(func(c *C) S {
		r := x.run(c)
		if r.err != nil {
			panic(r.err)
		}
		return r.state
	})
}

func (x *Calls[S]) cases() *Cases[ran[S]] { return Generate(x.run) }

func (x *Calls[S]) depth() int { return cmp.Or(x.Depth, 4) }

// run runs the sequence that c chooses, up to a call that fails.
func (x *Calls[S]) run(c *C) (r ran[S]) {
	defer func() {
		if p := recover(); p != nil && !c.unwinding {
			r.err = fmt.Errorf("panic at %s: %v", placeOf(4), p)
		}
	}()
	r.calls, r.c = x, c
	r.state = x.start()
	for range c.Choose("", x.depth()+1) {
		if r.err = x.ops[c.Choose("", len(x.ops))].Do(c, r.state); r.err != nil || c.dropped {
			break
		}
	}
	return r
}

// text returns the calls of a sequence.
func (x *Calls[S]) text(made []choice) string {
	c := &C{max: maxChoices, tells: true, lenient: true}
	c.load(made)
	var calls []string
	once(c, func() (none struct{}) {
		s := x.start()
		for range c.Choose("", x.depth()+1) {
			op := x.ops[c.Choose("", len(x.ops))]
			c.told = c.told[:0]
			at := len(calls)
			calls = append(calls, "")
			func() {
				defer func() { calls[at] = op.Name + "(" + strings.Join(c.told, ", ") + ")" }()
				op.Do(c, s)
			}()
		}
		return none
	})
	return cmp.Or(strings.Join(calls, ", "), "no call")
}

// Check explores, and calls check with the state after each call, or until it returns an
// error. The error that Check returns names the sequence.
func (x *Calls[S]) Check(check func(S) error) (Explored, error) {
	e := x.explore(failed(check))
	if e.fail != nil {
		return e.Explored, e.fail
	}
	return e.Explored, nil
}

// failed returns a function that returns the error of the last call, or of check.
func failed[S any](check func(S) error) func(*C, ran[S]) error {
	return func(_ *C, r ran[S]) error {
		if r.err != nil {
			return r.err
		}
		return guarded(check, r.state)
	}
}

// Test fails t for the first sequence of which a call fails, or after which check returns
// an error or panics. It is one of the shortest. Test lowers its arguments and shows its calls
// and the identity.
func (x *Calls[S]) Test(t testing.TB, check func(S) error) {
	t.Helper()
	e := x.explore(failed(check))
	switch {
	case e.fail == nil:
		t.Logf("exhaustive: %s", &e.Explored)
	case !e.fail.found:
		t.Error(e.fail)
	default:
		t.Error(x.cases().report(e.fail, Stats{Runs: e.Transitions}, failed(check)))
	}
}

// String says what was run.
func (e *Explored) String() string {
	return fmt.Sprintf("all sequences of at most %d calls: %d states, %d transitions, of which %d were dropped", e.Depth, e.States, e.Transitions, e.Dropped)
}

// All ranges over the states, each as its first sequence leaves it, breadth first. It
// panics with a line of text if a call fails or if the sequences cannot be enumerated.
func (x *Calls[S]) All() iter.Seq2[*C, S] {
	return func(yield func(*C, S) bool) {
		e := x.newExploration(func(_ *C, r ran[S]) error { return r.err })
		e.isNew = func(c *C, s S) error {
			if !yield(c, s) {
				return errStop
			}
			return nil
		}
		if e.run(); e.fail != nil && !errors.Is(e.fail, errStop) {
			panic(e.fail)
		}
	}
}

func (x *Calls[S]) explore(visit func(*C, ran[S]) error) *exploration[S] {
	e := x.newExploration(visit)
	e.run()
	return e
}
